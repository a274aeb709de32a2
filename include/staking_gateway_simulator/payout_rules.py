"""The rules for one payout request: what the gateway and the chain find wrong with a request. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from staking_gateway import signing
from staking_gateway.types import ElectionWindow
from staking_gateway_simulator.settings import WINDOW_IS_OPEN

if TYPE_CHECKING:
    from staking_gateway_simulator.chain import Chain
    from staking_gateway_simulator.events import PayoutCall


class Refusal(Exception):
    """A payout request breaks a rule. The gateway answers the text as `gatewayError`.

    :param text: the rule.
    :param inner: the payout itself breaks it: a rule of the election window, of the era or of the user's proof.
    """

    def __init__(self, text: str, *, inner: bool = False) -> None:
        self.inner = inner
        super().__init__(text)


def problems(chain: Chain, call: PayoutCall, now: int, *, with_window: bool) -> Iterator[Refusal]:
    """Every rule that a request breaks, in the order in which the problems are reported.

    Each problem is computed when it is asked for, so asking for the first one alone is cheap.

    :param now: chain time.
    :param with_window: whether the election window counts.
    """
    if with_window and chain.window(now) is ElectionWindow.OPEN:
        yield Refusal(WINDOW_IS_OPEN, inner=True)
    era_problem = _era_problem(chain, call.era, now)
    if era_problem is not None:
        yield Refusal(era_problem, inner=True)
    payment_nonce = chain.account(call.payer).payment_nonce
    if call.payment_nonce != payment_nonce:
        yield Refusal(f"invalid payment nonce: the payer's current one is {payment_nonce}, not {call.payment_nonce}")
    staking_nonce = chain.account(call.user).staking_nonce
    message = signing.payout_message(call.relayer, call.era, staking_nonce)
    if not _is_signed(message, call.proxy_signature, call.user):
        yield Refusal(
            "invalid proxy authorisation: proxySignature is not the user's over this relayer, "
            f"era {call.era} and staking nonce {staking_nonce}",
            inner=True,
        )
    message = signing.fee_payment_message(call.user, call.relayer, call.proxy_signature, chain.fee, call.payment_nonce)
    if not _is_signed(message, call.fee_payment_signature, call.payer):
        yield Refusal(
            "invalid fee authorisation: feePaymentSignature is not the payer's over this user, relayer, "
            f"proxySignature, a fee of {chain.fee} and payment nonce {call.payment_nonce}"
        )
    balance = chain.balance(call.payer)
    if balance < chain.fee:
        yield Refusal(f"the payer cannot afford the relayer fee: it owns {balance}, the fee is {chain.fee}")


def _era_problem(chain: Chain, era: int, now: int) -> str | None:
    active, depth = chain.active_era(now), chain.settings.history_depth
    if era == active:
        return f"era {era} is still active and cannot be paid out yet"
    if era > active:
        return f"era {era} has not begun: the active era is {active}"
    if era < active - depth:
        return f"era {era} is more than {depth} eras before the active era {active}: its rewards are gone"
    if era < chain.born.first_payable:
        return f"era {era} has no stakers to pay out"
    if chain.stakers_left(era) == 0:
        return f"era {era} has already been paid out"
    return None


def _is_signed(message: bytes, signature: str, account: str) -> bool:
    try:
        return signing.verify(message, signature, account)
    except ValueError:
        # sr25519 says so of 64 bytes that no key can have signed, and of accounts that no key can have.
        return False
