"""Find and read `staking.yaml`, network by network, and tell its mistakes in the names of the file.

The file is read once per process, and again after a change. Each network is validated on its own, once, when it is needed: a mistake
costs one network. DAG parsing uses the same objects: reading needs no network and no database.
"""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from staking_gateway.config.models import (
    AlertSettings,
    Config,
    NetworkConfig,
    WatchedAccount,
    meaning,
    sections,
)
from staking_gateway.config.types import SECRET_NAME, explained
from staking_gateway.config.yaml import Unreadable, read_yaml
from staking_gateway.errors import ConfigError, InvalidInput, NetworkUnknown
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

    Loc = tuple[int | str, ...]

CONFIG_VARIABLE = "STAKING_GATEWAY_CONFIG"
"""Environment variable with the path of the file."""
CONFIG_NAME = "staking.yaml"
"""The file's name in an `include` folder."""
_FIRST = (
    "To try a simulated network: airflow staking init --demo. For your own: airflow staking init --network NAME. "
    f"If the file exists, set {CONFIG_VARIABLE} to its path"
)
_LARGEST = 8_000_000
"""Bytes of a file: more than 10,000 accounts with labels."""
_MOST_SHOWN = 100
_COMMENT = re.compile(r"(^|\s)#.*", re.DOTALL)
_COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
_SHAPES = {
    "model_type": "Write its settings below it, indented, or remove it",
    "dict_type": "Write one name per line below it, indented, each followed by a colon",
    "too_short": "Write at least one",
    "tuple_type": "Write one item per line below it, each after a dash",
}
_SECTIONS = sections()


class _Read(NamedTuple):
    """One network as the file has it, or None, and the mistakes that stop it. Those of watched accounts, by their path, stop nothing."""

    network: NetworkConfig | None
    mistakes: list[ConfigError]
    watched: list[tuple[str, WatchedAccount | list[ConfigError]]]


