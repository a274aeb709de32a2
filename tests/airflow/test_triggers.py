"""Waiting in the triggerer: triggers read, go on through errors, end with one event of a known status, and clean up."""

import asyncio
import gc
import json
import time

import pytest
from airflow.models.trigger import Trigger
from airflow.sdk.exceptions import AirflowNotFoundException, AirflowRuntimeError
from airflow.sdk.execution_time.comms import ErrorResponse
from airflow.triggers.base import BaseTrigger
from names import ACTIVE, ALICE, BOB, CHARLIE, ERA
from tasks import fire, rebuilt

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.errors import GatewayUnreachable, InvalidConnection
from staking_gateway.signing import LocalSigner, MessageKind, fee_payment_message, payout_message
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.triggers import polling
from staking_gateway_provider.triggers.election import ElectionWindowTrigger
from staking_gateway_provider.triggers.payout import PauseTrigger, PayoutConfirmationTrigger
from staking_gateway_provider.triggers.polling import EventStatus, read_event

NOBODYS_REQUEST = "00000000-0000-4000-8000-000000000000"
UNREADABLE_POLLS = [
    {"result": None},
    {"result": {"txHash": None}},
    {"result": "Error: no connection to the chain"},
    {"error": {"code": -32603, "message": "Internal error", "data": {"gatewayError": "failed to poll chain"}}},
    {"error": {"code": -32602, "message": "Invalid params"}},
]


def window(*, wait=30.0, **arguments):
    given = {"gateway_conn_id": "staking_gateway_default", "poll_interval": 0.1, "deadline": time.time() + wait}
    return ElectionWindowTrigger(**{**given, **arguments})


def confirmation(request_id, *, wait=30.0, **arguments):
    given = {"gateway_conn_id": "staking_gateway_default", "poll_interval": 0.1, "deadline": time.time() + wait}
    return PayoutConfirmationTrigger(request_id=request_id, **{**given, **arguments})


def submit(simulator, era=ERA):
    proxy = LocalSigner("//Alice").sign(MessageKind.PAYOUT, payout_message(BOB, era, 0))
    fee_payment = LocalSigner("//Charlie").sign(
        MessageKind.FEE_PAYMENT, fee_payment_message(ALICE, BOB, proxy, 10**17, 0)
    )
    with GatewayClient(simulator.url, simulator.token) as client:
        return client.payout_stakers(
            relayer=BOB,
            user=ALICE,
            payer=CHARLIE,
            era=era,
            proxy_signature=proxy,
            fee_payment_signature=fee_payment,
            payment_nonce=0,
        )


def meanwhile(trigger, *happenings):
    """Run a trigger; after each question it asks in vain, the next thing happens. Gives its event and the errors it met."""
    coming, errors = list(happenings), []
    ask = trigger.ask

    async def asked(client):
        try:
            answer = await ask(client)
        except Exception as error:
            errors.append(error)
            raise
        finally:
            if coming:
                await asyncio.to_thread(coming.pop(0))
        return answer

    trigger.ask = asked
    return fire(trigger), errors


@pytest.fixture
def clients(monkeypatch):
    """Every client a trigger makes."""
    made = []
    make = AsyncGatewayClient.__init__

    def remember(self, *arguments, **options):
        make(self, *arguments, **options)
        made.append(self)

    monkeypatch.setattr(AsyncGatewayClient, "__init__", remember)
    yield made
    assert all(client._session is None for client in made)


class TestStored:
    @pytest.mark.parametrize(
        "trigger",
        [
            window(),
            window(era=ERA, window=False, gateway_conn_id="elsewhere", poll_interval=2.5),
            window(era=ERA, expected_at=1234567890.5, era_length=21600.0),
            confirmation(NOBODYS_REQUEST),
            confirmation(NOBODYS_REQUEST, patience=1.5),
            PauseTrigger(until=1234567890.5),
        ],
        ids=lambda trigger: type(trigger).__name__,
    )
    def test_a_trigger_is_the_same_after_airflow_has_stored_it(self, trigger):
        again = rebuilt(trigger)
        assert type(again) is type(trigger)
        assert again.serialize() == trigger.serialize()
        assert isinstance(again, BaseTrigger)

    @pytest.mark.parametrize("trigger", [window(), confirmation(NOBODYS_REQUEST)])
    def test_a_trigger_is_told_the_connections_name_and_no_secret(self, gateway, trigger):
        stored = json.dumps(Trigger(*trigger.serialize()).kwargs)
        assert "staking_gateway_default" in stored
        assert gateway.token not in stored
        assert gateway.url not in stored


