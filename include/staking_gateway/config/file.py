"""The content of a configuration file, network by network, and its mistakes in the names of the file."""

from __future__ import annotations

import difflib
import re
import time
from dataclasses import replace
from functools import cache
from io import StringIO
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
    status_key,
)
from staking_gateway.config.types import ADDRESS, explained
from staking_gateway.config.yaml import Unreadable, read_yaml
from staking_gateway.errors import ConfigError, InvalidInput, NetworkUnknown
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId, is_public_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_LEDGER = "ledger_conn_id"
_ROLES = ("relayer", "user", "payer")
_SETTLED = 1_000_000_000
"""Nanoseconds after which a second change of a file surely has another time of change."""
_LARGEST = 8_000_000
"""Bytes of a file: more than 10,000 accounts with labels."""
_MOST_SHOWN = 100
_SECRET = re.compile(
    r"pass(word|wd|phrase)|token|secret|seed|mnemonic|phrase|suri|credential|private|(?<!public)[_-]key|^keys?$", re.I
)
_COMMENT = re.compile(r"(^|\s)#.*", re.DOTALL)
_COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""
_OTHER_FORMS = {
    ";": ("semicolons stand between the values", "Write commas: account,expect,label"),
    "\t": ("tabs stand between the values", "Write commas: account,expect,label"),
    "|": ("bars stand between the values", "Write commas: account,expect,label"),
    '"': ("the values are in quotes", "Write them without quotes: account,expect,label"),
    "'": ("the values are in quotes", "Write them without quotes: account,expect,label"),
}
_SHAPES = {
    "model_type": "Write its settings below it, indented, or remove it",
    "dict_type": "Write one name per line below it, indented, each followed by a colon",
    "too_short": "Write at least one",
    "tuple_type": "Write one item per line below it, each after a dash",
}
_SECTIONS = sections()


class Mistake(NamedTuple):
    """One mistake in a file.

    :param path: e.g. `networks.devnet.accounts[3].account`.
    :param problem: never quotes a secret.
    :param remedy: the correction.
    """

    path: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}. {self.remedy}"


