"""`airflow staking init`: the first `staking.yaml` and the DAG files; with `--demo`, a simulated network that is paid at once."""

from __future__ import annotations

import json
import shlex
from argparse import Namespace
from pathlib import Path
from typing import Any

from airflow.sdk import conf
from pydantic import TypeAdapter

from staking_gateway.config.find import CONFIG_NAME, expanded
from staking_gateway.config.models import NetworkConfig
from staking_gateway.config.types import NetworkName, check_value
from staking_gateway.config.yaml import read_yaml
from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import ConnectionMissing, InvalidInput
from staking_gateway_provider.commands.output import for_people, report_errors, say, show_one, tell
from staking_gateway_provider.connections import find_connection
from staking_gateway_provider.settings import new_config_path
from staking_gateway_provider.shipped import DAGS, DEVNET, dags_folder, read_kept, settings_text, write_new

_SHOWN_DIFFERENCES = 10
_SIGNER = "staking_signer --conn-login ADDRESS --conn-password KEY"
_CONNECTIONS = {
    "gateway_conn_id": "staking_gateway --conn-host URL --conn-password TOKEN",
    "user_signer_conn_id": _SIGNER,
    "payer_signer_conn_id": _SIGNER,
}
"""The settings that name a network's connections, with the type and fields of each."""


@report_errors
def init(arguments: Namespace) -> None:
    """`airflow staking init`: write the files of an installation, never over an existing file."""
    network = _network(arguments)
    config, dags = _places()
    described = _networks(read_kept(config)) if config.is_file() else {}
    own = _settings(described, network)
    start = own.get("start_date") or f"{utc_now():%Y-%m-%dT%H:%M:%SZ}"
    texts = {config: settings_text(network, start)}
    if not arguments.no_dags:
        texts |= {dags / name: (dags_folder() / name).read_text(encoding="utf-8") for name in DAGS}
    if arguments.demo:
        from staking_gateway_provider.commands import devnet  # loads the simulator

        devnet.check(config)
    kept = write_new(texts, _remedy(arguments, network))
    people = for_people(arguments.output)
    for path, text in texts.items() if people else ():
        if path == config and path in kept and not own:
            say(f"Kept: {config}. It does not describe {network}. To add it, put these lines below `networks:`\n")
            say(text[text.index(f"  {network}:") :])
        else:
            _tell(path, kept)
    done: dict[str, Any] = {
        "network": network,
        "written": [str(path) for path in texts if path not in kept],
        "kept": {str(path): differences for path, differences in kept.items()},
    }
    if arguments.demo:
        done["demo"] = devnet.start(say if people else tell)
    if not people:
        show_one(done, arguments.output)
        return
    if arguments.no_dags:
        _say_bundles()
    if arguments.demo:
        say("Next: airflow standalone")
        say("Then open Staking in Airflow's navigation: each era of 20 seconds is paid.")
    else:
        _say_next_steps(network, config, own or _settings(_networks(texts[config]), network), described)


def _network(arguments: Namespace) -> str:
    """The network to describe.

    :raises InvalidInput: the options are wrong.
    """
    name = check_value("network", TypeAdapter(NetworkName), arguments.network or DEVNET)
    if arguments.demo and name != DEVNET:
        raise InvalidInput("network", f"the demo has the network {DEVNET}, not {name}", "Leave out --network")
    if arguments.demo and arguments.no_dags:
        raise InvalidInput("no_dags", "the demo needs the DAG files", "Leave out --no-dags")
    return name


def _places() -> tuple[Path, Path]:
    """Where `staking.yaml` and the DAG files belong."""
    return new_config_path(), expanded("[core] dags_folder", conf.get("core", "dags_folder"))


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
    return _settings(read_yaml(text, CONFIG_NAME), "networks")


def _settings(mapping: Any, key: str) -> dict[str, Any]:
    """The settings below a key; empty if there are none."""
    found = mapping.get(key) if isinstance(mapping, dict) else None
    return found if isinstance(found, dict) else {}


def _tell(path: Path, kept: dict[Path, list[str]]) -> None:
    differences = kept.get(path)
    if differences is None:
        say(f"Written: {path}")
    elif not differences:
        say(f"Exists already, the same: {path}")
    else:
        lines = [line for line in differences if line[:3] not in ("---", "+++")]
        more = len(lines) - _SHOWN_DIFFERENCES
        say(f"Kept, although it differs from the shipped file: {path}")
        for line in lines[:_SHOWN_DIFFERENCES]:
            say(f"    {line}")
        if more > 0:
            say(f"    ... and {more} more lines")


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
    missing = {}
    for field, fields in _CONNECTIONS.items():
        conn_id = str(settings.get(field) or NetworkConfig.model_fields[field].default)
        try:
            find_connection(field, conn_id)
        except ConnectionMissing:
            missing[conn_id] = fields
    return missing
