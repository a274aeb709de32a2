"""Settings, ledger, gateway and keys of a network, from Airflow's section `[staking_gateway]`, `staking.yaml` and Airflow's connections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

from airflow.sdk import conf
from pydantic import TypeAdapter

import staking_gateway
from staking_gateway.catch_up import Request
from staking_gateway.chain import ChainReader
from staking_gateway.config import file as config_file
from staking_gateway.config.file import ConfigFile
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import ConfigError, InvalidConnection, InvalidEra, InvalidInput, LedgerError
from staking_gateway.gateway.gateway import Gateway, if_supported
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.problem import Topic
from staking_gateway.signing import ProofMaker
from staking_gateway.types import AccountId, StakingStatus, parse_era
from staking_gateway_provider.connections import (
    ConnectionMissing,
    check_value,
    checked_connection_id,
    find_connection,
    ledger_connection_url,
)
from staking_gateway_provider.hooks.gateway import StakingGatewayHook, StakingSignerHook
from staking_gateway_provider.ledger_identity import LedgerPlace, open_checked
from staking_gateway_provider.metrics import count_error

CONFIG_VARIABLE = "STAKING_GATEWAY_CONFIG"
"""Environment variable with the path of `staking.yaml`."""
CONFIG_NAME = "staking.yaml"
_FIRST = (
    "To try a simulated network: airflow staking init --demo. For your own: airflow staking init --network NAME. "
    f"If the file exists, set {CONFIG_VARIABLE} to its path"
)
LEDGER_VARIABLE = "STAKING_GATEWAY_LEDGER_CONN_ID"
"""Environment variable that names the ledger's connection when nothing else does."""
LEDGER_FILE = "staking_ledger.db"
"""Name of the embedded ledger, in AIRFLOW_HOME."""
_SECTION = "staking_gateway"
_SECTIONS = {
    "max_fee_per_payout": "payout",
    "poll_interval": "timing",
    "window_timeout": "timing",
    "confirmation_timeout": "timing",
    "concurrency": "statuses",
    "rate": "statuses",
}
"""Sections of `staking.yaml` with settings that a task's argument can replace."""

# --- the file ------------------------------------------------------------------------------------------------------------


def config_path() -> Path:
    """The path of `staking.yaml`, which exists: of `STAKING_GATEWAY_CONFIG`, `[staking_gateway] config_file`, an `include` folder, or AIRFLOW_HOME."""
    if (found := config_path_if_any()) is None:
        raise ConfigError(CONFIG_NAME, f"not found at {', '.join(map(str, _usual_paths()))}", _FIRST)
    return found


def config_path_if_any() -> Path | None:
    """The same; None where no file is found. A file that a variable or setting names must exist."""
    if named := _named_path():
        name, path = named
        if not path.is_file():
            raise ConfigError(name, f"there is no file {path}", "Correct the path, or remove it")
        return path
    return next((path for path in _usual_paths() if path.is_file()), None)


def new_config_path() -> Path:
    """The path for `staking.yaml`: of a variable or setting, of the existing file, or in the `include` folder of AIRFLOW_HOME.

    Never in the working directory, because Airflow's programs may run in another one; but a checkout's own file counts everywhere.
    """
    if named := _named_path():
        return named[1]
    found, own = config_path_if_any(), airflow_home() / "include" / CONFIG_NAME
    of_another = found == Path.cwd() / "include" / CONFIG_NAME and found not in _in_checkout()
    return own if found is None or of_another else found


def _named_path() -> tuple[str, Path] | None:
    """The variable or setting that names the file, and the path."""
    setting = conf.get(_SECTION, "config_file", fallback=None)
    for name, value in ((CONFIG_VARIABLE, os.environ.get(CONFIG_VARIABLE)), (f"[{_SECTION}] config_file", setting)):
        if value:
            return name, expanded(name, value)
    return None


def _usual_paths() -> list[Path]:
    """Where the file is searched, each path once."""
    include, home = Path("include") / CONFIG_NAME, airflow_home()
    return list(dict.fromkeys([*_in_checkout(), home / include, home / CONFIG_NAME, Path.cwd() / include]))


def _in_checkout() -> list[Path]:
    """The path of the file in the checkout that holds the package; none for an installed package."""
    package = Path(staking_gateway.__file__).parents[1]
    return [package / CONFIG_NAME] if package.name == "include" else []