class ConfigFile:
    """The content of a configuration file, and its mistakes. Use `read_config`.

    :param path: the file.
    :raises ConfigError: there is no file, or it is not a YAML mapping.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps: dict[Path, tuple[int, ...] | None] = {}
        data = read_yaml(self._read(path, str(path)), path.name)
        if data is None:
            raise ConfigError(str(path), "the file is empty", "Write the networks to pay below `networks:`")
        if not isinstance(data, dict):
            raise ConfigError(str(path), f"the file holds {shown(data)}, not a mapping", "Start it with `networks:`")
        networks = data.get("networks")
        self._ledger: object = data.get(_LEDGER)
        self._raw: dict[str, Any] = networks if isinstance(networks, dict) else {}
        self._around = _mistakes_around(data, self._raw)
        self._own = cache(self._validated)

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
        """The connection of the ledger, as the file names it. Mistakes in the settings of networks do not count.

        :raises ConfigError: a mistake is outside of the networks, or `ledger_conn_id` may be written below a network. Another ledger
            would not know the paid eras.
        """
        around = [mistake for mistake in self._around if mistake.path != "networks"]
        if not around and self._ledger is None:
            inside = [mistake for name in self._raw for mistake in self._own(name)[1]]
            around = [mistake for mistake in inside if _may_be_ledger(mistake.path.rpartition(".")[2])]
        if around:
            raise all_in_one(self.path, around)
        return None if self._ledger is None else str(self._ledger)

    def has_changed(self) -> bool:
        """Whether the file, or a file that it names, may have changed since it was read."""
        return any(stamp is None or stamp != _stamp(path) for path, stamp in self._stamps.items())

    def check_around(self) -> None:
        """Raise ConfigError if a mistake is outside of the settings of networks."""
        if self._around:
            raise all_in_one(self.path, self._around)

    def networks(self) -> dict[str, NetworkConfig]:
        """The networks without a mistake. Checksums of accounts, and lines of an accounts_file, are not checked.

        :raises ConfigError: a mistake is outside of the settings of networks.
        """
        self.check_around()
        found = {name: self._own(name)[0] for name in self._raw if not self._blocking(name)}
        return {name: network for name, network in found.items() if network is not None}

    def network(self, name: str, *, check_accounts: bool = True, watched: bool = False) -> NetworkConfig:
        """The settings of one network. Mistakes in the settings of others do not count.

        :param check_accounts: whether to check the checksums of relayer, user and payer. This loads a key library.
        :param watched: whether mistakes in watched accounts count: a wrong checksum, or an account named twice.
        :raises NetworkUnknown: there is no such network.
        :raises ConfigError: it has a mistake, or a mistake is outside of the settings of networks.
        """
        self.check_around()
        if name not in self._raw:
            known = ", ".join(sorted(map(shown_key, self._raw)))
            raise NetworkUnknown(f"networks.{shown_key(name)}", "there is no such network", f"Known networks: {known}")
        mistakes = self._blocking(name)
        mistakes += self._wrong_roles(name) if check_accounts else []
        mistakes += self._watched(name)[1] if watched else []
        network = self._own(name)[0]
        if mistakes or network is None:
            raise all_in_one(self.path, mistakes)
        return network

    def alert_settings(self, name: str) -> AlertSettings | None:
        """The settings of a network's alerts, also when the network has mistakes elsewhere; None when these have one."""
        raw = self._raw[name]
        try:
            return AlertSettings.model_validate(raw.get("alerts", {}) if isinstance(raw, dict) else None)
        except ValidationError:
            return None

    def watched(self, name: str) -> tuple[dict[AccountId, str], ConfigError | None]:
        """The valid watched accounts of a network with their texts, each once; and the mistakes of the others.

        :raises ConfigError: as `network`.
        """
        self.network(name)
        found, mistakes = self._watched(name)
        return found, all_in_one(self.path, mistakes) if mistakes else None

    def mistakes(self, *, check_accounts: bool = True) -> ConfigError | None:
        """All mistakes of the file in one error; None without any.

        :param check_accounts: whether to check checksums of accounts, and whether two spellings name one account.
        """
        found: list[Mistake] = []
        for name in self._raw:
            found += self._blocking(name)
            found += self._wrong_roles(name) if check_accounts else []
            found += self._watched(name, checksums=check_accounts)[1]
        found += self._around
        return all_in_one(self.path, found) if found else None

    def mistakes_of_networks(self) -> ConfigError | None:
        """The mistakes that stop networks, in one error; None without any. Checksums of accounts are not checked."""
        found = [mistake for name in self._raw for mistake in self._blocking(name)]
        return all_in_one(self.path, found) if found else None

    # --- one network ---------------------------------------------------------------------------------------------------

    def _blocking(self, name: str) -> list[Mistake]:
        """The mistakes that stop a network."""
        return [*self._own(name)[1], *self._shared_signers(name)]

    def _validated(self, name: str) -> tuple[NetworkConfig | None, list[Mistake]]:
        """The settings as the file has them, and their mistakes; the checksums of accounts are not checked."""
        raw, lines = self._raw[name], tuple[tuple[int, dict[str, str]], ...]()
        found: list[Mistake] = []
        if isinstance(file := _setting(raw, "accounts_file"), str):
            raw = {"accounts": [], **raw}
            field = f"networks.{shown_key(name)}.accounts_file"
            try:
                lines = _account_lines(self._read(self.path.parent / file, field))
                if not lines:
                    found.append(Mistake(field, "the file holds no account", "Write one account per line"))
            except ConfigError as error:
                found.append(Mistake(error.field, error.fault, error.problem.remedy))
        try:
            network = Config.model_validate({"networks": {name: raw}}).networks[name]
        except ValidationError as error:
            return None, [*found, *_translated(error)]
        network.read_from(str(self.path), lines)
        return network, found

    def _wrong_roles(self, name: str) -> list[Mistake]:
        """Wrong checksums of the accounts that pay."""
        given = {role: _setting(self._raw[name], role) for role in _ROLES}
        return [
            mistake
            for role, text in given.items()
            if isinstance(text, str) and ADDRESS.match(text)
            for mistake in _account_or_mistake(text, f"networks.{shown_key(name)}.{role}")[1]
        ]

    def _watched(self, name: str, *, checksums: bool = True) -> tuple[dict[AccountId, str], list[Mistake]]:
        """Valid accounts with their texts, and the mistakes that stop no network."""
        found: dict[AccountId, str] = {}
        mistakes: list[Mistake] = []
        first: dict[str, str] = {}
        for path, text, wrong in self._entries(name):
            mistakes += wrong
            if wrong or not ADDRESS.match(text):
                continue
            key = text.removeprefix("0x").lower() if is_public_key(text) else text
            if checksums:
                account, not_read = _account_or_mistake(text, path)
                mistakes += not_read
                if account is None:
                    continue
                key = account.hex
                found.setdefault(account, text)
            earlier = first.setdefault(key, path)
            if earlier != path:
                mistakes.append(Mistake(path, f"the account of {earlier} again", "Keep one of the two"))
        return found, mistakes

    def _entries(self, name: str) -> Iterator[tuple[str, str, list[Mistake]]]:
        """Path, account and mistakes of the accounts. Listed accounts were validated with the network."""
        network, listed = self._own(name)[0], _setting(self._raw[name], "accounts")
        for index, entry in enumerate(listed if isinstance(listed, list) else []):
            text = entry.get("account") if isinstance(entry, dict) else entry
            yield f"networks.{shown_key(name)}.accounts[{index}]", text if isinstance(text, str) else "", []
        for number, settings in network.account_lines if network else ():
            path = f"networks.{shown_key(name)}.accounts_file, line {number}"
            yield path, settings["account"], _mistakes_of_line(settings, path)

    # --- networks together ---------------------------------------------------------------------------------------------

    def _shared_signers(self, name: str) -> list[Mistake]:
        """Two networks behind one gateway may share neither user nor payer, because these have one sequence of nonces."""
        gateway = _gateway(self._raw[name])
        behind = [other for other in self.enabled if _gateway(self._raw[other]) == gateway]
        if name not in behind or len(behind) == 1:
            return []  # the key library is not loaded
        sound = {other: self._own(other)[0] for other in behind if not self._own(other)[1]}
        for role in _ROLES[1:]:
            keys = {other: status_key(getattr(network, role)) for other, network in sound.items()}
            names = [other for other, key in keys.items() if key == keys.get(name)]
            if len(names) > 1:
                owner, other = names[0], names[1] if name == names[0] else name
                problem = f"{other} has the {role} of {owner}, behind the same gateway"
                return [
                    Mistake("networks", problem, f"Give each network a {role} of its own, or disable one of the two")
                ]
        return []

    def _read(self, path: Path, field: str) -> str:
        # Errors do not quote the path: that of an accounts file may be a secret in the wrong place.
        self._stamps[path] = _stamp(path, settled_at=time.time_ns() - _SETTLED)
        try:
            if not S_ISREG(path.stat().st_mode):
                raise ConfigError(field, "this is not a regular file", "Correct the path")
            with path.open("rb") as opened:
                content = opened.read(_LARGEST + 1)
            if len(content) > _LARGEST:
                raise ConfigError(
                    field, f"the file has more than {_LARGEST // 1_000_000} MB", "Check its path and content"
                )
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


