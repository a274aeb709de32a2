"""The timeline of an era: its changes, and where the payout stopped."""

from datetime import timedelta

import pytest

from staking_gateway.health.overview import era_timeline
from staking_gateway.health.state import AirflowFacts, EraRun, LiveFacts, NetworkState
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.problem import Problem, Topic
from tests.support.alerting import HOUR, START, network
from tests.support.ledgers import PAYER, RELAYER, USER, answered, copy_of, sqlite_url

ACTIVE, ERA = 200, 198
NOW = START + ACTIVE * HOUR + HOUR / 2
NETWORK = "net"
RUN = EraRun("staking_payout_net", "scheduled__era-198")
ACTOR = Actor("staking_payout_net/scheduled__era-198")
SETTINGS = network(history_depth=84)


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger(sqlite_url(tmp_path), clock=lambda: opened.time)
    opened.time = NOW - HOUR
    yield opened
    opened.close()


def plan(ledger, era=ERA, part=0):
    return ledger.plan(NETWORK, era, part, user=USER, payer=PAYER, relayer=RELAYER, actor=ACTOR)


def sign(ledger, payout, fee):
    """The next change, a minute later; as the functions below."""
    ledger.time += timedelta(minutes=1)
    payload = copy_of(payout, fee=fee, run=ACTOR.run, signed_at=ledger.time)
    return ledger.sign(payout, payload, "signed", ACTOR)


def answer(ledger, payout, state, text, **fields):
    ledger.time += timedelta(minutes=1)
    return answered(ledger, payout, state, text=text, actor=ACTOR, **fields)


def steps(ledger, era=ERA, *, runs=None, now=NOW, settings=SETTINGS):
    state = NetworkState(NETWORK, settings, ledger, LiveFacts(), now=now, airflow=lambda _: AirflowFacts(runs=runs))
    return era_timeline(era, state)


def words(found):
    return [(step["name"], step["state"], step["detail"]) for step in found]


def test_it_tells_each_change_and_whether_the_last_state_is_worked_on(ledger):
    no = {"answer": "refused", "request_id": None, "reason": "refused: no"}
    payout = answer(ledger, sign(ledger, plan(ledger), 5), PayoutState.REJECTED, "refused: no", **no)
    assert words(steps(ledger))[-1] == ("rejected", "stopped", "refused: no")
    answer(ledger, sign(ledger, payout, 6), PayoutState.SUBMITTED, "accepted as 0xcd")
    found = steps(ledger)
    names = ["ended", "planned", "signed", "rejected", "signed", "submitted", "unpaid"]
    assert ([step["name"] for step in found], found[-1]["state"]) == (names, "stopped")
    running = {ERA: EraRun(RUN.dag_id, RUN.run_id, "running")}
    waits = ("in progress", "waiting", "sent; not confirmed yet")
    assert words(steps(ledger, runs=running))[-1] == waits


def test_a_task_that_failed_last_is_the_last_step(ledger):
    plan(ledger)
    ledger.time += timedelta(minutes=1)
    ledger.journal.note_failure(NETWORK, ERA, Problem(Topic.SIGNER, "the signer is gone"), ACTOR)
    assert words(steps(ledger))[-1] == ("failed", "stopped", "the signer is gone")


def test_an_expired_era_ends_with_the_loss(ledger):
    plan(ledger, 100)
    assert words(steps(ledger, 100))[1:] == [
        ("planned", "done", "planned"),
        ("expired", "stopped", "its rewards are gone"),
    ]
    assert steps(ledger, 100)[-1]["at"] == (START + 185 * HOUR).isoformat()
    assert words(steps(ledger, 20)) == [("ended", "done", "")], "this installation need not pay it"
    assert words(steps(ledger, ACTIVE)) == [("ended", "waiting", f"era {ACTIVE} has not ended")]