def expanded(name: str, path: str) -> Path:
    """The path of a variable, setting or option, whose `~` stands for a home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        fault = f"{path} begins with a home directory that is unknown here"
        raise ConfigError(name, fault, "Write the whole path") from None


def read_config() -> ConfigFile:
    """`staking.yaml`, read once per process and again after a change; ConfigError without a file, or if it is not a YAML mapping."""
    return config_file.read_config(config_path())


def airflow_home() -> Path:
    """AIRFLOW_HOME, expanded by Airflow."""
    from airflow.configuration import get_airflow_home

    return Path(get_airflow_home())


# --- settings ------------------------------------------------------------------------------------------------------------


def network_config(name: str, *, watched: bool = False) -> NetworkConfig:
    """The validated settings of a network, whatever mistakes other networks have. `watched`: mistakes in watched accounts count too."""
    return read_config().network(name, watched=watched)


def enabled_names() -> list[str]:
    """The enabled networks, also those with mistakes; ConfigError for a mistake outside of them."""
    return list(read_config().enabled)


def find_network(name: str) -> NetworkConfig | None:
    """The settings of a network; None without a file, or when the file does not name the network."""
    file = read_config() if config_path_if_any() else None
    return file.network(name) if file and name in file.names else None


def task_config(network: object, arguments: Mapping[str, object], *, alone: bool) -> NetworkConfig:
    """The settings of a task: those of its network, with the task's arguments in their place.

    :param network: its name; without one the arguments are the settings.
    :param arguments: by the names of the settings; those that are left out do not count.
    :param alone: whether they are enough for a network that `staking.yaml` does not name.
    :raises InvalidInput: an argument is invalid, by the rule of `staking.yaml`.
    """
    if is_left_out(network):
        config = NetworkConfig.of_arguments()
    elif not isinstance(network, str):
        raise InvalidInput("network", f"expected a text, got {type(network).__name__}", "Write a network's name")
    else:
        found = find_network(network) if alone else network_config(network)
        config = found or NetworkConfig.of_arguments()
    for name, value in arguments.items():
        if is_left_out(value):
            continue
        where = _SECTIONS.get(name)
        section = getattr(config, where) if where else config
        kind = TypeAdapter(get_type_hints(type(section), include_extras=True)[name])
        changed = {name: check_value(name, kind, value)}
        config = config.model_copy(update={where: section.model_copy(update=changed)} if where else changed)
    return config


def mapped(request: Request) -> Request:
    """A request of at most as many eras as Airflow maps tasks."""
    most = conf.getint("core", "max_map_length", fallback=1024)
    return replace(request, max_eras=most if request.max_eras is None else min(request.max_eras, most))


def end_by_calendar(config: NetworkConfig, era: int | None) -> float | None:
    """When an era ends by the calendar, in seconds since 1970; None without an era or a calendar."""
    try:
        return None if era is None or config.known_calendar is None else config.calendar.end(era).timestamp()
    except InvalidEra:
        return None  # beyond the year 9999


# --- the ledger ----------------------------------------------------------------------------------------------------------


def open_ledger(ledger_conn_id: str | None = None, *, pays: bool = False) -> Ledger:
    """The ledger at `ledger_place`, or LedgerMismatch if it is not the one that pays. `pays`: this process may pay, see `ledger_identity`."""
    return open_checked(ledger_place(ledger_conn_id), pays=pays)


def ledger_url(ledger_conn_id: str | None = None) -> str:
    """The URL of `ledger_place`."""
    return ledger_place(ledger_conn_id).url


def ledger_place(ledger_conn_id: str | None = None) -> LedgerPlace:
    """The database of a connection (SQLite or PostgreSQL), or the embedded ledger in AIRFLOW_HOME.

    :param ledger_conn_id: None takes the connection that `staking.yaml` names, or else `default_ledger`; an empty text only the latter.
    :raises ConfigError: the file, variable or setting that names it is wrong, or AIRFLOW_HOME is not an absolute path.
    :raises InvalidInput: the argument is not a connection id, or a field of the connection is invalid.
    :raises LedgerError: there is no connection of that name.
    """
    named_by, field = "an argument", "ledger_conn_id"
    if ledger_conn_id is None:
        ledger_conn_id = read_config().ledger_conn_id if config_path_if_any() else None
        named_by = "ledger_conn_id of staking.yaml"
    if not ledger_conn_id:
        default = default_ledger()
        if default is None:
            return LedgerPlace(f"sqlite:///{_ledger_file()}")
        field, ledger_conn_id = default
        named_by = field if field != LEDGER_VARIABLE else f"the environment variable {field}"
    return LedgerPlace(_connection_url(ledger_conn_id, named_by, field), ledger_conn_id)


def default_ledger() -> tuple[str, str] | None:
    """The name of the variable or setting with the ledger's connection, and the connection's id; None: the file in AIRFLOW_HOME."""
    named = (
        (LEDGER_VARIABLE, os.environ.get(LEDGER_VARIABLE)),
        (f"[{_SECTION}] ledger_conn_id", conf.get(_SECTION, "ledger_conn_id", fallback=None)),
    )
    return next(((name, value) for name, value in named if value), None)


def _ledger_file() -> Path:
    """The embedded ledger."""
    home = airflow_home()
    if not home.is_absolute():
        raise ConfigError(
            "AIRFLOW_HOME",
            f"{str(home)!r} is not an absolute path: each working directory would have its own ledger",
            "Write the whole path, or name a connection of the ledger as ledger_conn_id in staking.yaml",
        )
    return home / LEDGER_FILE


def _connection_url(conn_id: str, named_by: str, field: str) -> str:
    try:
        checked_connection_id(field, conn_id)
    except InvalidInput as problem:
        if field == "ledger_conn_id":
            raise
        raise ConfigError(problem.field, problem.fault, problem.problem.remedy) from None
    try:
        connection = find_connection(field, conn_id)
    except ConnectionMissing as missing:
        raise LedgerError(
            f"{missing.fault}: the ledger's connection, named by {named_by}",
            remedy="Create the connection, or correct its name there",
        ) from None
    return ledger_connection_url(connection)


def status_store(
    ledger: Ledger, name: str, config: NetworkConfig, era: int
) -> Callable[[list[tuple[AccountId, StakingStatus]]], int]:
    """Stores statuses for an era, and forgets those of old eras."""
    return partial(ledger.record_statuses, name, era, keep_from=config.oldest_kept_era(era, utc_now()))


# --- gateway, node and keys ----------------------------------------------------------------------------------------------


@contextmanager
def open_network(gateway_conn_id: str, *, pays: bool, count_as: str | None = None) -> Iterator[tuple[Ledger, Gateway]]:
    """The ledger and the client of a gateway, whose failed calls are counted for `count_as`; both are closed at the end."""
    with closing(open_ledger(pays=pays)) as ledger, StakingGatewayHook(gateway_conn_id).get_conn() as client:
        if count_as is not None:
            client.report_errors(partial(count_error, count_as))
        yield ledger, client


def knows_status(network: NetworkConfig, era: int) -> bool:
    """Whether the gateway still knows the statuses of an era, by its active era; InvalidEra if it has not ended, or has expired."""
    with StakingGatewayHook(network.gateway_conn_id).get_conn() as client:
        return network.knows_status(era, if_supported(client.active_era), utc_now())


def proof_maker(config: NetworkConfig) -> ProofMaker:
    """Makes proofs with the network's signers."""
    return ProofMaker(
        StakingSignerHook(config.user_signer_conn_id, field="user_signer_conn_id").get_conn(),
        StakingSignerHook(config.payer_signer_conn_id, field="payer_signer_conn_id").get_conn(),
    )


