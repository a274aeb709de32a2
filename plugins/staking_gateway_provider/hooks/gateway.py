"""The connection to a staking gateway."""

from __future__ import annotations

import asyncio
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING

from airflow.sdk import BaseHook, Connection

from staking_gateway.chain import ChainReader
from staking_gateway.errors import ChainError, Failed, GatewayError, StakingGatewayError
from staking_gateway.gateway.calls import Dialect
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.gateway.token import SelfMadeToken
from staking_gateway.http.endpoint import Endpoint, IssuedToken, ReadRetry, TokenSource
from staking_gateway.signing import Signer
from staking_gateway_provider.connections import ConnectionFields, checked_connection_id, find_connection
from staking_gateway_provider.extras import GatewayExtras
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.hooks.substrate import SubstrateHook

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient  # loads aiohttp

EXAMPLE_URL = "https://gateway.example"
GatewayFields = ConnectionFields[GatewayExtras]


class StakingGatewayHook(BaseHook):
    """Turns an Airflow connection into a gateway client.

    Host is the gateway's base URL, Password the issued access token; see `GatewayExtras` for the rest.

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

    def get_conn(self) -> Gateway:
        """The gateway, and the node that the connection names; close it, or use it as a context manager.

        With a node, active era, election window and paid eras come from the node.

        :raises InvalidConnection: a field is missing or wrong; the text names it.
        :raises ConnectionMissing: the connection, or one that its extras name, does not exist.
        """
        from staking_gateway import GatewayClient

        fields, token, node = self._parts()
        return Gateway(GatewayClient(_endpoint(fields), token, dialect=_dialect(fields.extras)), node)

    def get_async_conn(self, concurrency: int = 64) -> AsyncGatewayClient:
        """The gateway and the node for an event loop, made before the loop runs.

        :param concurrency: most open connections.
        """
        from staking_gateway import AsyncGatewayClient

        fields, token, node = self._parts()
        dialect = _dialect(fields.extras)
        return AsyncGatewayClient(_endpoint(fields), token, dialect=dialect, concurrency=concurrency, node=node)

    async def aget_conn(self, concurrency: int = 64) -> AsyncGatewayClient:
        """The same within the loop: a thread finds the connections and derives the key of a token signer."""
        return await asyncio.to_thread(self.get_async_conn, concurrency)

    def get_node(self) -> ChainReader | None:
        """The node of the chain that the connection names; None without one.

        :raises InvalidConnection: a field is missing or wrong; the text names it.
        """
        connection = find_connection(self.conn_name_attr, self.gateway_conn_id)
        hook = self._node_hook(ConnectionFields(connection, self.conn_type, GatewayExtras))
        return hook.get_conn() if hook else None

    def _parts(self) -> tuple[GatewayFields, TokenSource, ChainReader | None]:
        connection = find_connection(self.conn_name_attr, self.gateway_conn_id)
        fields = ConnectionFields(connection, self.conn_type, GatewayExtras)
        signer_hook, node_hook = self._signer_hook(fields), self._node_hook(fields)
        signer = signer_hook.get_token_signer(_endpoint(fields).base_url) if signer_hook else None
        node = node_hook.get_conn() if node_hook else None
        return fields, _token(connection, fields, signer), node

    def test_connection(self) -> tuple[bool, str]:
        """Read the chain's name from the gateway, and the active era from the node that the connection names."""
        try:
            with self.get_conn() as client:
                served = _served(client)
                node = f"; the node reports that era {client.active_era()} is active" if client.node else ""
        except ChainError as error:
            return False, f"{self._extra('node_conn_id')}: {error}"
        except GatewayError as error:
            if error.how in (Failed.NO_TOKEN, Failed.BAD_TOKEN):
                return False, self._blame("password", error, "Set it to a token this gateway accepts")
            return False, self._blame("host", error, "Check that it is the gateway's base URL")
        except StakingGatewayError as error:
            return False, str(error)
        return True, served + node

    def _signer_hook(self, fields: GatewayFields) -> StakingSignerHook | None:
        conn_id = fields.extras.bearer_signer_conn_id
        return StakingSignerHook(conn_id, field=self._extra("bearer_signer_conn_id")) if conn_id else None

    def _node_hook(self, fields: GatewayFields) -> SubstrateHook | None:
        conn_id = fields.extras.node_conn_id
        return SubstrateHook(conn_id, field=self._extra("node_conn_id")) if conn_id else None

    def _extra(self, name: str) -> str:
        return f"Connection {self.gateway_conn_id!r}, extra {name!r}"

    def _blame(self, field: str, error: GatewayError, remedy: str) -> str:
        return (
            f"Connection {self.gateway_conn_id!r}, {field}: {error.problem.facts}. {error.problem.own_remedy or remedy}"
        )


def _served(gateway: Gateway) -> str:
    chain = gateway.chain_info(strict=True)
    if chain is None:
        return "The gateway accepts the token; it does not report its chain's name"
    return f"The gateway serves {chain.name} {chain.version}".strip()


def _endpoint(fields: GatewayFields) -> Endpoint:
    base_url, extras = fields.base_url(EXAMPLE_URL), fields.extras
    timeouts = (extras.connect_timeout, extras.read_timeout, extras.total_timeout)
    retry = ReadRetry(attempts=extras.read_attempts)
    with fields.naming():
        return Endpoint(
            base_url, allow_http=extras.allow_http, ca_bundle=extras.ca_bundle, timeouts=timeouts, retry=retry
        )


def _dialect(extras: GatewayExtras) -> Dialect:
    names = {field.name for field in fields_of(Dialect)}
    return Dialect(**extras.model_dump(include=names, exclude_none=True))


def _token(connection: Connection, fields: GatewayFields, signer: Signer | None) -> TokenSource:
    if connection.login:
        raise fields.refused("login", "is set", "Leave it empty; the access token goes into Password")
    payer = fields.extras.bearer_payer
    if signer is not None and connection.password:
        raise fields.refused("password", "holds a token beside bearer_signer_conn_id", "Keep one of the two")
    if signer is not None:
        return SelfMadeToken(signer, payer=fields.account("extra 'bearer_payer'", payer) if payer else None)
    with fields.naming():
        return IssuedToken(connection.password or "")