class ConfigFile:
    """The content of the file, and its mistakes. Use `read_config`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps: dict[Path, tuple[int, ...]] = {}
        data = read_yaml(self._read(path, str(path)), path.name)
        if data is None:
            raise ConfigError(str(path), "the file is empty", "Write the networks to pay below `networks:`")
        if not isinstance(data, dict):
            raise ConfigError(str(path), f"the file holds {shown(data)}, not a mapping", "Start it with `networks:`")
        networks = data.get("networks")
        self._ledger: object = data.get("ledger_conn_id")
        self._raw: dict[str, Any] = networks if isinstance(networks, dict) else {}
        self._around = _mistakes_around(data, self._raw)
        self._own = cache(self._read_network)

    @property
    def names(self) -> tuple[str, ...]:
        """The networks, also those with mistakes."""
        return tuple(self._raw)

    @property
    def enabled(self) -> tuple[str, ...]:
        """The networks that are not disabled, also those with mistakes."""
        return tuple(name for name, raw in self._raw.items() if str(_setting(raw, "enabled")).lower() != "false")

    @property
    def ledger_conn_id(self) -> str | None:
        """The connection of the ledger, as the file names it; ConfigError for a mistake outside of the networks."""
        if around := [mistake for mistake in self._around if mistake.field != "networks"]:
            raise self._all_in_one(around)
        return None if self._ledger is None else str(self._ledger)

    def has_changed(self) -> bool:
        """Whether the file, or a file that it names, has changed since it was read."""
        return any(stamp != _stamp(path) for path, stamp in self._stamps.items())

    def check_around(self) -> None:
        """Raise ConfigError if a mistake is outside of the settings of networks."""
        if self._around:
            raise self._all_in_one(self._around)

    def networks(self) -> dict[str, NetworkConfig]:
        """The networks without a mistake that stops them; `check_around` comes first."""
        self.check_around()
        found = {name: self._own(name).network for name in self._raw if not self._blocking(name)}
        return {name: network for name, network in found.items() if network}

    def network(self, name: str, *, watched: bool = False) -> NetworkConfig:
        """The settings of one network. Mistakes in the settings of others do not count.

        :param watched: whether mistakes in watched accounts count.
        :raises ConfigError: it has a mistake, or a mistake is outside of the settings of networks. NetworkUnknown: there is no such network.
        """
        self.check_around()
        if name not in self._raw:
            known = ", ".join(sorted(map(shown_key, self._raw)))
            raise NetworkUnknown(f"networks.{shown_key(name)}", "there is no such network", f"Known networks: {known}")
        mistakes = [*self._blocking(name), *(self._watched(name)[1] if watched else [])]
        network = self._own(name).network
        if mistakes or network is None:
            raise self._all_in_one(mistakes)
        return network

    def alert_settings(self, name: str) -> AlertSettings | None:
        """The settings of a network's alerts, also when the network has mistakes elsewhere; None when these have one."""
        raw = self._raw[name]
        try:
            return AlertSettings.model_validate(raw.get("alerts", {}) if isinstance(raw, dict) else None)
        except ValidationError:
            return None

    def watched(self, name: str) -> tuple[dict[AccountId, str], ConfigError | None]:
        """The valid watched accounts of a network with their texts, each once; and the mistakes of the others."""
        self.network(name)
        found, mistakes = self._watched(name)
        return found, self._all_in_one(mistakes) if mistakes else None

    def mistakes_of_networks(self) -> ConfigError | None:
        """The mistakes that stop networks, in one error; None without any."""
        found = [mistake for name in self._raw for mistake in self._blocking(name)]
        return self._all_in_one(found) if found else None

    # --- one network ---------------------------------------------------------------------------------------------------

    def _blocking(self, name: str) -> list[ConfigError]:
        """The mistakes that stop a network."""
        return [*self._own(name).mistakes, *self._shared_signers(name)]

    def _read_network(self, name: str) -> _Read:
        raw, mistakes = self._raw[name], list[ConfigError]()
        place: Loc = ("networks", name)
        watched: list[tuple[str, WatchedAccount | list[ConfigError]]] = []
        if isinstance(listed := _setting(raw, "accounts"), list):
            watched += [_watched_account((*place, "accounts", index), entry) for index, entry in enumerate(listed)]
        if isinstance(file := _setting(raw, "accounts_file"), str):
            field = _path((*place, "accounts_file"))
            try:
                lines = list(_account_lines(self._read(self.path.parent / file, field), field))
                if not lines:
                    mistakes.append(ConfigError(field, "the file holds no account", "Write one account per line"))
                watched += lines
            except ConfigError as error:
                mistakes.append(error)
            listed = listed or []
        if isinstance(listed, list):
            # A mistaken account stays under its place, and is never checked.
            accounts = (
                WatchedAccount.model_construct(account=path) if isinstance(one, list) else one for path, one in watched
            )
            raw = {**raw, "accounts": tuple(accounts)}
        try:
            network = Config.model_validate({"networks": {name: raw}}).networks[name]
        except ValidationError as error:
            return _Read(None, [*mistakes, *_translated(error)], watched)
        network.read_from(str(self.path))
        return _Read(network, mistakes, watched)

    def _watched(self, name: str) -> tuple[dict[AccountId, str], list[ConfigError]]:
        """Valid watched accounts with their texts, and the mistakes of the others."""
        found: dict[AccountId, str] = {}
        first: dict[AccountId, str] = {}
        mistakes: list[ConfigError] = []
        for path, read in self._own(name).watched:
            if isinstance(read, list):
                mistakes += read
                continue
            try:
                account = AccountId.parse(read.account, field=path)
            except InvalidInput as error:
                mistakes.append(ConfigError(path, error.fault, error.problem.remedy))
                continue
            found.setdefault(account, read.account)
            if (earlier := first.setdefault(account, path)) != path:
                mistakes.append(ConfigError(path, f"the account of {earlier} again", "Keep one of the two"))
        return found, mistakes

    # --- networks together ---------------------------------------------------------------------------------------------

    def _shared_signers(self, name: str) -> list[ConfigError]:
        """Two networks behind one gateway may share neither user nor payer, because these have one sequence of nonces."""
        gateway = _gateway(self._raw[name])
        behind = {other: self._own(other) for other in self.enabled if _gateway(self._raw[other]) == gateway}
        sound = {other: read.network for other, read in behind.items() if read.network and not read.mistakes}
        if name not in sound:
            return []
        for role in ("user", "payer"):
            account = getattr(sound[name], role)
            names = [other for other, network in sound.items() if getattr(network, role) == account]
            if len(names) > 1:
                owner, other = names[0], names[1] if name == names[0] else name
                problem = f"{other} has the {role} of {owner}, behind the same gateway"
                remedy = f"Give each network a {role} of its own, or disable one of the two"
                return [ConfigError("networks", problem, remedy)]
        return []

    def _read(self, path: Path, field: str) -> str:
        # Errors do not quote the path: that of an accounts file may be a secret in the wrong place.
        self._stamps[path] = _stamp(path)
        try:
            if not S_ISREG(path.stat().st_mode):
                raise ConfigError(field, "this is not a regular file", "Correct the path")
            with path.open("rb") as opened:
                content = opened.read(_LARGEST + 1)
            if len(content) > _LARGEST:
                problem = f"the file has more than {_LARGEST // 1_000_000} MB"
                raise ConfigError(field, problem, "Check its path and content")
            return content.decode("utf-8-sig")
        except ConfigError:
            raise
        except FileNotFoundError:
            raise ConfigError(field, "there is no file of this name", "Create it, or correct the path") from None
        except UnicodeDecodeError as error:
            raise ConfigError(field, f"the file is not UTF-8 at byte {error.start}", "Save it as UTF-8") from None
        except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
            reason = getattr(error, "strerror", None) or "its path is not valid"
            raise ConfigError(field, f"the file cannot be read: {reason}", "Check path, file and rights") from None

    def _all_in_one(self, mistakes: Iterable[ConfigError]) -> ConfigError:
        """One error of all mistakes, each once: `field` and `fault` describe the first one, `mistakes` and the text all."""
        found = list({str(mistake): mistake for mistake in mistakes}.values())
        error = ConfigError(found[0].field, found[0].fault, found[0].problem.remedy)
        if len(found) > 1:
            more = [f"... and {len(found) - _MOST_SHOWN} more"] if len(found) > _MOST_SHOWN else []
            lines = [f"{self.path} holds {len(found)} mistakes:", *map(str, found[:_MOST_SHOWN]), *more]
            error.mistakes = tuple(mistake.problem for mistake in found)
            error.problem = replace(error.problem, facts="\n".join(lines), own_remedy="Correct each of them")
            error.args = ("\n".join(lines),)
        return error


