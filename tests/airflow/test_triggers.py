"""Waiting in the triggerer: triggers read, go on through errors, end with one event of a known status, and clean up."""

import asyncio
import gc
import json
import time

import pytest
from airflow.models.trigger import Trigger
from airflow.sdk.exceptions import AirflowNotFoundException
from airflow.triggers.base import BaseTrigger
from names import ACTIVE, ALICE, BOB, CHARLIE, ERA
from tasks import fire, rebuilt
from waits import CONN_ID, REQUEST, confirmation, window

from staking_gateway import GatewayClient
from staking_gateway.signing import LocalSigner, MessageKind, fee_payment_message, payout_message
from staking_gateway_provider.triggers.payout import PauseTrigger
from staking_gateway_provider.triggers.polling import EventStatus, read_event

TIME_IS_UP = {"status": "timeout", "message": "the time to wait is up"}
NO_SUCH_METHOD = {"error": {"code": -32601, "message": "Method not found"}}
UNREADABLE = [
    {"result": None},
    {"result": {"txHash": None}},
    {"result": "Error: no connection to the chain"},
    {"error": {"code": -32603, "message": "Internal error", "data": {"gatewayError": "failed to poll chain"}}},
    {"error": {"code": -32602, "message": "Invalid params"}},
]


def state(word):
    return {"result": {"txHash": None, "status": word}}


def done(message):
    return {"status": "done", "message": message}


def submit(simulator, era=ERA):
    proxy = LocalSigner("//Alice").sign(MessageKind.PAYOUT, payout_message(BOB, era, 0))
    message = fee_payment_message(ALICE, BOB, proxy, 10**17, 0)
    proof = LocalSigner("//Charlie").sign(MessageKind.FEE_PAYMENT, message)
    parties = {"relayer": BOB, "user": ALICE, "payer": CHARLIE}
    with GatewayClient(simulator.url, simulator.token) as client:
        return client.payout_stakers(
            **parties, era=era, proxy_signature=proxy, fee_payment_signature=proof, payment_nonce=0
        )


def meanwhile(trigger, *happenings):
    """Run a trigger; after each question it asks in vain, the next thing happens. Gives its event and the errors it met."""
    coming, errors = list(happenings), []
    ask = trigger.ask

    async def asked(client, company):
        try:
            answer = await ask(client, company)
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
def answers(connect, broken):
    """A gateway that gives these answers one after another, and then the last one again and again."""

    def give(*told, status="200 OK"):
        def behave(exchange, members):
            body = {"jsonrpc": "2.0", "id": exchange.request.json["id"], **members}
            exchange.answer(json.dumps(body if "200" in status else {}).encode(), status)
            return True

        broken.script = [lambda exchange, members=members: behave(exchange, members) for members in told]
        connect(CONN_ID, conn_type="staking_gateway", host=broken.url, password="x")
        return broken

    return give


class TestStored:
    @pytest.mark.parametrize(
        "trigger",
        [
            window(),
            window(era=ERA, window=False, gateway_conn_id="elsewhere", poll_interval=2.5),
            window(era=ERA, expected_at=1234567890.5, era_length=21600.0),
            confirmation(),
            confirmation(patience=1.5),
            PauseTrigger(until=1234567890.5),
        ],
        ids=lambda trigger: type(trigger).__name__,
    )
    def test_a_trigger_is_the_same_after_airflow_has_stored_it(self, trigger):
        again = rebuilt(trigger)
        assert type(again) is type(trigger)
        assert again.serialize() == trigger.serialize()
        assert isinstance(again, BaseTrigger)

    @pytest.mark.parametrize("trigger", [window(), confirmation()])
    def test_a_trigger_is_told_the_connections_name_and_no_secret(self, gateway, trigger):
        stored = json.dumps(Trigger(*trigger.serialize()).kwargs)
        assert CONN_ID in stored
        assert gateway.token not in stored
        assert gateway.url not in stored


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
        assert event == done(f"era {ACTIVE + 1} is active, the election window is closed")

    def test_does_not_ask_at_once_what_has_just_been_asked(self, gateway):
        started = time.monotonic()
        assert fire(window(poll_interval=0.3))["status"] == "done"
        assert time.monotonic() - started >= 0.3

    def test_asks_no_more_than_ten_times_a_second(self, gateway):
        gateway.control.window("open")
        assert fire(window(poll_interval=0, wait=0.35))["status"] == "timeout"
        assert gateway.control.truth()["calls"]["by_method"]["getEraElectionStatus"] <= 5


