"""Alerts, from the ledger through the operator and its notifiers to whoever is told."""

import logging
from contextlib import nullcontext

import pytest
from names import ALICE_STASH, BOB_STASH, ERA, NETWORK, PARTY, hourly
from tasks import Task, TaskInstance

from staking_gateway.errors import EraNotPaid, InvalidEra, InvalidInput, StakingGatewayError
from staking_gateway.ledger import Actor
from staking_gateway.problem import Topic
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.alerting import send_alerts
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.operators.catch_up import CatchUpReportOperator
from staking_gateway_provider.operators.era import EraReportOperator
from staking_gateway_provider.reporting import help_line
from tests.contract.faults import status
from tests.support.ledgers import put
from tests.support.notifiers import webhook

RUN = Actor("staking_payout_testnet/run-1")
PAID = {"network": NETWORK, "era": ERA, "outcome": "PAID", "reason": "", "parts": []}
HELD = {**PAID, "outcome": "HELD_FEE", "reason": "too dear", "topic": "held_fee"}


@pytest.fixture
def owed(gateway, network, ledger, connect, broken):
    """ERA is not paid, and a receiver waits for messages."""
    broken.script = [status("200 OK")]
    connect("hook", conn_type="http", host=broken.url)
    network.usual = {"calendar": hourly(minutes=45), "alerts": {"notifiers": [webhook()]}}
    network()
    plan(ledger, ERA)
    return network


def plan(ledger, era, state=None, **changes):
    payout = ledger.plan(NETWORK, era, 0, actor=RUN, **PARTY)
    return put(ledger, payout, state, RUN, **changes) if state else payout


def raises(error):
    return nullcontext() if error is None else pytest.raises(error)


def alerts():
    return send_alerts(NETWORK, network_config(NETWORK), {"ti": TaskInstance(), "partition_key": str(ERA)}, "")


class TestNotifiers:
    def test_none_leave_it_to_the_log(self, owed, broken, caplog):
        owed(alerts={})
        assert alerts()["left"] == 0
        assert broken.count == 0
        warned = [record.message for record in caplog.records if record.levelno == logging.WARNING]
        assert warned[0] == f"[{NETWORK}] Era {ERA}: not paid in time."
        assert [line.split(":")[0] for line in warned[1:]] == ["Cause", "Next", "Help"]


class TestReport:
    """A report that sends alerts decides alone whether its task succeeds, and always sends them."""

    @pytest.fixture
    def report(self, owed, ledger):
        stashes = [(AccountId.parse(stash), StakingStatus.IS_STAKING) for stash in (ALICE_STASH, BOB_STASH)]
        ledger.record_statuses(NETWORK, ERA, stashes)

        def make(outcome=PAID, *, tries=(1, 5), era=ERA, kind=EraReportOperator, **arguments):
            ti = TaskInstance()
            ti.try_number, ti.max_tries = tries
            ti.xcoms["payout", "outcome"] = outcome
            return Task(kind(task_id="report", network=NETWORK, **{"send_alerts": True, **arguments}), era=era, ti=ti)

        return make

    @pytest.mark.parametrize(("outcome", "raised"), [(PAID, None), (HELD, EraNotPaid)])
    def test_is_retried_for_an_unsent_message_and_then_decides_alone(self, report, broken, capsys, outcome, raised):
        unsent = StakingGatewayError
        for tries, error in (((1, 5), unsent), ((2, 5), unsent), ((3, 5), raised), ((1, 0), raised)):
            broken.script = [status("400 Bad Request", b"come again")]
            task = report(outcome, tries=tries)
            with raises(error):
                task.run()
            assert task.ti.xcoms["report"]["outcome"] == outcome["outcome"], "the page reads it before the next try"
            written, is_last = capsys.readouterr().out, error is raised
            assert ("The alerts were not sent: 1 messages are not sent yet, and are kept" in written) is is_last
            assert help_line(Topic.ALERTS_NOT_SENT) in written
        broken.script = [status("200 OK")]
        with raises(raised):
            report(outcome).run()
        assert broken.count == 5

    @pytest.mark.parametrize(
        ("changes", "raised"), [({"era": None}, InvalidEra), ({"kind": CatchUpReportOperator}, InvalidInput)]
    )
    def test_that_cannot_be_made_sends_them_too(self, report, broken, changes, raised):
        with pytest.raises(raised):
            report(**changes).run()
        assert broken.count == 1

    def test_sends_none_unless_it_is_asked_to(self, report, broken):
        report(send_alerts=False).run()
        assert broken.count == 0
