"""The connection to a staking gateway."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

from staking_gateway.errors import (
    ChainError,
    Forbidden,
    GatewayError,
    InvalidInput,
    RpcMethodNotFound,
    StakingGatewayError,
    Unauthorized,
)
from staking_gateway_provider.connection_lookup import afind_connection, find_connection
from staking_gateway_provider.connections import ConnectionFields, checked_connection_id
from staking_gateway_provider.get_provider_info import extras_of
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.hooks.substrate import SubstrateHook

if TYPE_CHECKING:
    from airflow.sdk import Connection

    from staking_gateway import AsyncGatewayClient, GatewayClient
    from staking_gateway.chain import ChainReader
    from staking_gateway.gateway.protocol import Dialect
    from staking_gateway.http.endpoint import Endpoint
    from staking_gateway.http.token import TokenSource
    from staking_gateway.signing import Signer

_PATH = re.compile(r"/[\w.~/-]*\Z", re.ASCII)
_METHOD = re.compile(r"[A-Za-z][\w.]*\Z", re.ASCII)

EXAMPLE_URL = "https://gateway.example"

EXTRAS = extras_of("staking_gateway")


class StakingGatewayHook(BaseHook):
    """Turns an Airflow connection into a gateway client.

    Host is the gateway's base URL, Password the issued access token; see `EXTRAS` for the rest.

    :param gateway_conn_id: connection of type `staking_gateway`.
    :raises InvalidInput: it is not a connection id.
    """

    conn_name_attr = "gateway_conn_id"
    default_conn_name = "staking_gateway_default"
    conn_type = "staking_gateway"
    hook_name = "Staking Gateway"

    def __init__(self, gateway_conn_id: str = default_conn_name) -> None:
        super().__init__()
        self.gateway_conn_id = checked_connection_id("gateway_conn_id", gateway_conn_id)

    def get_conn(self) -> GatewayClient:
        """A blocking client; close it, or use it as a context manager.

        With `era_source` chain it reads the active era and the election window from a node. Only then it has `era_paid`, which asks
        the node whether an era is paid.

        :raises InvalidConnection: a field is missing or wrong; the text names it.
        :raises AirflowNotFoundException: the connection, or one that its extras name, does not exist.
        """
        fields, token, node = self._parts()
        return _client(fields, token, node)

    async def aget_conn(self, concurrency: int = 64) -> AsyncGatewayClient:
        """An asynchronous client for the running event loop.

        :param concurrency: most open connections.
        :raises InvalidConnection: a field is missing or wrong; the text names it.
        """
        connection = await afind_connection(self.conn_name_attr, self.gateway_conn_id)
        fields = ConnectionFields(connection, self.conn_type, EXTRAS)
        signer_hook, node_hook = self._signer_hook(fields), self._node_hook(fields)
        signer = await signer_hook.aget_conn() if signer_hook else None
        node = await node_hook.aget_conn() if node_hook else None
        return _async_client(fields, _token(connection, fields, signer), node, concurrency)

    def get_async_conn(self, concurrency: int = 64) -> AsyncGatewayClient:
        """An asynchronous client, made before the event loop runs: `airflow dags test` cannot find connections within a loop."""
        return _async_client(*self._parts(), concurrency)

    def _parts(self) -> tuple[ConnectionFields, TokenSource, ChainReader | None]:
        connection = find_connection(self.conn_name_attr, self.gateway_conn_id)
        fields = ConnectionFields(connection, self.conn_type, EXTRAS)
        signer_hook, node_hook = self._signer_hook(fields), self._node_hook(fields)
        signer = signer_hook.get_conn() if signer_hook else None
        node = node_hook.get_conn() if node_hook else None
        return fields, _token(connection, fields, signer), node

    def test_connection(self) -> tuple[bool, str]:
        """Read the chain's name from the gateway and, with `era_source` chain, the active era from the node."""
        try:
            with self.get_conn() as client:
                served = _served(client)
                node = f"; the node reports that era {client.active_era()} is active" if _uses_node(client) else ""
        except ChainError as error:
            return False, f"{self._extra('node_conn_id')}: {error}"
        except (Unauthorized, Forbidden) as error:
            return False, self._blame("password", error, "Set it to a token this gateway accepts")
        except GatewayError as error:
            return False, self._blame("host", error, "Check that it is the gateway's base URL")
        except (StakingGatewayError, AirflowNotFoundException) as error:
            return False, str(error)
        return True, served + node

    def _signer_hook(self, fields: ConnectionFields) -> StakingSignerHook | None:
        conn_id = fields.text("bearer_signer_conn_id")
        return StakingSignerHook(conn_id, field=self._extra("bearer_signer_conn_id")) if conn_id else None

    def _node_hook(self, fields: ConnectionFields) -> SubstrateHook | None:
        conn_id = _node_conn_id(fields)
        return SubstrateHook(conn_id, field=self._extra("node_conn_id")) if conn_id else None

    def _extra(self, name: str) -> str:
        return f"Connection {self.gateway_conn_id!r}, extra {name!r}"

    def _blame(self, field: str, error: GatewayError, remedy: str) -> str:
        return f"Connection {self.gateway_conn_id!r}, {field}: {str(error).rstrip('.')}. {remedy}"


