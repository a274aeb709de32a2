"""Waiting in the triggerer: triggers read, go on through errors, end with one event of a known status, and clean up."""

import asyncio
import gc
import json
import time
from datetime import datetime, timedelta, timezone

import pytest
from airflow.models.trigger import Trigger
from airflow.sdk.exceptions import AirflowRuntimeError
from airflow.sdk.execution_time.comms import ErrorResponse
from names import ACCOUNTS, ACTIVE, BOB, ERA, NETWORK, PARTY
from simulated_chain import calls
from tasks import fire, rebuilt

from staking_gateway import GatewayClient
from staking_gateway.problem import Topic
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.triggers import gateway as polling
from staking_gateway_provider.triggers.gateway import (
    DEFER_GRACE_SECONDS,
    ElectionWindowStartTrigger,
    ElectionWindowTrigger,
    EventStatus,
    PauseTrigger,
    PayoutConfirmationTrigger,
    read_event,
)
from tests.contract.broken_server import Exchange
from tests.contract.faults import envelope, no_such_method, result, status

CONN_ID = "staking_gateway_default"
NOBODYS_REQUEST = "00000000-0000-4000-8000-000000000000"
NOT_KNOWN = {"status": "done", "message": f"The gateway does not know request {NOBODYS_REQUEST}"}
EXECUTED = {"status": "done", "message": f"Request {NOBODYS_REQUEST} was executed"}
TIMEOUT = {"status": "timeout", "message": "the time to wait is over"}


def window(*, wait=30.0, **arguments):
    given = {"gateway_conn_id": CONN_ID, "poll_interval": 0.1, "deadline": time.time() + wait}
    return ElectionWindowTrigger(**{**given, **arguments})


def start(*, wait=30.0, run=None, **arguments):
    """The trigger that starts a task, as Airflow prepares it; `run` is of the context."""
    given = {"network": NETWORK, "gateway_conn_id": None, "era": None, "poll_interval": 0.1}
    trigger = ElectionWindowStartTrigger(**{**given, **arguments})
    trigger.timeout_after = datetime.now(timezone.utc) + timedelta(seconds=DEFER_GRACE_SECONDS + wait)
    trigger.render_template_fields({"partition_key": str(ERA), **(run or {})})
    return trigger


def confirmation(request_id=NOBODYS_REQUEST, *, wait=30.0, **arguments):
    given = {"gateway_conn_id": CONN_ID, "poll_interval": 0.1, "deadline": time.time() + wait}
    return PayoutConfirmationTrigger(request_id=request_id, **{**given, **arguments})


def submit(simulator):
    proofs = ProofMaker(LocalSigner("//Alice"), LocalSigner("//Charlie")).make(
        relayer=PARTY["relayer"], era=ERA, relayer_fee=10**17, staking_nonce=0, payment_nonce=0
    )
    signed = {name: getattr(proofs, name) for name in ("proxy_signature", "fee_payment_signature", "payment_nonce")}
    with GatewayClient(simulator.url, simulator.token) as client:
        return client.payout_stakers(**ACCOUNTS, era=ERA, **signed)


def meanwhile(trigger, *happenings):
    """Run a trigger; after each question it asks in vain, the next thing happens. Gives its event and the errors it met."""
    coming, errors = list(happenings), []
    ask = trigger.ask

    async def asked(client):
        try:
            answer = await ask(client)
        except Exception as error:
            errors.append(type(error))
            raise
        finally:
            if coming:
                await asyncio.to_thread(coming.pop(0))
        return answer

    trigger.ask = asked
    return fire(trigger), errors


@pytest.fixture
def answers(connect, broken):
    """A gateway that gives these answers, one after another, and then the last one again and again."""
    connect(CONN_ID, conn_type="stakinggateway", host=broken.url, password="x")

    def script(*told):
        broken.script = list(told)
        return broken

    return script


class TestStored:
    @pytest.mark.parametrize(
        "trigger",
        [
            window(),
            window(era=ERA, window=False, gateway_conn_id="elsewhere", poll_interval=2.5),
            window(era=ERA, expected_at=1234567890.5),
            start(era="{{ params.era }}"),
            confirmation(),
            confirmation(patience=1.5),
            PauseTrigger(until=1234567890.5),
        ],
        ids=lambda trigger: type(trigger).__name__,
    )
    def test_a_trigger_is_the_same_after_airflow_has_stored_it_and_is_told_no_secret(self, gateway, trigger):
        again = rebuilt(trigger)
        assert type(again) is type(trigger)
        assert again.serialize() == trigger.serialize()
        stored = json.dumps(Trigger(*trigger.serialize()).kwargs)
        assert gateway.token not in stored
        assert gateway.url not in stored


