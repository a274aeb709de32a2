"""The network of `airflow staking init --demo`: a simulator in the background, its connections, and unpaused DAGs."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from airflow.models import Connection as Stored
from airflow.models.dag import DagModel
from airflow.sdk import Connection
from airflow.utils.session import create_session
from sqlalchemy import select

from staking_gateway.config.find import read_config
from staking_gateway.errors import ConnectionMissing, InvalidInput, StakingGatewayError
from staking_gateway_provider.connections import ConnectionFields, find_connection
from staking_gateway_provider.extras import GatewayExtras
from staking_gateway_provider.settings import airflow_home
from staking_gateway_provider.shipped import DEVNET
from staking_gateway_simulator.settings import DEFAULT_TOKEN

GATEWAY, NODE = "staking_gateway_default", "substrate_devnet"
PORT = 8650
_ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}(/node)?")
_SIGNERS = {
    "staking_signer_user": ("5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "//Alice"),
    "staking_signer_payer": ("5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "//Charlie"),
}
"""Public development keys: anybody can sign with them."""
_START_SECONDS = 60
_MOST_BYTES = 10_000
"""Of an answer of whatever program has the port."""
_OWED = 40
"""Eras that the chain owes when it starts. Those since `start_date` are among them, however long the preparations take."""


def check(config: Path) -> None:
    """See that the demo disturbs no other network, and calls no gateway and node but the simulator.

    :raises InvalidInput: `staking.yaml` describes another network, or a connection leads to something else.
    """
    if config.is_file():
        file = read_config(config)
        if list(file.names) != [DEVNET]:
            raise _refused(f"{config} describes other networks")
        if file.network(DEVNET).gateway_conn_id != GATEWAY:
            raise _refused(f"gateway_conn_id in {config} is not {GATEWAY}")
    _simulator_url()


def _refused(problem: str) -> InvalidInput:
    return InvalidInput("demo", problem, "Set AIRFLOW_HOME to an empty folder, and run this again there")


def _simulator_url() -> str | None:
    """The simulator's address by the gateway's connection; None without the connection.

    :raises InvalidInput: the connection of the gateway or of the node leads to something else.
    """
    gateway = _find(GATEWAY)
    extras = ConnectionFields(gateway, "staking_gateway", GatewayExtras).extras if gateway else None
    node_conn_id = extras.node_conn_id if extras else NODE
    if node_conn_id and (node := _find(node_conn_id)) and not _ADDRESS.fullmatch(node.host or ""):
        raise _not_simulators(node_conn_id)
    if gateway is None:
        return None
    if not _ADDRESS.fullmatch(gateway.host or "") or gateway.password != DEFAULT_TOKEN:
        raise _not_simulators(GATEWAY)
    return str(gateway.host)


def _not_simulators(conn_id: str) -> InvalidInput:
    return InvalidInput(
        "demo",
        f"the connection {conn_id} does not lead to the demo's simulator",
        f"Set AIRFLOW_HOME to an empty folder, unset AIRFLOW_CONN_{conn_id.upper()}, and run this again there",
    )


def _find(conn_id: str) -> Connection | None:
    """A connection, as tasks find it: also of a variable or a secrets backend."""
    with suppress(ConnectionMissing):
        return find_connection("demo", conn_id)
    return None


def start(tell: Callable[[str], None]) -> dict[str, Any]:
    """Create the database, the connections and the simulator, and unpause the DAGs.

    Existing parts are used unchanged.

    :param tell: shows a line.
    :returns: address and process id of the simulator.
    """
    tell("Preparing Airflow's database ...")
    _airflow("db", "migrate")
    url = _make_connections()
    pid = _start_simulator(url)
    tell(f"The simulator runs at {url}. It ends with: kill {pid}. It starts again with: airflow staking init --demo")
    tell("Reading the DAGs ...")
    _airflow("dags", "reserialize")
    _unpause_dags()
    return {"simulator": url, "pid": pid}


def _airflow(*words: str) -> None:
    done = subprocess.run(  # noqa: S603 -- our own words
        [sys.executable, "-m", "airflow", *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).strip().splitlines()[-5:])
        raise StakingGatewayError(f"`airflow {' '.join(words)}` failed:\n{last}")


def _unpause_dags() -> None:
    names = {f"staking_payout_{DEVNET}", f"staking_catch_up_{DEVNET}"}
    with create_session() as session:
        dags = session.scalars(select(DagModel).where(DagModel.dag_id.in_(names), ~DagModel.is_stale)).all()
        for dag in dags:
            dag.is_paused = False
        missing = sorted(names - {dag.dag_id for dag in dags})
    if missing:
        raise StakingGatewayError(
            f"Airflow does not have the DAG {' and '.join(missing)}",
            remedy="See: airflow dags list-import-errors. If it lists no error, add the DAG folder to [dag_processor] dag_bundle_config_list",
        )


def _make_connections() -> str:
    """Create the connections that are missing; the simulator's address.

    :raises InvalidInput: a connection that the older database hid does not lead to the simulator.
    """
    url, missing = _simulator_url(), []
    if url is None:
        url = f"http://127.0.0.1:{_free_port()}"
        extra = json.dumps({"node_conn_id": NODE})
        missing.append(Stored(GATEWAY, "staking_gateway", host=url, password=DEFAULT_TOKEN, extra=extra))
        if _find(NODE) is None:
            missing.append(Stored(conn_id=NODE, conn_type="substrate", host=f"{url}/node"))
    for conn_id, (account, key) in _SIGNERS.items():
        if _find(conn_id) is None:
            missing.append(Stored(conn_id=conn_id, conn_type="staking_signer", login=account, password=key))
    with create_session() as session:
        session.add_all(missing)
    return url


def _free_port() -> int:
    """The simulator's usual port, or another one when that is taken."""
    for port in (PORT, 0):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    raise AssertionError("no free port")


def _start_simulator(url: str) -> int:
    """Start the simulator, unless it runs; the id of its process."""
    home = airflow_home()
    port, state, log = urlsplit(url).port or PORT, home / "staking_simulator.db", home / "staking_simulator.log"
    if (running := _running(port, state)) is not None:
        return running
    with log.open("ab") as output:
        made = subprocess.Popen(  # noqa: S603 -- our own words
            [
                *(sys.executable, "-m", "staking_gateway_simulator", "--port", str(port)),
                *("--state", str(state), "--unpaid-eras", str(_OWED)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + _START_SECONDS
        while _running(port, state) is None:
            if made.poll() is not None or time.monotonic() > until:
                raise StakingGatewayError(
                    f"The simulator did not start at {url}; its log: {log}",
                    remedy="If another program has this port, end that program. "
                    f"Or delete the connections {GATEWAY} and {NODE}: the demo then takes a free port",
                )
            time.sleep(0.1)
    except BaseException:
        made.terminate()
        raise
    (home / "staking_simulator.pid").write_text(f"{made.pid}\n")
    return made.pid


def _running(port: int, state: Path) -> int | None:
    """The process id of the simulator at this port, if it has this state file. Other programs may have the port."""
    with (
        suppress(OSError, HTTPException, ValueError, KeyError, TypeError),
        closing(HTTPConnection("127.0.0.1", port, timeout=2)) as connection,
    ):
        connection.request("GET", "/control/process")
        process = json.loads(connection.getresponse().read(_MOST_BYTES))
        return int(process["pid"]) if process["state_file"] == str(state.resolve()) else None
    return None
