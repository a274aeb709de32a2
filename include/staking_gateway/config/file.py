"""Read `staking.yaml`, network by network, and tell its mistakes in the names of the file.

The file is read once per process, and again after a change. Each network is validated on its own, once, when it is needed: a mistake
costs one network. DAG parsing uses the same objects: reading needs no network and no database.
"""

import difflib
import re
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from staking_gateway.config.models import AlertSettings, Config, NetworkConfig, WatchedAccount, meaning, sections
from staking_gateway.config.types import SECRET_NAME, Section, explained
from staking_gateway.config.yaml import Mistakes, Place, read_yaml
from staking_gateway.errors import ConfigError
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId

_LARGEST = 8_000_000
"""Bytes of a file: more than 10,000 accounts with labels."""
_MOST_SHOWN = 100
_COMMENT = re.compile(r"(^|\s)#.*")
_OTHER_FORM = re.compile("[;\t|\"']")
"""A separator or quotes that an accounts file does not have."""
_COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""
_S = TypeVar("_S", bound=Section)


class ConfigFile:
    """The content of the file, and its mistakes. Use `read_config`.

    :ivar ledger_conn_id: the connection of the ledger, as the file names it, also when `networks` cannot be used: then the ledger can be stopped.
    :raises ConfigError: the file cannot be read, or a mistake is outside of `networks`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps: dict[Path, tuple[int, ...]] = {}
        self._own = cache(self._read_network)
        data, found = read_yaml(self._read(path, str(path)), path.name)
        if not isinstance(data, dict):
            raise ConfigError(
                str(path), f"the file holds {shown(data)} in place of settings", "Start it with `networks:`"
            )
        self._found = _validated(Config, (), data)[1] | found
        if any(place[:1] != ("networks",) for place in self._found):
            raise self._error(self._found)
        self._networks: dict[str, Any] = data.get("networks", {})
        named = data.get("ledger_conn_id")
        self.ledger_conn_id = None if named is None else str(named)

    @property
    def names(self) -> tuple[str, ...]:
        """The networks, also those with mistakes; ConfigError when `networks` itself has a mistake."""
        if ("networks",) in self._found:
            raise self._error(self._found)
        return tuple(self._networks)

    @property
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
        """The settings of one network. ConfigError: there is none; or all its mistakes, those in watched accounts only if `watched`."""
        if name not in self.names:
            known = f"Known networks: {', '.join(sorted(map(shown_key, self.names)))}"
            raise ConfigError("network", f"there is no such network as {shown_key(name)}", known)
        network, _ = self._own(name)
        mistakes = self._mistakes(name, of_accounts=False) | self._shared_signers(name)
        if watched:
            mistakes |= self._mistakes(name, of_accounts=True)
        if mistakes or network is None:
            raise self._error(mistakes)
        return network

    def mistaken_accounts(self, name: str) -> ConfigError | None:
        """The mistakes in the watched accounts of a network, in one error. They stop no payout."""
        mistakes = self._mistakes(name, of_accounts=True)
        return self._error(mistakes) if mistakes else None

    def alert_settings(self, name: str) -> AlertSettings | None:
        """The settings of a network's alerts, also when the network has mistakes elsewhere; None when these have one."""
        if any(place[:3] == ("networks", name, "alerts") for place in self._found):
            return None
        return _validated(AlertSettings, (), self._setting(name, "alerts", {}))[0]

    def _setting(self, name: str, key: str, default: object = None) -> Any:
        """A setting of a network as the file has it, or the default."""
        raw = self._networks[name]
        return raw.get(key, default) if isinstance(raw, dict) else None

    def _mistakes(self, name: str, *, of_accounts: bool) -> Mistakes:
        """The mistakes in the watched accounts of a network, or the others."""
        return {
            place: words
            for place, words in self._own(name)[1].items()
            if (len(place) > 3 and place[2] in ("accounts", "accounts_file")) is of_accounts
        }

    def _read_network(self, name: str) -> tuple[NetworkConfig | None, Mistakes]:
        """The network, or None when mistakes stop it; and its mistakes."""
        raw, place = self._networks[name], ("networks", name)
        found = {at: words for at, words in self._found.items() if at[:2] == place}
        listed, entries = self._setting(name, "accounts"), dict[Place, Any]()
        field = (*place, "accounts_file")
        if isinstance(file := self._setting(name, "accounts_file"), str):
            listed = listed or []
            try:
                text = self._read(self.path.parent / file, _path(field))
                entries = {(*field, number): entry for number, entry in _account_lines(text)}
                if not entries:
                    found[field] = ("the file holds no account", "Write one account per line")
            except ConfigError as error:
                found[field] = (error.fault, error.problem.remedy)
        if isinstance(listed, list):
            entries = {(*place, "accounts", index): entry for index, entry in enumerate(listed)} | entries
            if not entries and field not in found:
                found[*place, "accounts"] = ("there is none", "Write at least one account, or name an accounts_file")
            raw = {**raw, "accounts": _read_accounts(entries, found)}
        network, wrong = _validated(NetworkConfig, place, raw)
        if network is not None:
            network.read_from(str(self.path))
        return network, wrong | found

    def _shared_signers(self, name: str) -> Mistakes:
        """Two networks behind one gateway may share neither user nor payer, because these have one sequence of nonces."""
        if (network := self._own(name)[0]) is None or not network.enabled:
            return {}
        gateway = NetworkConfig.model_fields["gateway_conn_id"].default
        own = network.gateway_conn_id
        behind = [one for one in self.enabled if self._setting(one, "gateway_conn_id", gateway) == own]
        return {
            ("networks", name, role): (
                f"is the {role} of {other} too, behind the same gateway",
                f"Give each network a {role} of its own, or disable one of the two",
            )
            for other in behind
            for role in ("user", "payer")
            if other != name and (twin := self._own(other)[0]) and getattr(twin, role) == getattr(network, role)
        }

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

    def _error(self, mistakes: Mistakes) -> ConfigError:
        """One error of all mistakes: `field` and `fault` describe the first one, `mistakes` and the text all."""
        errors = [ConfigError(_path(place), *words) for place, words in mistakes.items()]
        if len(errors) == 1:
            return errors[0]
        text = "\n".join([f"{self.path} holds {len(errors)} mistakes:", *map(str, errors[:_MOST_SHOWN])])
        error = copy(errors[0])
        error.mistakes = tuple(mistake.problem for mistake in errors)
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


