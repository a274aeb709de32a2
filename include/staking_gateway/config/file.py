"""The content of a configuration file, network by network."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from staking_gateway.config.mistakes import all_in_one, may_be_ledger, translate
from staking_gateway.config.models import AlertSettings, Config, NetworkConfig
from staking_gateway.config.strict_yaml import Problem, read_yaml
from staking_gateway.config.values import ADDRESS
from staking_gateway.config.watched import AccountLines, WatchedAccount, status_key
from staking_gateway.errors import ConfigError, InvalidAccount, NetworkUnknown
from staking_gateway.text import shown, shown_key
from staking_gateway.types import AccountId, is_public_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

_T = TypeVar("_T")
_LEDGER = "ledger_conn_id"
_ROLES = ("relayer", "user", "payer")
_SETTLED = 1_000_000_000
"""Nanoseconds after which a second change of a file surely has another time of change."""


class ConfigFile:
    """The content of a configuration file, and its mistakes. Use `read_config`.

    :param path: the file.
    :raises ConfigError: there is no file, or it is not a YAML mapping.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stamps: dict[Path, tuple[int, ...] | None] = {}
        data, problems = read_yaml(self._read(path, str(path), _text), path.name)
        if data is None:
            raise ConfigError(str(path), "the file is empty", "Write the networks to pay below `networks:`")
        if not isinstance(data, dict):
            raise ConfigError(str(path), f"the file holds {shown(data)}, not a mapping", "Start it with `networks:`")
        networks = data.get("networks")
        self._ledger: object = data.get(_LEDGER)
        self._raw: dict[str, Any] = networks if isinstance(networks, dict) else {}
        self._yaml_problems: defaultdict[str, list[Problem]] = defaultdict(list)
        self._problems: list[Problem] = []
        for problem in problems:
            name = problem.path.removeprefix("networks.").partition(".")[0].partition("[")[0]
            of_network = problem.path.startswith("networks.") and name in self._raw
            (self._yaml_problems[name] if of_network else self._problems).append(problem)
        self._problems += _problems_around(data, self._raw)
        enabled = (self._raw[name] for name in self.enabled)
        self._gateways = Counter(_gateway(raw) for raw in enabled if isinstance(raw, dict))
        self._own = cache(self._validated)
        self._shared = cache(self._same_signers)

    @property
    def names(self) -> tuple[str, ...]:
        """The networks, also those with mistakes."""
        return tuple(self._raw)

    @property
    def enabled(self) -> tuple[str, ...]:
        """The networks that are not disabled, also those with mistakes."""
        return tuple(name for name in self._raw if self._is_enabled(name))

    @property
    def ledger_conn_id(self) -> str | None:
        """The connection of the ledger, as the file names it. Mistakes in the settings of networks do not count.

        :raises ConfigError: a mistake is outside of the networks, or `ledger_conn_id` may be written below a network. Another ledger
            would not know the paid eras.
        """
        around = [problem for problem in self._problems if problem.path != "networks"]
        if not around and self._ledger is None:
            inside = [problem for name in self._raw for problem in self._own(name)[1]]
            around = [problem for problem in inside if may_be_ledger(problem, _LEDGER)]
        if around:
            raise all_in_one(self.path, around)
        return None if self._ledger is None else str(self._ledger)

    def has_changed(self) -> bool:
        """Whether the file, or a file that it names, may have changed since it was read."""
        return any(stamp is None or stamp != _stamp(path) for path, stamp in self._stamps.items())

    def check_around(self) -> None:
        """Raise ConfigError if a mistake is outside of the settings of networks."""
        if self._problems:
            raise all_in_one(self.path, self._problems)

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
        problems = self._blocking(name)
        if check_accounts:
            problems += self._role_problems(name)
        if watched:
            problems += self._watched(name)[1]
        network = self._own(name)[0]
        if problems or network is None:
            raise all_in_one(self.path, list(dict.fromkeys(problems)))
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
        found, problems = self._watched(name)
        return found, all_in_one(self.path, problems) if problems else None

    def mistakes(self, *, check_accounts: bool = True) -> ConfigError | None:
        """All mistakes of the file in one error; None without any.

        :param check_accounts: whether to check checksums of accounts, and whether two spellings name one account.
        """
        problems: list[Problem] = []
        for name in self._raw:
            problems += self._blocking(name)
            problems += self._role_problems(name) if check_accounts else []
            problems += self._watched(name, checksums=check_accounts)[1]
        problems += self._problems
        return all_in_one(self.path, list(dict.fromkeys(problems))) if problems else None

    def mistakes_of_networks(self) -> ConfigError | None:
        """The mistakes that stop networks, in one error; None without any. Checksums of accounts are not checked."""
        problems = [problem for name in self._raw for problem in self._blocking(name)]
        return all_in_one(self.path, list(dict.fromkeys(problems))) if problems else None

    # --- one network ---------------------------------------------------------------------------------------------------

    def _blocking(self, name: str) -> list[Problem]:
        """The mistakes that stop a network."""
        return [*self._own(name)[1], *self._sharing_problems(name)]

    def _validated(self, name: str) -> tuple[NetworkConfig | None, list[Problem]]:
        """The settings as the file has them, and their mistakes; the checksums of accounts are not checked."""
        raw, lines = self._raw[name], None
        problems = list(self._yaml_problems[name])
        if isinstance(raw, dict):
            file, accounts = raw.get("accounts_file"), raw.get("accounts")
            if isinstance(file, str):
                raw = {"accounts": [], **raw}
                lines = self._account_lines(
                    f"networks.{shown_key(name)}.accounts_file", self.path.parent / file, problems
                )
            elif accounts == []:
                remedy = "Write at least one account, or remove it and name an accounts_file"
                problems.append(Problem(f"networks.{shown_key(name)}.accounts", "the list is empty", remedy))
            if isinstance(accounts, list):
                problems += _repeated(name, accounts)
        try:
            network = Config.model_validate({"networks": {name: raw}}).networks[name]
        except ValidationError as error:
            return None, [*problems, *translate(error)]
        network.set_file(str(self.path))
        if lines is not None:
            network.set_lines(lines)
        return network, problems

    def _account_lines(self, field: str, path: Path, problems: list[Problem]) -> AccountLines | None:
        try:
            lines = self._read(path, field, AccountLines)
        except ConfigError as error:
            problems.append(Problem(error.field, error.problem, error.remedy))
            return None
        if next(lines.entries(), None) is None:
            problems.append(Problem(field, "the file holds no account", "Write one account per line"))
        return lines

    def _role_problems(self, name: str) -> list[Problem]:
        """Wrong checksums of the accounts that pay."""
        raw = self._raw[name]
        given = {role: raw.get(role) for role in _ROLES} if isinstance(raw, dict) else {}
        return [
            problem
            for role, text in given.items()
            if isinstance(text, str) and ADDRESS.match(text)
            for problem in _account_or_problem(text, f"networks.{shown_key(name)}.{role}")[1]
        ]

    def _watched(self, name: str, *, checksums: bool = True) -> tuple[dict[AccountId, str], list[Problem]]:
        """Valid accounts with their texts, and the mistakes that stop no network."""
        found: dict[AccountId, str] = {}
        problems: list[Problem] = []
        first: dict[str, str] = {}
        for path, text, mistakes in self._entries(name):
            problems += mistakes
            if mistakes or not ADDRESS.match(text):
                continue
            key = text.removeprefix("0x").lower() if is_public_key(text) else text
            if checksums:
                in_file = "_file, line " in path
                account, wrong = _account_or_problem(text, path if in_file else f"{path}.account")
                problems += wrong
                if account is None:
                    continue
                key = account.hex
                found.setdefault(account, text)
            earlier = first.setdefault(key, path)
            if earlier != path:
                problems.append(_again(path, earlier))
        return found, problems

    def _entries(self, name: str) -> Iterator[tuple[str, str, list[Problem]]]:
        """Path, account and mistakes of the accounts. Listed accounts were validated with the network."""
        raw, network = self._raw[name], self._own(name)[0]
        listed = raw.get("accounts") if isinstance(raw, dict) else None
        for index, entry in enumerate(listed if isinstance(listed, list) else []):
            text = entry.get("account") if isinstance(entry, dict) else entry
            yield f"networks.{shown_key(name)}.accounts[{index}]", text if isinstance(text, str) else "", []
        if network is not None:
            for number, settings in network.account_lines.entries():
                path = f"networks.{shown_key(name)}.accounts_file, line {number}"
                yield path, settings["account"], _mistakes_of(settings, path)

    # --- networks together ---------------------------------------------------------------------------------------------

    def _is_enabled(self, name: str) -> bool:
        raw = self._raw[name]
        return not isinstance(raw, dict) or raw.get("enabled", True) is not False

    def _sharing_problems(self, name: str) -> list[Problem]:
        """Two networks behind one gateway may share neither user nor payer, because these have one sequence of nonces."""
        for role, names in self._signers(name):
            sound = [one for one in names if not self._own(one)[1]]
            if len(sound) < 2 or name not in sound:
                continue
            owner = sound[0]
            other = sound[1] if name == owner else name
            problem = f"{other} has the {role} of {owner}, behind the same gateway"
            return [Problem("networks", problem, f"Give each network a {role} of its own, or disable one of the two")]
        return []

    def _signers(self, name: str) -> Iterator[tuple[str, Sequence[str]]]:
        """Role, and the networks that share a network's signer of this role."""
        raw = self._raw[name]
        # A network with its own gateway shares no signer: the key library is not loaded.
        if isinstance(raw, dict) and self._gateways[_gateway(raw)] > 1:
            for role in _ROLES[1:]:
                if len(names := self._shared().get(_signer(raw, role), ())) > 1:
                    yield role, names

    def _same_signers(self) -> Mapping[tuple[str, ...], Sequence[str]]:
        """Gateway, role and account to the enabled networks with these."""
        found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in self.enabled:
            if isinstance(raw := self._raw[name], dict) and self._gateways[_gateway(raw)] > 1:
                for role in _ROLES[1:]:
                    found[_signer(raw, role)].append(name)
        return found

    def _read(self, path: Path, field: str, read: Callable[[bytes], _T]) -> _T:
        # Errors do not quote the path: that of an accounts file may be a secret in the wrong place.
        self._stamps[path] = _stamp(path, settled_at=time.time_ns() - _SETTLED)
        try:
            return read(path.read_bytes())
        except FileNotFoundError:
            raise ConfigError(field, "there is no file of this name", "Create it, or correct the path") from None
        except UnicodeDecodeError as error:
            raise ConfigError(field, f"the file is not UTF-8 at byte {error.start}", "Save it as UTF-8") from None
        except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
            reason = getattr(error, "strerror", None) or "its path is not valid"
            raise ConfigError(field, f"the file cannot be read: {reason}", "Check path, file and rights") from None


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig")


