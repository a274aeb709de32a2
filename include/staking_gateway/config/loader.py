"""Find, read and validate `staking.yaml`; `models.py` defines its content.

One error reports all mistakes of a file, each with its path and remedy. The loader is quick enough for DAG parsing: it uses no network and no
database, and loads the key library only to check checksums.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from staking_gateway.config.models import Config
from staking_gateway.config.strict_yaml import Problem, read_yaml
from staking_gateway.config.values import ADDRESS
from staking_gateway.errors import ConfigError, InvalidAccount
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

CONFIG_VARIABLE = "STAKING_GATEWAY_CONFIG"
"""Environment variable with the path of the file."""
CONFIG_NAME = "staking.yaml"
"""The file's name in an `include` folder."""

_MOST_PROBLEMS = 100
_SECRET = re.compile(
    r"pass(word|wd|phrase)|token|secret|seed|mnemonic|phrase|suri|credential|private|(?<!public)[_-]key|^keys?$", re.I
)


def find_config_path() -> Path:
    """The path of the file: from the environment variable, or `staking.yaml` in the `include` folder.

    In a checkout this is the `include` folder that holds the package, then that of the working directory.

    :raises ConfigError: the file does not exist; the error names the searched paths.
    """
    if named := os.environ.get(CONFIG_VARIABLE):
        path = Path(named).expanduser()
        if not path.is_file():
            raise ConfigError(CONFIG_VARIABLE, f"there is no file {path}", "Correct the variable, or remove it")
        return path
    home = Path(__file__).parents[2]
    paths = [home / CONFIG_NAME] if home.name == "include" else []
    paths.append(Path.cwd() / "include" / CONFIG_NAME)
    for path in paths:
        if path.is_file():
            return path
    searched = " and ".join(map(str, dict.fromkeys(paths)))
    raise ConfigError(CONFIG_NAME, f"not found at {searched}", f"Create it, or set {CONFIG_VARIABLE} to its path")


def load_config(
    path: str | Path | None = None,
    *,
    check_accounts: bool = True,
    check_watched: bool = True,
    network: str | None = None,
) -> Config:
    """Read and validate a configuration file.

    :param path: the file; None uses `find_config_path`.
    :param check_accounts: whether to check checksums, and whether two spellings name one account. This loads a key library (tens of
        milliseconds), which DAG parsing avoids.
    :param check_watched: False skips these checks for watched accounts, which no payout needs.
    :param network: load only this network if all mistakes are in other networks.
    :raises ConfigError: the file cannot be read, or holds mistakes. `field`, `problem` and `remedy` describe the first mistake, the text
        lists all of them.
    """
    path = find_config_path() if path is None else Path(path)
    data, problems = read_yaml(_read_text(path, str(path)), path.name)
    if data is None:
        raise ConfigError(str(path), "the file is empty", "Write the networks to pay below `networks:`")
    if not isinstance(data, dict):
        raise ConfigError(str(path), f"the file holds {shown(data)}, not a mapping", "Start it with `networks:`")
    checks = {"check_accounts": check_accounts, "check_watched": check_accounts and check_watched}
    config, mistakes = _validated(data, path.parent, checks)
    if (
        network is not None
        and not problems
        and mistakes
        and network in data["networks"]
        and all(_is_in_another_network(mistake, network) for mistake in mistakes)
    ):
        config, mistakes = _validated({**data, "networks": {network: data["networks"][network]}}, path.parent, checks)
    problems += mistakes
    if config is None or problems:
        raise _all_in_one(path, problems) from None
    return config


def _validated(data: dict[str, Any], folder: Path, checks: dict[str, bool]) -> tuple[Config | None, list[Problem]]:
    lists = _AccountLists(folder, check_accounts=checks["check_watched"])
    data = lists.merge(data)
    try:
        return Config.model_validate(data, context=checks), lists.problems
    except ValidationError as error:
        found = [_translate(details, lists) for details in error.errors(include_url=False)]
        return None, [*lists.problems, *found]


def _is_in_another_network(mistake: Problem, network: str) -> bool:
    return mistake.path.startswith("networks.") and not f"{mistake.path}.".startswith(f"networks.{network}.")


def _read_text(path: Path, field: str) -> str:
    # Errors do not quote the path: that of an accounts file may be a secret in the wrong place.
    try:
        return path.read_bytes().decode().removeprefix("\ufeff")
    except FileNotFoundError:
        raise ConfigError(field, "there is no file of this name", "Create it, or correct the path") from None
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise ConfigError(field, f"is not UTF-8 at byte {error.start}", "Save it as UTF-8") from None
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise ConfigError(field, f"cannot be read: {reason}", "Check the path, the file and its rights") from None


