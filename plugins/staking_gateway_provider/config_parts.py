"""What a configuration file says where it holds no mistake: one in the settings of a network is to stop no other network."""

from __future__ import annotations

import difflib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from staking_gateway.config.loader import find_config_path, load_config
from staking_gateway.config.models import Config
from staking_gateway.config.strict_yaml import read_yaml
from staking_gateway.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from staking_gateway.config.models import NetworkConfig

_LEDGER = "ledger_conn_id"


def usable_networks() -> tuple[dict[str, NetworkConfig], ConfigError | None]:
    """The networks whose settings hold no mistake, and the file's error, which names all mistakes; None when there is none.

    :raises ConfigError: there is no such network, or a mistake is not in the settings of one network.
    """
    path = find_config_path()
    try:
        return dict(load_config(path, check_accounts=False).networks), None
    except ConfigError as error:
        found = {}
        for name in _network_names(path):
            with suppress(ConfigError):
                found[name] = load_config(path, check_accounts=False, network=name).network(name)
        if not found or not _get_on(found):
            raise
        return found, error


def ledger_connection_id(path: Path) -> str | None:
    """The connection of the ledger, as the file names it. Mistakes in the settings of networks do not count.

    :raises ConfigError: a mistake is elsewhere, or may be that `ledger_conn_id` is written below a network: another ledger
        would know nothing of what was paid.
    """
    try:
        return load_config(path, check_accounts=False).ledger_conn_id
    except ConfigError:
        data = _read(path)
        if data is None or not _tells_of_ledger(data):
            raise
        named: str | None = data.get(_LEDGER)
        return named


def _read(path: Path) -> dict[str, Any] | None:
    """The file as it is; None for one that is none, or in which something is written twice."""
    try:
        data, problems = read_yaml(path.read_bytes().decode("utf-8-sig"), path.name)
    except (OSError, UnicodeDecodeError, ConfigError):
        return None
    return data if isinstance(data, dict) and not problems else None


def _network_names(path: Path) -> list[str]:
    networks = (_read(path) or {}).get("networks")
    return list(networks) if isinstance(networks, dict) else []


def _get_on(networks: dict[str, NetworkConfig]) -> bool:
    """Whether networks that were read one by one may be paid beside one another."""
    try:
        Config.model_validate({"networks": networks})
    except ValidationError:
        return False
    return True


def _tells_of_ledger(data: dict[str, Any]) -> bool:
    """Whether the mistakes of a file leave no doubt about its ledger."""
    try:
        Config.model_validate(data, context={"check_accounts": False, "check_watched": False})
    except ValidationError as error:
        places = [details["loc"] for details in error.errors(include_url=False)]
    else:
        return True
    if any(place[:1] != ("networks",) for place in places):
        return False
    return _LEDGER in data or not any(_may_be_ledger(str(place[-1])) for place in places)


def _may_be_ledger(key: str) -> bool:
    return "ledger" in key.lower() or bool(difflib.get_close_matches(key.lower(), [_LEDGER], 1, 0.75))
