"""Paying an era."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NoReturn

from airflow.sdk import conf

from staking_gateway.errors import EraNotPaid, InvalidEra, InvalidInput
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.networks import open_ledger, payout_terms, run_actor
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.triggers.election import ElectionWindowTrigger
from staking_gateway_provider.triggers.payout import PauseTrigger, PayoutConfirmationTrigger
from staking_gateway_provider.triggers.polling import EventStatus, read_event

if TYPE_CHECKING:
    from airflow.triggers.base import BaseTrigger

    from staking_gateway.outcomes import EraOutcome, Wait
    from staking_gateway.settings import NetworkConfig
    from staking_gateway.signing import ProofMaker, Proofs
    from staking_gateway.terms import PayoutTerms

_DEFER_GRACE_SECONDS = 120
"""The triggerer ends a wait at its deadline; Airflow's own time-out only has to catch a triggerer that is gone."""


class PayoutStakersOperator(StakingOperator):
    """Pays an era's stakers, exactly once per part, and returns the outcome as a dictionary.

    The payout engine and its ledger decide what is sent; this operator drives them. It submits in the worker, waits deferred
    (or in place with `deferrable=False`), and fails with `EraNotPaid` on every outcome but PAID and ALREADY_PAID. The outcome is
    also in the XCom `outcome`, whether the task fails or not.

    :param era: era to pay; templated; the run's partition key when left out.
    :param network: name of a network in `staking.yaml`, which then sets all that is left out below. Without the file it is just
        the name the ledger knows the network by.
    :param relayer: SS58 address or 0x public key of the relayer; likewise `user` and `payer`. Give all three or none.
    :param user_signer_conn_id: connection (staking_signer) that signs for the user; likewise `payer_signer_conn_id`.
    :param proxy_signature: ready-made proof of the user, together with `fee_payment_signature` and `payment_nonce`, instead of
        the two signers.
    :param max_fee_per_payout: nothing is signed above this fee, in the smallest unit.
    :param poll_interval: seconds between two questions while waiting.
    :param window_timeout: seconds to wait for the closed election window.
    :param confirmation_timeout: seconds to wait for the confirmation of what was sent.
    :param deferrable: wait without holding a worker slot.
    """

    template_fields: Sequence[str] = (
        "era",
        "network",
        "gateway_conn_id",
        "relayer",
        "user",
        "payer",
        "user_signer_conn_id",
        "payer_signer_conn_id",
        "payment_nonce",
    )

    def __init__(
        self,
        *,
        era: int | str | None = None,
        relayer: str | None = None,
        user: str | None = None,
        payer: str | None = None,
        user_signer_conn_id: str | None = None,
        payer_signer_conn_id: str | None = None,
        proxy_signature: str | None = None,
        fee_payment_signature: str | None = None,
        payment_nonce: int | str | None = None,
        max_fee_per_payout: int | None = None,
        ledger_conn_id: str | None = None,
        poll_interval: float | None = None,
        window_timeout: float | None = None,
        confirmation_timeout: float | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.era = era
        self.relayer = relayer
        self.user = user
        self.payer = payer
        self.user_signer_conn_id = user_signer_conn_id
        self.payer_signer_conn_id = payer_signer_conn_id
        self.proxy_signature = proxy_signature
        self.fee_payment_signature = fee_payment_signature
        self.payment_nonce = payment_nonce
        self.max_fee_per_payout = max_fee_per_payout
        self.ledger_conn_id = ledger_conn_id
        self.poll_interval = poll_interval
        self.window_timeout = window_timeout
        self.confirmation_timeout = confirmation_timeout
        self.deferrable = deferrable

    def execute(self, context: Any) -> dict[str, Any]:
        """Pay, and wait as long as it takes.

        :raises EraNotPaid: the outcome is not green.
        """
        return self._drive(context, {})

    def execute_complete(self, context: Any, event: Any, deadlines: dict[str, float] | None = None) -> dict[str, Any]:
        """Go on after a wait.

        :param deadlines: when each kind of wait ends, in seconds since 1970; none has begun when left out.
        :raises ValueError: the event is missing or of an unknown kind.
        """
        status, message = read_event(event)
        self.log.info("Woken: %s", message)
        if status is EventStatus.FAILED:
            raise InvalidInput("connection", message, "Correct the connection and clear this task")
        return self._drive(context, deadlines or {}, timed_out=status is EventStatus.TIMEOUT)

    def _drive(self, context: Any, deadlines: dict[str, float], *, timed_out: bool = False) -> dict[str, Any]:
        """Advance the engine until it has an outcome. After a time-out it is asked once more, then the wait is given up."""
        from staking_gateway.outcomes import Wait
        from staking_gateway.payouts import PayoutEngine

        config = self._network_settings()
        terms = self._terms(config)
        era = self.era_of(context, self.era)
        if era is None:
            raise InvalidEra("era", "is not given and this run has no partition key", "Pass era=...")
        with ExitStack() as stack:
            ledger = open_ledger(self.ledger_conn_id)
            stack.callback(ledger.close)
            client = stack.enter_context(StakingGatewayHook(self.conn_id(config)).get_conn())
            engine = PayoutEngine(terms, client, self._proofs(config), ledger, run_actor(context))
            step = engine.advance(era)
            while isinstance(step, Wait):
                deadline = self._deadline(config, step, deadlines)
                if timed_out or time.time() >= deadline:
                    return self._finish(context, engine.abandon(era, step))
                self.log.info("Waiting: %s", step.message)
                if self.deferrable:
                    self._defer(terms, config, era, step, deadlines)
                time.sleep(max(0.0, min(step.retry_in.total_seconds(), deadline - time.time())))
                step = engine.advance(era)
        return self._finish(context, step)

    def _finish(self, context: Any, result: EraOutcome) -> dict[str, Any]:
        outcome = result.as_dict()
        context["ti"].xcom_push(key="outcome", value=outcome)
        self.log.info("Era %s of %s: %s %s", result.era, result.network, result.outcome.value, result.reason)
        if not result.outcome.is_green:
            raise EraNotPaid(network=result.network, era=result.era, outcome=result.outcome.value, reason=result.reason)
        return outcome

    # --- waiting -----------------------------------------------------------------------------------------------------

    def _deadline(self, config: NetworkConfig | None, wait: Wait, deadlines: dict[str, float]) -> float:
        from staking_gateway.outcomes import WaitFor

        kind = "window" if wait.reason is WaitFor.WINDOW else "confirmation"
        if kind not in deadlines:
            deadlines[kind] = time.time() + self._patience(config, kind)
        return deadlines[kind]

    def _patience(self, config: NetworkConfig | None, kind: str) -> float:
        given = self.window_timeout if kind == "window" else self.confirmation_timeout
        if given is not None:
            return given
        if config is None:
            return 12 * 3600 if kind == "window" else 1800
        timing = config.timing
        return (timing.window_timeout if kind == "window" else timing.confirmation_timeout).total_seconds()

    def _defer(
        self, terms: PayoutTerms, config: NetworkConfig | None, era: int, wait: Wait, deadlines: dict[str, float]
    ) -> NoReturn:
        from staking_gateway.outcomes import WaitFor

        deadline = self._deadline(config, wait, deadlines)
        polling: dict[str, Any] = {
            "gateway_conn_id": self.conn_id(config),
            "poll_interval": terms.poll_interval.total_seconds(),
            "deadline": deadline,
        }
        trigger: BaseTrigger
        if wait.reason is WaitFor.WINDOW:
            trigger = ElectionWindowTrigger(**polling, era=era)
        elif wait.reason is WaitFor.CONFIRMATION and wait.request_id:
            patience = min(terms.not_found_grace.total_seconds(), self._patience(config, "confirmation"))
            trigger = PayoutConfirmationTrigger(**polling, request_id=wait.request_id, patience=patience)
        else:
            trigger = PauseTrigger(until=min(deadline, time.time() + wait.retry_in.total_seconds()))
        self.defer(
            trigger=trigger,
            method_name="execute_complete",
            kwargs={"deadlines": deadlines},
            timeout=max(0.0, deadline - time.time()) + _DEFER_GRACE_SECONDS,
        )

    # --- what to pay, from the configuration or from arguments ---------------------------------------------------------

    def _network_settings(self) -> NetworkConfig | None:
        """The configuration counts unless the accounts are given as arguments."""
        given = [name for name in ("relayer", "user", "payer") if getattr(self, name)]
        if not given:
            if not self.network:
                raise InvalidInput("network", "is not given, nor are relayer, user and payer", "Pass one or the other")
            return self.config()
        if len(given) < 3:
            raise InvalidInput("relayer, user, payer", f"only {', '.join(given)} is given", "Pass all three")
        return None

    def _terms(self, config: NetworkConfig | None) -> PayoutTerms:
        from dataclasses import replace
        from datetime import timedelta

        from staking_gateway.terms import PayoutTerms
        from staking_gateway.types import MAX_AMOUNT, AccountId, parse_unsigned

        if config is not None:
            terms = payout_terms(str(self.network), config)
        else:
            terms = PayoutTerms(
                network=self.network or self.conn_id(None),
                relayer=AccountId.parse(self.relayer or "", field="relayer"),
                user=AccountId.parse(self.user or "", field="user"),
                payer=AccountId.parse(self.payer or "", field="payer"),
            )
        if self.max_fee_per_payout is not None:
            ceiling = parse_unsigned(self.max_fee_per_payout, MAX_AMOUNT, field="max_fee_per_payout")
            terms = replace(terms, max_fee_per_payout=ceiling)
        if self.poll_interval is not None:
            terms = replace(terms, poll_interval=timedelta(seconds=self.poll_interval))
        return terms

    def _proofs(self, config: NetworkConfig | None) -> ProofMaker | Proofs:
        from staking_gateway.signing import ProofMaker, Proofs
        from staking_gateway.types import MAX_NONCE, parse_unsigned

        given = (self.proxy_signature, self.fee_payment_signature, self.payment_nonce)
        if any(value is not None for value in given):
            if self.proxy_signature is None or self.fee_payment_signature is None or self.payment_nonce is None:
                raise InvalidInput(
                    "proxy_signature, fee_payment_signature, payment_nonce", "one is missing", "Pass all three or none"
                )
            nonce = parse_unsigned(self.payment_nonce, MAX_NONCE, field="payment_nonce")
            return Proofs(self.proxy_signature, self.fee_payment_signature, nonce)
        user = self.user_signer_conn_id or (config.user_signer_conn_id if config else None)
        payer = self.payer_signer_conn_id or (config.payer_signer_conn_id if config else None)
        if not user or not payer:
            raise InvalidInput(
                "user_signer_conn_id, payer_signer_conn_id",
                "not given",
                "Name both connections, or pass ready-made proofs",
            )
        return ProofMaker(StakingSignerHook(user).get_conn(), StakingSignerHook(payer).get_conn())
