"""`airflow staking doctor`: runs the checks, and lets the page judge the rest: one list of problems, root cause first, with remedies."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airflow.models.dag import DagModel
from airflow.utils.session import create_session
from sqlalchemy import update

from staking_gateway.errors import StakingGatewayError
from staking_gateway.ledger import Ledger, ledger_name
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.text import count, era_ranges
from staking_gateway_provider.commands.output import agreed, report_errors, show, tell, working
from staking_gateway_provider.doctor import gateway, installation  # noqa: F401 - they add their checks
from staking_gateway_provider.doctor.case import CHECKS, Case, Installation, Said, Unknown
from staking_gateway_provider.networks import ledger_url
from staking_gateway_provider.reporting import help_address, with_object

WORDS = {Level.OK: "note", Level.ATTENTION: "warning", Level.DANGER: "error"}
_JUDGED = "payouts"
"""In place of a check's name, for a problem that the page's judgement found."""


@report_errors
def doctor(arguments: Namespace) -> None:
    """`airflow staking doctor`: run all checks, and list the problems, root cause first; status 1 when there is an error."""
    lines = examine(Installation(arguments.network))
    if arguments.fix and _do_safe_steps(lines, arguments):
        lines = examine(Installation(arguments.network))
    problems = [line for line in lines if line.level is not Level.OK]
    listed = [line.as_dict() for line in (lines if arguments.all else problems)]
    rows = [_row(line, arguments.output) for line in listed]
    show(arguments.output, listed, *([rows] if rows else ()), _summary(problems))
    if any(line.level is Level.DANGER for line in lines):
        raise SystemExit(1)


# --- the list ----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of the report, of a check; `network` is empty for the whole installation or several networks, `blocks` are unpaid eras in words."""

    check: str
    network: str
    said: Said
    blocks: str = ""

    @property
    def level(self) -> Level:
        """OK, unless it is a problem."""
        return Level.OK if isinstance(self.said, str) else self.said.level

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON. `level` is ok, note, warning or error; only the last two have the address of a help page."""
        said = self.said
        about = {"network": self.network or None, "check": self.check}
        if isinstance(said, str):
            return {"level": "ok", **about, "what": said, "remedy": None, "blocks": None, "topic": None, "help": None}
        is_problem = said.level is not Level.OK
        return {
            "level": WORDS[said.level],
            **about,
            "what": said.title if is_problem else said.facts,
            "remedy": (said.remedy if is_problem else said.own_remedy) or None,
            "blocks": self.blocks or None,
            "topic": said.topic.anchor,
            "help": help_address(said.topic) if is_problem else None,
        }


def examine(setup: Installation) -> list[Line]:
    """All lines: the problems of the installation, those of each network in the page's order, and what is well."""
    with setup.stack:
        shared = [replace(line, network=getattr(line.said, "network", "")) for line in run(setup)]
        lines = [line for name, config in setup.networks().items() for line in _of_network(setup, name, config)]
    return sorted([*shared, *_together(lines)], key=lambda line: line.level is Level.OK)


def _of_network(setup: Installation, name: str, config: Any) -> Iterator[Line]:
    case = Case(setup, name, config)
    lines = list(run(case))
    yield from (line for line in lines if line.level is Level.OK)
    found = [(line.check, line.said) for line in lines if isinstance(line.said, Problem) and line.level is not Level.OK]
    names = {(problem.topic, problem.facts): check for check, problem in found}
    try:
        view = case.judged([problem for _, problem in found])
    except (StakingGatewayError, Unknown) as error:
        failed = [(_JUDGED, error.problem)] if isinstance(error, StakingGatewayError) else []
        yield from (Line(check, name, with_object(problem, name)) for check, problem in (*found, *failed))
        return
    if not view.problems:
        yield Line(_JUDGED, name, view.data["headline"])
    for problem in view.problems:
        yield Line(names.get((problem.topic, problem.facts), _JUDGED), name, problem, _blocked(problem))


