"""What the commands about one network share."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from staking_gateway_provider.commands.output import progress, say, tell
from staking_gateway_provider.executors import check_sharing
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.networks import ledger_url, network_config

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from staking_gateway import GatewayClient
    from staking_gateway.catch_up.plan import CatchUpPlan
    from staking_gateway.catch_up.survey import Request
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.payout.outcomes import EraOutcome, Wait
    from staking_gateway.payout.terms import PayoutTerms


class NetworkSession:
    """Settings, ledger and gateway of a network; the last two are closed at the end of the block.

    :param arguments: of the command: `network` and `ledger_conn_id`.
    :param pays: whether eras are paid: then the network must be enabled, and the ledger one that tasks have, too.
    """

    def __init__(self, arguments: Namespace, *, pays: bool = False) -> None:
        from staking_gateway.ledger import Actor

        self._pays = pays

        self._ledger_conn_id: str | None = arguments.ledger_conn_id
        self.name: str = arguments.network
        self.config: NetworkConfig = network_config(arguments.network)
        if pays:
            self.config.check_enabled(arguments.network)
        self.actor: Actor = Actor(f"airflow staking/{datetime.now(timezone.utc).isoformat(timespec='microseconds')}")
        self.ledger: Ledger
        self.client: GatewayClient
        self._stack = ExitStack()

    def __enter__(self) -> NetworkSession:
        from staking_gateway.ledger import Ledger

        url = ledger_url(self._ledger_conn_id)
        if self._pays:
            check_sharing(url, None)
        with ExitStack() as stack:
            self.ledger = stack.enter_context(closing(Ledger(url)))
            self.client = stack.enter_context(StakingGatewayHook(self.config.gateway_conn_id).get_conn())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def plan(self, request: Request) -> tuple[PayoutTerms, CatchUpPlan]:
        """What is owed and would be paid, and the terms of that."""
        from staking_gateway.catch_up.survey import plan_network

        return plan_network(self.name, self.config, client=self.client, ledger=self.ledger, request=request)

    def plan_by_calendar(self) -> CatchUpPlan:
        """What is owed as far as ledger and calendar know, for a gateway that does not answer; nobody tells the fee."""
        from staking_gateway.catch_up.survey import Request, plan_network

        return plan_network(self.name, self.config, client=None, ledger=self.ledger, request=Request())[1]

    def terms(self, *, again: bool = False) -> PayoutTerms:
        """The terms of a payout that is asked for by its era.

        :param again: sign although the part is held for a person to decide.
        :raises ConfigError: an anchor of the calendar was edited.
        """
        from staking_gateway.payout.lanes import chain_of
        from staking_gateway.payout.terms import terms_of

        self.ledger.journal.check_calendar(self.name, self.config.calendar)
        terms = terms_of(self.name, self.config)
        return replace(terms, chain=chain_of(self.client, self.ledger, self.name), again=again)

    def pay(self, terms: PayoutTerms, eras: Sequence[int]) -> list[EraOutcome]:
        """Pay eras in turn, in this process, and tell each as it ends."""
        from staking_gateway.payout.drive import Patience, pay_era
        from staking_gateway.payout.engine import PayoutEngine
        from staking_gateway.signing import ProofMaker

        self.ledger.journal.agree_on_calendar(self.name, self.config.calendar, self.actor)
        user, payer = self.config.user_signer_conn_id, self.config.payer_signer_conn_id
        proofs = ProofMaker(
            StakingSignerHook(user, field="user_signer_conn_id").get_conn(),
            StakingSignerHook(payer, field="payer_signer_conn_id").get_conn(),
        )
        engine = PayoutEngine(terms, self.client, proofs, self.ledger, self.actor)
        timing = self.config.timing
        patience = Patience(timing.window_timeout, timing.confirmation_timeout)
        outcomes = []
        with progress(f"Paying eras of {self.name}", len(eras)) as step:
            for era in eras:
                outcome = pay_era(engine, era, patience=patience, on_wait=_tell_wait)
                say(f"era {outcome.era}: {outcome.outcome.value} {outcome.reason}".rstrip())
                outcomes.append(outcome)
                step()
        return outcomes


def _tell_wait(wait: Wait) -> None:
    tell(wait.message)