def node_to_compare(client: Gateway, conn_id: str) -> ChainReader:
    """The node of the chain that the gateway's connection names.

    :raises InvalidConnection: it names none; the text says how to name one.
    """
    if client.node is None:
        problem = f"connection {conn_id!r} names no node of the chain, so nothing is compared"
        raise InvalidConnection("node_conn_id", problem, Topic.NO_NODE.remedy, topic=Topic.NO_NODE)
    return client.node


# --- the run of a task ---------------------------------------------------------------------------------------------------


def run_actor(context: Any) -> Actor:
    """The run and the try of a task, for the ledger."""
    task_instance = context["ti"]
    return Actor(run=f"{task_instance.dag_id}/{task_instance.run_id}", try_number=task_instance.try_number)


def is_left_out(value: object) -> bool:
    """Whether an argument was not given, or its template rendered to nothing."""
    return value is None or value in ("", "None")


def run_form(context: Any, name: str) -> Any:
    """A field of a run's form, also where Airflow does not copy it into the params. None: it is empty, or the DAG has no such field.

    :raises InvalidInput: the run has a field that the form does not have. A misspelt field must not turn a dry run into a payout.
    """
    context = context or {}
    form: Any = getattr(context.get("dag"), "params", None)
    told: Mapping[str, Any] = getattr(context.get("dag_run"), "conf", None) or {}
    for field in told if form else ():
        if field not in form:
            raise InvalidInput(str(field)[:40], "is no field of this DAG's form", f"Use {', '.join(form)}")
    value = {**(context.get("params") or {}), **told}.get(name)
    return None if is_left_out(value) else value


def run_era(context: Any, given: object = None) -> int | None:
    """The era of a task: its argument, or else the run's partition key, or the field `era` of the run's form; None without one.

    :param given: the argument; None or a template that rendered to nothing: left out.
    :raises InvalidEra: one of them is not an era number, or partition key and form differ.
    """
    if not is_left_out(given):
        return parse_era(given)
    key, of_form = context.get("partition_key"), run_form(context, "era")
    key = None if key is None else parse_era(key, field="partition key")
    of_form = None if of_form is None else parse_era(of_form, field="era")
    if key is not None and of_form is not None and key != of_form:
        raise InvalidEra(
            "era",
            f"the form names era {of_form}, and the partition key names era {key}",
            "Start a run with one of them, and leave the other empty",
        )
    return of_form if key is None else key


def required_run_era(context: Any, given: object) -> int:
    """As `run_era`; without an era it is an error."""
    era = run_era(context, given)
    if era is None:
        remedy = "Pass era=..., or start the run with an Era or a partition key; see also the log of the task before this one"
        raise InvalidEra("era", "is not given, and this run has none", remedy)
    return era
