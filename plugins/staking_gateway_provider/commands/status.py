"""`airflow staking status`: which accounts of a network are staking."""

from __future__ import annotations

import asyncio
import sys
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.commands.output import report_errors, say, show
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import network_config, open_ledger

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway.errors import StakingGatewayError
    from staking_gateway.settings import NetworkConfig
    from staking_gateway.statuses import Tally
    from staking_gateway.types import AccountId, StakingStatus


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking status`: every account of the network in the order of the file, then the counts.

    Ends with status 1 when an account is not as expected or could not be checked; the others are shown and stored all the same.
    """
    from staking_gateway.statuses import parse_accounts
    from staking_gateway.types import parse_era

    config = network_config(arguments.network)
    era = None if arguments.era is None else parse_era(arguments.era)
    accounts = parse_accounts(watched.account for watched in config.accounts)
    found: dict[AccountId, str] = {}

    def note(account: AccountId, answer: StakingStatus | StakingGatewayError) -> None:
        found[account] = str(answer)

    with ExitStack() as stack:
        store = None
        if era is not None:
            _check_payable(config, era)
            ledger = stack.enter_context(closing(open_ledger(arguments.ledger_conn_id)))
            store = partial(ledger.record_statuses, arguments.network, era)
        tally = asyncio.run(_check(config, accounts, store=store, on_answer=note))
    rows = [
        {"account": watched.account, "label": watched.label, "status": found[account], "expected": watched.expect.value}
        for account, watched in zip(accounts, config.accounts, strict=True)
    ]
    show(rows, arguments.output)
    if arguments.output in ("table", "plain"):
        say(str(tally))
    _judge(config, accounts, found)


def _check_payable(config: NetworkConfig, era: int) -> None:
    """Refuse to store today's statuses for an era no run would check: the newest era that has any is what people look at.

    :raises InvalidEra: it has not ended, or has expired.
    """
    from staking_gateway.capabilities import if_supported
    from staking_gateway.eras import payable_eras, utc_now
    from staking_gateway.errors import InvalidEra

    with StakingGatewayHook(config.gateway_conn_id).get_conn() as client:
        told = if_supported(client.active_era)
    active = config.calendar.era_at(utc_now()) if told is None else told
    payable = payable_eras(active, config.history_depth)
    if era not in payable:
        problem = "has not ended" if era >= active else "has expired"
        raise InvalidEra(
            "era",
            f"era {era} {problem}, era {active} is active",
            f"Write {payable.start} to {active - 1}, or leave it out to store nothing",
        )


async def _check(config: NetworkConfig, accounts: list[AccountId], **options: Any) -> Tally:
    from staking_gateway.statuses import record_statuses

    settings = config.statuses
    async with await StakingGatewayHook(config.gateway_conn_id).aget_conn(concurrency=settings.concurrency) as client:
        return await record_statuses(
            client, accounts, concurrency=settings.concurrency, rate=settings.rate, tell=_tell, **options
        )


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")  # Standard output holds the rows alone.


def _judge(config: NetworkConfig, accounts: list[AccountId], found: dict[AccountId, str]) -> None:
    from staking_gateway.types import StakingStatus

    words = {status.value for status in StakingStatus}
    wrong = [
        watched.label or watched.account
        for account, watched in zip(accounts, config.accounts, strict=True)
        if found[account] not in words or not watched.expect.allows(StakingStatus(found[account]))
    ]
    if wrong:
        more = f" and {len(wrong) - 10} more" if len(wrong) > 10 else ""
        raise SystemExit(
            f"{len(wrong)} accounts are not as expected or could not be checked: {', '.join(wrong[:10])}{more}"
        )
