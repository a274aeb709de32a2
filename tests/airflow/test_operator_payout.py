"""Paying an era from a task: over the real engine, ledger, triggers and simulator."""

import datetime as dt
import itertools
import json
import time

import pytest
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow.sdk.definitions.xcom_arg import PlainXComArg
from names import ACCOUNTS, ACTIVE, ALICE, BOB, CHARLIE, ERA, NETWORK, SIGNERS
from tasks import Task, TaskInstance, over_the_wire

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.errors import (
    ConfigError,
    EraNotPaid,
    GatewayUnreachable,
    InvalidAccount,
    InvalidConnection,
    InvalidEra,
    InvalidInput,
    KeyMismatch,
    RpcMethodNotFound,
)
from staking_gateway.ledger import PayoutState
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import EraOutcome, Outcome
from staking_gateway.signing import LocalSigner, fee_payment_message, payout_message
from staking_gateway_provider.operators.payout import PayoutStakersOperator

PLAIN = {**ACCOUNTS, **SIGNERS}


def payout(era=ERA, *, run_era=None, ti=None, on_wait=lambda trigger: None, on_event=lambda event: None, **arguments):
    given = {"era": era, "deferrable": True, "poll_interval": 0.1, **arguments}
    operator = PayoutStakersOperator(task_id="payout", **given)
    return Task(operator, era=run_era, ti=ti, on_wait=on_wait, on_event=on_event)


def sends(simulator):
    return simulator.control.truth()["calls"]["by_path"].get("/send", 0)


def executed(simulator):
    return [entry["era"] for entry in simulator.control.truth()["payouts"]]


class World:
    """Does with the simulator what is due before each trigger runs: a second passes, or the next word of a script counts."""

    def __init__(self, simulator, *script):
        self.control = simulator.control
        self.script = list(script)
        self.sends_while_waiting = []
        self.simulator = simulator

    def __call__(self, trigger):
        self.sends_while_waiting.append(sends(self.simulator))
        step = self.script.pop(0) if self.script else lambda control: control.advance(seconds=1)
        step(self.control)


