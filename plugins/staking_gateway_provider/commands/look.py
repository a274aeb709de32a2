"""Commands that look: `airflow staking` alone, `status`, `why`, `eras` and `accounts`."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from datetime import datetime, timedelta
from typing import Any

from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import ConfigError, InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.health.overview import MAX_ERAS, Overview, era_timeline
from staking_gateway.health.report import NOT_CHECKED, STATUS_UNKNOWN
from staking_gateway.health.state import OPEN, Judgement, State, judge_era
from staking_gateway.ledger import Ledger
from staking_gateway.problem import Problem, Topic
from staking_gateway.text import count, duration
from staking_gateway.types import AccountId, StakingStatus, parse_era, parse_unsigned
from staking_gateway_provider.commands.output import listed, report_errors, show, working
from staking_gateway_provider.commands.session import advice, advice_lines, chosen_network, look
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.networks import enabled_names, knows_status, network_config, open_ledger, status_store
from staking_gateway_provider.reporting import explain, help_line

# --- status ---------------------------------------------------------------------------------------------------------


@report_errors
def status(arguments: Namespace) -> None:
    """`airflow staking`, and `status`: a row per network, or one row when file or ledger cannot be used; status 0, also when eras are unpaid."""
    if arguments.network is not None:
        network_config(arguments.network)
    try:
        names = [arguments.network] if arguments.network else enabled_names()
        if not names:
            raise ConfigError("networks", "no network is enabled", "Write enabled: true for one of them")
        with closing(open_ledger()) as ledger:
            rows = [_row_of(name, ledger) for name in names]
    except StakingGatewayError as problem:
        rows = [_unusable(None, problem)]
    show(arguments.output, rows, *(line for row in rows for line in _lines(row)))


def _row_of(name: str, ledger: Ledger) -> dict[str, Any]:
    try:
        view = look(name, ledger)
    except StakingGatewayError as problem:
        return _unusable(name, problem)
    about = {"network": name, "level": view.data["level"], "headline": view.data["headline"]}
    more = {"further_causes": [problem.topic.heading for problem in view.problems[1:]]}
    return {**about, **advice(next(iter(view.problems), None)), **more}


def _unusable(name: str | None, problem: StakingGatewayError) -> dict[str, Any]:
    """The row of a network, or of all, that cannot be read."""
    explained = explain(problem, name)
    about = {"network": name, "level": "danger", "headline": explained.topic.heading}
    told = {**advice(explained), "cause": explained.facts}
    return {**about, **told, "further_causes": []}


def _lines(row: Mapping[str, Any]) -> list[str]:
    more = [f"{'Also:':<8}{'; '.join(row['further_causes'])}"] if row["further_causes"] else []
    return [
        f"{row['network'] or 'staking.yaml'}: {row['headline']}",
        *(f"  {line}" for line in (*advice_lines(row), *more)),
    ]


# --- why ------------------------------------------------------------------------------------------------------------


@report_errors
def why(arguments: Namespace) -> None:
    """`airflow staking why`: the timeline, the cause and the remedy; status 0 also for an unpaid era."""
    name = chosen_network(arguments)
    asked = None if arguments.era is None else parse_era(arguments.era)
    with closing(open_ledger()) as ledger:
        view = look(name, ledger, eras=MAX_ERAS)
        waits = (era for problem in view.problems for era in problem.eras)
        era = next(waits, max(view.state.active.era - 1, 0)) if asked is None else asked
        view.state.paid_on_chain = {*view.state.paid_on_chain, *ledger.facts.paid_on_chain(name, [era])}
        steps = era_timeline(era, view.state)
        parts = ledger.era_payouts(name, era)
    ended = era < view.state.active.era
    judged = judge_era(era, parts, view.state) if ended else None
    told = {
        "network": name,
        "era": era,
        "state": judged.state.word if judged else "running" if era == view.state.active.era else "not begun",
        "reason": steps[-1]["detail"] if judged is None else judged.reason,
        "steps": steps,
        **advice(_cause(era, judged, view)),
    }
    lines: list[str | list[dict[str, Any]]] = [
        f"Era {era} of {name}: {told['state']}{': ' if told['reason'] else ''}{told['reason']}",
        [_step_row(step) for step in steps],
        *advice_lines(told),
    ]
    show(arguments.output, told, *lines)


def _cause(era: int, judged: Judgement | None, view: Overview) -> Problem | None:
    """The problem that blocks the era; None when nothing is to do about it. `judged` is None for an era that has not ended on the chain."""
    if judged is None:
        behind = next((problem for problem in view.problems if problem.topic is Topic.DRIFT), None)
        return behind if view.state.calendar.end(era) <= view.state.now else None
    known = next((problem for problem in view.problems if era in problem.eras), None)
    if judged.in_hand:
        return known or next((problem for problem in view.problems if problem.standing), None)
    if known is not None or judged.state not in (*OPEN, State.EARLIER, State.EXPIRED):
        return known
    return Problem(Topic.EXPIRED if judged.state is State.EXPIRED else Topic.UNPAID, judged.reason, eras=(era,))


def _step_row(step: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "step": f"{step['name']} (part {step['part']})" if step["part"] else step["name"],
        "time (UTC)": step["at"] and _seconds(step["at"]),
        "state": step["state"],
        "detail": step["detail"],
        "run": step["run"],
    }


def _seconds(at: str) -> str:
    """A time in ISO 8601 for people, without its parts of a second."""
    return at[:19].replace("T", " ")


# --- eras -----------------------------------------------------------------------------------------------------------


@report_errors
def eras(arguments: Namespace) -> None:
    """`airflow staking eras`: oldest first; status 1 when an era waits for a person or has newly expired.

    An era whose payment is in progress, or that ended before this installation, does not change the status. Without an answer of the gateway the
    list comes from ledger and calendar, and the status is 1.
    """
    last = parse_unsigned(arguments.last, MAX_ERAS, field="last")
    if last == 0:
        raise InvalidInput("last", "0 lists nothing", "Write 1 or more")
    name = chosen_network(arguments)
    depth = network_config(name).history_depth
    with closing(open_ledger()) as ledger:
        view = look(name, ledger, eras=max(last, depth))
    data = view.data
    cells = [cell for cell in data["grid"]["cells"] if cell["state"] != State.IGNORED.value][-last:]
    show(
        arguments.output,
        [_era_row(cell) for cell in cells],
        f"{name}: {data['headline']} Era {data['state']['active_era']} is active (times in UTC)",
        [_era_words(_era_row(cell), cell, short=arguments.output == "table") for cell in cells],
    )
    lines = []
    silent = view.state.live.problem
    if silent := next((one for one in view.problems if silent and one.facts and one.facts == silent.facts), None):
        lines += [f"This list comes from ledger and calendar: {silent.text}", help_line(silent.topic)]
    if unpaid := {*(entry["era"] for entry in data["owed"]["eras"]), *data["expired"]}:
        hidden = len(unpaid - {cell["era"] for cell in cells})
        lines.append(f"{data['headline']}{f' {hidden} of them are older than those listed.' if hidden else ''}")
        lines.append(f"Remedy: {view.problems[0].remedy}")
    if lines:
        raise SystemExit("\n".join(lines))


def _era_row(cell: Mapping[str, Any]) -> dict[str, Any]:
    """One era for scripts, of a cell of the grid."""
    return {
        "era": cell["era"],
        "state": State(cell["state"]).word,
        "ended_at": cell["ended_at"],
        "lag_seconds": cell.get("lag"),
        "fee": cell.get("fee"),
        "tx_hash": cell.get("tx_hash"),
        "eras_left": cell.get("eras_left"),
        "why": cell.get("reason", ""),
    }


def _era_words(row: Mapping[str, Any], cell: Mapping[str, Any], *, short: bool) -> dict[str, Any]:
    """The same for people; `short` cuts the transaction."""
    lag, transaction = row["lag_seconds"], row["tx_hash"]
    return {
        "era": row["era"],
        "state": row["state"],
        "ended": _seconds(row["ended_at"]),
        "lag": "" if lag is None else duration(timedelta(seconds=lag)),
        "fee": cell.get("fee_text"),
        "transaction": f"{transaction[:10]}.." if transaction and short else transaction,
        "eras left": row["eras_left"],
        "why": row["why"],
    }


# --- accounts -------------------------------------------------------------------------------------------------------


@report_errors
def accounts(arguments: Namespace) -> None:
    """`airflow staking accounts`: stored statuses, or with `--check` those of now; status 1 when an account is in the wrong state or was not checked."""
    network = chosen_network(arguments)
    config = network_config(network, watched=True)
    era = None if arguments.era is None else parse_era(arguments.era)
    find = _ask if arguments.check else _stored
    found, era, title = find(network, config, era)
    rows: list[dict[str, Any]] = []
    for watched in config.accounts:
        status, at = found.get(watched.account.hex, (NOT_CHECKED, None))
        known = status in {one.value for one in StakingStatus}
        rows.append(
            {
                "account": watched.account.spelling,
                "label": watched.label,
                "expected": watched.expect.value,
                "status": status,
                "checked_at": None if at is None else at.isoformat(),
                "as_expected": known and watched.expect.allows(StakingStatus(status)),
            }
        )
    for_people = [
        {
            **{name: row[name] for name in ("account", "label", "expected", "status")},
            "checked (UTC)": _seconds(row["checked_at"] or ""),
            "": "ok" if row["as_expected"] else "error",
        }
        for row in rows
    ]
    show(arguments.output, [{"era": era, **row} for row in rows], title, for_people)
    wrong = [row["label"] or row["account"] for row in rows if not row["as_expected"]]
    if wrong:
        check = "" if arguments.check else f". Check with: airflow staking accounts --check --network {network}"
        raise SystemExit(f"{count(len(wrong), 'account')} in the wrong state, or not checked: {listed(wrong)}{check}")


_Found = tuple[dict[str, tuple[str, datetime | None]], int | None, str]
"""The status of each public key and when it was checked; the era; and a title."""


def _stored(network: str, config: NetworkConfig, era: int | None) -> _Found:
    del config
    with closing(open_ledger()) as ledger:
        era = ledger.newest_status_era(network) if era is None else era
        found = [] if era is None else ledger.views.rows("staking_statuses", network, range(era, era + 1))
    title = "No era has statuses yet" if era is None else f"{network}: the statuses stored for era {era}"
    return {one.account_key: (one.status, one.checked_at) for one in found}, era, title


def _ask(network: str, config: NetworkConfig, era: int | None) -> _Found:
    """Ask the gateway, and store the answers if there is an era."""
    from staking_gateway.accounts import run_quickly  # loads aiohttp, which `airflow staking` does without

    accounts, now = [watched.account for watched in config.accounts], utc_now()
    found: dict[str, tuple[str, datetime | None]] = {}
    working(f"Checking {count(len(accounts), 'account')}")
    if era is not None and not knows_status(config, era):
        raise InvalidEra("era", f"era {era}: {STATUS_UNKNOWN}", "Leave out --era: then nothing is stored")

    def note(account: AccountId, answer: StakingStatus | StakingGatewayError) -> None:
        found[account.hex] = (str(answer), now)

    with ExitStack() as stack:
        store = None
        if era is not None:
            store = status_store(stack.enter_context(closing(open_ledger())), network, config, era)
        tally = run_quickly(_check(config, accounts, store=store, on_answer=note))
    return found, era, f"{network}: {tally}"


async def _check(config: NetworkConfig, accounts: Iterable[AccountId], **options: Any) -> object:
    from staking_gateway.accounts import check_statuses

    settings = config.statuses
    async with await StakingGatewayHook(config.gateway_conn_id).aget_conn() as client:
        return await check_statuses(client, accounts, concurrency=settings.concurrency, rate=settings.rate, **options)
