"""The connections of a network: of its gateway, of the signer of an account, and of a node of the chain."""

from __future__ import annotations

import asyncio
from dataclasses import fields as fields_of
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from airflow.sdk import BaseHook, Connection

from staking_gateway.chain import ChainReader
from staking_gateway.errors import ChainError, Failed, GatewayError, InvalidInput, SigningError, StakingGatewayError
from staking_gateway.gateway.calls import Dialect
from staking_gateway.gateway.client import SelfMadeToken
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.http.endpoint import Endpoint, IssuedToken, ReadRetry, TokenSource, is_loopback
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner, Signer
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from staking_gateway_provider.connections import (
    ConnectionFields,
    ConnectionMissing,
    GatewayExtras,
    NodeExtras,
    SignerExtras,
    checked_connection_id,
    find_connection,
    mask_address,
)

if TYPE_CHECKING:
    from staking_gateway import AsyncGatewayClient  # loads aiohttp

GatewayFields = ConnectionFields[GatewayExtras]
_PASSWORD_REMEDY = "Set it to a mnemonic, a 0x seed or a key URI, or to a remote signer's token"


class StakingGatewayHook(BaseHook):
    """Turns an Airflow connection into a gateway client.

    Host is the gateway's base URL, Password the issued access token; see `GatewayExtras` for the rest.

    :param gateway_conn_id: connection of type `stakinggateway`.
    :raises InvalidInput: it is not a connection id.
    """

    conn_name_attr = "gateway_conn_id"
    default_conn_name = "staking_gateway_default"
    conn_type = "stakinggateway"
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

    def get_async_conn(self) -> AsyncGatewayClient:
        """The gateway and the node for an event loop, made before the loop runs."""
        from staking_gateway import AsyncGatewayClient

        fields, token, node = self._parts()
        return AsyncGatewayClient(_endpoint(fields), token, dialect=_dialect(fields.extras), node=node)

    async def aget_conn(self) -> AsyncGatewayClient:
        """The same within the loop: a thread finds the connections and derives the key of a token signer."""
        return await asyncio.to_thread(self.get_async_conn)

    def get_node(self) -> ChainReader | None:
        """The node of the chain that the connection names; None without one."""
        connection = find_connection(self.conn_name_attr, self.gateway_conn_id)
        hook = self._node_hook(ConnectionFields(connection, GatewayExtras))
        return hook.get_conn() if hook else None

    def _parts(self) -> tuple[GatewayFields, TokenSource, ChainReader | None]:
        connection = find_connection(self.conn_name_attr, self.gateway_conn_id)
        fields = ConnectionFields(connection, GatewayExtras)
        signer_hook, node_hook = self._signer_hook(fields), self._node_hook(fields)
        signer = signer_hook.get_token_signer(_endpoint(fields).base_url) if signer_hook else None
        node = node_hook.get_conn() if node_hook else None
        return fields, _token(connection, fields, signer), node

    def test_connection(self) -> tuple[bool, str]:
        """Read the chain's name from the gateway, and the active era from the node that the connection names."""
        try:
            with self.get_conn() as client:
                chain = client.chain_info(strict=True)
                node = f"; the node reports that era {client.active_era()} is active" if client.node else ""
        except ChainError as error:
            return False, f"{self._extra('node_conn_id')}: {error}"
        except GatewayError as error:
            if error.how in (Failed.NO_TOKEN, Failed.BAD_TOKEN):
                return False, self._blame("password", error, "Set it to a token this gateway accepts")
            return False, self._blame("host", error, "Check that it is the gateway's base URL")
        except StakingGatewayError as error:
            return False, str(error)
        if chain is None:
            return True, f"The gateway accepts the token; it does not report its chain's name{node}"
        return True, f"The gateway serves {chain.name} {chain.version}".strip() + node

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


def _endpoint(fields: GatewayFields) -> Endpoint:
    base_url, extras = fields.base_url("https://gateway.example"), fields.extras
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


# --- signers ------------------------------------------------------------------------------------------------------------


class StakingSignerHook(BaseHook):
    """Turns an Airflow connection into a signer for one account.

    For a local key Password is a mnemonic, a 0x seed or a key URI, and Host is empty. For a remote signer Host is its URL, and Password its token.
    Login is the account's address; a local key does not need it. Errors call the connection by `field`, which names it.

    :param signer_conn_id: connection of type `stakingsigner`.
    """

    conn_name_attr = "signer_conn_id"
    default_conn_name = "staking_signer_default"
    conn_type = "stakingsigner"
    hook_name = "Staking Signer"

    def __init__(self, signer_conn_id: str = default_conn_name, *, field: str = conn_name_attr) -> None:
        super().__init__()
        self.signer_conn_id = checked_connection_id(field, signer_conn_id)
        self._field = field

    def get_conn(self) -> Signer:
        """The signer.

        :raises InvalidConnection: a field is missing or wrong; the text names it and never quotes the key.
        :raises SigningError: the key does not belong to the account in Login.
        :raises ConnectionMissing: the connection does not exist.
        """
        return _signer(find_connection(self._field, self.signer_conn_id))

    def get_token_signer(self, gateway: str) -> Signer:
        """The signer for access tokens of one gateway, by its base URL.

        An access token names no gateway: each that knows the account accepts it. So the signer's connection must name the gateway, unless it is on this machine.
        """
        return _signer(_bound(find_connection(self._field, self.signer_conn_id), gateway))

    def test_connection(self) -> tuple[bool, str]:
        """Load the key, or ask the remote signer whether it has the account's key."""
        try:
            signer = self.get_conn()
            signer.check()
        except (InvalidInput, ConnectionMissing) as error:
            return False, str(error)
        except SigningError as error:
            if error.problem.topic is Topic.WRONG_KEY:
                return False, str(error)
            remedy = error.problem.own_remedy or "Correct Host, Login or Password"
            return False, f"Connection {self.signer_conn_id!r}, host: {error.problem.facts}. {remedy}"
        return True, f"Signs for {signer.account}"


