"""What can be chosen when a simulator is started."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from staking_gateway.errors import InvalidInput
from staking_gateway.types import MAX_AMOUNT, MAX_ERA
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.fault_plan import MAX_SEED, FaultRule

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
DEFAULT_TOKEN = "simulator-token"
DEFAULT_FEE = 10**17
"""Relayer fee of a fresh chain, in the smallest unit."""
WINDOW_IS_OPEN = "election window is open"
"""What the interface document says of an open window (section 7)."""
DEFAULT_ERA_REWARD = 17_149_935_740_000
"""Reward of an era: that of the first era of a real runtime (Westend, spec 1)."""
_LONGEST_SECONDS = 10 * 366 * 86400.0
_AwareTime = Annotated[
    datetime, AfterValidator(lambda time: time if time.tzinfo is not None else time.replace(tzinfo=timezone.utc))
]
"""A time without a zone is meant in UTC."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False))
class SimulatorSettings:
    """Settings of one simulator; the command line has an option for each.

    Times are in seconds, amounts in the smallest unit of the currency.

    :raises ValidationError: a value is out of range.
    """

    anchor_era: int = Field(default=0, ge=0, le=MAX_ERA, description="the era that begins at the anchor time")
    anchor_time: _AwareTime = Field(
        default=datetime(2026, 1, 1, tzinfo=timezone.utc),
        description="when it begins, ISO 8601, UTC unless it says else",
    )
    era_length: float = Field(
        default=20.0, ge=0.01, le=_LONGEST_SECONDS, description="seconds of an era on the chain's clock"
    )
    window: float = Field(
        default=5.0,
        ge=0,
        description="the election window is open for so many seconds at the end of each era; 0: never",
    )
    manual_clock: bool = Field(default=False, description="the chain's time moves through the control interface only")
    speed: float = Field(default=1.0, ge=0.001, le=1_000_000, description="chain seconds per second")
    start_time: _AwareTime | None = Field(
        default=None, description="chain time at the very first start (default: the machine's time)"
    )
    unpaid_eras: int = Field(
        default=1, ge=0, le=MAX_ERA, description="eras before the active one payable at the very first start"
    )
    history_depth: int = Field(
        default=84, ge=1, le=MAX_ERA, description="eras older than the active one by more than this are gone"
    )
    stakers: int = Field(default=100, ge=1, le=1_000_000, description="stakers of each era")
    batch: int = Field(default=250, ge=1, le=1_000_000, description="stakers paid by one payout")
    era_reward: int = Field(
        default=DEFAULT_ERA_REWARD, ge=0, le=MAX_AMOUNT, description="what the stakers of each era share"
    )
    pruned: int | None = Field(
        default=None,
        ge=0,
        le=MAX_ERA,
        description="the node forgets the state of blocks older than this (default: never)",
    )
    confirm_seconds: float = Field(
        default=1.0,
        ge=0,
        le=86400,
        description="from acceptance to execution: real time, or chain time with a manual clock",
    )
    fee: int | None = Field(
        default=None,
        ge=0,
        le=MAX_AMOUNT,
        description=f"relayer fee (default: the state file's, {DEFAULT_FEE} in a fresh one)",
    )
    balance: int = Field(default=10**24, ge=0, le=MAX_AMOUNT, description="what each account owns at first")
    relayers: tuple[str, ...] = Field(
        default=(read_account(DEV_ACCOUNTS["//Bob"]).address,),
        description="an account the gateway works for; repeatable (default: //Bob)",
    )
    tokens: tuple[str, ...] = Field(
        default=(DEFAULT_TOKEN,), description=f"an issued access token; repeatable (default: {DEFAULT_TOKEN})"
    )
    token_max_age: float = Field(
        default=600.0, ge=1, le=_LONGEST_SECONDS, description="oldest self-made access token, in seconds"
    )
    payout_method: str = Field(default="proxyPayoutstakers", description="how the payout method is spelt")
    door_checks: bool = Field(
        default=True,
        description="accept every well-formed payout, which the chain may reject (default: the gateway refuses it)",
    )
    fee_on_failure: bool = Field(
        default=False,
        description="charge the fee although the payout fails because of the window, the era or the user's proof. "
        "The payment nonce moves by one, the staking nonce does not; a wrong payment nonce, fee proof or balance is free",
    )
    poll_form: Literal["object", "upper"] = Field(
        default="object", description="upper: /poll answers with words such as SENDING_FAILED"
    )
    fee_method: str | None = Field(
        default=None, description="how the table of fees spells the payout method; no other spelling is taken"
    )
    currency: bool = Field(default=False, description="refuse payouts and fees that name no currency")
    faults: tuple[FaultRule, ...] = Field(
        default=(),
        description="what goes wrong, see below; repeatable, e.g. late:path=/send:times=2,any:probability=0.01",
    )
    fault_seed: int = Field(default=0, ge=0, le=MAX_SEED, description="decides where chance has a part in it")

    @model_validator(mode="after")
    def _check(self) -> SimulatorSettings:
        if self.window > self.era_length:
            raise InvalidInput("window", f"{self.window} s is longer than an era", "Use a shorter one, 0 for none")
        for relayer in self.relayers:
            read_account(relayer)
        return self


def to_micros(seconds: float) -> int:
    """Seconds as whole microseconds, the unit the simulator counts time in."""
    return round(seconds * 1_000_000)


def instant_to_micros(time: datetime) -> int:
    """An aware datetime as whole microseconds since 1970."""
    return (time - EPOCH) // timedelta(microseconds=1)


def iso_utc(micros: int) -> str:
    """Microseconds since 1970 as ISO 8601 in UTC, which `datetime.fromisoformat` reads on every Python."""
    return (EPOCH + timedelta(microseconds=micros)).isoformat(timespec="microseconds")
