"""Pays an era."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

from airflow.sdk import XComArg, conf
from airflow.triggers.base import BaseTrigger

from staking_gateway.catch_up import terms_by_hash
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import EraNotPaid, InvalidInput
from staking_gateway.ledger import Ledger
from staking_gateway.payout.drive import EraDriver
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Wait, WaitFor
from staking_gateway.payout.terms import ConfirmBy, PayoutTerms, terms_of
from staking_gateway.signing import ProofMaker, Proofs
from staking_gateway.types import MAX_AMOUNT, MAX_NONCE, parse_unsigned
from staking_gateway_provider.alerting import note_token
from staking_gateway_provider.dags import announce
from staking_gateway_provider.metrics import emit_paid
from staking_gateway_provider.networks import end_by_calendar, proof_maker, required_run_era, run_actor, run_form
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.reporting import ERA, LINKS, ExplorerLink, explorer_link, forget_failure, logs_failure
from staking_gateway_provider.triggers.gateway import (
    DEFER_GRACE_SECONDS,
    ElectionWindowTrigger,
    EventStatus,
    PauseTrigger,
    PayoutConfirmationTrigger,
    read_event,
)

POLL_SECONDS = 120
"""After this time the engine reads the nonces too: they can confirm a payout even if polling fails."""
SHORT_SECONDS = 5.0
"""A wait for finality that is not longer keeps its worker: the start of another one costs more."""
SPENT_SECONDS = 3600.0
"""Airflow makes the next try sooner. Later, the DAG was paused or a person cleared the task: nobody looked, and nothing is spent."""
_SPENT = "spent"
"""Key of Airflow's store for the state of a task: what a red try has spent of the patience, for the next try."""