@pytest.mark.usefixtures("clients")
class TestStart:
    """A task that starts in the triggerer, and ends there unless a worker must say what is wrong."""

    @pytest.mark.parametrize(
        "known",
        [{}, {"era": ERA}, {"network": None}, {"run": {"partition_key": None, "params": {"era": ERA}}}],
        ids=str,
    )
    def test_ends_the_task_at_once_when_its_era_may_be_paid(self, gateway, network, known):
        network()
        started = time.monotonic()
        assert fire(start(poll_interval=20, **known)) == "success"
        assert time.monotonic() - started < 10
        assert calls(gateway)["getActiveEra"] == 1

    def test_waits_for_era_and_window_through_a_dead_gateway_and_logs_each_reason_once(self, gateway, network, capfd):
        network()

        def era_ends():
            gateway.control.advance(eras=1)
            gateway.control.window("open")

        closes = [lambda: None, lambda: gateway.control.window("closed")]
        trigger = start(run={"partition_key": str(ACTIVE)})
        event, errors = meanwhile(trigger, gateway.stop, gateway.start, era_ends, *closes)
        assert (event, len(errors)) == ("success", 1)
        told = capfd.readouterr().out
        for topic in (Topic.HELD_WINDOW, Topic.GATEWAY_UNREACHABLE):
            assert told.count(f"Cause: {topic.heading}") == 1

    def test_a_network_without_a_window_waits_for_none(self, gateway, network):
        network(timing={"wait_for_closed_window": False})
        gateway.control.window("open")
        assert fire(start()) == "success"

    @pytest.mark.parametrize(
        ("known", "says"),
        [
            ({"run": {"params": {"era": ERA - 1}}}, "the partition key names era"),
            ({"network": "nowhere"}, "there is no such network"),
            ({"gateway_conn_id": "refused"}, "HTTP 403"),
            ({"gateway_conn_id": "absent"}, "absent"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_what_a_repetition_does_not_correct_goes_to_a_worker(self, gateway, network, connect, known, says):
        network()
        connect("refused", conn_type="stakinggateway", host=gateway.url, password="another")
        event = fire(start(**known))
        assert event["status"] == "failed"
        assert says in event["message"]

    def test_without_the_run_from_airflow_a_worker_asks(self, gateway, network):
        network()
        unprepared = ElectionWindowStartTrigger(network=NETWORK, gateway_conn_id=None, era=None, poll_interval=None)
        assert fire(unprepared)["status"] == "failed"
        assert calls(gateway).get("getActiveEra") is None

    def test_ends_when_airflows_time_is_over(self, gateway, network):
        network()
        gateway.control.window("open")
        assert fire(start(wait=0.3)) == TIMEOUT


@pytest.mark.usefixtures("clients")
class TestWindow:
    @pytest.mark.parametrize("era", [None, ERA])
    def test_fires_when_the_window_has_closed(self, gateway, era):
        gateway.control.window("open")
        event, errors = meanwhile(window(era=era), lambda: gateway.control.window("closed"))
        assert event["status"] == "done"
        assert "the election window is closed" in event["message"]
        assert errors == []

    def test_fires_when_the_era_has_ended(self, gateway):
        event, _ = meanwhile(window(era=ACTIVE), lambda: gateway.control.advance(eras=1))
        assert event == {"status": "done", "message": f"era {ACTIVE + 1} is active, the election window is closed"}

    def test_does_not_ask_at_once_what_has_just_been_asked_nor_more_than_ten_times_a_second(self, gateway):
        started = time.monotonic()
        assert fire(window(poll_interval=0.3))["status"] == "done"
        assert time.monotonic() - started >= 0.3
        gateway.control.window("open")
        asked = calls(gateway)["getEraElectionStatus"]
        assert fire(window(poll_interval=0, wait=0.35)) == TIMEOUT
        assert calls(gateway)["getEraElectionStatus"] - asked <= 5


@pytest.mark.usefixtures("clients")
class TestConfirmation:
    def test_fires_when_the_payout_is_executed(self, gateway):
        request_id = submit(gateway)
        event, _ = meanwhile(confirmation(request_id), lambda: None, lambda: gateway.control.advance(seconds=1))
        assert event == {"status": "done", "message": f"Request {request_id} was executed"}
        assert calls(gateway)["/send"] == 1

    def test_leaves_a_request_nobody_knows_to_the_worker_after_a_while(self, gateway):
        started = time.monotonic()
        assert fire(confirmation(patience=0.3)) == NOT_KNOWN
        assert time.monotonic() - started >= 0.3

    @pytest.mark.parametrize("missing", [no_such_method, status("404 Not Found"), status("405 Method Not Allowed")])
    def test_leaves_a_gateway_that_tells_no_states_to_the_worker_after_a_while(self, answers, missing):
        broken = answers(missing)
        event = fire(confirmation(patience=0.2))
        assert event == {"status": "done", "message": "This gateway does not report request states"}
        assert broken.count >= 4, "and each time it was asked twice"

    @pytest.mark.parametrize(
        "unreadable",
        [
            {"result": None},
            {"result": {"txHash": None}},
            {"result": "Error: no connection to the chain"},
            {"error": {"code": -32603, "message": "Internal error", "data": {"gatewayError": "failed to poll chain"}}},
            {"error": {"code": -32602, "message": "Invalid params"}},
        ],
        ids=str,
    )
    def test_an_answer_that_tells_no_state_ends_no_wait(self, answers, unreadable):
        broken = answers(envelope(**unreadable), envelope(**unreadable), result("Processed"))
        assert fire(confirmation(patience=0)) == EXECUTED
        assert broken.count == 3


def test_a_pause_fires_at_its_moment_or_at_once_when_that_has_passed():
    until = time.time() + 0.2
    woken = {"status": "done", "message": "The wait is over; the engine decides again"}
    assert fire(rebuilt(PauseTrigger(until=until))) == woken
    assert until <= time.time()
    assert fire(PauseTrigger(until=0)) == woken


@pytest.fixture(params=[window, confirmation], ids=["window", "confirmation"])
def polls(request):
    """Makes a trigger of each polling kind, for a request that never ends and a window that is open."""
    return request.param


class TestErrors:
    def test_end_with_the_time_which_is_told_with_the_last_one_unless_it_is_over(self, gateway, clients, polls):
        gateway.stop()
        event = fire(polls(wait=0.3))
        assert event["status"] == "timeout"
        assert event["message"].startswith("the time to wait is over; the last request failed: ")
        assert "no connection to 127.0.0.1:" in event["message"]

        def comes_back():
            gateway.start()
            gateway.control.window("open")

        event, errors = meanwhile(polls(wait=3.0, **({"patience": 9} if polls is confirmation else {})), comes_back)
        assert (event, len(errors)) == (TIMEOUT, 1)

    def test_a_gateway_that_never_answers_does_not_outlast_the_deadline(self, answers, clients, polls, monkeypatch):
        monkeypatch.setattr(polling, "LAST_ANSWER_SECONDS", 0.1)
        answers(Exchange.hold)
        started = time.monotonic()
        message = "the time to wait is over; the last request failed: no answer in time"
        assert fire(polls(wait=0.2)) == {"status": "timeout", "message": message}
        assert time.monotonic() - started < 30

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"host": None}, "Connection 'gw', host: is empty. Set Host"),
            ({"password": None, "extra": {"bearer_signer_conn_id": "key"}}, "Connection 'key', password: the key"),
        ],
    )
    def test_a_connection_that_cannot_be_used_is_told_at_once(self, connect, clients, polls, fields, match):
        connect("gw", **{"conn_type": "stakinggateway", "host": "http://127.0.0.1:1", "password": "x", **fields})
        connect("key", conn_type="stakingsigner", login=BOB, password="//Alice")
        event = fire(polls(gateway_conn_id="gw"))
        assert event["status"] == "failed"
        assert event["message"].startswith(match)
        assert clients == []

    def test_a_connection_that_is_missing_or_that_airflow_cannot_give_is_looked_up_again(
        self, gateway, polls, monkeypatch
    ):
        """A worker has found it before. Airflow reports it as missing also when a secrets backend does not answer."""
        event = fire(polls(gateway_conn_id="nobody", wait=0.5))
        assert event["status"] == "timeout"
        assert "gateway_conn_id: The conn_id `nobody` isn't defined" in event["message"]
        steps, give = [AirflowRuntimeError(ErrorResponse())], StakingGatewayHook.aget_conn

        async def fails_once(hook):
            if steps:
                raise steps.pop()
            return await give(hook)

        monkeypatch.setattr(StakingGatewayHook, "aget_conn", fails_once)
        assert fire(polls(**({"patience": 0} if polls is confirmation else {})))["status"] == "done"