def all_in_one(path: Path, mistakes: Sequence[Mistake]) -> ConfigError:
    """One error of all mistakes, each once: `field` and `fault` describe the first one, `mistakes` and the text all."""
    found = list(dict.fromkeys(mistakes))
    error = ConfigError(*found[0])
    lines = [str(mistake) for mistake in found[:_MOST_SHOWN]]
    if len(found) > len(lines):
        lines.append(f"... and {len(found) - len(lines)} more")
    if len(found) > 1:
        lines.insert(0, f"{path} holds {len(found)} mistakes:")
        error.mistakes = tuple(ConfigError(*mistake).problem for mistake in found)
        error.problem = replace(error.problem, facts="\n".join(lines), own_remedy="Correct each of them")
    error.args = ("\n".join(lines),)
    return error


def _stamp(path: Path, *, settled_at: int | None = None) -> tuple[int, ...] | None:
    """A value that changes with the file, empty without a file; None for a file that has changed since `settled_at`."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    if settled_at is not None and found.st_mtime_ns > settled_at:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _setting(raw: Any, name: str) -> Any:
    """A network's setting as the file has it; None where it has none."""
    return raw.get(name) if isinstance(raw, dict) else None


def _gateway(raw: Any) -> str:
    return str(_setting(raw, "gateway_conn_id") or NetworkConfig.model_fields["gateway_conn_id"].default)


