"""Checks of the gateway, of the node, and of the active era they report."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from staking_gateway import errors
from staking_gateway.chain.node import is_block_hash
from staking_gateway.gateway.calls import Dialect
from staking_gateway.gateway.methods import if_supported
from staking_gateway.health.facts import LiveFacts, active_era
from staking_gateway.problem import Topic
from staking_gateway_provider.connection_lookup import find_connection
from staking_gateway_provider.connections import ConnectionFields
from staking_gateway_provider.doctor import clock
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, error, failure, note, ok, warning
from staking_gateway_provider.extras import GatewayExtras
from staking_gateway_provider.help import help_address
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.substrate import SubstrateHook


def check_connection(case: Case) -> Iterator[Finding]:
    """The connection exists, has the right type, and every field is valid; likewise the connections that it names."""
    conn_id = case.config.gateway_conn_id
    connection = find_connection("gateway_conn_id", conn_id)
    extras = ConnectionFields(connection, StakingGatewayHook.conn_type, GatewayExtras).extras
    case.client = case.setup.stack.enter_context(StakingGatewayHook(conn_id).get_conn())
    case.self_made = bool(extras.bearer_signer_conn_id)
    case.ca_bundle = extras.ca_bundle
    case.payout_method = extras.payout_method or Dialect().payout_method
    case.node_conn_id = extras.node_conn_id
    address = urlsplit(case.client.base_url)
    if address.scheme == "http" and case.client.is_remote:
        yield warning(
            f"{conn_id} sends the token over plain http to {address.hostname}", "Use https, and remove allow_http"
        )
    if extras.bearer_payer:
        twice = errors.Failed.PAYER_TWICE
        yield error(f"{conn_id}: its tokens name a payer, and each payout has a fee proof of the payer", twice.remedy)
    yield ok(f"{conn_id}: {case.client.base_url}, {'self-made tokens' if case.self_made else 'issued token'}")


def check_gateway(case: Case) -> Iterator[Finding]:
    """A gateway answers at the address."""
    try:
        chain = case.client.chain_info(strict=True)
    except errors.GatewayError as problem:
        if problem.how in (errors.Failed.NO_TOKEN, errors.Failed.BAD_TOKEN):
            case.refusal = problem
            yield ok("answers")
        elif problem.how is errors.Failed.TOO_MANY:
            remedy = "Send fewer requests, or ask the gateway's operator for more calls; then run this again"
            yield warning(problem.problem.facts, remedy)
        else:
            yield failure(problem, _gateway_remedy(problem, f"connection {case.config.gateway_conn_id!r}"))
    else:
        served = (
            "answers; it does not report its chain's name" if chain is None else f"serves {chain.name} {chain.version}"
        )
        yield ok(served.rstrip())


def _gateway_remedy(problem: errors.GatewayError, connection: str) -> str:
    if problem.how.topic is Topic.GATEWAY_UNREACHABLE:
        return f"Correct Host of {connection}; else check that the gateway runs, the firewall and the proxy"
    if problem.how in (errors.Failed.FAILED, errors.Failed.INTERNAL):
        return "The gateway is in trouble: ask its operator, and run this again"
    return f"Correct Host of {connection}: it must be the gateway's base URL; else its extra query_path"


def check_clock(case: Case) -> Iterator[Finding]:
    """The clocks of gateway and machine agree. The gateway refuses a self-made token that is too old or from the future."""
    offset = clock.read_offset(case.client.base_url, case.ca_bundle)
    if offset is None:
        yield note("the gateway does not report its time")
    else:
        yield clock.judge(offset, self_made=case.self_made)


def check_token(case: Case) -> Iterator[Finding]:
    conn_id = case.config.gateway_conn_id
    if case.refusal is None:
        yield ok("accepted")
        return
    remedy = f"Set Password of connection {conn_id!r} to a token this gateway accepts; ask its operator for a new one"
    if case.self_made:
        remedy = (
            f"Ask the gateway's operator to admit the account of bearer_signer_conn_id in connection {conn_id!r}, or correct "
            "bearer_payer there"
        )
    yield error(case.refusal.problem.facts, remedy)


def check_node(case: Case) -> Iterator[Finding]:
    """The node answers. Without a node, only that is noted."""
    if case.node_conn_id is None:
        yield note(f"none configured; rewards and comparison stay unknown, see {help_address(Topic.NO_NODE)}")
        return
    try:
        reader = SubstrateHook(case.node_conn_id).get_conn()
        identity, state = reader.identity(), reader.state()
    except errors.ChainError as problem:
        yield failure(
            problem,
            f"Correct Host of connection {case.node_conn_id!r}, or remove the extra node_conn_id of "
            f"{case.config.gateway_conn_id!r}",
        )
        return
    paid_on = None if case.ledger is None else case.ledger.known_chain(case.name)
    if paid_on is None or not is_block_hash(paid_on) or paid_on == identity.genesis_hash:
        yield ok(f"{case.node_conn_id}: {identity.chain_name}, block {state.block}")
        return
    yield error(
        f"{case.node_conn_id} serves the chain with genesis {identity.genesis_hash}; the ledger paid {case.name} on {paid_on}",
        f"Correct Host of connection {case.node_conn_id!r}, or give the other chain a network of its own",
    )


def check_active_era(case: Case) -> Iterator[Finding]:
    """The gateway or the node reports the active era."""
    try:
        active = if_supported(case.client.active_era)
        window = if_supported(case.client.election_window)
        automatic = case.client.pays_by_itself()
    except errors.GatewayError as problem:
        yield failure(problem, f"Ask the gateway's operator; or read the era from a node. {Topic.NO_NODE.remedy}")
        return
    if active is None:
        yield error(
            "this gateway does not report the active era",
            f"Read it from a node. {Topic.NO_NODE.remedy}",
        )
        return
    case.active = active
    if automatic:
        yield note("this chain pays its stakers by itself: only the accounts are watched")
    yield ok(f"era {active} is active; the election window is {window or 'unavailable'}")


def check_calendar(case: Case) -> Iterator[Finding]:
    """The calendar agrees with the chain, and with the calendar of earlier runs."""
    calendar = case.config.calendar
    if case.ledger is not None:
        case.ledger.journal.check_calendar(case.name, calendar)
    try:
        by_calendar = calendar.era_at(case.now)
    except errors.InvalidEra as problem:
        yield failure(problem)
        return
    # Also of a chain that has fallen behind: payouts go on, and the calendar is wrong.
    live = LiveFacts(active=case.active, by_node=case.client.node is not None)
    active = active_era(case.config, live, case.now)
    if not active.drifts:
        moment = "" if by_calendar == case.active else ", except for a moment"
        yield ok(f"era {by_calendar} is active, as on the chain{moment}")
        return
    what = f"calendar.anchors: era {by_calendar} is active by the calendar, era {case.active} by the chain"
    remedy = (
        f"{Topic.DRIFT.remedy}: {{era: {case.active}, start: ...}} at the end of networks.{case.name}.calendar.anchors"
    )
    yield error(what, remedy) if active.far_apart else warning(what, remedy)