def _stamp(path: Path) -> tuple[int, ...]:
    """A value that changes with the file; empty without a file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _setting(raw: Any, name: str) -> Any:
    """A network's setting as the file has it; None where it has none."""
    return raw.get(name) if isinstance(raw, dict) else None


def _gateway(raw: Any) -> str:
    return str(_setting(raw, "gateway_conn_id") or NetworkConfig.model_fields["gateway_conn_id"].default)


def _watched_account(place: Loc, entry: Any) -> tuple[str, WatchedAccount | list[ConfigError]]:
    """An entry of `accounts` by its path in the file; the mistakes in place of a mistaken one."""
    try:
        return _path(place), WatchedAccount.model_validate(entry)
    except ValidationError as error:
        return _path(place), _translated(error, place)


def _account_lines(text: str, field: str) -> Iterator[tuple[str, WatchedAccount | list[ConfigError]]]:
    """The accounts of an accounts_file by their lines; the mistakes in place of a mistaken one."""
    for number, line in enumerate(StringIO(text, newline=None), 1):
        words = [word.strip() for word in _COMMENT.sub("", line).split(",", 2)]
        if not any(words) or (number, words) == (1, list(_COLUMNS)):
            continue
        path, first = f"{field}, line {number}", words[0]
        form = next((f"{name} stand between the values" for sign, name in _SEPARATORS.items() if sign in first), "")
        form = form or ("the values are in quotes" if '"' in first or "'" in first else "")
        if form:
            yield path, [ConfigError(path, form, "Write commas and no quotes: account,expect,label")]
            continue
        try:
            given = {name: word for name, word in zip(_COLUMNS, words, strict=False) if word or name == "account"}
            yield path, WatchedAccount.model_validate(given)
        except ValidationError as error:
            yield path, [ConfigError(path, *explained(one)) for one in error.errors(include_url=False)]


# --- pydantic's errors, in the names of the file -----------------------------------------------------------------------


