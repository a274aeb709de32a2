"""The gateway: its connection, its address, its clock and its token."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from airflow.sdk import BaseHook

from staking_gateway import errors
from staking_gateway_provider.connections import ConnectionFields
from staking_gateway_provider.doctor import clock
from staking_gateway_provider.doctor.findings import Finding, error, failure, note, ok, warning
from staking_gateway_provider.extras import GatewayExtras
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.substrate import SubstrateHook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from staking_gateway_provider.doctor.case import Case


def check_connection(case: Case) -> Iterator[Finding]:
    """The connection exists, has the right type, and every field can be used; likewise those it names."""
    from staking_gateway.gateway.protocol import Dialect
    from staking_gateway.http.endpoint import is_loopback

    conn_id = case.config.gateway_conn_id
    connection = BaseHook.get_connection(conn_id)
    extras = ConnectionFields(connection, StakingGatewayHook.conn_type, GatewayExtras).extras
    case.client = case.setup.stack.enter_context(StakingGatewayHook(conn_id).get_conn())
    standard = Dialect()
    case.self_made = bool(extras.bearer_signer_conn_id)
    case.ca_bundle = extras.ca_bundle
    case.payout_method = extras.payout_method or standard.payout_method
    case.query_path = extras.query_path or standard.query_path
    if extras.era_source == "chain":
        case.node_conn_id = extras.node_conn_id or SubstrateHook.default_conn_name
    address = urlsplit(case.client.base_url)
    if address.scheme == "http" and not is_loopback(address.hostname or ""):
        yield warning(
            f"{conn_id} sends the token over plain http to {address.hostname}", "Use https, and remove allow_http"
        )
    yield ok(f"{conn_id}: {case.client.base_url}, {'self-made tokens' if case.self_made else 'issued token'}")


def check_gateway(case: Case) -> Iterator[Finding]:
    """Somebody answers at the address who speaks the gateway's language, over TLS that can be trusted."""
    try:
        chain = case.client.chain_info()
    except errors.RpcMethodNotFound:
        yield ok("answers; it does not tell its chain's name")
    except (errors.Unauthorized, errors.Forbidden) as refusal:
        case.refusal = refusal
        yield ok("answers")
    except errors.RateLimited as refusal:
        yield warning(str(refusal), "Ask less often, or ask the gateway's operator for more calls; then run this again")
    except errors.GatewayError as problem:
        yield failure(problem, _gateway_remedy(problem, f"connection {case.config.gateway_conn_id!r}"))
    else:
        yield ok(f"serves {chain.name} {chain.version}".rstrip())


def _gateway_remedy(problem: errors.GatewayError, connection: str) -> str:
    if "certificate" in str(problem):
        return f"Set the extra ca_bundle of {connection} to its authority's file, or correct Host"
    if isinstance(problem, errors.TransportError):
        return f"Correct Host of {connection}; else check that the gateway runs, the firewall and the proxy"
    if isinstance(problem, (errors.GatewayUnavailable, errors.RpcInternalError)):
        return "The gateway is in trouble: ask its operator, and run this again"
    return f"Correct Host of {connection}: it must be the gateway's base URL; else its extra query_path"


def check_clock(case: Case) -> Iterator[Finding]:
    """The clocks of gateway and machine agree: a self-made token is refused when it is too old or from the future."""
    offset = clock.read_offset(case.client.base_url, case.ca_bundle)
    if offset is None:
        yield note("the gateway does not tell its time")
    else:
        yield clock.judge(offset, self_made=case.self_made)


def check_token(case: Case) -> Iterator[Finding]:
    """The gateway takes the token."""
    conn_id = case.config.gateway_conn_id
    if case.refusal is None:
        yield ok("accepted")
    elif case.self_made:
        yield error(
            str(case.refusal).rstrip("."),
            f"Ask the gateway's operator to admit the account of bearer_signer_conn_id in connection {conn_id!r}, or correct "
            "bearer_payer there",
        )
    else:
        yield error(
            str(case.refusal).rstrip("."),
            f"Set Password of connection {conn_id!r} to a token this gateway accepts; ask its operator for a new one",
        )