class TestPaying:
    def test_with_plain_arguments_and_no_configuration(self, gateway, ledger):
        task = payout(on_wait=World(gateway), **PLAIN)
        outcome = task.run()

        assert (outcome["network"], outcome["era"], outcome["outcome"]) == ("staking_gateway_default", ERA, "PAID")
        (part,) = outcome["parts"]
        (truth,) = gateway.control.truth()["payouts"]
        assert (part["request_id"], part["tx_hash"]) == (truth["request_id"], truth["tx_hash"])
        assert part["confirmed_by"] == "request_state"
        assert task.ti.xcoms["outcome"] == outcome
        (record,) = ledger.era_payouts("staking_gateway_default", ERA)
        assert record.state is PayoutState.CONFIRMED

    def test_with_a_network_of_the_configuration(self, gateway, network, ledger):
        network()
        task = payout(None, run_era=ERA, network=NETWORK, poll_interval=None, on_wait=World(gateway))
        assert task.run()["outcome"] == "PAID"
        assert executed(gateway) == [ERA]
        assert len(ledger.era_payouts(NETWORK, ERA)) == 1

    def test_without_deferring_the_task_waits_in_place(self, gateway, monkeypatch):
        monkeypatch.setattr(time, "sleep", lambda seconds: gateway.control.advance(seconds=1))
        task = payout(deferrable=False, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.deferrals == []
        assert executed(gateway) == [ERA]

    def test_in_two_runs_and_under_another_name_the_era_is_paid_once(self, gateway):
        assert payout(on_wait=World(gateway), **PLAIN).run()["outcome"] == "PAID"
        again = payout(ti=TaskInstance("manual__2"), **PLAIN)
        assert again.run()["outcome"] == "ALREADY_PAID"
        assert again.deferrals == []
        assert executed(gateway) == [ERA]

    def test_a_task_that_died_after_sending_goes_on_with_what_it_sent(self, gateway):
        def dies(trigger):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            payout(on_wait=dies, **PLAIN).run()
        outcome = payout(on_wait=World(gateway), ti=TaskInstance(try_number=2), **PLAIN).run()
        assert outcome["outcome"] == "PAID"
        assert sends(gateway) == 1

    def test_a_name_without_configuration_is_what_the_ledger_knows_the_network_by(self, gateway, network, ledger):
        network()
        payout(network="another", on_wait=World(gateway), **PLAIN).run()
        assert [record.network for record in ledger.era_payouts("another", ERA)] == ["another"]

    def test_accounts_given_beside_a_known_network_keep_the_rest_of_its_settings(
        self, gateway, network, ledger, connect
    ):
        connect("elsewhere", conn_type="staking_gateway", host=gateway.url, password=gateway.token)
        connect("staking_gateway_default", conn_type="staking_gateway", host="", password="")
        network(gateway_conn_id="elsewhere", payer=ALICE, payout={"max_fee_per_payout": 5})
        with pytest.raises(EraNotPaid, match="HELD_FEE"):
            payout(network=NETWORK, **ACCOUNTS).run()
        outcome = payout(network=NETWORK, max_fee_per_payout=10**18, on_wait=World(gateway), **ACCOUNTS).run()
        assert outcome["outcome"] == "PAID"
        assert gateway.control.truth()["payouts"][0]["payer"] == CHARLIE

    def test_public_keys_are_accounts_too(self, gateway):
        keys = {
            "relayer": LocalSigner("//Bob").account.hex,
            "user": LocalSigner("//Alice").account.hex,
            "payer": CHARLIE,
        }
        assert payout(on_wait=World(gateway), **SIGNERS, **keys).run()["outcome"] == "PAID"

    @pytest.mark.parametrize("simulator", [{"batch": 60}], indirect=True)
    def test_several_parts_are_confirmed_one_after_the_other(self, gateway, network):
        network(payout={"parts": "until_empty"})
        outcome = payout(network=NETWORK, on_wait=World(gateway)).run()
        assert [part["state"] for part in outcome["parts"]] == ["CONFIRMED", "CONFIRMED", "EMPTY"]
        assert executed(gateway) == [ERA, ERA]


class TestOpenWindow:
    def test_it_is_waited_for_and_costs_no_call_and_no_retry(self, gateway):
        gateway.control.window("open")
        world = World(gateway, lambda control: control.window("closed"))
        task = payout(on_wait=world, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers == ["ElectionWindowTrigger", "PayoutConfirmationTrigger"]
        assert world.sends_while_waiting == [0, 1]
        assert sends(gateway) == 1

    def test_that_stays_open_ends_held(self, gateway):
        gateway.control.window("open")
        task = payout(window_timeout=0.3, **PLAIN)
        with pytest.raises(EraNotPaid, match=f"Era {ERA} .* ended HELD_WINDOW: gave up waiting") as red:
            task.run()
        assert red.value.outcome == "HELD_WINDOW"
        assert task.ti.xcoms["outcome"]["outcome"] == "HELD_WINDOW"
        assert sends(gateway) == 0

    def test_that_stays_open_ends_held_without_deferring_too(self, gateway):
        gateway.control.window("open")
        with pytest.raises(EraNotPaid, match="HELD_WINDOW"):
            payout(deferrable=False, window_timeout=0.2, **PLAIN).run()
        assert sends(gateway) == 0

    def test_a_timeout_of_zero_does_not_wait(self, gateway):
        gateway.control.window("open")
        task = payout(window_timeout=0, **PLAIN)
        with pytest.raises(EraNotPaid, match="HELD_WINDOW"):
            task.run()
        assert task.deferrals == []

    def test_that_closes_in_the_last_moment_leaves_the_confirmation_its_own_time(self, gateway):
        gateway.control.window("open")
        task = payout(
            window_timeout=0.2,
            confirmation_timeout=0.2,
            on_event=lambda event: gateway.control.window("closed"),
            **PLAIN,
        )
        with pytest.raises(EraNotPaid, match="UNKNOWN"):
            task.run()
        assert task.triggers == ["ElectionWindowTrigger", "PayoutConfirmationTrigger"]
        assert [event["status"] for event in task.events] == ["timeout", "timeout"]
        assert sends(gateway) == 1

    def test_that_the_gateway_does_not_tell_is_asked_again_after_a_pause(self, gateway, monkeypatch):
        def unknown(self):
            raise RpcMethodNotFound(method="getEraElectionStatus", code=-32601, rpc_message="Method not found")

        async def unknown_too(self):
            unknown(self)

        monkeypatch.setattr(GatewayClient, "election_window", unknown)
        monkeypatch.setattr(AsyncGatewayClient, "election_window", unknown_too)
        gateway.control.window("open")
        asked = []
        world = World(
            gateway, *[lambda control: asked.append(time.monotonic())] * 3, lambda control: control.window("closed")
        )
        task = payout(poll_interval=0.3, on_wait=world, **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert world.sends_while_waiting == [1, 2, 3, 4, 5]
        assert all(later - earlier >= 0.3 for earlier, later in itertools.pairwise(asked))
        assert executed(gateway) == [ERA]

    def test_the_network_decides_how_long(self, gateway, network):
        network(timing={"window_timeout": 0.2, "poll_interval": 0.1})
        gateway.control.window("open")
        task = payout(network=NETWORK, poll_interval=None)
        started = time.time()
        with pytest.raises(EraNotPaid, match="HELD_WINDOW"):
            task.run()
        assert task.deferrals[0].trigger.deadline == pytest.approx(started + 0.2, abs=2)
        assert task.deferrals[0].trigger.poll_interval == 0.1

    def test_the_networks_calendar_tells_when_to_look_again(self, gateway, network):
        network(calendar={"era_length": "20s", "anchors": [{"era": ERA, "start": "2026-01-01T00:00:00Z"}]})
        gateway.control.window("open")
        task = payout(network=NETWORK, on_wait=World(gateway, lambda control: control.window("closed")))
        task.run()
        trigger = task.deferrals[0].trigger
        assert (trigger.expected_at, trigger.era_length) == (
            dt.datetime(2026, 1, 1, 0, 0, 20, tzinfo=dt.timezone.utc).timestamp(),
            20,
        )

    def test_without_a_configuration_it_is_twelve_hours(self, gateway):
        gateway.control.window("open")
        task = payout(on_wait=World(gateway, lambda control: control.window("closed")), **PLAIN)
        task.run()
        first, second = (deferral.kwargs["deadlines"] for deferral in task.deferrals)
        assert first["window"] - time.time() == pytest.approx(12 * 3600, abs=10)
        assert second["confirmation"] - time.time() == pytest.approx(1800, abs=10)
        assert task.deferrals[0].timeout == pytest.approx(12 * 3600 + 120, abs=10)


class TestConfirmation:
    def test_that_does_not_come_ends_unknown(self, gateway, ledger):
        task = payout(confirmation_timeout=0.3, on_wait=lambda trigger: None, **PLAIN)
        with pytest.raises(EraNotPaid, match="UNKNOWN: gave up waiting"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == "UNKNOWN"
        (record,) = ledger.era_payouts("staking_gateway_default", ERA)
        assert record.state is PayoutState.SUBMITTED

        gateway.control.advance(seconds=1)
        assert payout(ti=TaskInstance(try_number=2), **PLAIN).run()["outcome"] == "PAID"
        assert sends(gateway) == 1

    @pytest.mark.parametrize("fault", ["poll-internal-error", "http-503-before:path=/poll"])
    def test_comes_from_the_nonces_when_the_requests_state_cannot_be_read(self, gateway, monkeypatch, fault):
        monkeypatch.setattr("staking_gateway_provider.operators.payout._POLL_SECONDS", 0.3)
        gateway.control.set_faults(fault)
        task = payout(on_wait=World(gateway), **PLAIN)
        assert task.run()["parts"][0]["confirmed_by"] == "nonce"
        assert task.triggers == ["PayoutConfirmationTrigger"]
        assert [event["status"] for event in task.events] == ["timeout"]
        assert task.deferrals[0].kwargs["waited_for"] == "look"

    def test_that_does_not_come_is_looked_for_until_the_time_is_up(self, gateway, monkeypatch):
        monkeypatch.setattr("staking_gateway_provider.operators.payout._POLL_SECONDS", 0.2)
        task = payout(confirmation_timeout=1.0, on_wait=lambda trigger: None, **PLAIN)
        with pytest.raises(EraNotPaid, match="UNKNOWN: gave up waiting"):
            task.run()
        assert 2 <= len(task.deferrals) <= 6
        assert {deferral.kwargs["waited_for"] for deferral in task.deferrals} <= {"look", "confirmation"}
        assert len({json.dumps(over_the_wire(deferral.kwargs["deadlines"])) for deferral in task.deferrals}) == 1
        assert sends(gateway) == 1

    def test_comes_from_the_nonces_when_the_network_says_so(self, gateway, network):
        network(payout={"confirm": "nonce"})
        task = payout(network=NETWORK, on_wait=World(gateway))
        assert task.run()["parts"][0]["confirmed_by"] == "nonce"
        assert task.triggers == ["PauseTrigger"]

    def test_is_not_waited_for_when_the_network_says_so(self, gateway, network):
        network(payout={"confirm": "none"})
        task = payout(network=NETWORK)
        assert task.run()["parts"][0]["confirmed_by"] == "none"
        assert task.deferrals == []

    def test_deadlines_are_absolute_across_deferrals(self, gateway, network):
        """A second open window does not get the time anew, and a wake-up that brings nothing does not either."""
        network(payout={"confirm": "nonce"})
        world = World(gateway, lambda control: None, lambda control: None)
        task = payout(network=NETWORK, on_wait=world)
        assert task.run()["outcome"] == "PAID"
        assert len(task.deferrals) == 3
        assert len({json.dumps(over_the_wire(deferral.kwargs)) for deferral in task.deferrals}) == 1

    def test_an_era_that_waits_for_another_one_goes_on_when_the_lane_is_free(self, gateway, ledger):
        def dies(trigger):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            payout(ERA - 1, on_wait=dies, **PLAIN).run()
        task = payout(ERA, on_wait=World(gateway), **PLAIN)
        assert task.run()["outcome"] == "PAID"
        assert task.triggers == ["PauseTrigger", "PayoutConfirmationTrigger"]
        assert executed(gateway) == [ERA - 1, ERA]


class TestOutcomes:
    def test_above_a_fee_limit_nothing_is_sent(self, gateway):
        task = payout(max_fee_per_payout=5, **PLAIN)
        with pytest.raises(EraNotPaid, match=r"HELD_FEE: the fee is .* more than max_fee_per_payout 5"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == "HELD_FEE"
        assert sends(gateway) == 0

    def test_an_expired_era_ends_expired(self, gateway):
        task = payout(ACTIVE - 85, **PLAIN)
        with pytest.raises(EraNotPaid, match="EXPIRED"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == "EXPIRED"

    @pytest.mark.parametrize("simulator", [{"balance": 0}], indirect=True)
    def test_a_payout_the_gateway_refuses_ends_rejected(self, gateway, network):
        network(payout={"max_replans": 1})
        task = payout(network=NETWORK)
        with pytest.raises(EraNotPaid, match=r"REJECTED: .*the payer cannot afford the relayer fee"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == "REJECTED"
        assert sends(gateway) == 2

    @pytest.mark.parametrize("simulator", [{"batch": 60}], indirect=True)
    def test_more_owed_than_may_be_paid_ends_partial(self, gateway, network):
        network(payout={"parts": "until_empty", "max_parts": 1})
        task = payout(network=NETWORK, on_wait=World(gateway))
        with pytest.raises(EraNotPaid, match="PARTIAL: 1 parts are paid, and more may be left; raise max_parts"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == "PARTIAL"

    @pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if not outcome.is_green])
    def test_every_outcome_that_is_not_green_fails_the_task_and_is_told(self, gateway, monkeypatch, outcome):
        monkeypatch.setattr(PayoutEngine, "advance", lambda self, era: EraOutcome(NETWORK, era, outcome, "why", ()))
        task = payout(**PLAIN)
        with pytest.raises(EraNotPaid, match=f"Era {ERA} of {NETWORK} ended {outcome.value}: why"):
            task.run()
        assert task.ti.xcoms["outcome"]["outcome"] == outcome.value

    @pytest.mark.parametrize("era", [ACTIVE, ACTIVE + 7])
    def test_an_era_that_has_not_ended_is_refused(self, gateway, era):
        with pytest.raises(InvalidEra, match=f"{era} cannot be paid while era {ACTIVE} is active"):
            payout(era, **PLAIN).run()
        assert sends(gateway) == 0

    def test_a_gateway_that_cannot_be_reached_is_an_error_and_no_outcome(self, gateway):
        gateway.stop()
        task = payout(**PLAIN)
        with pytest.raises(GatewayUnreachable):
            task.run()
        assert task.ti.xcoms == {}


class TestGivenProofs:
    def proofs(self, era=ERA, fee=10**17):
        proxy = LocalSigner("//Alice").sign(None, payout_message(BOB, era, 0))
        fee_payment = LocalSigner("//Charlie").sign(None, fee_payment_message(ALICE, BOB, proxy, fee, 0))
        return {"proxy_signature": proxy, "fee_payment_signature": fee_payment, "payment_nonce": "0"}

    def test_are_sent_as_they_are(self, gateway):
        task = payout(on_wait=World(gateway), **ACCOUNTS, **self.proofs())
        assert task.run()["outcome"] == "PAID"
        assert executed(gateway) == [ERA]

    def test_may_come_from_tasks_which_then_run_first(self, gateway, monkeypatch):
        given = self.proofs()
        with DAG("given"):
            sign, sign_fee = (EmptyOperator(task_id=name) for name in ("proxy_signature", "fee_payment_signature"))
            task = payout(
                on_wait=World(gateway),
                **ACCOUNTS,
                proxy_signature=sign.output,
                fee_payment_signature=sign_fee.output,
                payment_nonce=given["payment_nonce"],
            )
        assert task.operator.upstream_task_ids == {"proxy_signature", "fee_payment_signature"}
        monkeypatch.setattr(PlainXComArg, "resolve", lambda self, context: given[self.operator.task_id])
        assert task.run()["outcome"] == "PAID"
        assert executed(gateway) == [ERA]

    def test_that_the_gateway_refuses_end_rejected(self, gateway):
        with pytest.raises(EraNotPaid, match="REJECTED: the given proofs were refused"):
            payout(**ACCOUNTS, **self.proofs(fee=1)).run()

    @pytest.mark.parametrize("missing", ["proxy_signature", "fee_payment_signature", "payment_nonce"])
    def test_one_that_is_missing_is_refused(self, gateway, missing):
        given = {**self.proofs(), missing: None}
        with pytest.raises(InvalidInput, match="proxy_signature, fee_payment_signature, payment_nonce: one is missing"):
            payout(**ACCOUNTS, **given).run()

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("proxy_signature", "0x12"),
            ("fee_payment_signature", "12" * 64),
            ("payment_nonce", "-1"),
            ("payment_nonce", "0x1"),
        ],
    )
    def test_one_that_is_malformed_is_refused_and_not_quoted(self, gateway, field, value):
        with pytest.raises(InvalidInput, match=f"^{field}: "):
            payout(**ACCOUNTS, **{**self.proofs(), field: value}).run()
        assert gateway.control.truth()["calls"]["by_path"] == {}


class TestBadArguments:
    @pytest.mark.parametrize(
        ("arguments", "kind", "match"),
        [
            ({}, InvalidInput, "network: is not given, nor are relayer, user and payer"),
            ({"relayer": BOB}, InvalidInput, "relayer, user, payer: only relayer is given. Pass all three"),
            ({"relayer": BOB, "payer": BOB}, InvalidInput, "only relayer, payer is given"),
            ({**PLAIN, "user": ALICE[:-1]}, InvalidAccount, "user: "),
            ({**PLAIN, "payer": "0x12"}, InvalidAccount, "payer: "),
            (
                {**PLAIN, "payer_signer_conn_id": None},
                InvalidInput,
                "user_signer_conn_id, payer_signer_conn_id: not given",
            ),
            (
                {**PLAIN, "payer_signer_conn_id": "staking_signer_user"},
                KeyMismatch,
                "payer: the signer's key belongs to",
            ),
            ({**PLAIN, "user_signer_conn_id": "staking_gateway_default"}, InvalidInput, "'staking_gateway_default', "),
            ({**PLAIN, "max_fee_per_payout": -1}, InvalidInput, "max_fee_per_payout: "),
            ({**PLAIN, "max_fee_per_payout": "much"}, InvalidInput, "max_fee_per_payout: "),
            ({**PLAIN, "max_fee_per_payout": 0}, InvalidInput, "max_fee_per_payout: "),
            (
                {**PLAIN, "poll_interval": 0},
                InvalidInput,
                "poll_interval: '0' is no number of seconds. Write 0.1 or more",
            ),
            ({**PLAIN, "poll_interval": "2s"}, InvalidInput, "poll_interval: '2s' is no number of seconds"),
            (
                {**PLAIN, "window_timeout": -1},
                InvalidInput,
                "window_timeout: '-1' is no number of seconds. Write 0 or more",
            ),
            ({**PLAIN, "window_timeout": float("inf")}, InvalidInput, "window_timeout: 'inf' is no number"),
            ({**PLAIN, "confirmation_timeout": True}, InvalidInput, "confirmation_timeout: true is no number"),
            ({**PLAIN, "era": "abc"}, InvalidEra, "era: 'abc' is not a number"),
            ({**PLAIN, "era": 2**32}, InvalidEra, "era: "),
            ({**PLAIN, "era": None}, InvalidEra, "era: is not given, and this run has none. Pass era="),
            ({"network": NETWORK}, ConfigError, "no-such-file.yaml: not found"),
            ({**PLAIN, "network": 5}, InvalidInput, "network: expected a text, got int. Write a network's name"),
            ({**PLAIN, "network": [NETWORK]}, InvalidInput, "network: expected a text, got list"),
        ],
    )
    def test_are_refused_before_anything_is_sent(self, gateway, arguments, kind, match):
        with pytest.raises(kind, match=match):
            payout(**{"era": ERA, **arguments}).run()
        assert gateway.control.truth()["calls"]["by_path"] == {}

    @pytest.mark.parametrize("arguments", [{}, PLAIN])
    def test_nothing_is_paid_for_a_network_that_is_disabled(self, gateway, network, arguments):
        network(enabled=False)
        with pytest.raises(ConfigError, match=f"networks.{NETWORK}.enabled: is false, so nothing is paid. Write true"):
            payout(network=NETWORK, **arguments).run()
        assert gateway.control.truth()["calls"]["by_path"] == {}

    def test_a_key_phrase_that_was_given_as_an_account_is_not_quoted(self, gateway):
        phrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
        with pytest.raises(InvalidAccount, match="user: a text of 69 characters is not an SS58 address") as told:
            payout(**{**PLAIN, "user": phrase}).run()
        assert "bottom" not in str(told.value)

    def test_a_configuration_that_is_named_but_missing_is_refused_lest_another_ledger_be_used(
        self, gateway, monkeypatch
    ):
        monkeypatch.setenv("STAKING_GATEWAY_CONFIG", "/no/such/staking.yaml")
        monkeypatch.delenv("STAKING_GATEWAY_LEDGER_CONN_ID")
        with pytest.raises(ConfigError, match="there is no file"):
            payout(**PLAIN).run()
        assert gateway.control.truth()["calls"]["by_path"] == {}


class TestResuming:
    @pytest.mark.parametrize("event", [None, {}, "done", [], {"status": None}, {"status": "success"}, {"message": "x"}])
    def test_on_no_event_or_an_unknown_one_is_refused(self, gateway, event):
        task = payout(**PLAIN)
        with pytest.raises(ValueError, match=r"event of no known status: .* Clear the task to run it again"):
            task.operator.execute_complete(task.context, event=event)
        assert gateway.control.truth()["calls"]["by_path"] == {}

    def test_on_a_failed_trigger_is_no_success(self, gateway):
        task = payout(**PLAIN)
        with pytest.raises(
            InvalidInput, match=r"connection: 'x' has no host\. Correct the connection and clear this task"
        ):
            task.operator.execute_complete(task.context, event={"status": "failed", "message": "'x' has no host"})
        assert task.ti.xcoms == {}
        assert gateway.control.truth()["calls"]["by_path"] == {}

    def test_a_trigger_that_cannot_use_the_connection_fails_the_task(self, gateway, connect):
        gateway.control.window("open")
        task = payout(
            on_wait=lambda trigger: connect("staking_gateway_default", conn_type="staking_gateway", host="gone"),
            **PLAIN,
        )
        with pytest.raises(
            InvalidConnection, match=r"^connection: Connection 'staking_gateway_default', password: is empty\. Store"
        ):
            task.run()


class TestWhatAirflowStores:
    def test_templates_are_rendered(self):
        fields = PayoutStakersOperator.template_fields
        with DAG("d", schedule=None):
            operator = PayoutStakersOperator(task_id="a", **dict.fromkeys(fields, "{{ k }}"))
        operator.render_template_fields({"k": "7"})
        assert {getattr(operator, field) for field in fields} == {"7"}

    def test_no_signature_is_a_template_field(self):
        """Rendered templates are stored and shown."""
        assert not {"proxy_signature", "fee_payment_signature"} & set(PayoutStakersOperator.template_fields)

    def test_no_secret_and_no_signature_is_in_triggers_or_xcoms(self, gateway, ledger):
        gateway.control.window("open")
        world = World(gateway, lambda control: control.window("closed"))
        task = payout(on_wait=world, **PLAIN)
        task.run()
        (record,) = ledger.era_payouts("staking_gateway_default", ERA)
        secrets = [gateway.token, "//Alice", "//Charlie", record.proxy_signature[2:], record.fee_payment_signature[2:]]
        told = [task.ti.xcoms, task.events]
        told += [(deferral.trigger.serialize(), deferral.kwargs) for deferral in task.deferrals]
        for secret in secrets:
            assert secret not in json.dumps(told)
