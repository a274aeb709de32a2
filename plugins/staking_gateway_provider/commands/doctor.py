"""`airflow staking doctor`: checks of the set-up, with remedies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from staking_gateway.text import count
from staking_gateway_provider.commands.output import progress, report_errors, say, show

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway_provider.doctor.findings import Finding

_STEPS = 20
"""Length of the progress bar: the checks of the installation and of one network."""


@report_errors
def doctor(arguments: Namespace) -> None:
    """`airflow staking doctor`: run all checks and list the findings; status 1 when there is an error."""
    from staking_gateway_provider.doctor.case import SetUp
    from staking_gateway_provider.doctor.examination import Examination
    from staking_gateway_provider.doctor.findings import Level

    with progress("Checking", _STEPS) as step:
        setup = SetUp(arguments.network, arguments.ledger_conn_id)
        findings = list(Examination(setup, step).findings())
    counts = Counter(finding.level for finding in findings)
    if arguments.output in ("json", "yaml"):
        show([finding.as_dict() for finding in findings], arguments.output)
    else:
        show([_row(finding, arguments.output) for finding in findings], arguments.output)
        say(_summary(counts[Level.ERROR], counts[Level.WARNING]))
    if counts[Level.ERROR]:
        raise SystemExit(1)


def _row(finding: Finding, output: str) -> dict[str, object]:
    row: dict[str, object] = {"level": finding.level.value, "network": finding.network, "check": finding.check}
    if output == "plain":
        return {**row, "finding": finding.what, "what to do": finding.remedy}
    return {**row, "finding": [finding.what, *([f"-> {finding.remedy}"] if finding.remedy else [])]}


def _summary(errors: int, warnings: int) -> str:
    if not errors and not warnings:
        return "Healthy: nothing to do."
    counts = [count(number, word) for number, word in ((errors, "error"), (warnings, "warning")) if number]
    advice = " Fix the first error first: later errors may follow from it." if errors else ""
    return f"{' and '.join(counts)}.{advice}"
