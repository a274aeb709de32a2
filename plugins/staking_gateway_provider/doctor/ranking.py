"""The problems among the findings, root cause first, each with the eras that it blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from staking_gateway.errors import StakingGatewayError
from staking_gateway.health.facts import LiveFacts
from staking_gateway.ledger import Ledger
from staking_gateway.problem import Topic
from staking_gateway.text import era_ranges
from staking_gateway_provider.commands.views import look
from staking_gateway_provider.doctor.case import SetUp
from staking_gateway_provider.doctor.findings import Finding, Level, error, warning

Causes = dict[str, "Sequence[Mapping[str, Any]]"]
"""The causes of each network, as `Cause.as_dict`, worst first."""

_FOLLOWS = {
    Topic.DAG_MISSING: {Topic.SCHEDULER_DEAD},
    Topic.CATCH_UP_FAILED: {Topic.SCHEDULER_DEAD, Topic.TRIGGERER_DEAD, Topic.WORKERS},
}
"""A finding with this topic follows from a finding with one of those."""
_SYMPTOMS = {Topic.UNPAID, Topic.RUN_FAILED, Topic.NOT_TRIED, Topic.CATCH_UP_FAILED}
"""An era that is unpaid for one of these has no cause of its own: any other cause explains it."""
_AIRFLOW = {Topic.SCHEDULER_DEAD, Topic.TRIGGERER_DEAD, Topic.WORKERS, Topic.DAG_MISSING}
"""Without these nothing is paid, also where no cause could be found."""
_LAST = 1_000


def find_network_causes(setup: SetUp, silent: Mapping[str, LiveFacts]) -> Causes:
    """The causes of each network; none without a usable ledger.

    :param silent: failures of the gateways that have just failed a check; these are not asked again.
    """
    if setup.ledger is None:
        return {}
    return {name: _causes_of(name, setup.ledger, silent.get(name)) for name in setup.networks()}


def _causes_of(name: str, ledger: Ledger, live: LiveFacts | None) -> Sequence[Mapping[str, Any]]:
    try:
        return look(name, ledger, live=live).causes
    except StakingGatewayError:
        return ()  # the check that met the same error has a finding


def with_causes(findings: Sequence[Finding], causes: Causes) -> list[Finding]:
    """All findings, each with the eras that it blocks, and a finding for each cause that no check has found."""
    blocking = [_with_blocks(finding, causes) for finding in findings]
    return [*blocking, *_only_causes(blocking, causes)]


def rank(findings: Iterable[Finding], causes: Causes) -> list[Finding]:
    """Only the problems, root cause first, without problems that follow from another one."""
    problems = [finding for finding in findings if finding.level in (Level.WARNING, Level.ERROR)]
    topics = {finding.topic for finding in problems}
    explained = {
        name: any(cause["eras"] and Topic.of(cause["topic"]) not in _SYMPTOMS for cause in found)
        for name, found in causes.items()
    }
    roots = [finding for finding in problems if not _follows(finding, topics, explained)]
    return sorted(roots, key=lambda finding: _place(finding, causes))


def _follows(finding: Finding, topics: set[Topic | None], explained: Mapping[str, bool]) -> bool:
    if finding.topic in _SYMPTOMS and explained.get(finding.network):
        return True
    return finding.topic in _FOLLOWS and bool(_FOLLOWS[finding.topic] & topics)


def _place(finding: Finding, causes: Causes) -> tuple[int, int]:
    """A stop first. Errors before warnings; then the order of the causes. A mistake of the whole installation comes before the others."""
    if finding.topic is Topic.STOPPED:
        return -1, 0
    places = [
        place
        for name, found in causes.items()
        if finding.network in ("", name)
        for place, cause in enumerate(found)
        if finding.topic is not None and cause["topic"] == finding.topic.anchor
    ]
    unknown = -1 if finding.first or finding.topic in _AIRFLOW else _LAST
    return int(finding.level is Level.WARNING), min(places, default=unknown)


def _with_blocks(finding: Finding, causes: Causes) -> Finding:
    if finding.level not in (Level.WARNING, Level.ERROR) or finding.topic is None:
        return finding
    blocks = [
        f"{'' if finding.network else f'{name}: '}{_blocked(cause)}"
        for name, found in causes.items()
        if finding.network in ("", name)
        for cause in found
        if cause["topic"] == finding.topic.anchor and cause["eras"] and finding.topic is not Topic.EXPIRED
    ]
    return replace(finding, blocks="; ".join(blocks))


def _blocked(cause: Mapping[str, Any]) -> str:
    eras, first = cause["eras"], cause.get("first_loss")
    which = f"{'era' if len(eras) == 1 else 'eras'} {era_ranges(eras)}"
    return which if first is None else f"{which}; era {first['era']} expires first, in {first['expires_in']}"


def _only_causes(findings: Sequence[Finding], causes: Causes) -> Iterable[Finding]:
    for name, found in causes.items():
        known = {
            finding.topic
            for finding in findings
            if finding.network in ("", name) and finding.level in (Level.WARNING, Level.ERROR)
        }
        for cause in found:
            topic = Topic.of(cause["topic"])
            if topic in known:
                continue
            make = error if cause["level"] == "danger" else warning
            blocks = _blocked(cause) if cause["eras"] and topic is not Topic.EXPIRED else ""
            yield make(cause["text"], cause["remedy"], check="eras", network=name, topic=topic, blocks=blocks)
