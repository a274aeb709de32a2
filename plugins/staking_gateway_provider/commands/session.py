"""Settings, ledger and gateway for the commands of one network."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timezone

from staking_gateway.catch_up.plan import CatchUpPlan, Request
from staking_gateway.catch_up.survey import plan_network
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import InvalidInput
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger
from staking_gateway.payout.drive import pay_eras
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.lanes import chain_of
from staking_gateway.payout.outcomes import EraOutcome
from staking_gateway.payout.terms import PayoutTerms, terms_of
from staking_gateway.text import Token, shown
from staking_gateway_provider.commands.output import for_people, progress, say, tell, working
from staking_gateway_provider.live_facts import note_eras
from staking_gateway_provider.networks import enabled_names, network_config, open_network, patience_of, proof_maker
from staking_gateway_provider.settings import read_config


def chosen_network(arguments: Namespace) -> str:
    """The network of `--network`, or the only enabled one.

    :raises InvalidInput: the option is missing, and not exactly one network is enabled.
    """
    if arguments.network is None:
        enabled = enabled_names()
        if len(enabled) != 1:
            raise InvalidInput(
                "network",
                f"{len(enabled)} networks are enabled: {', '.join(enabled)}" if enabled else "no network is enabled",
                f"Add --network with one of: {', '.join(read_config().names) or 'none yet'}",
            )
        return enabled[0]
    name: str = arguments.network
    return name


def unknown_network(name: str) -> InvalidInput:
    """The refusal of a network that neither the settings nor the ledger have."""
    return InvalidInput(
        "network", f"neither staking.yaml nor the ledger has a network {shown(name)}", "Write a name of staking.yaml"
    )


def command_actor() -> Actor:
    """The author of a change by a command that runs now."""
    return Actor(f"airflow staking/{datetime.now(timezone.utc).isoformat(timespec='microseconds')}")


def token_of(ledger: Ledger, network: str, config: NetworkConfig | None) -> Token | None:
    """The token in which people see amounts: of staking.yaml, else the newest that the ledger has."""
    return (config.token if config else None) or ledger.reports.token(network)


class NetworkSession:
    """Settings, open ledger and gateway client of a network. `pays` requires an enabled network, and a ledger that all tasks share."""

    ledger: Ledger
    client: Gateway

    def __init__(self, arguments: Namespace, *, pays: bool = False) -> None:
        self._pays = pays
        self._ledger_conn_id: str | None = arguments.ledger_conn_id
        self._stack = ExitStack()
        self.name: str = chosen_network(arguments)
        self.for_people = for_people(arguments.output)
        self.config: NetworkConfig = network_config(self.name)
        if pays:
            self.config.check_enabled(self.name)
        self.actor = command_actor()

    def __enter__(self) -> NetworkSession:
        opened = open_network(self.config.gateway_conn_id, self._ledger_conn_id, pays=self._pays)
        self.ledger, self.client = self._stack.enter_context(opened)
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    @property
    def token(self) -> Token | None:
        """The token in which people see amounts."""
        return token_of(self.ledger, self.name, self.config)

    def plan(self, request: Request) -> tuple[PayoutTerms, CatchUpPlan]:
        """The terms of a catch-up, and its plan."""
        with working(f"Finding the unpaid eras of {self.name}"):
            return plan_network(self.name, self.config, gateway=self.client, ledger=self.ledger, request=request)

    def terms(self, *, again: bool = False) -> PayoutTerms:
        """The terms of the payout of a named era; `again` signs a part that is held until a person decides."""
        self.ledger.journal.check_calendar(self.name, self.config.calendar)
        terms = terms_of(self.name, self.config)
        chain = chain_of(self.client, self.ledger, self.name)
        return replace(terms, chain=chain, again=again, calendar=None if again else terms.calendar)

    def pay(self, terms: PayoutTerms, eras: Sequence[int]) -> list[EraOutcome]:
        """Pay eras in turn, in this process, and print the outcome of each for people."""
        self.ledger.journal.agree_on_calendar(self.name, self.config.calendar, self.actor)
        proofs = proof_maker(self.config.user_signer_conn_id, self.config.payer_signer_conn_id)
        engine = PayoutEngine(terms, self.client, proofs, self.ledger, self.actor)
        outcomes = []
        paid = pay_eras(engine, eras, patience=patience_of(self.config), on_wait=lambda wait: tell(wait.message))
        with progress(f"Paying eras of {self.name}", len(eras)) as step:
            for outcome in paid:
                if self.for_people:
                    say(f"era {outcome.era}: {outcome.outcome.value} {outcome.reason}".rstrip())
                outcomes.append(outcome)
                step()
        note_eras(self.name, self.config, eras, ledger=self.ledger, actor=self.actor)
        return outcomes