def _mistakes_around(data: dict[str, Any], networks: dict[str, Any]) -> list[ConfigError]:
    """The mistakes outside of the settings of networks."""
    try:
        Config.model_validate({**data, "networks": {}} if networks else data)
    except ValidationError as error:
        return [mistake for mistake in _translated(error) if not (networks and mistake.field == "networks")]
    return []


def _translated(error: ValidationError, place: Loc = ()) -> list[ConfigError]:
    """The errors of a section at a place of the file as mistakes."""
    return [_mistake(details, (*place, *details["loc"])) for details in error.errors(include_url=False)]


def _mistake(details: ErrorDetails, loc: Loc) -> ConfigError:
    kind, path = details["type"], _path(loc)
    if kind == "extra_forbidden" and not isinstance(details["input"], Unreadable):
        return ConfigError(path, *_unknown_key(loc))
    if kind == "missing":
        return ConfigError(path, "is missing", f"Write {meaning(_fields(loc[:-1])[str(loc[-1])])}")
    problem, remedy = explained(details)
    return ConfigError(path, problem, _SHAPES.get(kind, remedy))


def _path(loc: Loc) -> str:
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != "[key]":
            path += f".{shown_key(part)}" if path else shown_key(part)
    return path


def _unknown_key(loc: Loc) -> tuple[str, str]:
    key = str(loc[-1])
    if SECRET_NAME.search(key):
        return "secrets do not belong in this file", "Put it into the Airflow connection, and delete it here"
    known = list(_fields(loc[:-1]))
    near = difflib.get_close_matches(key.lower(), known, 1)
    return "unknown key", f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}"


def _fields(loc: Loc) -> dict[str, FieldInfo]:
    """The fields of the section at a path, by their names in the file."""
    names = [part for part in (*loc[:1], *loc[2:]) if isinstance(part, str)]  # without the network's name
    fields = _SECTIONS[".".join(names)].model_fields
    return {field.alias or name: field for name, field in fields.items()}


# --- finding the file --------------------------------------------------------------------------------------------------


def find_config_path(setting: tuple[str, str | None] | None = None, home: Path | None = None) -> Path:
    """The path of the file: from the environment variable, from a setting, or `staking.yaml` in the `include` folder.

    These are the `include` folder of the checkout that holds the package, that of `home`, and that of the working directory.

    :param setting: name and value of a setting of the program that embeds the core, e.g. of Airflow.
    :param home: a folder of that program; it is searched itself, too.
    :raises ConfigError: the file does not exist; the error names the searched paths.
    """
    for name, value in ((CONFIG_VARIABLE, os.environ.get(CONFIG_VARIABLE)), setting or ("", None)):
        if value:
            path = expanded(name, value)
            if not path.is_file():
                raise ConfigError(name, f"there is no file {path}", "Correct the path, or remove it")
            return path
    checkout = path_in_checkout()
    paths = [] if checkout is None else [checkout]
    paths += [home / "include" / CONFIG_NAME, home / CONFIG_NAME] if home else []
    paths.append(Path.cwd() / "include" / CONFIG_NAME)
    for path in paths:
        if path.is_file():
            return path
    searched = ", ".join(map(str, dict.fromkeys(paths)))
    raise ConfigError(CONFIG_NAME, f"not found at {searched}", _FIRST)


def expanded(name: str, path: str) -> Path:
    """The path of a variable or setting, whose `~` stands for a home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        fault = f"{path} begins with a home directory that is unknown here"
        raise ConfigError(name, fault, "Write the whole path") from None


def path_in_checkout() -> Path | None:
    """The path of the file in the checkout that holds the package; None for an installed package."""
    package = Path(__file__).parents[2]
    return package / CONFIG_NAME if package.name == "include" else None


_files: dict[Path, ConfigFile] = {}


def read_config(path: str | Path | None = None) -> ConfigFile:
    """The configuration file, read once per process and again after it, or a file that it names, has changed.

    :param path: the file; None uses `find_config_path`.
    :raises ConfigError: there is no file, or it is not a YAML mapping.
    """
    path = find_config_path() if path is None else Path(path)
    known = _files.get(path)
    if known is None or known.has_changed():
        _files.clear()
        _files[path] = known = ConfigFile(path)
    return known