class TestWindow:
    @pytest.mark.parametrize("era", [None, ERA])
    def test_fires_when_the_window_has_closed(self, gateway, clients, era):
        gateway.control.window("open")
        event, errors = meanwhile(window(era=era), lambda: gateway.control.window("closed"))
        assert event["status"] == "done"
        assert "the election window is closed" in event["message"]
        assert errors == []

    def test_fires_when_the_era_has_ended(self, gateway, clients):
        event, _ = meanwhile(window(era=ACTIVE), lambda: gateway.control.advance(eras=1))
        assert event == {"status": "done", "message": f"era {ACTIVE + 1} is active, the election window is closed"}

    def test_does_not_ask_at_once_what_has_just_been_asked(self, gateway, clients):
        started = time.monotonic()
        assert fire(window(poll_interval=0.3))["status"] == "done"
        assert time.monotonic() - started >= 0.3

    def test_asks_no_more_than_ten_times_a_second(self, gateway, clients):
        gateway.control.window("open")
        assert fire(window(poll_interval=0, wait=0.35))["status"] == "timeout"
        assert gateway.control.truth()["calls"]["by_method"]["getEraElectionStatus"] <= 5


class TestConfirmation:
    def test_fires_when_the_payout_is_executed(self, gateway, clients):
        request_id = submit(gateway)
        event, _ = meanwhile(confirmation(request_id), lambda: None, lambda: gateway.control.advance(seconds=1))
        assert event == {"status": "done", "message": f"Request {request_id} was executed"}
        assert gateway.control.truth()["calls"]["by_path"]["/send"] == 1

    def test_fires_when_the_payout_is_rejected(self, gateway, clients):
        request_id = submit(gateway)
        gateway.control.nonce(ALICE, "staking")
        gateway.control.advance(seconds=1)
        assert fire(confirmation(request_id))["message"] == f"Request {request_id} was rejected by the chain"

    def test_leaves_a_request_nobody_knows_to_the_worker_after_a_while(self, gateway, clients):
        started = time.monotonic()
        event = fire(confirmation(NOBODYS_REQUEST, patience=0.3))
        assert event == {"status": "done", "message": f"The gateway does not know request {NOBODYS_REQUEST}"}
        assert time.monotonic() - started >= 0.3

    @pytest.mark.parametrize("status", ["200 OK", "404 Not Found", "405 Method Not Allowed"])
    def test_leaves_a_gateway_that_tells_no_states_to_the_worker_after_a_while(self, connect, broken, clients, status):
        def does_not_know(exchange):
            error = {"code": -32601, "message": "Method not found"}
            answer = {"jsonrpc": "2.0", "error": error, "id": exchange.request.json["id"]} if "200" in status else {}
            exchange.answer(json.dumps(answer).encode(), status)
            return True

        broken.script = [does_not_know]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        event = fire(confirmation(NOBODYS_REQUEST, patience=0.2))
        assert event == {"status": "done", "message": "This gateway does not report request states"}
        assert broken.count >= 4, "and each time it was asked twice"

    def test_a_request_that_turns_up_after_all_is_waited_for(self, connect, broken, clients):
        states = ["Transaction not found", "Pending", "Transaction not found", "Processed"]
        broken.script = [
            lambda exchange, state=state: exchange.result({"txHash": None, "status": state}) for state in states
        ]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        event = fire(confirmation(NOBODYS_REQUEST, patience=0.19))
        assert event["message"] == f"Request {NOBODYS_REQUEST} was executed"

    def test_a_state_of_a_newer_gateway_is_still_pending(self, connect, broken, clients):
        broken.script = [lambda exchange: exchange.result({"txHash": None, "status": "Simmering"})]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        assert fire(confirmation(NOBODYS_REQUEST, wait=0.3))["status"] == "timeout"

    @pytest.mark.parametrize("answer", UNREADABLE_POLLS, ids=str)
    def test_an_answer_that_tells_no_state_ends_no_wait(self, connect, broken, clients, answer):
        told = [answer, answer, {"result": "Processed"}]

        def behave(exchange, members):
            body = {"jsonrpc": "2.0", "id": exchange.request.json["id"], **members}
            exchange.answer(json.dumps(body).encode())
            return True

        broken.script = [lambda exchange, members=members: behave(exchange, members) for members in told]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        event = fire(confirmation(NOBODYS_REQUEST, patience=0))
        assert event == {"status": "done", "message": f"Request {NOBODYS_REQUEST} was executed"}
        assert broken.count == 3

    def test_an_answer_that_tells_no_state_is_waited_out_until_the_deadline(self, connect, broken, clients):
        broken.script = [lambda exchange: exchange.result("failed to poll chain")]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        assert fire(confirmation(NOBODYS_REQUEST, wait=0.3, patience=0)) == {
            "status": "timeout",
            "message": "the time to wait is over",
        }

    def test_an_answer_that_tells_no_state_does_not_make_a_request_known(self, connect, broken, clients):
        """Gateways of different versions behind one address answer in turn."""
        words = ["Transaction not found", "failed to poll chain"]
        broken.script = [lambda exchange, word=word: exchange.result(word) for word in words * 50]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        event = fire(confirmation(NOBODYS_REQUEST, patience=0.3))
        assert event == {"status": "done", "message": f"The gateway does not know request {NOBODYS_REQUEST}"}


