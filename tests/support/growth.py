"""Ledgers with a long history, and the work that their statements take."""

from contextlib import closing
from datetime import timedelta

import sqlalchemy as sa

from staking_gateway.ledger import Ledger, PayoutState, Sight, Sighting
from staking_gateway.ledger.alerts import End, Findings, Present
from staking_gateway.problem import Problem, Topic
from tests.support.ledgers import RUN, answered, connected, judged, signed

_SHIFTS = {
    "payouts": {"id": 1, "era": 1, "executed": 2},
    "payout_copies": {"id": 2, "payout_id": 1, "staking_nonce": 1, "payment_nonce": 1},
    "payout_sends": {"copy_id": 2, "request_id": "text"},
    "payout_sightings": {"id": 3, "payout_id": 1, "nonce": 1},
    "payout_events": {"id": 9, "payout_id": 1},
    "era_notices": {"era": 1},
    "alerts": {"topic": "text", "era": 1},
    "alert_messages": {"id": "text"},
}
"""Of each table, what a row about the next era has more than the same row about the era before."""
_WASTED = 10**9
"""The first payment nonce of the fees for nothing."""


def fill(url, eras, *, network, chain, user, payer, now):
    """Eras that were paid one after the other, a year ago; each cost a fee for nothing.

    Each has its notice, and an alert that is over with its messages, as after a long outage that is settled by now.
    """
    with closing(Ledger(url, clock=lambda: now - timedelta(days=365))) as ledger:
        _first(ledger, eras.start, {"user": user, "payer": payer, "relayer": payer}, network, chain)
    with connected(url) as connection:
        connection.exec_driver_sql("BEGIN")
        for table, shifts in _SHIFTS.items():
            columns = sa.inspect(connection).get_columns(table)
            shifted = ", ".join(_shifted(column["name"], shifts.get(column["name"])) for column in columns)
            numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {len(eras) - 1})"
            connection.exec_driver_sql(f"INSERT INTO {table} {numbers} SELECT {shifted} FROM {table}, n")
        connection.exec_driver_sql("COMMIT")


def _shifted(name, shift):
    return name if shift is None else f"{name} || '-' || i" if shift == "text" else f"{name} + {shift} * i"


def _first(ledger, era, owner, network, chain):
    journal, key, waits = ledger.journal, f"era:{era}", timedelta(0)
    part = ledger.plan(network, era, 0, **owner, chain=chain, actor=RUN)
    part = answered(ledger, signed(ledger, part, fee=7, staking_nonce=0, payment_nonce=_WASTED))
    charged = [Sighting(Sight.CHARGED, ledger.now(), _WASTED, owner["payer"].hex)]
    part = ledger.transition(part, PayoutState.SUBMITTED, "charged", RUN, sightings=charged)
    judged(ledger, answered(ledger, signed(ledger, part, fee=7, staking_nonce=0, payment_nonce=0)))
    journal.note_once(network, era, "expiry_50_of_84", f"era {era} is unpaid", RUN)
    late = Present(key, "not_paid", 1, f"era {era}", Problem(Topic.UNPAID, "it was never attempted"), era)
    for findings in (Findings(present={key: late}), Findings(settled={key: End("is paid")})):
        journal.alerts.update(network, findings, clear_after=waits, actor=RUN)
    for message in journal.alerts.unsent(network):
        journal.alerts.end_claim(journal.alerts.claim(message, waits), sent=True)


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
