"""The connection to whoever signs for an account."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from airflow.sdk import BaseHook

from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway_provider.connections import ConnectionFields

if TYPE_CHECKING:
    from airflow.sdk import Connection

    from staking_gateway.signing import Signer

EXTRAS = {
    "allow_http": "true to accept plain http to a remote signer on another machine",
    "ca_bundle": "file with the certificate authorities to trust for a remote signer",
}
"""Every extra the connection may hold, with its meaning; others are refused."""


class StakingSignerHook(BaseHook):
    """Turns an Airflow connection into a signer for one account.

    A local key: Password is a mnemonic, a 0x seed or a key URI, Host is empty. A remote signer: Host is its URL, Password the
    token it asks for. Login is the account's address either way; with a local key it may be left out.

    :param signer_conn_id: connection of type `staking_signer`.
    """

    conn_name_attr = "signer_conn_id"
    default_conn_name = "staking_signer_default"
    conn_type = "staking_signer"
    hook_name = "Staking Signer"

    def __init__(self, signer_conn_id: str = default_conn_name) -> None:
        super().__init__()
        self.signer_conn_id = signer_conn_id

    def get_conn(self) -> Signer:
        """The signer.

        :raises InvalidConnection: a field is missing or wrong; the text names it and never quotes the key.
        :raises KeyMismatch: the key belongs to another account than Login says.
        """
        return _signer(self.get_connection(self.signer_conn_id))

    async def aget_conn(self) -> Signer:
        """The same inside an event loop, which deriving a key must not block."""
        return await asyncio.to_thread(_signer, await self.aget_connection(self.signer_conn_id))

    def test_connection(self) -> tuple[bool, str]:
        """Load the key, or ask the remote signer whether it knows the account; nothing is signed for use."""
        try:
            signer = self.get_conn()
            signer.check()
        except (StakingGatewayError, InvalidInput) as error:
            return False, str(error)
        return True, f"Signs for {signer.account}"


def _signer(connection: Connection) -> Signer:
    from staking_gateway.remote_signer import RemoteSigner
    from staking_gateway.signing import LocalSigner
    from staking_gateway.types import AccountId

    fields = ConnectionFields(connection, EXTRAS)
    if not connection.password:
        raise fields.refused(
            "password", "is empty", "Set it to a mnemonic, a 0x seed or a key URI, or to a remote signer's token"
        )
    try:
        account = AccountId.parse(connection.login, field="login") if connection.login else None
        if not connection.host:
            return LocalSigner(connection.password, account, field=f"Connection {connection.conn_id!r}, password")
        if account is None:
            raise fields.refused(
                "login", "is empty", "Set it to the address of the account the remote signer signs for"
            )
        return RemoteSigner(
            fields.base_url("https://signer.example"),
            connection.password,
            account,
            allow_http=fields.flag("allow_http"),
            ca_bundle=fields.text("ca_bundle"),
        )
    except InvalidInput as error:
        if error.field.startswith("Connection "):
            raise
        field = {"base_url": "host", "token": "password"}.get(error.field, error.field)
        raise fields.refused(field, error.problem, error.remedy) from None
