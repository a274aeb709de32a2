"""`airflow staking plan` and `airflow staking catch-up`: what is owed, and paying it from the command line."""

from __future__ import annotations

from contextlib import ExitStack, closing
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway_provider.commands.output import report_errors, say, show
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.networks import network_config, network_plan, open_ledger

if TYPE_CHECKING:
    from argparse import Namespace

    from staking_gateway import GatewayClient
    from staking_gateway.catch_up import Request
    from staking_gateway.eras import EraCalendar
    from staking_gateway.ledger import Actor, Ledger
    from staking_gateway.planning import CatchUpPlan
    from staking_gateway.settings import NetworkConfig
    from staking_gateway.terms import PayoutTerms


@report_errors
def plan(arguments: Namespace) -> None:
    """`airflow staking plan`: show what would be paid, or pay exactly that with `--approve`."""
    with _Session(arguments) as session:
        made = session.plan()
        if arguments.approve is None:
            session.keep(made)
            _show_plan(made, session.config.calendar, arguments.output)
            return
        session.check(made, arguments.approve)
        session.pay(made)


@report_errors
def catch_up(arguments: Namespace) -> None:
    """`airflow staking catch-up`: plan and pay; ends with status 1 when something is owed still."""
    with _Session(arguments) as session:
        made = session.plan()
        for line in made.lines():
            say(line)
        session.keep(made)
        session.pay(made)


class _Session:
    """Everything a command about one network needs, closed at its end."""

    def __init__(self, arguments: Namespace) -> None:
        from staking_gateway.ledger import Actor

        self._arguments = arguments
        self.config: NetworkConfig = network_config(arguments.network)
        self._name: str = arguments.network
        self._actor: Actor = Actor(f"airflow staking/{datetime.now(timezone.utc).isoformat(timespec='microseconds')}")
        self._stack = ExitStack()
        self._ledger: Ledger
        self._client: GatewayClient
        self._terms: PayoutTerms

    def __enter__(self) -> _Session:
        with ExitStack() as stack:
            self._ledger = stack.enter_context(closing(open_ledger(self._arguments.ledger_conn_id)))
            hook = StakingGatewayHook(self.config.gateway_conn_id)
            self._client = stack.enter_context(hook.get_conn())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *failure: object) -> None:
        self._stack.close()

    def plan(self) -> CatchUpPlan:
        self._terms, made = network_plan(
            self._name,
            self.config,
            client=self._client,
            ledger=self._ledger,
            request=_request(self._arguments, self.config),
            actor=self._actor,
        )
        return made

    def keep(self, made: CatchUpPlan) -> None:
        self._ledger.journal.keep_plan(self._name, made.hash, made.as_dict(), self._actor)

    def check(self, made: CatchUpPlan, approved: str) -> None:
        from staking_gateway.planning import check_approval

        check_approval(self._ledger.journal, approved, made)

    def pay(self, made: CatchUpPlan) -> None:
        from staking_gateway.catch_up import Patience, pay_in_turn, write_notices
        from staking_gateway.payouts import PayoutEngine
        from staking_gateway.report import catch_up_report
        from staking_gateway.signing import ProofMaker

        notices = write_notices(made, self._ledger, self._actor)
        for notice in notices:
            say(notice)
        outcomes = []
        if made.eras:
            user, payer = self.config.user_signer_conn_id, self.config.payer_signer_conn_id
            proofs = ProofMaker(StakingSignerHook(user).get_conn(), StakingSignerHook(payer).get_conn())
            engine = PayoutEngine(self._terms, self._client, proofs, self._ledger, self._actor)
            timing = self.config.timing
            patience = Patience(timing.window_timeout, timing.confirmation_timeout)
            for outcome in pay_in_turn(engine, made.eras, patience=patience, on_wait=lambda wait: say(wait.message)):
                say(f"era {outcome.era}: {outcome.outcome.value} {outcome.reason}".rstrip())
                outcomes.append(outcome.as_dict())
        report = catch_up_report({**made.as_dict(), "dry_run": False}, notices, outcomes)
        report.raise_if_red()
        if made.later:
            raise SystemExit(f"{len(made.later)} eras are left for the next time")


def _request(arguments: Namespace, config: NetworkConfig) -> Request:
    from staking_gateway.catch_up import Request
    from staking_gateway.planning import Budget

    budget = Budget(
        config.catch_up.max_eras if arguments.max_eras is None else arguments.max_eras,
        config.catch_up.max_fees if arguments.max_fees is None else arguments.max_fees,
    )
    return Request(arguments.from_era, arguments.to_era, budget)


def _show_plan(made: CatchUpPlan, calendar: EraCalendar, output: str) -> None:
    if output in ("json", "yaml"):
        show([made.as_dict()], output)
        return
    say(made.lines()[0])
    rows: list[dict[str, Any]] = [
        {
            "era": owed.era,
            "action": action,
            "eras left": owed.countdown.eras_left,
            "expires": f"{owed.countdown.expires_at(calendar):%Y-%m-%d %H:%M} UTC",
            "why": owed.why,
        }
        for action, group in (("pay", made.pay), ("later", made.later))
        for owed in group
    ]
    rows += [{"era": era, "action": "expired", "eras left": 0, "expires": "", "why": "gone"} for era in made.expired]
    show(rows, output)
    for note in made.notes:
        say(f"Note: {note}")
    if made.pay:
        say(
            f"To pay exactly this: airflow staking plan --network {made.network} --approve {made.hash}, with the same options"
        )