def _all_in_one(path: Path, problems: list[Problem]) -> ConfigError:
    error = ConfigError(*problems[0])
    lines = [str(problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > len(lines):
        lines.append(f"... and {len(problems) - len(lines)} more")
    if len(problems) > 1:
        lines.insert(0, f"{path} holds {len(problems)} mistakes:")
    error.args = ("\n".join(lines),)
    return error


_COLUMNS = ("account", "expect", "label")
"""Columns of an accounts file. Its first line may name them."""


class _AccountLists:
    """Adds the accounts of each network's `accounts_file` to its `accounts`, and remembers the place of each."""

    def __init__(self, folder: Path, *, check_accounts: bool) -> None:
        self.problems: list[Problem] = []
        self._folder = folder
        self._check_accounts = check_accounts
        self._lines: dict[str, tuple[int, list[int]]] = {}

    def merge(self, data: dict[str, Any]) -> dict[str, Any]:
        networks = data.get("networks")
        if not isinstance(networks, dict):
            return data
        merged = {name: self._network(name, network) for name, network in networks.items()}
        return {**data, "networks": merged}

    def path_of(self, network: str, index: int) -> str:
        """Path or line of an account."""
        inline, lines = self._lines.get(network, (index + 1, []))
        path = f"networks.{shown_key(network)}.accounts"
        return f"{path}[{index}]" if index < inline else f"{path}_file, line {lines[index - inline]}"

    def in_file(self, network: str, index: int) -> bool:
        return network in self._lines and index >= self._lines[network][0]

    def _network(self, name: str, network: Any) -> Any:
        if not isinstance(network, dict):
            return network
        accounts, file = network.get("accounts", []), network.get("accounts_file")
        if not isinstance(accounts, list):
            return network
        if isinstance(file, str):
            self._lines[name] = (len(accounts), [])
            accounts = [*accounts, *self._read_file(name, self._folder / file)]
        elif accounts == [] and "accounts" in network:
            remedy = "Write at least one account, or remove it and name an accounts_file"
            self.problems.append(Problem(f"networks.{shown_key(name)}.accounts", "the list is empty", remedy))
        elif "accounts" not in network:
            return network
        self._refuse_duplicates(name, accounts)
        return {**network, "accounts": accounts}

    def _read_file(self, name: str, path: Path) -> list[dict[str, str]]:
        field = f"networks.{shown_key(name)}.accounts_file"
        try:
            text = _read_text(path, field)
        except ConfigError as error:
            self.problems.append(Problem(error.field, error.problem, error.remedy))
            return []
        entries = []
        for number, line in enumerate(text.splitlines(), 1):
            words = [word.strip() for word in line.partition("#")[0].split(",", 2)]
            if any(words) and (number, words) != (1, list(_COLUMNS)):
                self._lines[name][1].append(number)
                given = zip(_COLUMNS, words, strict=False)
                entries.append({key: word for key, word in given if word or key == "account"})
        if not entries:
            self.problems.append(Problem(field, "the file holds no account", "Write one account per line"))
        return entries

    def _refuse_duplicates(self, name: str, accounts: list[Any]) -> None:
        seen: dict[str, int] = {}
        for index, entry in enumerate(accounts):
            text = entry.get("account") if isinstance(entry, dict) else entry
            if isinstance(text, str):
                first = seen.setdefault(self._identity(text), index)
                if first != index:
                    problem = f"the account of {self.path_of(name, first)} again"
                    self.problems.append(Problem(self.path_of(name, index), problem, "Keep one of the two"))

    def _identity(self, text: str) -> str:
        if self._check_accounts and ADDRESS.match(text):
            try:
                return AccountId.parse(text).hex
            except InvalidAccount:
                return text
        return text.lower() if text.startswith("0x") else text


_SIMPLE_PROBLEMS = {
    "model_type": ("a mapping", "Write its settings below it, indented, or remove it"),
    "dict_type": ("a mapping", "Write one name per line below it, indented, each followed by a colon"),
    "tuple_type": ("a list", "Write one item per line below it, each after a dash"),
    "bool_type": ("true or false", "Write true or false, without quotes"),
    "string_type": ("a text", "Write it in quotes"),
}


def _translate(details: ErrorDetails, lists: _AccountLists) -> Problem:
    """Translate a pydantic error to the names in the file."""
    kind, loc, context = details["type"], details["loc"], details.get("ctx", {})
    path = _path(loc, lists)
    if kind == "extra_forbidden":
        return _unknown_key(path, loc)
    if kind == "missing":
        return Problem(path, "is missing", f"Write {_fields(loc[:-1])[str(loc[-1])].description}")
    if kind == "enum":
        return Problem(path, f"{shown(details['input'])} is refused", f"Write {context['expected']}")
    if kind in _SIMPLE_PROBLEMS:
        expected, remedy = _SIMPLE_PROBLEMS[kind]
        return Problem(path, f"this is {shown(details['input'])}, not {expected}", remedy)
    return Problem(path, str(context["problem"]), str(context["remedy"]))


def _path(loc: tuple[int | str, ...], lists: _AccountLists) -> str:
    path, rest = "", loc
    if len(loc) > 3 and loc[0] == "networks" and loc[2] == "accounts" and isinstance(loc[3], int):
        path, rest = lists.path_of(str(loc[1]), loc[3]), loc[4:]
        if lists.in_file(str(loc[1]), loc[3]):
            return path
    for part in rest:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != "[key]":
            word = shown_key(part)
            path += f".{word}" if path else word
    return path


def _unknown_key(path: str, loc: tuple[int | str, ...]) -> Problem:
    key = str(loc[-1])
    if _SECRET.search(key):
        return Problem(
            path, "secrets do not belong in this file", "Put it into the Airflow connection, and delete it here"
        )
    known = list(_fields(loc[:-1]))
    near = difflib.get_close_matches(key.lower(), known, 1)
    remedy = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}"
    return Problem(path, "unknown key", remedy)


def _fields(loc: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    """The fields of the section at a path, by their names in the file."""
    annotation: Any = Config
    for part in loc:
        if _is_section(annotation):
            annotation = _by_alias(annotation)[str(part)].annotation
        else:
            annotation = next(argument for argument in get_args(annotation) if _is_section(argument))
    return _by_alias(annotation)


def _by_alias(section: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in section.model_fields.items()}


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