class TestPause:
    def test_fires_at_its_moment(self):
        until = time.time() + 0.2
        assert fire(rebuilt(PauseTrigger(until=until))) == {
            "status": "done",
            "message": "The wait is over; the engine decides again",
        }
        assert time.time() >= until

    def test_fires_at_once_when_its_moment_has_passed(self):
        started = time.monotonic()
        fire(PauseTrigger(until=0))
        assert time.monotonic() - started < 30


@pytest.fixture(params=["window", "confirmation"])
def polls(request):
    """Makes a trigger of each polling kind, for a request that never ends and a window that is open."""
    return window if request.param == "window" else lambda **arguments: confirmation(NOBODYS_REQUEST, **arguments)


class TestErrors:
    def test_are_no_verdict_the_wait_goes_on(self, gateway, clients):
        """The gateway goes down and comes back under the same address."""
        gateway.control.window("open")

        def comes_back():
            gateway.start()
            gateway.control.window("closed")

        event, errors = meanwhile(window(era=ERA), gateway.stop, lambda: None, comes_back)
        assert event["status"] == "done"
        assert [type(error).__name__ for error in errors] == ["GatewayUnreachable", "GatewayUnreachable"]
        assert gateway.control.truth()["calls"]["by_path"].get("/send") is None

    def test_end_with_the_time_which_is_told_with_the_last_one(self, gateway, clients, polls):
        gateway.stop()
        event = fire(polls(wait=0.3))
        assert event["status"] == "timeout"
        assert event["message"].startswith("the time to wait is over; the last request failed: ")
        assert "no connection to the gateway" in event["message"]

    def test_that_are_over_are_not_told(self, gateway, clients):
        gateway.control.window("open")
        gateway.stop()
        trigger = window(wait=1.0)

        def comes_back():
            gateway.start()
            gateway.control.window("open")

        event, errors = meanwhile(trigger, comes_back)
        assert len(errors) == 1
        assert event == {"status": "timeout", "message": "the time to wait is over"}

    def test_a_gateway_that_never_answers_does_not_outlast_the_deadline(
        self, connect, broken, clients, polls, monkeypatch
    ):
        monkeypatch.setattr(polling, "_LAST_ANSWER_SECONDS", 0.1)
        broken.script = [lambda exchange: exchange.hold()]
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")
        started = time.monotonic()
        event = fire(polls(wait=0.2))
        assert event == {
            "status": "timeout",
            "message": "the time to wait is over; the last request failed: no answer in time",
        }
        assert time.monotonic() - started < 30

    def test_a_deadline_that_has_passed_leaves_one_question(self, gateway, clients, polls):
        gateway.control.window("open")
        assert fire(polls(deadline=0))["status"] == "timeout"
        assert sum(gateway.control.truth()["calls"]["by_path"].values()) == 1

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"host": None}, "Connection 'gw', host: is empty. Set Host"),
            ({"password": None}, "Connection 'gw', password: is empty"),
            ({"extra": {"tokn": "x"}}, "Connection 'gw', extra 'tokn': is unknown"),
            (
                {"password": None, "extra": {"bearer_signer_conn_id": "key"}},
                "Connection 'key', password: the key belongs to",
            ),
        ],
    )
    def test_a_connection_that_cannot_be_used_is_told_at_once(self, connect, clients, polls, fields, match):
        connect("gw", **{"conn_type": "staking_gateway", "host": "http://127.0.0.1:1", "password": "x", **fields})
        connect("key", conn_type="staking_signer", login=BOB, password="//Alice")
        event = fire(polls(gateway_conn_id="gw"))
        assert event["status"] == "failed"
        assert f"{event['message']}. {event['remedy']}".startswith(match)
        assert clients == []

    def test_a_missing_connection_fails_the_task_with_the_error_of_a_worker(self, polls):
        """Airflow retries the task: Airflow raises the same error when a secrets backend does not answer."""
        event = fire(polls(gateway_conn_id="nobody"))
        assert (event["status"], event["missing"]) == ("failed", True)
        with pytest.raises(AirflowNotFoundException, match="gateway_conn_id: The conn_id `nobody` isn't defined"):
            read_event(event)


