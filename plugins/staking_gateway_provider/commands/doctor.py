"""`airflow staking doctor`: checks of the set-up, with remedies."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from staking_gateway.errors import InvalidInput
from staking_gateway.problem import Topic
from staking_gateway.text import count
from staking_gateway_provider.commands.output import for_people, progress, report_errors, say, show, tell
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.examination import Examination
from staking_gateway_provider.doctor.findings import Finding, Level
from staking_gateway_provider.doctor.ranking import Causes, rank

_STEPS = 20
"""Length of the progress bar: the checks of the installation and of one network."""


@report_errors
def doctor(arguments: Namespace) -> None:
    """`airflow staking doctor`: run all checks, and list the problems, root cause first; status 1 when there is an error."""
    examination, findings = _examine(arguments)
    if arguments.fix and _do_safe_steps(findings, yes=arguments.yes):
        examination, findings = _examine(arguments)
    problems = rank(findings, examination.causes)
    listed = findings if arguments.all else problems
    if not for_people(arguments.output):
        show([finding.as_dict() for finding in listed], arguments.output)
    else:
        if listed:
            show([_row(finding, arguments.output, examination.causes) for finding in listed], arguments.output)
        say(_summary(problems))
    if any(finding.level is Level.ERROR for finding in findings):
        raise SystemExit(1)


def _examine(arguments: Namespace) -> tuple[Examination, list[Finding]]:
    with progress("Checking", _STEPS) as step:
        examination = Examination(SetUp(arguments.network, arguments.ledger_conn_id), step)
        return examination, examination.findings()


def _do_safe_steps(findings: Sequence[Finding], *, yes: bool) -> bool:
    """Name each safe step, ask, and do it. Returns whether one was done.

    :raises InvalidInput: there is no terminal to ask in.
    """
    steps = {finding.fix.step: finding.fix for finding in findings if finding.fix is not None}
    if not steps:
        tell("No problem has a safe step.")
    if steps and not yes and not sys.stdin.isatty():
        raise InvalidInput("yes", "standard input is not a terminal, so nobody can be asked", "Add --yes")
    done = False
    for fix in steps.values():
        tell(f"Step: {fix.step}")
        if yes or _ask():
            fix.run()
            tell("Done.")
            done = True
    return done


def _ask() -> bool:
    tell("Do this step? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _cause(finding: Finding, causes: Causes) -> Mapping[str, Any] | None:
    if finding.topic is None or finding.help is None:
        return None
    if finding.topic is Topic.CONFIGURATION:  # the causes of a network with a mistake are unknown
        return {"heading": finding.topic.heading, "remedy": finding.remedy}
    found = (cause for name, known in causes.items() if finding.network in ("", name) for cause in known)
    return next((cause for cause in found if cause["topic"] == finding.topic.anchor), None)


def _words(finding: Finding, causes: Causes) -> tuple[str, str]:
    """The finding and its remedy. Those of a cause begin with the words of page, alerts and logs."""
    what, remedy = finding.what, finding.remedy
    if (cause := _cause(finding, causes)) is not None:
        what = what if what.startswith(cause["heading"]) else f"{cause['heading']}: {what}"
        if cause["remedy"].startswith(remedy):
            remedy = cause["remedy"]
        elif not finding.own and not remedy.startswith(cause["remedy"]):
            remedy = f"{cause['remedy']}. {remedy}"
    return what, remedy


def _row(finding: Finding, output: str, causes: Causes) -> dict[str, object]:
    row: dict[str, object] = {"level": finding.level.value, "network": finding.network, "check": finding.check}
    what, remedy = _words(finding, causes)
    if output == "plain":
        return {**row, "finding": what, "what to do": remedy, "blocks": finding.blocks, "help": finding.help}
    lines = (
        what,
        finding.blocks and f"blocks {finding.blocks}",
        remedy and f"-> {remedy}",
        finding.help and f"Help: {finding.help}",
    )
    return {**row, "finding": [line for line in lines if line]}


def _summary(problems: Sequence[Finding]) -> str:
    if not problems:
        return "Healthy: nothing to do."
    counts = Counter(finding.level.value for finding in problems)
    told = [count(counts[word], word) for word in ("error", "warning") if counts[word]]
    advice = " Fix the first error first: later errors may follow from it." if counts["error"] else ""
    return f"{' and '.join(told)}.{advice}"
