"""`airflow staking init`: the first `staking.yaml` and the DAG files; with `--demo`, a simulated network that is paid at once."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.commands.output import for_people, report_errors, say, show_one, tell
from staking_gateway_provider.shipped import DAGS, DEVNET, dags_folder, settings_text, write_new

if TYPE_CHECKING:
    from argparse import Namespace

_SHOWN_DIFFERENCES = 10
_NAME = re.compile("[a-z][a-z0-9_]{0,63}")


@report_errors
def init(arguments: Namespace) -> None:
    """`airflow staking init`: write the files of an installation, never over an existing file."""
    from staking_gateway.eras.calendar import utc_now

    network = _network(arguments)
    config, dags = _places()
    texts = {config: settings_text(network, utc_now())}
    if not arguments.no_dags:
        texts |= {dags / name: (dags_folder() / name).read_text(encoding="utf-8") for name in DAGS}
    if arguments.demo:
        from staking_gateway_provider.commands import devnet

        devnet.check(config)
    kept = write_new(texts, _remedy(arguments, network))
    people = for_people(arguments.output)
    for path in texts if people else ():
        if path == config and path in kept:
            _tell_of_settings(config, network, texts[config])
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
    for line in _next_steps(network, config, demo=arguments.demo):
        say(line)


def _network(arguments: Namespace) -> str:
    from staking_gateway.errors import InvalidInput

    name = arguments.network or DEVNET
    if arguments.demo and name != DEVNET:
        raise InvalidInput("network", f"the demo has the network {DEVNET}, not {name}", "Leave out --network")
    if arguments.demo and arguments.no_dags:
        raise InvalidInput("no_dags", "the demo needs the DAG files", "Leave out --no-dags")
    if not _NAME.fullmatch(name):
        raise InvalidInput("network", f"{name!r} is no name of a network", "Use a-z, 0-9 and _, e.g. mainnet")
    return str(name)


def _places() -> tuple[Path, Path]:
    """Where `staking.yaml` and the DAG files belong."""
    from airflow.sdk import conf

    from staking_gateway_provider.settings import new_config_path

    return new_config_path(), Path(conf.get("core", "dags_folder")).expanduser()


def _remedy(arguments: Namespace, network: str) -> str:
    """The remedy for a place that cannot be written."""
    remedy = (
        "Make it a writable folder, or set another path: "
        "STAKING_GATEWAY_CONFIG for staking.yaml, AIRFLOW__CORE__DAGS_FOLDER for the DAG files"
    )
    if arguments.demo or arguments.no_dags:
        return remedy
    return f"{remedy}. Without DAG files: airflow staking init --network {network} --no-dags"


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


def _tell_of_settings(config: Path, network: str, text: str) -> None:
    from staking_gateway.config.loader import read_config

    names = list(read_config(config).names)
    say(f"Kept: {config}. It describes {', '.join(names) or 'no network'}")
    if network not in names:
        say(f"To add {network}, put these lines below `networks:`\n")
        say(text[text.index(f"  {network}:") :])


def _say_bundles() -> None:
    from airflow.sdk import conf

    bundles: Any = conf.getjson("dag_processor", "dag_bundle_config_list")
    path = str(dags_folder())
    if any(bundle["kwargs"].get("path") == path for bundle in bundles):
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


def _next_steps(network: str, config: Path, *, demo: bool) -> list[str]:
    if demo:
        return [
            "Next: airflow standalone",
            "Then open Staking in Airflow's navigation: each era of 20 seconds is paid.",
        ]
    if network == DEVNET:
        return [f"{config} describes the simulator's network. Next: airflow staking simulator --port 8650"]
    return [
        f"Next: 1. Replace each FILL_IN in {config}",
        f"      2. airflow connections add staking_gateway_{network} --conn-type staking_gateway --conn-host URL --conn-password TOKEN",
        *(
            f"         airflow connections add staking_signer_{network}_{role} --conn-type staking_signer "
            "--conn-login ADDRESS --conn-password KEY"
            for role in ("user", "payer")
        ),
        "      3. airflow staking doctor",
    ]
