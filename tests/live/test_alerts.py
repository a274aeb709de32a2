"""An era is late, an alert says so while its run still waits, the era is paid, and an alert says that too.

Why live: `staking_watch` is a run of its own beside the run that waits, its alert leaves through Airflow's connection, and the DAG that is
scheduled on the payouts is started by Airflow's scheduler. Which change is sent, once, is proved without Airflow (`tests/unit`).
"""

from __future__ import annotations

import shutil
from datetime import datetime, timezone
from pathlib import Path

import pytest

from tests.live.network import ACTIVE, ENDED, HOUR, Network
from tests.live.stand import ROOT, Stand
from tests.support.notifiers import webhook
from tests.support.receiver import Receiver

ERA = ACTIVE - 1


@pytest.fixture(scope="module")
def receiver():
    """Where the messages arrive."""
    with Receiver() as made:
        yield made


@pytest.fixture(scope="module")
def net(tmp_path_factory, receiver):
    """Airflow is up, and the election window is open: the run of the era that has ended waits."""
    folder = tmp_path_factory.mktemp("alerts")
    net = Network(
        "watched",
        chain={"unpaid-eras": 1},
        # The network's era ends just before Airflow comes up.
        alerts={"notifiers": [webhook("alerts_receiver")], "paid_within": "20s", "held_after": "20s"},
    )
    net.settings["start_date"] = (net.start - HOUR).isoformat()  # the first era is due
    shutil.copytree(ROOT / "dags", folder / "dags", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).with_name("consumer.py"), folder / "dags")
    given = {"alerts_receiver": {"conn_type": "http", "host": receiver.url}}
    with Stand(folder, [net], dags=folder / "dags", connections=given) as stand:
        stand.start()
        stand.wait_until_up("consumer", "staking_watch")
        net.control.window("open")
        for dag_id in (net.dag_id, "consumer", "staking_watch"):
            stand.api.unpause(dag_id)
        yield net


@pytest.fixture(scope="module")
def paid(net, receiver):
    """The run of the era; its alert was sent while it waited, then the window closed, and the run is green."""
    run_id = net.run_of(ERA)
    net.deferred(run_id, "wait_for_window")
    late_at = net.calendar.end(ERA) + net.config.alerts.paid_within
    net.wait(lambda: datetime.now(timezone.utc) > late_at, "the era is late")

    def alerted():
        # By itself it runs every quarter of an hour.
        if {run["state"] for run in net.api.runs("staking_watch")} <= ENDED and not receiver.messages:
            net.api.trigger("staking_watch")
        return receiver.messages

    net.wait(alerted, "an alert about the late era is sent")
    assert net.states(run_id)["wait_for_window"] == "deferred"
    net.control.window("closed")
    assert net.ended(run_id) == ["success"]
    return run_id


def test_an_era_that_is_late_raises_an_alert_while_its_run_waits_and_clears_it_when_it_is_paid(net, receiver, paid):
    net.wait(lambda: len(receiver.messages) > 1, "an alert says that the era is paid")
    raised, cleared = receiver.messages
    for message, phase in ((raised, "raised"), (cleared, "cleared")):
        assert (message["kind"], message["era"], message["phase"]) == ("held", ERA, phase)
    # The limit counts from the era's end, not from the start of its run.
    assert net.calendar.end(ERA) + net.config.alerts.paid_within <= datetime.fromisoformat(raised["at"])
    assert raised["cause"] == "The election window is open"
    assert cleared["title"].endswith(": paid")
    assert len({message["id"] for message in receiver.messages}) == 2


def test_the_paid_era_runs_the_dag_that_waits_for_it_once(net, paid):
    def finished():
        runs = net.api.runs("consumer")
        return runs if runs and {run["state"] for run in runs} == {"success"} else None

    (made,) = net.wait(finished, "the consumer has run")
    assert made["partition_key"] == str(ERA)
    taken = net.api.xcom("consumer", made["dag_run_id"], "take", "return_value")
    payout = taken["events"][f"staking://{net.name}/payouts"]
    assert (taken["era"], payout["era"], payout["outcome"]) == (str(ERA), ERA, "PAID")
    assert payout["transactions"] == [one["tx_hash"] for one in net.control.truth()["payouts"]]
    assert taken["events"][f"staking://{net.name}/statuses"] == {"era": ERA}
