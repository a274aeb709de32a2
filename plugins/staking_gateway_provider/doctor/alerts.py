"""Check of the connection for alerts, and of messages that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway.text import count, duration
from staking_gateway_provider.doctor.findings import Finding, note, ok, warning
from staking_gateway_provider.notifications.configured import check_notifiers
from staking_gateway_provider.notifications.webhook import open_webhook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway_provider.doctor.case import Case


def check_alerts(case: Case) -> Iterator[Finding]:
    """The receivers of alerts are valid, and no message waits. Nothing is sent."""
    conn_id = case.config.alerts.webhook_conn_id
    check_notifiers(case.name, case.config.alerts)
    yield from _unsent(case, conn_id)
    if conn_id is None:
        return
    open_webhook(conn_id)
    yield ok(f"{conn_id} has an address; nothing was sent to try it")


def _unsent(case: Case, conn_id: str | None) -> Iterator[Finding]:
    from staking_gateway.ledger import NotGranted

    try:
        waiting = [] if case.ledger is None else case.ledger.journal.alerts.unsent(case.name)
    except NotGranted:
        yield note("unsent messages were not checked: the ledger's login may not read them")
        return
    if not waiting:
        return
    age = duration(case.now - waiting[0].made_at)
    what = f"{count(len(waiting), 'message')} not sent yet, the oldest made {age} ago"
    if conn_id is None:
        yield note(what, "The next task report writes them to its log")
        return
    yield warning(
        what,
        f"Read the reason in the log of the last task report of staking_payout_{case.name}, and correct connection {conn_id!r} "
        "or its receiver; the next run sends them",
    )
