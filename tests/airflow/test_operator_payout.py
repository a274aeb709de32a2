"""Paying an era from a task: over the real engine, ledger, triggers and simulator."""

import json
import time
from datetime import timedelta

import pytest
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, RetryAction
from airflow.sdk.definitions.xcom_arg import PlainXComArg
from names import ACCOUNTS, ALICE, BOB, CHARLIE, ERA, NETWORK, SIGNERS
from simulated_chain import calls, executed, sends
from tasks import Task, TaskInstance

from staking_gateway import errors
from staking_gateway.errors import EraNotPaid, Failed, InvalidInput
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Outcome
from staking_gateway.signing import LocalSigner, fee_payment_message, payout_message
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import RETRY_POLICY
from tests.support.failed import fails

PLAIN = {**ACCOUNTS, **SIGNERS}
UNNAMED = "staking_gateway_default"
"""What the ledger knows a network by that has no name."""


def payout(era=ERA, *, run_era=None, ti=None, on_wait=lambda trigger: None, on_event=lambda event: None, **arguments):
    given = {"era": era, "deferrable": True, "poll_interval": 0.1, **arguments}
    operator = PayoutStakersOperator(task_id="payout", **given)
    return Task(operator, era=run_era, ti=ti, on_wait=on_wait, on_event=on_event)


def ends(task, outcome, reason=""):
    """The error of a task whose era is not paid."""
    with pytest.raises(EraNotPaid, match=f"{outcome}: {reason}") as red:
        task.run()
    assert task.ti.xcoms["outcome"]["outcome"] == outcome
    return red.value


def dies(trigger):
    raise KeyboardInterrupt


class Script:
    """What happens before each trigger runs: the next of these, and after the last a second passes."""

    def __init__(self, simulator, *happenings):
        self.simulator = simulator
        self.coming = list(happenings)
        self.sends_while_waiting = []

    def __call__(self, trigger):
        self.sends_while_waiting.append(sends(self.simulator))
        happens = self.coming.pop(0) if self.coming else lambda control: control.advance(seconds=1)
        happens(self.simulator.control)


def closes(control):
    control.window("closed")