def _stamp(path: Path, *, settled_at: int | None = None) -> tuple[int, ...] | None:
    """A value that changes with the file, empty without a file; None for a file that has changed since `settled_at`."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    if settled_at is not None and found.st_mtime_ns > settled_at:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _problems_around(data: dict[str, Any], networks: dict[str, Any]) -> list[Problem]:
    """The mistakes outside of the settings of networks."""
    try:
        Config.model_validate({**data, "networks": {}} if networks else data)
    except ValidationError as error:
        return [problem for problem in translate(error) if not (networks and problem.path == "networks")]
    return []


def _repeated(name: str, accounts: list[Any]) -> list[Problem]:
    """Listed accounts with the text of an earlier one."""
    first: dict[str, int] = {}
    problems = []
    for index, entry in enumerate(accounts):
        text = entry.get("account") if isinstance(entry, dict) else entry
        if isinstance(text, str):
            earlier = first.setdefault(text.lower() if text.startswith("0x") else text, index)
            if earlier != index:
                problems.append(_again(*(f"networks.{shown_key(name)}.accounts[{one}]" for one in (index, earlier))))
    return problems


def _again(path: str, earlier: str) -> Problem:
    return Problem(path, f"the account of {earlier} again", "Keep one of the two")


def _mistakes_of(settings: dict[str, str], path: str) -> list[Problem]:
    try:
        WatchedAccount.model_validate(settings)
    except ValidationError as error:
        return translate(error, above=("networks", "", "accounts", 0), path=path)
    return []


def _account_or_problem(text: str, path: str) -> tuple[AccountId | None, list[Problem]]:
    try:
        return AccountId.parse(text), []
    except InvalidAccount as error:
        return None, [Problem(path, error.problem, error.remedy)]


def _gateway(raw: dict[str, Any]) -> str:
    return str(raw.get("gateway_conn_id", NetworkConfig.model_fields["gateway_conn_id"].default))


def _signer(raw: dict[str, Any], role: str) -> tuple[str, ...]:
    text = raw.get(role)
    return _gateway(raw), role, status_key(text) if isinstance(text, str) and ADDRESS.match(text) else shown(text)