def _may_be_ledger(key: str) -> bool:
    return "ledger" in key.lower() or bool(difflib.get_close_matches(key.lower(), [_LEDGER], 1, 0.75))


def _account_lines(text: str) -> tuple[tuple[int, dict[str, str]], ...]:
    """The accounts of an accounts_file, each with the number of its line."""
    found = []
    for number, line in enumerate(StringIO(text, newline=None), 1):
        words = [word.strip() for word in _COMMENT.sub("", line).split(",", 2)]
        if any(words) and (number, words) != (1, list(_COLUMNS)):
            given = zip(_COLUMNS, words, strict=False)
            found.append((number, {key: word for key, word in given if word or key == "account"}))
    return tuple(found)


def _mistakes_of_line(settings: dict[str, str], path: str) -> list[Mistake]:
    other = next((form for sign, form in _OTHER_FORMS.items() if sign in settings["account"]), None)
    if other is not None:
        return [Mistake(path, *other)]
    try:
        WatchedAccount.model_validate(settings)
    except ValidationError as error:
        return [Mistake(path, *explained(one)) for one in error.errors(include_url=False)]
    return []


def _account_or_mistake(text: str, path: str) -> tuple[AccountId | None, list[Mistake]]:
    try:
        return AccountId.parse(text), []
    except InvalidInput as error:
        return None, [Mistake(path, error.fault, error.problem.remedy)]


# --- pydantic's errors, in the names of the file -----------------------------------------------------------------------


def _mistakes_around(data: dict[str, Any], networks: dict[str, Any]) -> list[Mistake]:
    """The mistakes outside of the settings of networks."""
    try:
        Config.model_validate({**data, "networks": {}} if networks else data)
    except ValidationError as error:
        return [mistake for mistake in _translated(error) if not (networks and mistake.path == "networks")]
    return []


def _translated(error: ValidationError) -> list[Mistake]:
    return [_mistake(details) for details in error.errors(include_url=False)]


def _mistake(details: ErrorDetails) -> Mistake:
    kind, loc = details["type"], details["loc"]
    path = _path(loc)
    if kind == "extra_forbidden" and not isinstance(details["input"], Unreadable):
        return Mistake(path, *_unknown_key(loc))
    if kind == "missing":
        return Mistake(path, "is missing", f"Write {meaning(_fields(loc[:-1])[str(loc[-1])])}")
    problem, remedy = explained(details)
    return Mistake(path, problem, _SHAPES.get(kind, remedy))


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != "[key]":
            path += f".{shown_key(part)}" if path else shown_key(part)
    return path


def _unknown_key(loc: tuple[int | str, ...]) -> tuple[str, str]:
    key = str(loc[-1])
    if _SECRET.search(key):
        return "secrets do not belong in this file", "Put it into the Airflow connection, and delete it here"
    known = list(_fields(loc[:-1]))
    near = difflib.get_close_matches(key.lower(), known, 1)
    return "unknown key", f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}"


def _fields(loc: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    """The fields of the section at a path, by their names in the file."""
    names = [part for part in (*loc[:1], *loc[2:]) if isinstance(part, str)]  # without the network's name
    fields = _SECTIONS[".".join(names)].model_fields
    return {field.alias or name: field for name, field in fields.items()}