def _bound(connection: Connection, gateway: str) -> Connection:
    """The connection, whose key may sign access tokens for the gateway."""
    fields = ConnectionFields(connection, SignerExtras)
    wanted = _identity(gateway)
    if not is_loopback(wanted[1]) and wanted not in map(_identity, fields.extras.gateways):
        raise fields.refused(
            "extra 'gateways'",
            f"does not name {gateway[:200]}, so this key signs no access token for it",
            "If that gateway is yours, add its address, as in its connection's Host",
        )
    return connection


def _identity(url: str) -> tuple[str, str, int | None, str]:
    """Scheme, host, port and path of an address; empty for a text that is no address."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", "", None, ""
    return parts.scheme, parts.hostname or "", port, parts.path.rstrip("/")


def _signer(connection: Connection) -> Signer:
    fields = ConnectionFields(connection, SignerExtras)
    if not connection.password:
        raise fields.refused("password", "is empty", _PASSWORD_REMEDY)
    account = fields.account("login", connection.login) if connection.login else None
    return _remote(connection, fields, account) if connection.host else _local(connection, fields, account)


def _local(connection: Connection, fields: ConnectionFields[SignerExtras], account: AccountId | None) -> Signer:
    for name in ("port", "schema"):
        if getattr(connection, name) not in (None, ""):
            raise fields.refused(
                name, "is set without a Host", "Leave it empty; a remote signer's whole URL goes into Host"
            )
    try:
        return LocalSigner(connection.password or "", account, field=f"Connection {connection.conn_id!r}, password")
    except SigningError as error:
        if error.problem.topic is Topic.WRONG_KEY:
            raise
        raise fields.refused("password", "is not a valid key", _PASSWORD_REMEDY) from None


def _remote(connection: Connection, fields: ConnectionFields[SignerExtras], account: AccountId | None) -> Signer:
    if account is None:
        raise fields.refused("login", "is empty", "Set it to the address of the account the remote signer signs for")
    base_url, extras = fields.base_url("https://signer.example"), fields.extras
    allow_http, ca_bundle = extras.allow_http, extras.ca_bundle
    with fields.naming():
        return RemoteSigner(base_url, connection.password or "", account, allow_http=allow_http, ca_bundle=ca_bundle)


# --- nodes --------------------------------------------------------------------------------------------------------------


class SubstrateHook(BaseHook):
    """Turns an Airflow connection into a reader of the chain: active era, election window, paid eras, nonces.

    Host is the URL of a node (`ws`, `wss`, `http` or `https`); see `NodeExtras`. Errors call the connection by `field`, which names it.

    :param substrate_conn_id: connection of type `substrate`.
    """

    conn_name_attr = "substrate_conn_id"
    default_conn_name = "substrate_default"
    conn_type = "substrate"
    hook_name = "Substrate Node"

    def __init__(self, substrate_conn_id: str = default_conn_name, *, field: str = conn_name_attr) -> None:
        super().__init__()
        self.substrate_conn_id = checked_connection_id(field, substrate_conn_id)
        self._field = field

    def get_conn(self) -> ChainReader:
        """A reader, whose methods block. It needs no closing: a process shares one connection to a node.

        :raises InvalidConnection: a field is missing or wrong; the text names it.
        :raises ConnectionMissing: the connection does not exist.
        """
        return _reader(find_connection(self._field, self.substrate_conn_id))

    def test_connection(self) -> tuple[bool, str]:
        """Read chain and active era from the node."""
        try:
            reader = self.get_conn()
            identity, state = reader.identity(), reader.state()
        except ChainError as error:
            return False, f"Connection {self.substrate_conn_id!r}, host: {error}"
        except StakingGatewayError as error:
            return False, str(error)
        window = (
            "this chain pays its stakers by itself"
            if state.pays_by_itself
            else f"the election window is {state.window}"
        )
        era = f"Era {state.active_era} is active on {identity.chain_name} (genesis {identity.genesis_hash})"
        return True, f"{era}; {window}"


def _reader(connection: Connection) -> ChainReader:
    mask_address(connection)
    fields = ConnectionFields(connection, NodeExtras)
    for name in ("login", "password"):
        if getattr(connection, name):
            raise fields.refused(name, "is set", "Leave it empty; an access key of the node belongs into Host")
    url = fields.base_url("ws://127.0.0.1:9944")
    with fields.naming():
        return ChainReader(url, **fields.extras.model_dump())
