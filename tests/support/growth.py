"""Ledgers with a long history, and the work that their statements take."""

import itertools
import json
from contextlib import contextmanager
from datetime import timedelta

import sqlalchemy as sa

from staking_gateway.ledger.tables import (
    account_rewards,
    account_statuses,
    alert_messages,
    alerts,
    era_facts,
    era_notices,
    payout_events,
    payouts,
    reconciliations,
    task_failures,
    wasted_fees,
)
from tests.support.ledgers import connected

GROWING = {
    table.name
    for table in (
        payouts,
        payout_events,
        wasted_fees,
        account_statuses,
        era_notices,
        alerts,
        alert_messages,
        task_failures,
        era_facts,
        account_rewards,
        reconciliations,
    )
}
"""Tables that get rows for as long as eras are paid."""
_STATES = ("PLANNED", "SIGNED", "SUBMITTED", "CONFIRMED")
_RUN = "staking_payout_{network}/scheduled__era-{era}__0a1b2c3d"
_PORTION = 5_000


def fill(url, eras, *, network, chain, user, payer, now, every=timedelta(hours=1), only_payouts=False):
    """Eras that were paid one after the other until a moment, each with its events; of ten eras one cost a fee for nothing.

    Each has its notice, and an alert that is over with its message, as after a long outage that is settled by now.

    :param only_payouts: leave out everything but the payouts.
    """
    with connected(url) as connection:
        known = connection.scalar(sa.select(sa.func.coalesce(sa.func.max(payouts.c.id), 0)))
    owner = {"network": network, "chain": chain, "user_key": user.hex, "payer_key": payer.hex, "relayer_key": payer.hex}
    numbered = zip(itertools.count(known + 1), eras)
    while portion := list(itertools.islice(numbered, _PORTION)):
        found = {table: [] for table in (payouts, payout_events, wasted_fees, era_notices, alerts, alert_messages)}
        for number, era in portion:
            at, run = now - (eras.stop - era) * every, _RUN.format(network=network, era=era)
            nonce = era - eras.start
            found[payouts].append({**owner, **_payout(number, era, nonce, at, run)})
            if only_payouts:
                continue
            found[payout_events] += _events(number, at, run)
            if era % 10 == 0:
                fee = {"payout_id": number, "payment_nonce": nonce, "fee": 7, "signed_at": at, "signed_by": run}
                found[wasted_fees].append(fee)
            ours = {"network": network, "era": era, "kind": "expiry_50_of_84", "at": at, "run": run}
            found[era_notices].append({**ours, "text": f"era {era} is unpaid"})
            found[alerts].append(_alert(era, at, run, network))
            found[alert_messages].append(_message(number, at, run, network))
        with connected(url) as connection:
            connection.exec_driver_sql("BEGIN")
            for table, rows in found.items():
                if rows:
                    connection.execute(table.insert(), rows)
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SELECT setval('payouts_id_seq', max(id)) FROM payouts")
            connection.exec_driver_sql("COMMIT")


def _payout(number, era, nonce, at, run):
    return {
        "id": number,
        "era": era,
        "part": 0,
        "state": "CONFIRMED",
        "version": len(_STATES),
        "staking_nonce": nonce,
        "payment_nonce": nonce,
        "fee": 7,
        "proxy_signature": "0x" + "ab" * 64,
        "fee_payment_signature": "0x" + "cd" * 64,
        "request_id": f"{number:032x}",
        "tx_hash": f"0x{number:064x}",
        "block_number": number,
        "confirmed_by": "request_state",
        "plans": 1,
        "unanswered": 0,
        "created_at": at,
        "updated_at": at,
        "signed_at": at,
        "accepted_at": at,
        "confirmed_at": at,
        "settled_by": f"{run}#1",
        "fee_charged": True,
        "signed_by": run,
        "signed_try": 1,
        "signatures": 1,
    }


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
    return {**about, **words, "version": 2, "raised_at": at, "changed_at": at, "run": run}


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


# --- what statements do -----------------------------------------------------------------------------------------------


@contextmanager
def statements():
    """The statements that are executed meanwhile, as (text, parameters); what sets up connections is left out."""
    seen = []

    def note(_connection, _cursor, text, parameters, _context, many):
        if text.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
            seen.append((text, parameters[0] if many else parameters))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


class Steps:
    """Counts the steps of SQLite's virtual machine: the same on every machine, and more for each row that is read."""

    EACH = 20

    def __init__(self, ledger):
        self._ledger = ledger
        self._count = 0

    def of(self, work):
        """The number of steps that some work takes, and its result."""
        self._ledger.close()  # so that all its connections are new, and counted
        sa.event.listen(sa.pool.Pool, "connect", self._watch)
        before = self._count
        try:
            result = work()
        finally:
            sa.event.remove(sa.pool.Pool, "connect", self._watch)
            self._ledger.close()
        return (self._count - before) * self.EACH, result

    def _watch(self, connection, _record):
        connection.set_progress_handler(self._step, self.EACH)

    def _step(self):
        self._count += 1
        return 0


def rows_read(url, seen):
    """The most rows that PostgreSQL reads in a table that grows, for each statement but INSERT. Nothing of it is kept."""
    found = {}
    with connected(url) as connection:
        for text, parameters in seen:
            if text.startswith("INSERT"):
                continue
            connection.exec_driver_sql("BEGIN")
            cursor = connection.connection.cursor()
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}", parameters)
            (told,) = cursor.fetchone()
            connection.exec_driver_sql("ROLLBACK")
            plan = json.loads(told) if isinstance(told, str) else told
            found[text] = max([0, *_nodes(plan[0]["Plan"])])
    return found


def _nodes(node):
    if node.get("Relation Name") in GROWING and "Scan" in node["Node Type"]:
        read = (
            node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        )
        yield read * node["Actual Loops"]
    for child in node.get("Plans", []):
        yield from _nodes(child)