def _served(client: GatewayClient) -> str:
    try:
        chain = client.chain_info()
    except RpcMethodNotFound:
        return "The gateway accepts the token; it does not report its chain's name"
    return f"The gateway serves {chain.name} {chain.version}".strip()


def _uses_node(client: GatewayClient) -> bool:
    from staking_gateway.chain import ChainGatewayClient

    return isinstance(client, ChainGatewayClient)


def _client(fields: ConnectionFields, token: TokenSource, node: ChainReader | None) -> GatewayClient:
    from staking_gateway import GatewayClient

    if node is None:
        return GatewayClient(_endpoint(fields), token, dialect=_dialect(fields))
    from staking_gateway.chain import ChainGatewayClient

    return ChainGatewayClient(_endpoint(fields), token, node=node, dialect=_dialect(fields))


def _async_client(
    fields: ConnectionFields, token: TokenSource, node: ChainReader | None, concurrency: int
) -> AsyncGatewayClient:
    from staking_gateway import AsyncGatewayClient

    options: dict[str, Any] = {"dialect": _dialect(fields), "concurrency": concurrency}
    if node is None:
        return AsyncGatewayClient(_endpoint(fields), token, **options)
    from staking_gateway.chain import AsyncChainGatewayClient

    return AsyncChainGatewayClient(_endpoint(fields), token, node=node, **options)


def _node_conn_id(fields: ConnectionFields) -> str | None:
    """The connection of the node for era and window; None when they come from the gateway."""
    source, node_conn_id = fields.text("era_source") or "gateway", fields.text("node_conn_id")
    if source not in ("gateway", "chain"):
        raise fields.refused("extra 'era_source'", "is neither gateway nor chain", "Write gateway or chain")
    if source == "chain":
        return node_conn_id or SubstrateHook.default_conn_name
    if node_conn_id:
        raise fields.refused(
            "extra 'node_conn_id'", "is used with era_source chain only", "Set era_source to chain, or remove it"
        )
    return None


def _endpoint(fields: ConnectionFields) -> Endpoint:
    from staking_gateway.http.endpoint import Endpoint, ReadRetry, Timeouts

    base_url = fields.base_url(EXAMPLE_URL)
    allow_http, ca_bundle = fields.flag("allow_http"), fields.text("ca_bundle")
    timeouts = Timeouts(
        connect=fields.number("connect_timeout", 5, least=0.1, most=600),
        read=fields.number("read_timeout", 35, least=0.1, most=600),
        total=fields.number("total_timeout", 60, least=0.1, most=3600),
    )
    retry = ReadRetry(attempts=fields.whole_number("read_attempts", 4, least=1, most=100))
    try:
        return Endpoint(base_url, allow_http=allow_http, ca_bundle=ca_bundle, timeouts=timeouts, retry=retry)
    except InvalidInput as error:
        field = "host" if error.field == "base_url" else f"extra {error.field!r}"
        raise fields.refused(field, error.problem, error.remedy) from None


def _dialect(fields: ConnectionFields) -> Dialect:
    from dataclasses import fields as fields_of

    from staking_gateway.gateway.protocol import Dialect

    given = {field.name: fields.text(field.name) for field in fields_of(Dialect)}
    for name, value in given.items():
        if name.endswith("_path") and value is not None and not _PATH.match(value):
            raise fields.refused(f"extra {name!r}", "is not a path", "Write it like /send")
    if given["payout_method"] is not None and not _METHOD.match(given["payout_method"]):
        raise fields.refused("extra 'payout_method'", "is not the name of a method", "Write it like proxyPayoutstakers")
    return Dialect(**{name: value for name, value in given.items() if value is not None})


def _token(connection: Connection, fields: ConnectionFields, signer: Signer | None) -> TokenSource:
    from staking_gateway.gateway.auth import SelfMadeToken
    from staking_gateway.http.token import IssuedToken

    if connection.login:
        raise fields.refused("login", "is set", "Leave it empty; the access token goes into Password")
    payer = fields.text("bearer_payer")
    if signer is not None and connection.password:
        raise fields.refused("password", "holds a token beside bearer_signer_conn_id", "Keep one of the two")
    if signer is None and payer:
        raise fields.refused(
            "extra 'bearer_payer'", "goes into a self-made token only", "Remove it, or set bearer_signer_conn_id too"
        )
    if signer is not None:
        return SelfMadeToken(signer, payer=fields.account("extra 'bearer_payer'", payer) if payer else None)
    try:
        return IssuedToken(connection.password or "")
    except InvalidInput as error:
        raise fields.refused("password", error.problem, error.remedy) from None
