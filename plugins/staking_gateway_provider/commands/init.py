"""`airflow staking init`: the first `staking.yaml` and the DAG files; with `--demo`, a simulated network that is paid at once."""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from airflow.models import Connection as Stored
from airflow.models.dag import DagModel
from airflow.sdk import Connection, conf
from airflow.utils.session import create_session
from pydantic import TypeAdapter
from sqlalchemy import select

from staking_gateway.config.file import read_config
from staking_gateway.config.models import NetworkConfig
from staking_gateway.config.types import NetworkName
from staking_gateway.config.yaml import read_yaml
from staking_gateway.eras import utc_now
from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway_provider.commands.output import for_people, report_errors, say, show, tell, working
from staking_gateway_provider.connections import (
    ConnectionFields,
    ConnectionMissing,
    GatewayExtras,
    check_value,
    find_connection,
)
from staking_gateway_provider.networks import CONFIG_NAME, airflow_home, expanded, new_config_path
from staking_gateway_provider.shipped import DAGS, DEVNET, dags_folder, read_kept, settings_text, write_new
from staking_gateway_simulator import __main__ as simulator_program
from staking_gateway_simulator.settings import DEFAULT_TOKEN

_SIGNER = "stakingsigner --conn-login ADDRESS --conn-password KEY"
_CONNECTIONS = {
    "gateway_conn_id": "stakinggateway --conn-host URL --conn-password TOKEN",
    "user_signer_conn_id": _SIGNER,
    "payer_signer_conn_id": _SIGNER,
}
"""The settings that name a network's connections, with the type and fields of each."""
GATEWAY, NODE = "staking_gateway_default", "substrate_devnet"
PORT = 8650
_DONE = {None: "Written", True: "Exists already, the same", False: "Kept, although it differs from the shipped file"}
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


@report_errors
def init(arguments: Namespace) -> None:
    """`airflow staking init`: write the files of an installation, never over an existing file."""
    network = _network(arguments)
    config, dags = new_config_path(), expanded("[core] dags_folder", conf.get("core", "dags_folder"))
    described = _networks(read_kept(config)) if config.is_file() else {}
    own = _settings(described, network)
    start = own.get("start_date") or f"{utc_now():%Y-%m-%dT%H:%M:%SZ}"
    texts = {config: settings_text(network, start)}
    if not arguments.no_dags:
        texts |= {dags / name: (dags_folder() / name).read_text(encoding="utf-8") for name in DAGS}
    if arguments.demo:
        _check_demo(config)
    kept = write_new(texts, _remedy(arguments, network))
    people = for_people(arguments.output)
    for path, text in texts.items() if people else ():
        if path == config and path in kept and not own:
            say(f"Kept: {config}. It does not describe {network}. To add it, put these lines below `networks:`\n")
            say(text[text.index(f"  {network}:") :])
        else:
            say(f"{_DONE[kept.get(path)]}: {path}")
    done: dict[str, Any] = {
        "network": network,
        "written": [str(path) for path in texts if path not in kept],
        "kept": [str(path) for path in kept],
    }
    if arguments.demo:
        done["demo"] = _start_demo(say if people else tell)
    if not people:
        show(arguments.output, done)
        return
    if arguments.no_dags:
        _say_bundles()
    if arguments.demo:
        say("Next: airflow standalone")
        say("Then open Staking in Airflow's navigation: each era of 20 seconds is paid.")
    else:
        _say_next_steps(network, config, own or _settings(_networks(texts[config]), network), described)


def _network(arguments: Namespace) -> str:
    """The network to describe."""
    name = check_value("network", TypeAdapter(NetworkName), arguments.network or DEVNET)
    if arguments.demo and name != DEVNET:
        raise InvalidInput("network", f"the demo has the network {DEVNET}, not {name}", "Leave out --network")
    if arguments.demo and arguments.no_dags:
        raise InvalidInput("no_dags", "the demo needs the DAG files", "Leave out --no-dags")
    return name


def _remedy(arguments: Namespace, network: str) -> str:
    """The remedy for a place that cannot be written."""
    remedy = (
        "Make it a writable folder, or set another path: "
        "STAKING_GATEWAY_CONFIG for staking.yaml, AIRFLOW__CORE__DAGS_FOLDER for the DAG files"
    )
    if arguments.demo or arguments.no_dags:
        return remedy
    return f"{remedy}. Without DAG files: airflow staking init --network {network} --no-dags"


