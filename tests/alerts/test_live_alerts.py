"""An era waits, is late, is told of while its run still waits, is paid, and that is told too.

The story is one; the fixture `paid` ends it, whether or not the test of its beginning went well.
"""

from __future__ import annotations

from datetime import datetime

from tests.support.live import ACTIVE

ERA = ACTIVE - 1


def test_an_era_that_is_late_is_told_of_while_its_run_waits_and_again_when_it_is_paid(net, receiver, request):
    run_id = net.scheduled_run()
    made = net.stack.api.run(net.dag_id, run_id)
    assert (made["run_type"], made["partition_key"]) == ("scheduled", str(ERA))

    # The deadline counts from the era's end, not from the run's; the run itself does nothing, for the window is open.
    net.wait(lambda: receiver.messages, net.patience, "the late era is told of")
    # The message may be there before Airflow has stored that the task waits.
    net.deferred(run_id, "wait_for_window")
    (held,) = receiver.messages
    assert (held["kind"], held["era"], held["phase"]) == ("held", ERA, "raised")
    assert held["cause"] == "The election window is open"
    assert net.network.calendar.end(ERA) + net.network.alerts.paid_within <= datetime.fromisoformat(held["at"])

    assert request.getfixturevalue("paid") == run_id
    assert set(net.states(run_id).values()) == {"success"}
    net.wait(lambda: len(receiver.messages) > 1, net.patience, "that it is paid is told of")
    assert [(message["kind"], message["phase"]) for message in receiver.messages] == [
        ("held", "raised"),
        ("held", "cleared"),
    ]
    assert "is paid, transaction 0x" in receiver.messages[1]["title"]
    assert len({message["key"] for message in receiver.messages}) == 2


def test_the_paid_era_runs_the_dag_that_waits_for_it_once(net, paid):
    api = net.stack.api

    def finished():
        runs = api.runs("consumer")
        return runs if runs and {run["state"] for run in runs} == {"success"} else None

    (made,) = net.wait(finished, net.patience, "the consumer has run")
    assert made["partition_key"] == str(ERA)
    taken = api.xcom("consumer", made["dag_run_id"], "take", "return_value")
    payout = taken["events"][f"staking://{net.name}/payouts"]
    assert (taken["era"], payout["era"], payout["outcome"]) == (str(ERA), ERA, "PAID")
    assert payout["transactions"] == [one["tx_hash"] for one in net.control.truth()["payouts"]]
    assert taken["events"][f"staking://{net.name}/statuses"] == {"era": ERA}


def test_the_payout_links_to_its_transaction(net, paid):
    links = net.stack.api.call("GET", f"dags/{net.dag_id}/dagRuns/{paid}/taskInstances/payout/links")
    (transaction,) = [one["tx_hash"] for one in net.control.truth()["payouts"]]
    assert links["extra_links"]["Explorer"] == f"https://explorer.example/tx/{transaction}"
    assert links["extra_links"]["Runbook"].endswith("/staking/help")
    assert f"/staking/?dag_id={net.dag_id}&run_id=" in links["extra_links"]["Staking page"]
