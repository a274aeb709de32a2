"""The connection to the signer of an account."""

from __future__ import annotations

from urllib.parse import urlsplit

from airflow.sdk import BaseHook, Connection

from staking_gateway.errors import ConnectionMissing, InvalidInput, SigningError
from staking_gateway.http.endpoint import is_loopback
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner, Signer
from staking_gateway.signing.remote import RemoteSigner
from staking_gateway.types import AccountId
from staking_gateway_provider.connections import ConnectionFields, checked_connection_id, find_connection
from staking_gateway_provider.extras import SignerExtras

_PASSWORD_REMEDY = "Set it to a mnemonic, a 0x seed or a key URI, or to a remote signer's token"


class StakingSignerHook(BaseHook):
    """Turns an Airflow connection into a signer for one account.

    For a local key Password is a mnemonic, a 0x seed or a key URI, and Host is empty. For a remote signer Host is its URL, and
    Password its token. Login is the account's address; a local key does not need it.

    :param signer_conn_id: connection of type `staking_signer`.
    :param field: argument or extra that names the connection, for errors.
    :raises InvalidInput: it is not a connection id.
    """

    conn_name_attr = "signer_conn_id"
    default_conn_name = "staking_signer_default"
    conn_type = "staking_signer"
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
        """The signer for access tokens of one gateway.

        An access token names no gateway: each gateway that knows the account accepts it. So the signer's connection names the gateways.

        :param gateway: base URL of the gateway that gets the tokens.
        :raises InvalidConnection: the extra `gateways` does not name the gateway, and it is not on this machine; or as `get_conn`.
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
    fields = ConnectionFields(connection, StakingSignerHook.conn_type, SignerExtras)
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
    fields = ConnectionFields(connection, StakingSignerHook.conn_type, SignerExtras)
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
