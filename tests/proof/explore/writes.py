"""What the ledger makes of a write: the record after it, and what of a record a rule can still read."""

from __future__ import annotations

from typing import Any

from staking_gateway.ledger.records import PayoutState
from staking_gateway.payout.engine import OF_A_PAYLOAD
from tests.proof.explore.scenario import OLDEST
from tests.proof.explore.values import LEASE, REPLANS, Act, Payload, Process, Record

_TIMES = ("accepted_at", "disagree_since", "over_since", "signed_at")
_NOT_SENT = {name: value for name, value in OF_A_PAYLOAD.items() if name in Record._fields}
_NOT_IN_FLIGHT: dict[str, Any] = {
    "request_id": None,
    "unanswered": 0,
    "copies_out": False,
    "refused": False,
    "accepted_at": None,
    "disagree": None,
    "disagree_since": None,
    "over": None,
    "over_since": None,
    "lease_owner": None,
    "lease_until": None,
}
_CONFIRMED: dict[str, Any] = {
    **_NOT_IN_FLIGHT,
    "request_status": None,
    "fee_charged": None,
    "proxy_signature": None,
    "asked": True,
    "wasted": 0,
    "signed_by": None,
    "signed_try": None,
    "signatures": 0,
}
_EMPTY = {**_CONFIRMED, "hold": None}


def written(record: Record, name: str, process: Process, act: Act) -> Record:
    """A record after a write of the process of this name."""
    if act.kind == "sign":
        return _signed(record, name, process, act)
    changes = dict(act.changes)
    for time in _TIMES:
        if changes.get(time) is not None:
            changes[time] = max(changes[time] - process.age, -OLDEST)
    if changes.get("lease_until"):
        changes["lease_until"] = max(changes["lease_until"] - process.age, 0)
    if "wasted" in changes:
        changes["wasted_fees"] = record.wasted_fees + (record.fee or 0)
    return record._replace(**changes, state=act.state or record.state)


def _signed(record: Record, name: str, process: Process, act: Act) -> Record:
    fee, payment, staking = act.nonces or (0, 0, 0)
    again = record.state.in_flight
    return record._replace(**_NOT_SENT)._replace(
        state=PayoutState.SIGNED,
        staking_nonce=staking,
        payment_nonce=payment,
        fee=max(fee, record.fee or 0) if again else fee,
        proxy_signature=Payload(record.id, staking, payment, fee),
        signed_at=-min(process.age, OLDEST),
        signed_by=name,
        signed_try=1,
        signatures=min(record.signatures_by(name, 1) + 1, REPLANS + 1),
        copies_out=again,
        lease_owner=name,
        lease_until=max(LEASE - process.age, 0),
    )


def canonical(record: Record, *, limited: bool, shares_payer: bool) -> Record:
    """Forget what no rule can read any more in this state, so that equal situations are equal states.

    :param limited: whether fees are limited.
    :param shares_payer: whether another user's payouts have the same payer.
    """
    kept = record._replace(reason=None)
    if not limited:
        kept = kept._replace(fee=1, wasted_fees=0)
    if not shares_payer:
        kept = kept._replace(signed_at=None)
    if record.state is PayoutState.EMPTY:
        return kept._replace(**_EMPTY)
    if record.state.settled:
        return kept._replace(**_CONFIRMED)
    if not record.state.in_flight:
        return kept._replace(**_NOT_IN_FLIGHT, signed_at=None)
    return kept if record.state is PayoutState.SUBMITTED else kept._replace(accepted_at=None)


def left_by(record: Record, name: str) -> Record:
    """A record after the process of this name has gone: the next try has another number and other leases."""
    gone: dict[str, Any] = {}
    if record.lease_owner == name:
        gone["lease_owner"] = "gone"
    if record.signed_by == name and record.signed_try == 1:
        gone |= {"signed_try": 0, "signatures": 0}
    return record._replace(**gone)


def ahead(record: Record, steps: int) -> Record:
    """A record after the clock went back."""
    changes: dict[str, Any] = {name: value + steps for name in _TIMES if (value := getattr(record, name)) is not None}
    if record.lease_until is not None:
        changes["lease_until"] = record.lease_until + steps
    return record._replace(**changes) if changes else record


def older(record: Record) -> Record:
    """A record one clock step later."""
    changes: dict[str, Any] = {
        name: max(value - 1, -OLDEST) for name in _TIMES if (value := getattr(record, name)) is not None
    }
    if record.lease_until:
        changes["lease_until"] = record.lease_until - 1
    return record._replace(**changes) if changes else record
