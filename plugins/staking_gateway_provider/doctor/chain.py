"""Which era runs, who says so, and whether the calendar agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from staking_gateway import errors
from staking_gateway_provider.doctor.findings import Finding, error, failure, note, ok, warning
from staking_gateway_provider.hooks.substrate import SubstrateHook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway_provider.doctor.case import Case


def check_node(case: Case) -> Iterator[Finding]:
    """The node answers, where one is asked for the era."""
    if case.node_conn_id is None:
        return
    try:
        reader = SubstrateHook(case.node_conn_id).get_conn()
        identity, state = reader.identity(), reader.state()
    except errors.ChainError as problem:
        yield failure(
            problem,
            f"Correct Host of connection {case.node_conn_id!r}, or set the extra era_source of "
            f"{case.config.gateway_conn_id!r} to gateway",
        )
        return
    yield ok(f"{case.node_conn_id}: {identity.chain_name}, block {state.block}")


def check_active_era(case: Case) -> Iterator[Finding]:
    """The active era is told; without it nobody knows what is owed."""
    from staking_gateway.gateway.capabilities import if_supported

    try:
        active = if_supported(case.client.active_era)
        window = if_supported(case.client.election_window)
        automatic = case.client.pays_by_itself()
    except errors.GatewayError as problem:
        yield failure(
            problem, "Ask the gateway's operator; or read the era from a node: set the extra era_source to chain"
        )
        return
    if active is None:
        yield error(
            "this gateway does not tell the active era",
            f"Read it from a node: set the extra era_source of connection {case.config.gateway_conn_id!r} to chain",
        )
        return
    case.active = active
    if automatic:
        yield note("this chain pays its stakers by itself: only the accounts are watched")
    yield ok(f"era {active} is active; the election window is {window or 'not told'}")


def check_calendar(case: Case) -> Iterator[Finding]:
    """The calendar dates the eras as the chain does, and as it did when runs were made."""
    from staking_gateway.eras.expiry import ActiveEra

    calendar = case.config.calendar
    if case.ledger is not None:
        case.ledger.journal.check_calendar(case.name, calendar)
    try:
        dated = calendar.era_at(case.now)
    except errors.InvalidEra as problem:
        yield failure(problem)
        return
    active = ActiveEra(case.active, dated, case.config.history_depth)
    if not active.drifts:
        yield ok(f"era {dated} is active, as on the chain{'' if dated == case.active else ', but for a moment'}")
        return
    what = f"calendar.anchors: era {dated} is active by the calendar, era {case.active} by the chain"
    remedy = (
        f"Append an anchor with the start of a recent era: {{era: {case.active}, start: ...}} at the end of "
        f"networks.{case.name}.calendar.anchors in staking.yaml"
    )
    yield (error if active.far_apart else warning)(what, remedy)