class TestCleaningUp:
    @pytest.fixture(autouse=True)
    def unclosed_sessions_warn_now(self):
        yield
        gc.collect()

    def test_a_cancelled_trigger_closes_its_connections(self, gateway, clients, polls):
        gateway.control.window("open")
        trigger = polls()

        async def cancel_while_it_waits():
            asked = asyncio.Event()
            ask = trigger.ask

            async def told(client):
                answer = await ask(client)
                asked.set()
                return answer

            trigger.ask = told
            task = asyncio.create_task(anext(trigger.run()))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(cancel_while_it_waits())
        assert len(clients) == 1

    def test_a_cancelled_question_closes_its_connections(self, connect, broken, clients, polls):
        connect("staking_gateway_default", conn_type="staking_gateway", host=broken.url, password="x")

        async def cancel_while_it_asks():
            arrived = asyncio.Event()
            loop = asyncio.get_running_loop()
            broken.script = [lambda exchange: (loop.call_soon_threadsafe(arrived.set), exchange.hold())[1]]
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
            return [client._session for client in clients]

        assert asyncio.run(take_one()) == [None]


class TestEvents:
    @pytest.mark.parametrize("status", [EventStatus.DONE, EventStatus.TIMEOUT])
    def test_of_a_known_status_are_read(self, status):
        assert read_event({"status": status.value, "message": "so"}) == (status, "so")
        assert read_event({"status": status.value}) == (status, "")

    @pytest.mark.parametrize(
        "event", [None, {}, [], "done", {"status": "DONE"}, {"status": ["done"]}, {"message": "done"}]
    )
    def test_of_another_kind_are_refused(self, event):
        with pytest.raises(ValueError, match=r"no known status: .*\. Clear the task"):
            read_event(event)


class TestConnection:
    """The hook's client, made anew after an error."""

    @pytest.fixture
    def hooks(self, monkeypatch):
        """What each `aget_conn` gives or raises, in order; and the clients that were closed."""
        given, closed = [], []

        class Client:
            async def election_window(self):
                raise GatewayUnreachable("no answer", method="getElectionWindow")

            async def close(self):
                closed.append(self)

        async def connect(hook, concurrency):
            step = given.pop(0) if given else None
            if isinstance(step, Exception):
                raise step
            return Client()

        monkeypatch.setattr(StakingGatewayHook, "aget_conn", connect)
        return given, closed

    def test_that_airflow_cannot_give_for_a_moment_ends_no_wait(self, hooks):
        given, closed = hooks
        given += [None, AirflowNotFoundException("the secrets backend is down")]
        event = fire(window(wait=0.35))
        assert event["status"] == "timeout"
        assert len(closed) >= 2

    def test_that_never_was_ends_the_wait(self, hooks):
        given, _ = hooks
        given += [AirflowNotFoundException("no such connection")]
        event = {"status": "failed", "message": "no such connection", "missing": True}
        assert fire(window(wait=1)) == event

    def test_of_an_airflow_that_does_not_answer_is_left_to_airflow(self, hooks):
        given, _ = hooks
        given += [AirflowRuntimeError(ErrorResponse())]
        with pytest.raises(AirflowRuntimeError):
            fire(window(wait=1))

    def test_that_became_unusable_ends_the_wait(self, hooks):
        given, _ = hooks
        given += [None, InvalidConnection("host", "is empty", "Set Host")]
        event = fire(window(wait=5))
        assert event == {"status": "failed", "message": "host: is empty", "remedy": "Set Host"}
        with pytest.raises(InvalidConnection, match=r"^connection: host: is empty\. Set Host$"):
            read_event(event)
