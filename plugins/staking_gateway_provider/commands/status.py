"""`airflow staking status`: which accounts of a network are staking, and the grid of eras."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack, closing
from typing import Any

from staking_gateway.accounts import Tally, parse_accounts, record_statuses, run_quickly
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import InvalidEra, StakingGatewayError
from staking_gateway.health.report import STATUS_UNKNOWN
from staking_gateway.text import count
from staking_gateway.types import AccountId, StakingStatus, parse_era
from staking_gateway_provider.commands.grid import grid_lines, watch
from staking_gateway_provider.commands.output import for_people, listed, new_console, report_errors, say, show, tell
from staking_gateway_provider.commands.session import chosen_network
from staking_gateway_provider.commands.views import look
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import knows_status, network_config, open_ledger, status_store


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking status`: every account of the network in the order of the file, then the counts.

    Status 1 when an account is in the wrong state or could not be checked; the other statuses are shown and stored.
    """
    network = chosen_network(arguments)
    if arguments.watch:
        watch(network, arguments.ledger_conn_id)
        return
    config = network_config(network, watched=True)
    era = None if arguments.era is None else parse_era(arguments.era)
    accounts = parse_accounts(watched.account for watched in config.accounts)
    found: dict[AccountId, str] = {}

    def note(account: AccountId, answer: StakingStatus | StakingGatewayError) -> None:
        found[account] = str(answer)

    with ExitStack() as stack:
        store = None
        if era is not None:
            if not knows_status(config, era):
                raise InvalidEra("era", f"era {era}: {STATUS_UNKNOWN}", "Leave out --era: then nothing is stored")
            ledger = stack.enter_context(closing(open_ledger(arguments.ledger_conn_id)))
            store = status_store(ledger, network, config, era)
        tally = run_quickly(_check(config, accounts, store=store, on_answer=note))
    rows = [
        {"account": watched.account, "label": watched.label, "status": found[account], "expected": watched.expect.value}
        for account, watched in zip(accounts, config.accounts, strict=True)
    ]
    show(rows, arguments.output)
    if for_people(arguments.output):
        say(str(tally))
        _show_eras(network, arguments.ledger_conn_id)
    _judge(config, accounts, found)


def _show_eras(network: str, ledger_conn_id: str | None) -> None:
    """The grid of eras below the accounts. Its failure does not change the exit status, which is that of the accounts."""
    try:
        with closing(open_ledger(ledger_conn_id)) as ledger:
            view = look(network, ledger)
    except StakingGatewayError as problem:
        tell(f"The eras are not shown: {problem}")
        return
    console = new_console()
    say(view.data["headline"])
    for line in grid_lines(view.data["grid"], width=console.width if console.is_terminal else 80):
        console.print(line)


async def _check(config: NetworkConfig, accounts: list[AccountId], **options: Any) -> Tally:
    settings = config.statuses
    async with await StakingGatewayHook(config.gateway_conn_id).aget_conn(concurrency=settings.concurrency) as client:
        return await record_statuses(
            client, accounts, concurrency=settings.concurrency, rate=settings.rate, log=tell, **options
        )


def _judge(config: NetworkConfig, accounts: list[AccountId], found: dict[AccountId, str]) -> None:
    words = {status.value for status in StakingStatus}
    wrong = [
        watched.label or watched.account
        for account, watched in zip(accounts, config.accounts, strict=True)
        if found[account] not in words or not watched.expect.allows(StakingStatus(found[account]))
    ]
    if wrong:
        raise SystemExit(f"{count(len(wrong), 'account')} in the wrong state or not checked: {listed(wrong)}")