def _networks(text: str) -> dict[str, Any]:
    """The networks of a `staking.yaml`, also with mistakes; empty if it has none."""
    return _settings(read_yaml(text, CONFIG_NAME)[0], "networks")


def _settings(mapping: Any, key: str) -> dict[str, Any]:
    """The settings below a key; empty if there are none."""
    found = mapping.get(key) if isinstance(mapping, dict) else None
    return found if isinstance(found, dict) else {}


def _say_bundles() -> None:
    bundles: Any = conf.getjson("dag_processor", "dag_bundle_config_list")
    path = str(dags_folder())
    if any((bundle.get("kwargs") or {}).get("path") == path for bundle in bundles):
        say(f"Airflow is already configured to load the DAGs from the package: {path}")
        return
    ours = {
        "name": "staking_gateway",
        "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle",
        "kwargs": {"path": path},
    }
    whole = {bundle["name"]: bundle for bundle in (*bundles, ours)}
    say(
        "To load the DAGs from the package, set [dag_processor] dag_bundle_config_list to this list, in all components:"
    )
    say(f"  export AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST={shlex.quote(json.dumps(list(whole.values())))}")


def _say_next_steps(network: str, config: Path, settings: dict[str, Any], described: dict[str, Any]) -> None:
    missing = _missing_connections(settings)
    if missing:
        say(f"Missing connections: {', '.join(missing)}")
    say("Next:")
    if missing and network == DEVNET:
        if described.keys() - {DEVNET}:
            say("  export AIRFLOW_HOME=EMPTY_FOLDER  # the demo has a folder of its own")
        say("  airflow staking init --demo    # makes these connections, starts a simulator, and unpauses the DAGs")
        return
    if "FILL_IN" in str(settings):
        say(f"  Replace each FILL_IN in {config}")
    for conn_id, fields in missing.items():
        say(f"  airflow connections add {conn_id} --conn-type {fields}")
    say(f"  airflow staking doctor --network {network}")


def _missing_connections(settings: dict[str, Any]) -> dict[str, str]:
    """The connections of a network that Airflow does not have, with the type and fields of each."""
    wanted = {str(settings.get(name) or NetworkConfig.model_fields[name].default): name for name in _CONNECTIONS}
    return {conn_id: _CONNECTIONS[name] for conn_id, name in wanted.items() if _find(conn_id) is None}


def simulator(arguments: Namespace) -> None:
    """`airflow staking simulator ...`: as `python -m staking_gateway_simulator ...`, with its state in AIRFLOW_HOME unless `--state` names a file."""
    words = arguments.arguments
    state = ["--state", str(airflow_home() / "simulator.db")]
    status = simulator_program.main(state + (words[1:] if words[:1] == ["--"] else words))
    if status:
        raise SystemExit(status)


# --- the demo


def _check_demo(config: Path) -> None:
    """Refuse a demo that disturbs another network, or calls another gateway or node than the simulator."""
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
    """The simulator's address by the gateway's connection; None without one. Connections that lead elsewhere are refused."""
    gateway = _find(GATEWAY)
    extras = ConnectionFields(gateway, GatewayExtras).extras if gateway else None
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


def _start_demo(tell: Callable[[str], None]) -> dict[str, Any]:
    """Create what is missing: database, connections and simulator; unpause the DAGs. Gives address and process id of the simulator."""
    working("Preparing Airflow's database")
    _airflow("db", "migrate")
    url = _make_connections()
    working("Starting the simulator")
    pid = _start_simulator(url)
    tell(f"The simulator runs at {url}. It ends with: kill {pid}. It starts again with: airflow staking init --demo")
    working("Reading the DAGs")
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
    """Create the connections that are missing; the simulator's address."""
    url, missing = _simulator_url(), []
    if url is None:
        url = f"http://127.0.0.1:{_free_port()}"
        extra = json.dumps({"node_conn_id": NODE})
        missing.append(Stored(GATEWAY, "stakinggateway", host=url, password=DEFAULT_TOKEN, extra=extra))
        if _find(NODE) is None:
            missing.append(Stored(conn_id=NODE, conn_type="substrate", host=f"{url}/node"))
    for conn_id, (account, key) in _SIGNERS.items():
        if _find(conn_id) is None:
            missing.append(Stored(conn_id=conn_id, conn_type="stakingsigner", login=account, password=key))
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
