"""Read `staking.yaml`, network by network, and tell its mistakes in the names of the file.

The file is read once per process, and again after a change. Each network is validated on its own, once, when it is needed: a mistake
costs one network. DAG parsing uses the same objects: reading needs no network and no database.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from staking_gateway.config.models import (
    AlertSettings,
    Config,
    NetworkConfig,
    WatchedAccount,
    meaning,
    sections,
)
from staking_gateway.config.types import SECRET_NAME, NetworkName, explained
from staking_gateway.config.yaml import Unreadable, read_yaml
from staking_gateway.errors import ConfigError
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_LARGEST = 8_000_000
"""Bytes of a file: more than 10,000 accounts with labels."""
_MOST_SHOWN = 100
_COMMENT = re.compile(r"(^|\s)#.*")
_OTHER_FORM = re.compile("[;\t|\"']")
"""A separator or quotes that an accounts file does not have."""
_COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""
_SECTIONS = sections()
_NAME, _NETWORK = TypeAdapter[str](NetworkName), TypeAdapter(NetworkConfig)


class _Read(NamedTuple):
    """One network as the file has it, or None; the mistakes that stop it, and those of watched accounts, which stop no payout."""

    network: NetworkConfig | None
    mistakes: list[ConfigError]
    watched: list[ConfigError]


class ConfigFile:
    """The content of the file, and its mistakes. Use `read_config`.

    :ivar ledger_conn_id: the connection of the ledger, as the file names it, also when `networks` cannot be used.
    :raises ConfigError: the file cannot be read, or a mistake is outside of `networks`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps: dict[Path, tuple[int, ...]] = {}
        data = read_yaml(self._read(path, str(path)), path.name)
        if not isinstance(data, dict):
            raise ConfigError(
                str(path), f"the file holds {shown(data)} in place of settings", "Start it with `networks:`"
            )
        self._around: list[ConfigError] = []
        try:
            self._whole = Config.model_validate(data)
        except ValidationError as error:
            self._around = _mistakes(error, "", "")
            if any(details["loc"][0] != "networks" for details in error.errors()):
                raise self._all_in_one(self._around) from None
            self._whole = Config.model_validate({**data, "networks": {"unreadable": None}})
        self._own = cache(self._read_network)
        self.ledger_conn_id = self._whole.ledger_conn_id

    @property
    def _raw(self) -> dict[str, Any]:
        """The networks as the file has them; ConfigError when `networks` itself has a mistake."""
        if self._around:
            raise self._all_in_one(self._around)
        return self._whole.networks

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The networks, also those with mistakes."""
        return tuple(self._raw)

    @cached_property
    def enabled(self) -> tuple[str, ...]:
        """The networks that are not disabled, also those with mistakes."""
        return tuple(name for name in self.names if str(self._setting(name, "enabled")).lower() != "false")

    def has_changed(self) -> bool:
        """Whether the file, or a file that it names, has changed since it was read."""
        return any(stamp != _stamp(path) for path, stamp in self._stamps.items())

    def networks(self) -> tuple[dict[str, NetworkConfig], dict[str, ConfigError]]:
        """The enabled networks that no mistake stops, and the mistakes of the others."""
        sound: dict[str, NetworkConfig] = {}
        mistakes: dict[str, ConfigError] = {}
        for name in self.enabled:
            try:
                sound[name] = self.network(name)
            except ConfigError as error:
                mistakes[name] = error
        return sound, mistakes

    def network(self, name: str, *, watched: bool = False) -> NetworkConfig:
        """The settings of one network. Mistakes in the settings of others do not count.

        :param watched: whether mistakes in watched accounts count.
        :raises ConfigError: it has mistakes: the error has all of them; or there is no such network.
        """
        if name not in self.names:
            known = f"Known networks: {', '.join(sorted(map(shown_key, self.names)))}"
            raise ConfigError("network", f"there is no such network as {shown_key(name)}", known)
        network, mistakes, of_accounts = self._own(name)
        mistakes = [*mistakes, *self._shared_signers(name), *(of_accounts if watched else ())]
        if mistakes or network is None:
            raise self._all_in_one(mistakes)
        return network

    def mistaken_accounts(self, name: str) -> ConfigError | None:
        """The mistakes in the watched accounts of a network, in one error."""
        mistakes = self._own(name).watched
        return self._all_in_one(mistakes) if mistakes else None

    def alert_settings(self, name: str) -> AlertSettings | None:
        """The settings of a network's alerts, also when the network has mistakes elsewhere; None when these have one."""
        try:
            return AlertSettings.model_validate(self._setting(name, "alerts", {}))
        except ValidationError:
            return None

    def _setting(self, name: str, key: str, default: object = None) -> Any:
        """A setting of a network as the file has it, or the default."""
        raw = self._raw[name]
        return raw.get(key, default) if isinstance(raw, dict) else None

    def _read_network(self, name: str) -> _Read:
        raw, place = self._raw[name], f"networks.{shown_key(name)}"
        mistakes, watched, lines = list[ConfigError](), list[ConfigError](), dict[str, Any]()
        listed = self._setting(name, "accounts")
        if isinstance(file := self._setting(name, "accounts_file"), str):
            listed, field = listed or [], f"{place}.accounts_file"
            try:
                lines = dict(_account_lines(self._read(self.path.parent / file, field), field))
                if not lines:
                    mistakes.append(ConfigError(field, "the file holds no account", "Write one account per line"))
            except ConfigError as error:
                mistakes.append(error)
        if isinstance(listed, list):
            entries = {f"{place}.accounts[{index}]": entry for index, entry in enumerate(listed)} | lines
            if not entries and not mistakes:
                remedy = "Write at least one account, or name an accounts_file"
                mistakes.append(ConfigError(f"{place}.accounts", "there is none", remedy))
            accounts, watched = read_accounts(entries)
            raw = {**raw, "accounts": tuple(accounts)}
        network: Any = None
        for kind, value in ((_NAME, name), (_NETWORK, raw)):
            try:
                network = kind.validate_python(value)
            except ValidationError as error:
                mistakes += _mistakes(error, place, "networks")
        if mistakes:
            return _Read(None, mistakes, watched)
        network.read_from(str(self.path))
        return _Read(network, mistakes, watched)

    def _shared_signers(self, name: str) -> list[ConfigError]:
        """Two networks behind one gateway may share neither user nor payer, because these have one sequence of nonces."""
        if (network := self._own(name).network) is None or not network.enabled:
            return []
        gateway = NetworkConfig.model_fields["gateway_conn_id"].default
        behind = (
            other
            for other in self.enabled
            if network.gateway_conn_id == (self._setting(other, "gateway_conn_id") or gateway)
        )
        return [
            ConfigError(
                f"networks.{name}.{role}",
                f"is the {role} of {other} too, behind the same gateway",
                f"Give each network a {role} of its own, or disable one of the two",
            )
            for other in behind
            for role in ("user", "payer")
            if other != name and (twin := self._own(other).network) and getattr(twin, role) == getattr(network, role)
        ]

    def _read(self, path: Path, field: str) -> str:
        # Errors do not quote the path: that of an accounts file may be a secret in the wrong place.
        self._stamps[path] = _stamp(path)
        try:
            if not path.is_file():
                raise ConfigError(field, "there is no file of this name, or no regular one", "Correct the path")
            if path.stat().st_size > _LARGEST:
                problem = f"the file has more than {_LARGEST // 1_000_000} MB"
                raise ConfigError(field, problem, "Check its path and content")
            return path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            problem = f"the file cannot be read: {reason}"
            raise ConfigError(field, problem, "Check its rights, and save it as UTF-8") from None

    def _all_in_one(self, mistakes: list[ConfigError]) -> ConfigError:
        """One error of all mistakes: `field` and `fault` describe the first one, `mistakes` and the text all."""
        error = copy(mistakes[0])
        if len(mistakes) > 1:
            text = "\n".join([f"{self.path} holds {len(mistakes)} mistakes:", *map(str, mistakes[:_MOST_SHOWN])])
            error.mistakes = tuple(mistake.problem for mistake in mistakes)
            error.problem = replace(error.problem, facts=text, own_remedy="Correct each of them")
            error.args = (text,)
        return error