class TestPaying:
    def test_with_plain_arguments_and_no_configuration(self, gateway, ledger):
        task = payout(on_wait=Script(gateway), **PLAIN)
        outcome = task.run()
        assert (outcome["network"], outcome["era"], outcome["outcome"]) == (UNNAMED, ERA, "PAID")
        (part,) = outcome["parts"]
        (truth,) = gateway.control.truth()["payouts"]
        assert (part["request_id"], part["tx_hash"]) == (truth["request_id"], truth["tx_hash"])
        assert part["confirmed_by"] == "request_state"
        assert task.ti.xcoms["outcome"] == outcome
        (record,) = ledger.era_payouts(UNNAMED, ERA)
        assert record.state is PayoutState.CONFIRMED
        again = payout(ti=TaskInstance("manual__2"), **PLAIN)
        assert again.run()["outcome"] == "ALREADY_PAID"
        assert again.deferrals == []
        assert executed(gateway) == [ERA]

    def test_without_deferring_the_task_waits_in_place(self, gateway, monkeypatch):
        monkeypatch.setattr(time, "sleep", lambda seconds: gateway.control.advance(seconds=1))
        task = payout(deferrable=False, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.deferrals == []
        assert executed(gateway) == [ERA]
        gateway.control.window("open")
        ends(payout(ERA - 1, deferrable=False, window_timeout=0.2, **PLAIN), "HELD_WINDOW")

    def test_accounts_given_beside_a_network_replace_its_own_and_keep_the_rest_of_its_settings(
        self, gateway, network, ledger, connect
    ):
        connect("elsewhere", conn_type="stakinggateway", host=gateway.url, password=gateway.token)
        connect("staking_gateway_default", conn_type="stakinggateway", host="", password="")
        network(gateway_conn_id="elsewhere", payer=ALICE, payout={"max_fee_per_payout": 5})
        ends(payout(network=NETWORK, **ACCOUNTS), "HELD_FEE")
        outcome = payout(network=NETWORK, max_fee_per_payout=10**18, on_wait=Script(gateway), **ACCOUNTS).run()
        assert outcome["outcome"] == "PAID"
        assert gateway.control.truth()["payouts"][0]["payer"] == CHARLIE


class TestOpenWindow:
    @pytest.fixture(autouse=True)
    def opened(self, gateway):
        gateway.control.window("open")

    def test_it_is_waited_for_and_costs_no_call_and_no_retry(self, gateway, monkeypatch):
        monkeypatch.setattr("staking_gateway_provider.operators.payout.SHORT_SECONDS", 0.0)
        script = Script(gateway, closes)
        task = payout(on_wait=script, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers == ["ElectionWindowTrigger", "PayoutConfirmationTrigger", "PauseTrigger"]
        assert script.sends_while_waiting == [0, 1, 1]
        first, second, _ = (deferral.trigger for deferral in task.deferrals)
        assert first.deadline - time.time() == pytest.approx(12 * 3600, abs=10), "without a configuration"
        assert second.deadline - time.time() == pytest.approx(120, abs=10)
        assert task.deferrals[0].timeout == pytest.approx(36.5 * 3600 + 120, abs=10)

    def test_is_waited_for_no_longer_than_the_task_may_take_though_deferred_time_is_not_airflows(self, gateway):
        task = payout(execution_timeout=timedelta(seconds=0.3), **PLAIN)
        ends(task, "HELD_WINDOW")
        assert task.deferrals[0].timeout == pytest.approx(120, abs=1)

    @pytest.mark.parametrize(("timeout", "waits"), [(0.3, 1), (0, 0)])
    def test_that_stays_open_ends_held(self, gateway, timeout, waits):
        task = payout(window_timeout=timeout, **PLAIN)
        assert f"Era {ERA} " in str(ends(task, "HELD_WINDOW"))
        assert len(task.deferrals) == waits
        assert sends(gateway) == 0


class TestConfirmation:
    def test_that_does_not_come_ends_unknown_and_the_next_try_finds_it(self, gateway, ledger):
        task = payout(confirmation_timeout=0.3, **PLAIN)
        ends(task, "UNKNOWN", "gave up waiting")
        (record,) = ledger.era_payouts(UNNAMED, ERA)
        assert record.state is PayoutState.SUBMITTED
        gateway.control.advance(seconds=1)
        assert payout(ti=TaskInstance(try_number=2, store=task.ti.store), **PLAIN).run()["outcome"] == "PAID"
        assert sends(gateway) == 1

    def test_has_the_time_that_the_tries_before_have_left_and_all_of_it_after_another_failure(self, gateway):
        first = payout(confirmation_timeout=0.3, **PLAIN)
        ends(first, "UNKNOWN")
        again = payout(confirmation_timeout=0.3, ti=TaskInstance(try_number=2, store=first.ti.store), **PLAIN)
        ends(again, "UNKNOWN")
        assert again.deferrals == [], "one look"
        last = payout(confirmation_timeout=0, ti=TaskInstance(try_number=6), **PLAIN)
        ends(last, "UNKNOWN")
        assert last.ti.store == {}, "a person who clears the task gives it all of the time"
        gateway.stop()
        with fails(Failed.UNREACHABLE):
            payout(ti=TaskInstance(try_number=3, store=first.ti.store), **PLAIN).run()
        assert first.ti.store == {}

    def test_has_all_of_its_time_when_nobody_looked_for_an_hour_before_the_next_try(self, gateway, monkeypatch):
        first = payout(confirmation_timeout=0.3, **PLAIN)
        ends(first, "UNKNOWN")
        monkeypatch.setattr("staking_gateway_provider.operators.payout.SPENT_SECONDS", 0.0)
        again = payout(confirmation_timeout=0.3, ti=TaskInstance(try_number=2, store=first.ti.store), **PLAIN)
        ends(again, "UNKNOWN")
        assert again.deferrals

    @pytest.mark.parametrize("fault", ["poll-internal-error", "http-503-before:path=/poll"])
    def test_comes_from_the_nonces_when_the_requests_state_cannot_be_read(self, gateway, monkeypatch, fault):
        monkeypatch.setattr("staking_gateway_provider.operators.payout.POLL_SECONDS", 0.3)
        gateway.control.set_faults(fault)
        task = payout(on_wait=Script(gateway), **PLAIN)
        assert task.run()["parts"][0]["confirmed_by"] == "nonce"
        assert [event["status"] for event in task.events] == ["timeout"], "a short wait for finality keeps its worker"

    def test_costs_patience_and_no_try_while_the_gateway_is_away(self, gateway, monkeypatch):
        monkeypatch.setattr("staking_gateway_provider.operators.payout.POLL_SECONDS", 0.1)
        away, back = (lambda control: control.set_faults("http-503-before")), (lambda control: control.set_faults())
        script = Script(gateway, away, lambda control: None, back)
        task = payout(on_wait=script, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers[:3] == ["PayoutConfirmationTrigger", "PauseTrigger", "PauseTrigger"]
        assert sends(gateway) == 1

    def test_an_era_that_waits_for_another_one_goes_on_when_the_lane_is_free(self, gateway, ledger):
        with pytest.raises(KeyboardInterrupt):
            payout(ERA - 1, on_wait=dies, **PLAIN).run()
        task = payout(ERA, on_wait=Script(gateway), **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers == ["PauseTrigger", "PayoutConfirmationTrigger"]
        assert executed(gateway) == [ERA - 1, ERA]


class TestOutcomes:
    def test_every_outcome_that_is_not_green_fails_the_task_and_is_told(self, gateway, monkeypatch):
        for outcome in (outcome for outcome in Outcome if not outcome.is_green):
            ended = EraOutcome(NETWORK, ERA, outcome, "why", ())
            monkeypatch.setattr(PayoutEngine, "advance", lambda self, era, ended=ended: ended)
            error = ends(payout(**PLAIN), outcome.value, "why")
            assert f"Era {ERA} of {NETWORK} ended {outcome.value}" in str(error)
            changes = {Outcome.HELD_WINDOW, Outcome.HELD_FEE, Outcome.UNKNOWN, Outcome.NOT_TRIED}
            action = RetryAction.RETRY if outcome in changes else RetryAction.FAIL
            assert RETRY_POLICY.evaluate(error, 1, 5).action is action, "no retry where a person or a fee is needed"

    def test_a_gateway_that_cannot_be_reached_is_an_error_and_no_outcome(self, gateway):
        gateway.stop()
        task = payout(**PLAIN)
        with fails(Failed.UNREACHABLE):
            task.run()
        assert task.ti.xcoms == {}


def proofs(fee=10**17, **changes):
    proxy = LocalSigner("//Alice").sign(None, payout_message(BOB, ERA, 0))
    fee_payment = LocalSigner("//Charlie").sign(None, fee_payment_message(ALICE, BOB, proxy, fee, 0))
    return {"proxy_signature": proxy, "fee_payment_signature": fee_payment, "payment_nonce": "0", **changes}


class TestGivenProofs:
    def test_are_sent_as_they_are_and_may_come_from_tasks_which_then_run_first(self, gateway, monkeypatch):
        given = proofs()
        with DAG("given"):
            made = {name: EmptyOperator(task_id=name).output for name in ("proxy_signature", "fee_payment_signature")}
            task = payout(on_wait=Script(gateway), **ACCOUNTS, **{**given, **made})
        assert task.operator.upstream_task_ids == set(made)
        monkeypatch.setattr(PlainXComArg, "resolve", lambda self, context: given[self.operator.task_id])
        assert task.run()["outcome"] == "PAID"
        assert executed(gateway) == [ERA]

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            *(({name: None}, "proxy_signature, fee_payment_signature, payment_nonce: one is") for name in proofs()),
            ({"proxy_signature": "0x1z"}, "proxy_signature: "),
            ({"fee_payment_signature": "12" * 64}, "fee_payment_signature: "),
            ({"payment_nonce": "-1"}, "payment_nonce: "),
            ({"payment_nonce": "0x1"}, "payment_nonce: "),
        ],
    )
    def test_one_that_is_missing_or_malformed_is_refused(self, gateway, given, match):
        with pytest.raises(InvalidInput, match=f"^{match}"):
            payout(**ACCOUNTS, **proofs(**given)).run()
        assert calls(gateway) == {}


DURATION = "is refused. Write e.g. 20s"


class TestBadArguments:
    def test_are_refused_before_anything_is_sent(self, gateway):
        phrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
        for arguments, kind, match in (
            ({}, InvalidInput, "relayer, user, payer: not given, nor is a network. Pass one or the other"),
            ({**PLAIN, "user": ALICE[:-1]}, InvalidInput, "user: "),
            ({**PLAIN, "user": phrase}, InvalidInput, "user: a text of 69 characters is neither an SS58"),
            ({**PLAIN, "payer_signer_conn_id": "staking_signer_user"}, errors.SigningError, "payer: the key belongs"),
            ({**PLAIN, "user_signer_conn_id": UNNAMED}, InvalidInput, "'staking_gateway_default', "),
            ({**PLAIN, "max_fee_per_payout": 0}, InvalidInput, "max_fee_per_payout: "),
            ({**PLAIN, "poll_interval": 0}, InvalidInput, "poll_interval: .*Write more than 0s, and at most 3650d"),
            ({**PLAIN, "window_timeout": -1}, InvalidInput, f"window_timeout: '-1' {DURATION}"),
            ({**PLAIN, "confirmation_timeout": True}, InvalidInput, f"confirmation_timeout: true {DURATION}"),
            ({**PLAIN, "era": "abc"}, errors.InvalidEra, "era: 'abc' is not a number"),
            ({**PLAIN, "era": None}, errors.InvalidEra, "era: is not given, and this run has none. Pass era="),
            ({"network": NETWORK}, errors.ConfigError, "no-such-file.yaml: not found"),
            ({**PLAIN, "network": 5}, InvalidInput, "network: expected a text, got int. Write a network's name"),
        ):
            with pytest.raises(kind, match=match) as told:
                payout(**{"era": ERA, **arguments}).run()
            assert "bottom" not in str(told.value)
        assert calls(gateway) == {}

    @pytest.mark.parametrize("arguments", [{}, PLAIN])
    def test_nothing_is_paid_for_a_network_that_is_disabled(self, gateway, network, arguments):
        network(enabled=False)
        with pytest.raises(
            errors.ConfigError, match=f"networks.{NETWORK}.enabled: is false, so nothing is paid. Write true"
        ):
            payout(network=NETWORK, **arguments).run()
        assert calls(gateway) == {}


class TestResuming:
    def test_a_trigger_that_cannot_use_the_connection_fails_the_task(self, gateway, connect):
        gateway.control.window("open")
        task = payout(on_wait=lambda _: connect(UNNAMED, conn_type="stakinggateway", host="gone"), **PLAIN)
        told = r"^Connection 'staking_gateway_default', password: is empty\. Store"
        with pytest.raises(errors.InvalidConnection, match=told):
            task.run()


class TestWhatAirflowStores:
    @pytest.mark.parametrize("kind", [PreviousEraOperator, PayoutStakersOperator, StakingStatusOperator])
    def test_templates_are_rendered_and_no_signature_is_one(self, kind):
        """Rendered templates are stored and shown."""
        fields = kind.template_fields
        assert {"era", "network", "gateway_conn_id"} <= set(fields)
        with DAG("d", schedule=None):
            operator = kind(task_id="a", **dict.fromkeys(fields, "{{ k }}"))
        operator.render_template_fields({"k": "7"})
        assert {getattr(operator, field) for field in fields} == {"7"}
        assert not {"proxy_signature", "fee_payment_signature"} & set(fields)

    def test_no_secret_and_no_signature_is_in_triggers_or_xcoms(self, gateway, ledger):
        gateway.control.window("open")
        task = payout(on_wait=Script(gateway, closes), **PLAIN)
        task.run()
        (record,) = ledger.era_payouts(UNNAMED, ERA)
        signatures = record.last.proxy_signature[2:], record.last.fee_payment_signature[2:]
        secrets = [gateway.token, "//Alice", "//Charlie", *signatures]
        told = [task.ti.xcoms, task.events]
        told += [(deferral.trigger.serialize(), deferral.kwargs) for deferral in task.deferrals]
        for secret in secrets:
            assert secret not in json.dumps(told)
