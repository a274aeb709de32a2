"""What can be chosen when a simulator is started."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Literal, get_args

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_ERA
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.fault_plan import MAX_SEED, FaultRule
from staking_gateway_simulator.limits import check_choice, check_number

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DEFAULT_TOKEN = "simulator-token"
DEFAULT_FEE = 10**17
"""Relayer fee of a fresh chain, in the smallest unit."""
WINDOW_IS_OPEN = "election window is open"
"""What the interface document says of an open window (section 7)."""
PollForm = Literal["object", "bare", "upper", "error"]
InnerFailureStatus = Literal["Rejected", "Processed"]
FailedTxHash = Literal["null", "request_id"]
DEFAULT_ERA_REWARD = 17_149_935_740_000
"""Reward of an era: that of the first era of a real runtime (Westend, spec 1)."""
_LONGEST_SECONDS = 10 * 366 * 86400.0


@dataclass(frozen=True)
class SimulatorSettings:
    """Settings of one simulator. Times are in seconds, amounts in the smallest unit of the currency.

    :param anchor_era: the era that begins at `anchor_time`.
    :param anchor_time: aware datetime.
    :param era_length: length of an era on the chain's clock.
    :param window: how long before the end of each era the election window is open; 0 means never.
    :param manual_clock: the chain's clock moves through the control interface only.
    :param speed: how fast the chain's clock runs, as a multiple of real time.
    :param start_time: chain time at the very first start; None means the time of the machine.
    :param unpaid_eras: how many eras before the active one are payable at the very first start.
    :param history_depth: eras older than the active one by more than this are gone.
    :param stakers: stakers of each era.
    :param batch: how many stakers one executed payout pays.
    :param era_reward: what the stakers of each era share.
    :param pruned: the node forgets the state of blocks older than the newest by more than this; None: it forgets nothing.
    :param confirm_seconds: from acceptance to execution; real time, or chain time with a manual clock.
    :param fee: relayer fee; None keeps the state file's, `DEFAULT_FEE` in a fresh one.
    :param balance: what each account owned before any fee moved.
    :param relayers: accounts this gateway works for.
    :param tokens: issued access tokens.
    :param token_max_age: how old a self-made access token may be.
    :param era_as_number: answer `getActiveEra` with a number instead of a string.
    :param payout_method: how this gateway spells the payout method.
    :param door_checks: the gateway judges window, era, nonces, proofs and fee of a payout before it accepts the payout. When
        off, the gateway accepts every well-formed payout of its relayers. The chain then judges at the execution.
    :param fee_on_failure: the payer pays the fee although the payout fails because of the window, the era or the user's proof.
        The payment nonce moves by one; the staking nonce does not move. A wrong payment nonce, fee proof or balance costs nothing.
    :param poll_form: how /poll answers. `object`: an object. `bare`: one word of the oldest version. `upper`: an object with words
        such as `SENDING_FAILED`. `error`: an object, but an internal error for an unknown request.
    :param inner_failure_status: the status of a payout that failed because of the window, the era or the user's proof.
    :param tx_hash_of_failed: the `txHash` of a request with the status `SendingFailed`.
    :param internal_refusals: a wrong fee proof and an unknown relayer are internal errors. The text about a fee proof holds
        the whole signature.
    :param window_text: the text with which the gateway refuses a payout in an open window.
    :param window_in_message: that text is the error's `message`, and `data` has no `gatewayError`.
    :param fee_method: how the table of fees spells the payout method; then `getRelayerFees` takes this spelling alone.
    :param currency: the gateway charges fees in a currency: it refuses payouts and questions for the fee that name none.
    :param faults: what goes wrong from the start; see `FaultRule`.
    :param fault_seed: decides where chance has a part in it.
    :raises InvalidInput: a value is out of range.
    """

    anchor_era: int = 0
    anchor_time: datetime = datetime(2026, 1, 1, tzinfo=timezone.utc)
    era_length: float = 20.0
    window: float = 5.0
    manual_clock: bool = False
    speed: float = 1.0
    start_time: datetime | None = None
    unpaid_eras: int = 1
    history_depth: int = 84
    stakers: int = 100
    batch: int = 250
    era_reward: int = DEFAULT_ERA_REWARD
    pruned: int | None = None
    confirm_seconds: float = 1.0
    fee: int | None = None
    balance: int = 10**24
    relayers: tuple[str, ...] = (read_account(DEV_ACCOUNTS["//Bob"]).address,)
    tokens: tuple[str, ...] = (DEFAULT_TOKEN,)
    token_max_age: float = 600.0
    era_as_number: bool = False
    payout_method: str = "proxyPayoutstakers"
    door_checks: bool = True
    fee_on_failure: bool = False
    poll_form: PollForm = "object"
    inner_failure_status: InnerFailureStatus = "Rejected"
    tx_hash_of_failed: FailedTxHash = "null"
    internal_refusals: bool = False
    window_text: str = WINDOW_IS_OPEN
    window_in_message: bool = False
    fee_method: str | None = None
    currency: bool = False
    faults: tuple[FaultRule, ...] = ()
    fault_seed: int = 0

    def __post_init__(self) -> None:
        check_number("anchor_era", self.anchor_era, 0, MAX_ERA)
        check_number("era_length", self.era_length, 0.01, _LONGEST_SECONDS)
        check_number("window", self.window, 0, self.era_length)
        check_number("speed", self.speed, 0.001, 1_000_000)
        check_number("unpaid_eras", self.unpaid_eras, 0, MAX_ERA)
        check_number("history_depth", self.history_depth, 1, MAX_ERA)
        check_number("stakers", self.stakers, 1, 1_000_000)
        check_number("batch", self.batch, 1, 1_000_000)
        check_number("era_reward", self.era_reward, 0, MAX_AMOUNT)
        check_number("pruned", self.pruned or 0, 0, MAX_ERA)
        check_number("confirm_seconds", self.confirm_seconds, 0, 86400)
        check_number("fee", 0 if self.fee is None else self.fee, 0, MAX_AMOUNT)
        check_number("balance", self.balance, 0, MAX_AMOUNT)
        check_number("token_max_age", self.token_max_age, 1, _LONGEST_SECONDS)
        check_number("fault_seed", self.fault_seed, 0, MAX_SEED)
        for field, time in (("anchor_time", self.anchor_time), ("start_time", self.start_time or self.anchor_time)):
            if time.tzinfo is None:
                raise InvalidInput(field, f"{time} has no time zone", "Write it as 2026-01-01T00:00:00+00:00")
        for relayer in self.relayers:
            read_account(relayer)
        check_choice("poll_form", self.poll_form, get_args(PollForm))
        check_choice("inner_failure_status", self.inner_failure_status, get_args(InnerFailureStatus))
        check_choice("tx_hash_of_failed", self.tx_hash_of_failed, get_args(FailedTxHash))
        if not self.window_text:
            raise InvalidInput("window_text", "is empty", f"Write a text, e.g. {WINDOW_IS_OPEN}")


def to_micros(seconds: float) -> int:
    """Seconds as whole microseconds, the unit the simulator counts time in."""
    return round(seconds * 1_000_000)


def instant_to_micros(time: datetime) -> int:
    """An aware datetime as whole microseconds since 1970."""
    return (time - EPOCH) // timedelta(microseconds=1)


def iso_utc(micros: int) -> str:
    """Microseconds since 1970 as ISO 8601 in UTC, which `datetime.fromisoformat` reads on every Python."""
    return (EPOCH + timedelta(microseconds=micros)).isoformat(timespec="microseconds")
