"""What the checks look at: facts of the installation and of a network. Each is read once, when a check first asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from airflow.models.errors import ParseImportError
from airflow.utils.session import create_session

from staking_gateway.config.file import ConfigFile
from staking_gateway.config.models import NetworkConfig
from staking_gateway.eras import utc_now
from staking_gateway.errors import ConfigError, GatewayError, StakingGatewayError
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.health.overview import Overview
from staking_gateway.health.state import LiveFacts, NetworkState, read_facts
from staking_gateway.http.session import Session
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.schema import HEAD, schema_version
from staking_gateway.problem import Level, Problem, Topic
from staking_gateway.types import ChainInfo
from staking_gateway_provider.connections import ConnectionFields, GatewayExtras, find_connection
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.ledger_identity import LedgerPlace, check_ledger
from staking_gateway_provider.networks import ledger_place, read_config
from staking_gateway_provider.ui.runs import read_airflow

Said = str | Problem
"""What a check yields: a text about what is well, or a problem. A problem of level `OK` is a note."""
T = TypeVar("T")


class Unknown(Exception):
    """A fact cannot be read. The check that first asked for it has told why."""


class fact(cached_property[T]):  # noqa: N801 - a decorator
    """A property that is read once: the first who asks gets its value or its error, all others the value or `Unknown`."""

    def __get__(self, case: object, owner: type | None = None) -> T:  # type: ignore[override]
        failed: dict[str, Problem] = vars(case).setdefault("failed", {})
        if self.attrname in failed:
            raise Unknown(self.attrname)
        try:
            value: T = super().__get__(case, owner)
        except StakingGatewayError as error:
            failed[str(self.attrname)] = error.problem
            raise
        return value


class Check(NamedTuple):
    """A check, which signs, sends and changes nothing. `run` takes the `Installation` or, of a network, the `Case`."""

    name: str
    of_network: bool
    run: Callable[..., Iterator[Said]]


CHECKS: list[Check] = []
"""All checks in their order: what comes first may explain the rest."""


def check(
    name: str, *, of_network: bool = True
) -> Callable[[Callable[..., Iterator[Said]]], Callable[..., Iterator[Said]]]:
    """Make a function a check."""

    def add(run: Callable[..., Iterator[Said]]) -> Callable[..., Iterator[Said]]:
        CHECKS.append(Check(name, of_network, run))
        return run

    return add


def note(topic: Topic, text: str, remedy: str = "") -> Problem:
    """Something to know that is no problem, or not yet."""
    return Problem(topic, text, level=Level.OK, own_remedy=remedy)


def warning(topic: Topic, text: str, remedy: str = "") -> Problem:
    """A problem that stops no payout now."""
    return Problem(topic, text, level=Level.ATTENTION, own_remedy=remedy)


class Installation:
    """What all networks share. `network` is the only network to examine; None: all enabled ones."""

    def __init__(self, network: str | None = None, clock: Callable[[], datetime] = utc_now) -> None:
        self.network = network
        self.clock = clock
        self.stack = ExitStack()

    @fact
    def file(self) -> ConfigFile:
        """The settings' file, without a mistake outside of the networks."""
        return read_config()

    @fact
    def settings(self) -> dict[str, NetworkConfig | ConfigError]:
        """The settings of the networks to examine, or their mistakes."""
        names = self.file.names if self.network is None else [self.network]
        return {name: self._settings(name) for name in names}

    def _settings(self, name: str) -> NetworkConfig | ConfigError:
        try:
            return self.file.network(name, watched=True)
        except ConfigError as error:
            return error

    def networks(self) -> dict[str, NetworkConfig]:
        """The networks to examine that have no mistake."""
        try:
            found = {name: one for name, one in self.settings.items() if isinstance(one, NetworkConfig)}
        except Unknown:
            return {}
        return {name: one for name, one in found.items() if self.network or one.enabled}

    @fact
    def place(self) -> LedgerPlace:
        """Where the ledger is."""
        return ledger_place()

    @fact
    def recorded(self) -> bool:
        """Whether the ledger is recorded as the one that pays; another one's record is an error."""
        return check_ledger(self.place)

    @fact
    def schema(self) -> str | None:
        """The version of the ledger's tables; None: it has none."""
        _ = self.recorded
        return schema_version(self.place.url)

    @fact
    def ledger(self) -> Ledger:
        """The ledger; an empty one in place of one that the first run will make."""
        url = self.place.url
        if self.schema not in (None, HEAD):
            raise Unknown
        if self.schema is None:
            url = f"sqlite:///{self.stack.enter_context(TemporaryDirectory())}/empty.db"
        return self.stack.enter_context(closing(Ledger(url)))

    @fact
    def import_errors(self) -> dict[str, str] | None:
        """Files that Airflow cannot import, and why; None: its metadata database cannot be read."""
        try:
            with create_session() as session:
                query = sa.select(ParseImportError.filename, ParseImportError.stacktrace)
                return {file or "": text or "" for file, text in session.execute(query)}
        except sa.exc.SQLAlchemyError:
            return None


class Case:
    """One network, with its settings."""

    def __init__(self, setup: Installation, name: str, config: NetworkConfig) -> None:
        self.failed: dict[str, Problem] = {}
        self.setup = setup
        self.name = name
        self.config = config

    @fact
    def extras(self) -> GatewayExtras:
        """The extras of the gateway's connection."""
        connection = find_connection("gateway_conn_id", self.config.gateway_conn_id)
        return ConnectionFields(connection, GatewayExtras).extras

    @fact
    def client(self) -> Gateway:
        """The gateway, not asked yet."""
        _ = self.extras
        return self.setup.stack.enter_context(StakingGatewayHook(self.config.gateway_conn_id).get_conn())

    @fact
    def clock_offset(self) -> float | None:
        """Seconds by which this machine is ahead of the gateway; None: it does not report its time."""
        return read_offset(self.client.base_url, self.extras.ca_bundle)

    @fact
    def chain(self) -> ChainInfo | None:
        """The chain that the gateway serves: its first answer. None: it does not say."""
        return self.client.chain_info(strict=True)

    @fact
    def gateway(self) -> Gateway:
        """The gateway, which answers and takes the token."""
        _ = self.chain
        return self.client

    @fact
    def live(self) -> LiveFacts:
        """What the gateway reports now."""
        try:
            return read_facts(self.gateway, self.config, clock=self.setup.clock)
        except Unknown:
            return LiveFacts(problem=next(iter(self.failed.values())))

    def judged(self, problems: list[Problem]) -> Overview:
        """The page's judgement of the network with these problems of its set-up."""
        ledger, now, airflow = self.setup.ledger, self.setup.clock(), partial(read_airflow, self.name)
        state = NetworkState(self.name, self.config, ledger, self.live, now=now, airflow=airflow, setup=problems)
        return Overview(state)


def read_offset(
    base_url: str, ca_bundle: str | None = None, *, read_clock: Callable[[], float] = time.time
) -> float | None:
    """Seconds by which this machine is ahead of the gateway, by the `Date` of an answer (RFC 9110, 6.6.1); None without one. No token is sent."""
    with Session(base_url, (5, 10, 10), 1 << 20, ca_bundle) as session:
        before = read_clock()
        try:
            answer = session.ask("GET")
            told = parsedate_to_datetime(answer.headers["Date"]).timestamp()
        except (GatewayError, KeyError, ValueError, TypeError):
            return None
        # The header has whole seconds, cut off.
        return (before + read_clock()) / 2 - (told + 0.5)
