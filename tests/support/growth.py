"""Ledgers with a long history, and the work that their statements take."""

import itertools
from datetime import timedelta

import sqlalchemy as sa

from staking_gateway.ledger.tables import (
    alert_messages,
    alerts,
    era_notices,
    payout_copies,
    payout_events,
    payout_sends,
    payout_sightings,
    payouts,
)
from tests.support.ledgers import connected

_OF_PAYOUT = (payout_events, payout_copies, payout_sends, payout_sightings)
_STATES = ("PLANNED", "SIGNED", "SUBMITTED", "CONFIRMED")
_RUN = "staking_payout_{network}/scheduled__era-{era}__0a1b2c3d"
_PORTION = 5_000
_WASTED = 10**9
"""Added to the payment nonces of fees for nothing."""


def fill(url, eras, *, network, chain, user, payer, now, every=timedelta(hours=1)):
    """Eras that were paid one after the other until a moment, each with its events; of ten eras one cost a fee for nothing.

    Each has its notice, and an alert that is over with its message, as after a long outage that is settled by now.
    """
    with connected(url) as connection:
        known = connection.scalar(sa.select(sa.func.coalesce(sa.func.max(payouts.c.id), 0)))
    owner = {"network": network, "chain": chain, "user_key": user.hex, "payer_key": payer.hex, "relayer_key": payer.hex}
    numbered = zip(itertools.count(known + 1), eras)
    while portion := list(itertools.islice(numbered, _PORTION)):
        found = {table: [] for table in (payouts, *_OF_PAYOUT, era_notices, alerts, alert_messages)}
        for number, era in portion:
            at, run = now - (eras.stop - era) * every, _RUN.format(network=network, era=era)
            found[payouts].append({**owner, **_payout(number, era, at, run)})
            found[payout_events] += _events(number, at, run)
            found[payout_copies].append({**owner, **_copy(number, number, era - eras.start, at, run)})
            found[payout_sends].append(_send(number, at, run))
            seen = {"payout_id": number, "user_key": user.hex, "began": at, "at": at}
            judged = {**seen, "nonce": era - eras.start, "payer_key": None}
            found[payout_sightings] += [{**judged, "kind": kind} for kind in ("passed", "mine")]
            if era % 10 == 0:  # an earlier copy, with a payment nonce of its own
                wasted = {**_copy(number, -number, era - eras.start, at, run), "payment_nonce": _WASTED + number}
                found[payout_copies].append({**owner, **wasted})
                found[payout_sends].append(_send(-number, at, run))
                charged = {"kind": "charged", "nonce": _WASTED + number, "payer_key": payer.hex}
                found[payout_sightings].append({**seen, **charged})
            ours = {"network": network, "era": era, "kind": "expiry_50_of_84", "at": at, "run": run}
            found[era_notices].append({**ours, "text": f"era {era} is unpaid"})
            found[alerts].append(_alert(era, at, run, network))
            found[alert_messages].append(_message(number, at, run, network))
        with connected(url) as connection:
            connection.exec_driver_sql("BEGIN")
            for table, rows in found.items():
                if rows:
                    connection.execute(table.insert(), rows)
            connection.exec_driver_sql("COMMIT")


def _payout(number, era, at, run):
    confirmed = {"confirmed_by": "request_state", "confirmed_at": at, "executed": number, "settled_by": f"{run}#1"}
    part = {"id": number, "era": era, "part": 0, "state": "CONFIRMED", "version": len(_STATES)}
    return {**part, **confirmed, "created_at": at, "updated_at": at}


def _copy(number, copy_id, nonce, at, run):
    signatures = {"proxy_signature": "0x" + "ab" * 64, "fee_payment_signature": "0x" + "cd" * 64}
    nonces = {"staking_nonce": nonce, "payment_nonce": nonce, "fee": 7}
    return {"id": copy_id, "payout_id": number, **nonces, **signatures, "signed_at": at, "run": run, "try_number": 1}


def _send(copy_id, at, run):
    answer = {"answer": "accepted", "answered_at": at, "request_id": f"{copy_id:032x}"}
    read = {"status": "Processed", "read_at": at, "tx_hash": f"0x{copy_id:064x}", "block_number": abs(copy_id)}
    return {"copy_id": copy_id, "number": 1, "began": at, "run": run, "try_number": 1, **answer, **read}


def _events(number, at, run):
    came_from = [None, *_STATES]
    return [
        {
            "payout_id": number,
            "at": at,
            "from_state": before,
            "to_state": state,
            "version": version,
            "cause": f"is {state}",
            "run": run,
            "try_number": 1,
        }
        for version, (before, state) in enumerate(zip(came_from, _STATES, strict=False), 1)
    ]


def _alert(era, at, run, network):
    about = {"network": network, "topic": f"era:{era}", "state": "over", "kind": "not_paid", "rank": 1, "era": era}
    words = {"subject": f"era {era}", "cause": "it was never attempted"}
    return {**about, **words, "version": 2, "raised_at": at, "run": run}


def _message(number, at, run, network):
    about = {"id": f"{number:032x}", "network": network, "phase": "raised", "kind": "not_paid", "severity": "warning"}
    return {
        **about,
        "conditions": [],
        "made_at": at,
        "run": run,
        "received": ["log"],
        "version": 3,
        "sent_at": at,
        "total": 0,
    }


class Steps:
    """Counts the steps of SQLite's virtual machine: the same on every machine, and more for each row that is read."""

    EACH = 20

    def __init__(self, ledger):
        self._ledger = ledger
        self._count = 0

    def of(self, work):
        """The number of steps that some work takes."""
        self._ledger.close()  # so that all its connections are new, and counted
        sa.event.listen(sa.pool.Pool, "connect", self._watch)
        before = self._count
        try:
            work()
        finally:
            sa.event.remove(sa.pool.Pool, "connect", self._watch)
            self._ledger.close()
        return (self._count - before) * self.EACH

    def _watch(self, connection, _record):
        connection.set_progress_handler(self._step, self.EACH)

    def _step(self):
        self._count += 1
        return 0
