"""The calls of a gateway as values: where they go, their parameters, and the reader of their result. No I/O.

Calls and fields come from the gateway interface document (sections 2 to 5 and 7). Reads outside the document come from the AvN
gateway's public documentation.
"""

from __future__ import annotations

from dataclasses import dataclass

from staking_gateway.errors import InvalidInput
from staking_gateway.gateway import answers
from staking_gateway.gateway.answers import Call
from staking_gateway.types import (
    MAX_NONCE,
    AccountId,
    ChainInfo,
    ElectionWindow,
    NonceKind,
    RequestState,
    StakingStatus,
    is_request_id,
    parse_era,
    parse_proof,
    parse_unsigned,
)

PAYOUT_METHOD = "proxyPayoutstakers"
"""The payout method as the interface document spells it."""


@dataclass(frozen=True)
class Dialect:
    """Names and paths that differ between gateway versions; the defaults come from the interface document."""

    payout_method: str = PAYOUT_METHOD
    send_path: str = "/send"
    query_path: str = "/query"
    poll_path: str = "/poll"


def payout(
    *,
    relayer: str | AccountId,
    user: str | AccountId,
    payer: str | AccountId,
    era: int | str,
    proxy_signature: str,
    fee_payment_signature: str,
    payment_nonce: int | str,
    payout_method: str = PAYOUT_METHOD,
) -> Call[str]:
    """Section 2.2: all seven parameters, `era` and `paymentNonce` as strings."""
    params = {
        "relayer": AccountId.parse(relayer, field="relayer").address,
        "user": AccountId.parse(user, field="user").address,
        "payer": AccountId.parse(payer, field="payer").address,
        "era": str(parse_era(era)),
        "proxySignature": parse_proof(proxy_signature, field="proxy_signature"),
        "feePaymentSignature": parse_proof(fee_payment_signature, field="fee_payment_signature"),
        "paymentNonce": str(parse_unsigned(payment_nonce, MAX_NONCE, field="payment_nonce")),
    }
    return Call(payout_method, params, answers.read_request_id, "send_path")


def staking_status(account: str | AccountId) -> Call[StakingStatus]:
    """Section 2.3: `accountId` is the account as it was given, SS58 address or public key."""
    return Call("getStakingStatus", {"accountId": AccountId.parse(account).spelling}, answers.read_staking_status)


def active_era() -> Call[int]:
    """Index of the running era."""
    return Call("getActiveEra", {}, answers.read_active_era)


def election_window() -> Call[ElectionWindow]:
    """State of the era election window."""
    return Call("getEraElectionStatus", {}, answers.read_election_window)


def nonce(account: str | AccountId, kind: NonceKind | str) -> Call[int]:
    """Next unused nonce of an account; one counter per account and kind."""
    try:
        kind = NonceKind(kind)
    except ValueError:
        raise InvalidInput("kind", f"{str(kind)[:40]!r} is not a nonce kind", "Use staking or payment") from None
    return Call(
        "getNonce", {"accountId": AccountId.parse(account).address, "nonceType": kind.value}, answers.read_nonce
    )


def relayer_fee(
    relayer: str | AccountId, payer: str | AccountId, *, payout_method: str = PAYOUT_METHOD, named: bool = True
) -> Call[int]:
    """Fee of one payout in the smallest unit; `user` names the payer here.

    :param named: ask for the fee of the payout method alone. Some gateways spell its name differently in the table of fees: then ask for
        all fees, and the name is found without regard to case.
    """
    params = {
        "relayer": AccountId.parse(relayer, field="relayer").address,
        "user": AccountId.parse(payer, field="payer").address,
        **({"transactionType": payout_method} if named else {}),
    }
    return Call("getRelayerFees", params, lambda result: answers.read_fee(result, payout_method))


def request_state(request_id: str) -> Call[RequestState]:
    """State of a submitted payout. Unreadable answers and most errors become `UNREADABLE`."""
    if not is_request_id(request_id):
        raise InvalidInput("request_id", "not UUID-formatted", "Pass the identifier the payout call returned")
    params, instead = {"requestId": request_id}, answers.read_state_error
    return Call("requestState", params, answers.read_request_state, "poll_path", instead)


def chain_info() -> Call[ChainInfo]:
    """Name and version of the chain behind the gateway."""
    return Call("getChainInfo", {}, answers.read_chain_info)


def free_balance(account: str | AccountId) -> Call[int]:
    """Spendable balance of an account, in the smallest unit."""
    return Call("getAccountInfo", {"accountId": AccountId.parse(account).address}, answers.read_free_balance)
