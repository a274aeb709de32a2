"""`airflow staking accounts`: the watched accounts and their statuses in the ledger. The gateway is not asked."""

from __future__ import annotations

from argparse import Namespace
from contextlib import closing
from typing import Any

from staking_gateway.config.models import NetworkConfig, WatchedAccount
from staking_gateway.eras.calendar import utc_now
from staking_gateway.eras.expiry import payable_eras
from staking_gateway.errors import InvalidEra
from staking_gateway.health.report import NOT_CHECKED
from staking_gateway.ledger import AccountStatus
from staking_gateway.text import count
from staking_gateway.types import parse_era
from staking_gateway_provider.commands.output import for_people, listed, report_errors, say, show
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.networks import network_config, open_ledger


@report_errors
def accounts(arguments: Namespace) -> None:
    """`airflow staking accounts`: in the order of the file; status 1 when an account is in the wrong state."""
    network = chosen_network(arguments)
    config = network_config(network, watched=True)
    watched = config.accounts
    era = None if arguments.era is None else parse_era(arguments.era)
    with closing(open_ledger(arguments.ledger_conn_id)) as ledger:
        if era is None:
            era = ledger.newest_status_era(network)
        found = [] if era is None else ledger.statuses(network, era)
    stored = {status.account_key: status for status in found}
    rows = [_row(account, stored.get(account.account_id.hex)) for account in watched]
    people = for_people(arguments.output)
    if people:
        say("No era has statuses yet" if era is None else f"{network}: the statuses stored for era {era}")
    show([_for_people(row) for row in rows] if people else [{"era": era, **row} for row in rows], arguments.output)
    wrong = [row["label"] or row["account"] for row in rows if not row["as_expected"]]
    if wrong:
        raise SystemExit(
            f"{count(len(wrong), 'account')} in the wrong state, or not checked: {listed(wrong)}. "
            f"Check again with: airflow staking status --network {network}{_era_option(config, era)}"
        )


def _era_option(config: NetworkConfig, era: int | None) -> str:
    """The option that stores the statuses; empty when the calendar says that the era has expired."""
    if era is None:
        return " --era ERA"
    try:
        payable = payable_eras(config.calendar.era_at(utc_now()), config.history_depth)
    except InvalidEra:
        return ""
    return f" --era {era}" if era in payable else ""


def _row(account: WatchedAccount, stored: AccountStatus | None) -> dict[str, Any]:
    return {
        "account": account.account,
        "label": account.label,
        "expected": account.expect.value,
        "status": NOT_CHECKED if stored is None else stored.status.value,
        "checked_at": None if stored is None else stored.checked_at.isoformat(),
        "as_expected": stored is not None and account.expect.allows(stored.status),
    }


def _for_people(row: dict[str, Any]) -> dict[str, Any]:
    shown = {name: row[name] for name in ("account", "label", "expected", "status")}
    checked = (row["checked_at"] or "")[:19].replace("T", " ")
    return {**shown, "checked (UTC)": checked, "": "ok" if row["as_expected"] else "error"}
