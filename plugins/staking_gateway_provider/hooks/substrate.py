"""The connection to a node of the chain."""

from __future__ import annotations

from airflow.sdk import BaseHook, Connection

from staking_gateway.chain import ChainReader, NodeEndpoint
from staking_gateway.errors import ChainError, StakingGatewayError
from staking_gateway_provider.connections import ConnectionFields, checked_connection_id, find_connection
from staking_gateway_provider.extras import NodeExtras

EXAMPLE_URL = "ws://127.0.0.1:9944"


class SubstrateHook(BaseHook):
    """Turns an Airflow connection into a reader of the chain: active era, election window, paid eras, nonces.

    Host is the URL of a node (`ws`, `wss`, `http` or `https`); see `NodeExtras` for the rest.

    :param substrate_conn_id: connection of type `substrate`.
    :param field: argument or extra that names the connection, for errors.
    :raises InvalidInput: it is not a connection id.
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
    fields = ConnectionFields(connection, SubstrateHook.conn_type, NodeExtras)
    for name in ("login", "password"):
        if getattr(connection, name):
            raise fields.refused(name, "is set", "Leave it empty; an access key of the node belongs into Host")
    url = fields.base_url(EXAMPLE_URL)
    with fields.naming():
        return ChainReader(NodeEndpoint(url, **fields.extras.model_dump()))
