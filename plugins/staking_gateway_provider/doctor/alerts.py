"""Check of the notifiers of alerts, and of messages that wait."""

from __future__ import annotations

from collections.abc import Iterator

from staking_gateway.ledger import NotGranted
from staking_gateway.text import count, duration
from staking_gateway_provider.connection_lookup import find_connection
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, note, ok, warning
from staking_gateway_provider.notifiers import check_notifiers, connection_ids


def check_alerts(case: Case) -> Iterator[Finding]:
    """The notifiers are valid, their connections exist, and no message waits. Nothing is sent."""
    alerts = case.config.alerts
    check_notifiers(case.name, alerts)
    yield from _unsent(case)
    for conn_id in connection_ids(alerts):
        find_connection(f"networks.{case.name}.alerts.notifiers", conn_id)
    if alerts.notifiers:
        yield ok(f"{count(len(alerts.notifiers), 'notifier')} can be made; nothing was sent to try them")


def _unsent(case: Case) -> Iterator[Finding]:
    try:
        waiting = [] if case.ledger is None else case.ledger.journal.alerts.unsent(case.name)
    except NotGranted:
        yield note("unsent messages were not checked: the ledger's login may not read them")
        return
    if not waiting:
        return
    age = duration(case.now - waiting[0].made_at)
    what = f"{count(len(waiting), 'message')} not sent yet, the oldest made {age} ago"
    if not case.config.alerts.notifiers:
        yield note(what, "The next task report writes them to its log")
        return
    yield warning(
        what,
        f"Read the reason in the log of the last task report of staking_payout_{case.name}, and correct the notifier's "
        "connection or its receiver; the next run sends them",
    )