def _stamp(path: Path) -> tuple[int, ...]:
    """A value that changes with the file; empty without a file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def read_accounts(entries: Mapping[str, Any]) -> tuple[list[WatchedAccount], list[ConfigError]]:
    """Watched accounts by their places, and their mistakes. A mistaken account stays under its place, and has an empty public key."""
    accounts: list[WatchedAccount] = []
    mistakes: list[ConfigError] = []
    first: dict[AccountId, str] = {}
    for place, entry in entries.items():
        try:
            watched = WatchedAccount.model_validate(entry)
        except ValidationError as error:
            mistakes += _mistakes(error, place, "networks.accounts")
            watched = WatchedAccount.model_construct(account=AccountId(b"", place))
        else:
            if (earlier := first.setdefault(watched.account, place)) != place:
                mistakes.append(ConfigError(place, f"the account of {earlier} again", "Keep one of the two"))
        accounts.append(watched)
    return accounts, mistakes


def _account_lines(text: str, field: str) -> Iterator[tuple[str, Any]]:
    """The lines of an accounts_file by their places, as entries of `accounts`."""
    for number, line in enumerate(text.split("\n"), 1):
        words = [word.strip() for word in _COMMENT.sub("", line).split(",", 2)]
        if not any(words) or (number, words) == (1, list(_COLUMNS)):
            continue
        entry: Any = {name: word for name, word in zip(_COLUMNS, words, strict=False) if word or name == "account"}
        if wrong := _OTHER_FORM.search(words[0]):
            entry = Unreadable(
                f"{wrong[0]!r} stands in the account", "Write commas and no quotes: account,expect,label"
            )
        yield f"{field}, line {number}", entry


def _mistakes(error: ValidationError, place: str, section: str) -> list[ConfigError]:
    """The errors of a section of the models, which stands at a place of the file, in the names of the file."""
    return [_mistake(details, place, section) for details in error.errors(include_url=False)]


def _mistake(details: ErrorDetails, place: str, section: str) -> ConfigError:
    kind, loc = details["type"], details["loc"]
    path = place + "".join(f"[{part}]" if isinstance(part, int) else f".{shown_key(part)}" for part in loc)
    path = path.removeprefix(".")
    if kind not in ("missing", "extra_forbidden") or isinstance(details["input"], Unreadable):
        return ConfigError(path, *explained(details))
    names = [section, *(part for part in loc[:-1] if isinstance(part, str))]
    model = _SECTIONS[".".join(names).removeprefix(".")]
    fields, key = {field.alias or name: field for name, field in model.model_fields.items()}, str(loc[-1])
    if kind == "missing":
        return ConfigError(path, "is missing", f"Write {meaning(fields[key])}")
    if SECRET_NAME.search(key):
        problem = "secrets do not belong in this file"
        return ConfigError(path, problem, "Put it into the Airflow connection, and delete it here")
    near = difflib.get_close_matches(key.lower(), fields, 1)
    return ConfigError(path, "unknown key", f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(fields)}")


_files: dict[Path, ConfigFile] = {}


def read_config(path: Path) -> ConfigFile:
    """The configuration file, read once per process and again after it, or a file that it names, has changed.

    :raises ConfigError: there is no file, or a mistake is outside of `networks`.
    """
    known = _files.get(path)
    if known is None or known.has_changed():
        _files.clear()
        _files[path] = known = ConfigFile(path)
    return known