class PayoutStakersOperator(StakingOperator):
    """Pays an era's stakers, exactly once per part, and returns the outcome as a dictionary.

    The payout engine and its ledger decide what is sent. This operator submits in the worker, and waits deferred (or in place with
    `deferrable=False`). It fails with `EraNotPaid` on every outcome but PAID and ALREADY_PAID. Airflow retries it when the outcome may
    change by itself; the retry has the time that is left, and looks at least once. The XCom `outcome` holds the outcome, also of a failed task. On success an outlet `lineage.payouts_asset(network)` gets an event for the era.

    `network` sets every argument that is left out. With the three accounts and the two signers given, `staking.yaml` need not know the network:
    the ledger then stores the payout under that name. The form of a run sets `approve`, and that of the catch-up `max_fee_per_run`.

    :param era: era to pay; templated; the run's when left out.
    :param relayer: SS58 address or 0x public key of the relayer; likewise `user` and `payer`.
    :param user_signer_conn_id: connection (stakingsigner) that signs for the user; likewise `payer_signer_conn_id`.
    :param proxy_signature: ready-made proof of the user, together with `fee_payment_signature` and `payment_nonce`, instead of
        the two signers.
    :param max_fee_per_payout: nothing is signed above this fee, in the smallest unit; templated.
    :param max_fee_per_run: nothing is signed that would take the fees of this DAG run above it; templated; the form's `max_fees`.
    :param approve: hash of an approved plan, which must have the era, the accounts and the number of calls: its fee is the limit of each call, and
        the gateway's active era may disagree with the calendar; templated; the form's `approve`.
    :param poll_interval: seconds between two questions while waiting.
    :param window_timeout: seconds to wait for the closed election window.
    :param confirmation_timeout: seconds to wait for the confirmation of a payout. The wait for another era, for finality or for a stopped ledger
        does not count, nor does the time in which the triggerer was down. These end with Airflow's `execution_timeout`, which here counts
        deferred time too; by default a day after the two time-outs.
    :param deferrable: wait without a worker slot, but for a wait of a few seconds.
    """

    stops = ERA
    template_fields: Sequence[str] = (
        *(
            "era",
            "network",
            "gateway_conn_id",
            "relayer",
            "user",
            "payer",
            "user_signer_conn_id",
            "payer_signer_conn_id",
        ),
        *("payment_nonce", "max_fee_per_payout", "max_fee_per_run", "approve"),
    )
    settings = (
        *("gateway_conn_id", "relayer", "user", "payer", "user_signer_conn_id", "payer_signer_conn_id"),
        *("max_fee_per_payout", "poll_interval", "window_timeout", "confirmation_timeout"),
    )
    operator_extra_links = (*LINKS, ExplorerLink())

    def __init__(
        self,
        *,
        era: int | str | None = None,
        relayer: str | None = None,
        user: str | None = None,
        payer: str | None = None,
        user_signer_conn_id: str | None = None,
        payer_signer_conn_id: str | None = None,
        proxy_signature: str | XComArg | None = None,
        fee_payment_signature: str | XComArg | None = None,
        payment_nonce: int | str | None = None,
        max_fee_per_payout: int | str | None = None,
        max_fee_per_run: int | str | None = None,
        approve: str | None = None,
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
        for signature in (proxy_signature, fee_payment_signature):
            # Airflow shows template fields, so the signatures are none. This adds the dependency on their tasks.
            XComArg.apply_upstream_relationship(self, signature)
        self.payment_nonce = payment_nonce
        self.max_fee_per_payout = max_fee_per_payout
        self.max_fee_per_run = max_fee_per_run
        self.approve = approve
        self.poll_interval = poll_interval
        self.window_timeout = window_timeout
        self.confirmation_timeout = confirmation_timeout
        self.deferrable = deferrable

    @logs_failure
    def execute(self, context: Any) -> dict[str, Any]:
        """Pay the era, or defer. EraNotPaid if the outcome is not green."""
        return self._drive(context, self._take_spent(context))

    def execute_complete(self, context: Any, event: Any, spent: dict[str, float] | None = None) -> dict[str, Any]:
        """Continue after a wait; for `spent` see `EraDriver`. ValueError for a missing or unknown event."""
        status, message = read_event(event)
        self.log.info("%s", "Not final yet; the engine looks itself" if status is EventStatus.TIMEOUT else message)
        if spent is None:  # `airflow dags test` passes the event alone: then a time-out ends every wait
            spent = {"began": 0.0} if status is EventStatus.TIMEOUT else {}
        return self._drive(context, spent, patient=True)

    def _drive(self, context: Any, spent: dict[str, float], *, patient: bool = False) -> dict[str, Any]:
        """Drive the era to its outcome, or defer. Once it waits, a gateway that does not answer costs patience and no try."""
        config = self._network_settings()
        era = required_run_era(context, self.era)
        terms, proofs = self._terms(config, context), self._proofs(config, context)
        if isinstance(proofs, ProofMaker):
            proofs.check(user=terms.user, payer=terms.payer)  # before any request
        with self.open_network(config) as (ledger, client):
            terms, actor = self._agreed(terms, context, era, ledger), run_actor(context)
            engine = PayoutEngine(terms, client, proofs, ledger, actor)
            driver = EraDriver(engine, era, config.timing, self.execution_timeout, spent)
            step = driver.step(patient=patient)
            while isinstance(step, Wait):
                self.log.info("Waiting: %s", step.message)
                pause = driver.pause(step)
                if self.deferrable and not (step.reason is WaitFor.FINALITY and pause <= SHORT_SECONDS):
                    self._defer(terms, config, driver, step)
                time.sleep(pause)
                step = driver.step(patient=True)
            if config.known_calendar is not None:
                emit_paid(step, actor, config)
            note_token(terms.network, config, era, ledger=ledger)
            forget_failure(ledger, terms.network, era)
        return self._finish(context, step, spent)

    def _finish(self, context: Any, result: EraOutcome, spent: dict[str, float]) -> dict[str, Any]:
        outcome, instance = result.as_dict(), context["ti"]
        instance.xcom_push(key="outcome", value=outcome)
        if not explorer_link(outcome):
            self.operator_extra_links = LINKS
        self.log.info("Era %s of %s: %s %s", result.era, result.network, result.outcome.value, result.reason)
        if not result.outcome.is_green:
            if result.topic.passes and instance.try_number <= instance.max_tries:
                context["task_state_store"].set(_SPENT, {**spent, "stored": time.time()})
            raise EraNotPaid(outcome, may_change=result.topic.passes)
        transactions = [part.tx_hash for part in result.parts if part.tx_hash]
        facts = {"outcome": result.outcome.value, "transactions": transactions}
        announce(context, self.outlets, [result.era], era=result.era, **facts)
        return outcome

    # --- waiting -----------------------------------------------------------------------------------------------------

    def _take_spent(self, context: Any) -> dict[str, float]:
        """What the try before this one had spent, if it is this one's cause. It is deleted, so that a cleared task starts anew."""
        if context["ti"].try_number == 1:
            return {}
        store = context["task_state_store"]
        spent = store.get(_SPENT) or {}
        if spent:
            store.delete(_SPENT)
        return spent if time.time() - spent.pop("stored", 0.0) < SPENT_SECONDS else {}

    def _defer(self, terms: PayoutTerms, config: NetworkConfig, driver: EraDriver, wait: Wait) -> NoReturn:
        interval = terms.poll_interval.total_seconds()
        polling: dict[str, Any] = {"gateway_conn_id": config.gateway_conn_id, "poll_interval": interval}
        trigger: BaseTrigger
        if wait.reason is WaitFor.WINDOW:
            deadline, expected = time.time() + driver.left(wait), end_by_calendar(config, driver.era)
            trigger = ElectionWindowTrigger(**polling, deadline=deadline, era=driver.era, expected_at=expected)
        elif wait.reason is WaitFor.CONFIRMATION and wait.request_id and terms.confirm_by is not ConfirmBy.NONCE:
            patience = min(terms.not_found_grace.total_seconds(), driver.left(wait))
            deadline = time.time() + driver.pause(wait, max(POLL_SECONDS, interval))
            trigger = PayoutConfirmationTrigger(
                **polling, deadline=deadline, request_id=wait.request_id, patience=patience
            )
        else:
            trigger = PauseTrigger(until=time.time() + driver.pause(wait))
        self.defer(
            trigger=trigger,
            method_name="execute_complete",
            kwargs={"spent": dict(driver.spent)},
            timeout=driver.left() + DEFER_GRACE_SECONDS,
        )

    # --- what to pay ---------------------------------------------------------------------------------------------------

    def _network_settings(self) -> NetworkConfig:
        config = self.config(alone=all(self.given(name) for name in ("relayer", "user", "payer")))
        missing = [name for name in ("relayer", "user", "payer") if not getattr(config, name)]
        if missing:
            raise InvalidInput(", ".join(missing), "not given, nor is a network", "Pass one or the other")
        config.check_enabled(self.ledger_name)
        return config

    def _terms(self, config: NetworkConfig, context: Any) -> PayoutTerms:
        terms, limit = terms_of(self.ledger_name, config), self.given("max_fee_per_run")
        limit = run_form(context, "max_fees") if limit is None else limit
        if limit is not None:
            limit = parse_unsigned(limit, MAX_AMOUNT, field="max_fee_per_run")
        return replace(terms, max_fee_per_run=limit)

    def _agreed(self, terms: PayoutTerms, context: Any, era: int, ledger: Ledger) -> PayoutTerms:
        """The terms with what a person has approved."""
        approve = self.given("approve", context)
        return terms if approve is None else terms_by_hash(terms, ledger.journal, str(approve), era)

    def _proofs(self, config: NetworkConfig, context: Any) -> ProofMaker | Proofs:
        proxy, fee_payment, nonce = self.proxy_signature, self.fee_payment_signature, self.payment_nonce
        if proxy is None and fee_payment is None and nonce is None:
            return proof_maker(config)
        if proxy is None or fee_payment is None or nonce is None:
            raise InvalidInput(
                "proxy_signature, fee_payment_signature, payment_nonce", "one is missing", "Pass all three or none"
            )
        proxy, fee_payment = (
            signature.resolve(context) if isinstance(signature, XComArg) else signature
            for signature in (proxy, fee_payment)
        )
        return Proofs(proxy, fee_payment, parse_unsigned(nonce, MAX_NONCE, field="payment_nonce"))