def run(case: Installation | Case) -> Iterator[Line]:
    """What the checks of an installation or a network say. One note names those that a problem of another has left out."""
    name, left_out = (case.name if isinstance(case, Case) else ""), []
    for check in CHECKS:
        if check.of_network is not isinstance(case, Case):
            continue
        working(f"Checking: {check.name}")
        try:
            for said in check.run(case):
                yield Line(check.name, name, said)
        except StakingGatewayError as error:
            yield Line(check.name, name, error.problem)
        except Unknown:
            left_out.append(check.name)
    if left_out:
        facts = f"not checked until that is fixed: {', '.join(left_out)}"
        yield Line("the rest", name, Problem(Topic.UNEXPECTED, facts, level=Level.OK, own_remedy="Then run this again"))


def _blocked(problem: Problem) -> str:
    if not problem.eras or problem.topic is Topic.EXPIRED:
        return ""
    return f"{'era' if len(problem.eras) == 1 else 'eras'} {era_ranges(problem.eras)}"


def _together(lines: Sequence[Line]) -> Iterator[Line]:
    """One line for a problem that several networks share, such as a scheduler that is not running."""
    groups: dict[object, list[Line]] = {}
    for line in lines:
        said = line.said
        shared = isinstance(said, Problem) and said.level is not Level.OK
        key = (said.topic, said.facts) if isinstance(said, Problem) and shared else (line.network, line.check, said)
        groups.setdefault(key, []).append(line)
    for first, *others in groups.values():
        if len({line.network for line in (first, *others)}) == 1:
            yield from (first, *others)
            continue
        blocks = "; ".join(f"{line.network}: {line.blocks}" for line in (first, *others) if line.blocks)
        worst = max((first, *others), key=lambda line: line.level)
        yield replace(worst, network="", blocks=blocks)


# --- safe steps: idempotent, and none of them pays -----------------------------------------------------------------------------


def _do_safe_steps(lines: Sequence[Line], arguments: Namespace) -> bool:
    """Name each safe step, ask, and do it. Returns whether one was done."""
    actions = [line.said.action for line in lines if isinstance(line.said, Problem) and line.said.action is not None]
    steps = {words: action for action in actions if (words := _words(action)) is not None}
    if not steps:
        tell("No problem has a safe step.")
    done = False
    for words, action in steps.items():
        tell(f"Step: {words}")
        if arguments.yes or agreed("Do this step?"):
            _do(action)
            tell("Done.")
            done = True
    return done


def _words(action: Mapping[str, Any]) -> str | None:
    if action["kind"] == "create_ledger":
        return f"Create the ledger {ledger_name(ledger_url())}"
    if action["kind"] == "unpause":
        return f"Unpause the DAG {action['dag_id']}; its scheduled runs then start"
    return None


def _do(action: Mapping[str, Any]) -> None:
    if action["kind"] == "create_ledger":
        Ledger(ledger_url()).close()
        return
    with create_session() as session:
        session.execute(update(DagModel).where(DagModel.dag_id == action["dag_id"]).values(is_paused=False))


# --- output ------------------------------------------------------------------------------------------------------------------


def _row(line: Mapping[str, Any], output: str) -> dict[str, object]:
    row: dict[str, object] = {name: line[name] or "" for name in ("level", "network", "check")}
    if output == "plain":
        return {
            **row,
            "finding": line["what"],
            "what to do": line["remedy"],
            "blocks": line["blocks"],
            "help": line["help"],
        }
    texts = {"": "what", "blocks ": "blocks", "-> ": "remedy", "Help: ": "help"}
    return {**row, "finding": [f"{start}{line[name]}" for start, name in texts.items() if line[name]]}


def _summary(problems: Sequence[Line]) -> str:
    if not problems:
        return "Healthy: nothing to do."
    counts = Counter(WORDS[line.level] for line in problems)
    told = [count(counts[word], word) for word in ("error", "warning") if counts[word]]
    advice = " Fix the first error first: later errors may follow from it." if counts["error"] else ""
    return f"{' and '.join(told)}.{advice}"