@pytest.mark.usefixtures("clients")
class TestConfirmation:
    @pytest.mark.parametrize("end", ["Processed", "Rejected"])
    def test_fires_when_the_payout_is_final(self, gateway, end):
        request_id = submit(gateway)
        if end == "Rejected":
            gateway.control.nonce(ALICE, "staking")
        event, _ = meanwhile(confirmation(request_id), lambda: None, lambda: gateway.control.advance(seconds=1))
        assert event == done(f"request {request_id} is {end}")
        assert gateway.control.truth()["calls"]["by_path"]["/send"] == 1

    @pytest.mark.parametrize(
        "told",
        [
            [state("Transaction not found"), state("Pending"), state("Transaction not found"), state("Processed")],
            *([answer, answer, state("Processed")] for answer in UNREADABLE),
        ],
        ids=["turns up after all", *map(str, UNREADABLE)],
    )
    def test_waits_for_a_request_that_turns_up_and_through_answers_that_tell_no_state(self, answers, told):
        server = answers(*told)
        assert fire(confirmation(patience=0.19)) == done(f"request {REQUEST} is Processed")
        assert server.count == len(told)

    @pytest.mark.parametrize(
        "told", [state("Simmering"), {"result": "failed to poll chain"}], ids=["a newer gateway's state", "no state"]
    )
    def test_waits_out_what_is_no_end(self, answers, told):
        answers(told)
        assert fire(confirmation(wait=0.3, patience=0)) == TIME_IS_UP

    @pytest.mark.parametrize(
        ("told", "status", "message"),
        [
            ([state("Transaction not found")], "200 OK", f"the gateway does not know request {REQUEST}"),
            # Gateways of different versions behind one address answer in turn: no answer makes the request known.
            (
                [state("Transaction not found"), {"result": "failed to poll chain"}] * 50,
                "200 OK",
                f"the gateway does not know request {REQUEST}",
            ),
            ([NO_SUCH_METHOD], "200 OK", "this gateway does not tell request states"),
            ([NO_SUCH_METHOD], "404 Not Found", "this gateway does not tell request states"),
            ([NO_SUCH_METHOD], "405 Method Not Allowed", "this gateway does not tell request states"),
        ],
        ids=["unknown request", "unknown or unreadable", "no method", "no path", "no verb"],
    )
    def test_leaves_what_stays_unknown_to_the_worker_after_a_while(self, answers, told, status, message):
        answers(*told, status=status)
        started = time.monotonic()
        assert fire(confirmation(patience=0.2)) == done(message)
        assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize("seconds", [-1e9, 0.2])
def test_a_pause_ends_at_its_moment(seconds):
    until = time.time() + seconds
    assert fire(rebuilt(PauseTrigger(until=until))) == done("time to look again")
    assert until <= time.time() < until + 30 or seconds < 0


@pytest.fixture(params=[window, confirmation], ids=lambda made: made.__name__)
def polls(request):
    """Makes a trigger of each polling kind, for a request that never ends and a window that is open."""
    return request.param


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
        assert event["message"].startswith("the time to wait is up; the last answer was: ")
        assert "no connection to the gateway" in event["message"]

    def test_that_are_over_are_not_told(self, gateway, clients):
        gateway.control.window("open")
        gateway.stop()

        def comes_back():
            gateway.start()
            gateway.control.window("open")

        event, errors = meanwhile(window(wait=1.0), comes_back)
        assert len(errors) == 1
        assert event == TIME_IS_UP

    def test_a_deadline_that_has_passed_leaves_one_question(self, gateway, clients, polls):
        gateway.control.window("open")
        assert fire(polls(deadline=0))["status"] == "timeout"
        assert sum(gateway.control.truth()["calls"]["by_path"].values()) == 1

    @pytest.mark.parametrize(
        ("fields", "match"),
        [
            ({"host": None}, "Connection 'gw', host: is empty. Set Host"),
            ({"extra": {"tokn": "x"}}, "Connection 'gw', extra 'tokn': is unknown"),
            (
                {"password": None, "extra": {"bearer_signer_conn_id": "key"}},
                "Connection 'key', password: the key is the one",
            ),
        ],
    )
    def test_a_connection_that_cannot_be_used_is_told_at_once(self, connect, clients, polls, fields, match):
        connect("gw", **{"conn_type": "staking_gateway", "host": "http://127.0.0.1:1", "password": "x", **fields})
        connect("key", conn_type="staking_signer", login=BOB, password="//Alice")
        event = fire(polls(gateway_conn_id="gw"))
        assert event["status"] == "failed"
        assert event["message"].startswith(match)
        assert clients == []

    def test_a_connection_nobody_defined_is_left_to_airflow(self, polls):
        """Which tries the task again: it looks the same when only its API cannot be reached for a moment."""
        with pytest.raises(AirflowNotFoundException, match="nobody"):
            fire(polls(gateway_conn_id="nobody"))


class TestCleaningUp:
    def test_a_cancelled_question_closes_its_connections(self, answers, clients, polls):
        async def cancel_while_it_asks():
            arrived, loop = asyncio.Event(), asyncio.get_running_loop()
            answers({}).script = [lambda exchange: (loop.call_soon_threadsafe(arrived.set), exchange.hold())[1]]
            task = asyncio.create_task(anext(polls().run()))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(cancel_while_it_asks())
        assert clients.closed == clients
        assert len(clients) == 1
        gc.collect()  # a session that was left open warns now

    def test_nothing_is_open_any_more_when_the_event_is_told(self, gateway, clients):
        """Airflow may never ask for a second event."""

        async def take_one():
            await anext(window().run())
            return list(clients.closed)

        assert asyncio.run(take_one()) == clients
        assert len(clients) == 1


class TestEvents:
    @pytest.mark.parametrize("status", list(EventStatus))
    def test_of_a_known_status_are_read(self, status):
        assert read_event({"status": status.value, "message": "so"}) == (status, "so")
        assert read_event({"status": status.value}) == (status, "")

    @pytest.mark.parametrize(
        "event", [None, {}, [], "done", {"status": "DONE"}, {"status": ["done"]}, {"message": "done"}]
    )
    def test_of_another_kind_are_refused(self, event):
        with pytest.raises(ValueError, match=r"no known status: .*\. Clear the task"):
            read_event(event)