class TestCleaningUp:
    @pytest.fixture(autouse=True)
    def unclosed_sessions_warn_now(self):
        yield
        gc.collect()

    def test_a_cancelled_question_closes_its_connections(self, answers, clients, polls):
        async def cancel_while_it_asks():
            arrived = asyncio.Event()
            loop = asyncio.get_running_loop()
            answers(lambda exchange: (loop.call_soon_threadsafe(arrived.set), exchange.hold())[1])
            task = asyncio.create_task(anext(polls().run()))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(cancel_while_it_asks())
        assert len(clients) == 1

    def test_nothing_is_open_any_more_when_the_event_is_told(self, gateway, clients):
        """Airflow may never ask for a second event."""

        async def take_one():
            await anext(window().run())
            return list(clients.closed)

        assert asyncio.run(take_one()) == clients


def test_only_events_of_a_known_status_are_read():
    for known in (EventStatus.DONE, EventStatus.TIMEOUT):
        assert read_event({"status": known.value, "message": "so"}) == (known, "so")
        assert read_event({"status": known.value}) == (known, "")
    for event in (None, {}, [], "done", {"status": "DONE"}, {"status": ["done"]}, {"message": "done"}):
        with pytest.raises(ValueError, match=r"no known status: .*\. Clear the task"):
            read_event(event)