def _account_lines(text: str) -> Iterator[tuple[int, Any]]:
    """The lines of an accounts_file by their numbers, as entries of `accounts`."""
    for number, line in enumerate(text.split("\n"), 1):
        words = [word.strip() for word in _COMMENT.sub("", line).split(",", 2)]
        if any(words) and (number, words) != (1, list(_COLUMNS)):
            yield number, {name: word for name, word in zip(_COLUMNS, words, strict=False) if word or name == "account"}


def _read_accounts(entries: dict[Place, Any], found: Mistakes) -> tuple[WatchedAccount, ...]:
    """Watched accounts, whose mistakes go to `found`. A mistaken account stays under its place, and has an empty public key."""
    accounts: list[WatchedAccount] = []
    first: dict[AccountId, str] = {}
    for place, entry in entries.items():
        path = _path(place)
        watched, wrong = _validated(WatchedAccount, place, entry)
        if watched is None:
            watched = WatchedAccount.model_construct(account=AccountId(b"", path))
        elif (earlier := first.setdefault(watched.account, path)) != path:
            wrong = {place: (f"the account of {earlier} again", "Keep one of the two")}
        if place[2] == "accounts_file" and (odd := _OTHER_FORM.search(entry["account"])):
            remedy = "Write commas and no quotes: account,expect,label"
            wrong = {place: (f"{odd[0]!r} stands in the account", remedy)}
        for at, words in wrong.items():
            found.setdefault(at, words)
        accounts.append(watched)
    return tuple(accounts)


def _path(place: Place) -> str:
    """A place as errors name it, e.g. `networks.devnet.accounts[3].label`."""
    path = ""
    for before, part in pairwise(("", *place)):
        if isinstance(part, int):
            path += f", line {part}" if before == "accounts_file" else f"[{part}]"
        else:
            path += f".{shown_key(part)}"
    return path.removeprefix(".")


def _validated(model: type[_S], place: Place, value: object) -> tuple[_S | None, Mistakes]:
    """A section of the file at a place, or None; and what is wrong in it."""
    try:
        return model.model_validate(value), {}
    except ValidationError as error:
        errors = error.errors(include_url=False)
    # The place of an error about a network's name ends with `[key]`.
    return None, {
        tuple(part for part in (*place, *one["loc"]) if part != "[key]"): _words(one, model) for one in errors
    }


def _words(details: ErrorDetails, model: type[Section]) -> tuple[str, str]:
    if details["type"] not in ("missing", "extra_forbidden"):
        return explained(details)
    *names, key = map(str, details["loc"])
    section = sections(model)[".".join(name for name in names if not name.isdecimal())]
    fields = {field.alias or name: field for name, field in section.model_fields.items()}
    if details["type"] == "missing":
        return "is missing", f"Write {meaning(fields[key])}"
    if SECRET_NAME.search(key):
        return "secrets do not belong in this file", "Put it into the Airflow connection, and delete it here"
    near = difflib.get_close_matches(key.lower(), fields, 1)
    return "unknown key", f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(fields)}"


_files: dict[Path, ConfigFile] = {}


def read_config(path: Path) -> ConfigFile:
    """The file, read once per process, and again after it, or a file that it names, has changed. ConfigError as of `ConfigFile`."""
    known = _files.get(path)
    if known is None or known.has_changed():
        _files.clear()
        _files[path] = known = ConfigFile(path)
    return known
