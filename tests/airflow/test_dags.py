"""The DAG of the payouts: how it is parsed, what it is made of, and what a whole run does."""

import itertools
import json
from copy import deepcopy
from datetime import timedelta
from unittest.mock import patch

import pytest
from airflow.models.xcom import XComModel
from airflow.sdk.exceptions import ParamValidationError
from airflow.serialization.serialized_objects import DagSerialization
from airflow.utils.session import create_session
from dag_files import CATCH_UP, PAYOUT, QUALITY, WAREHOUSE, allow_nothing_but_files, dags_of, run_dag
from names import ACTIVE, ALICE_STASH, BOB, BOB_STASH, DAVE, ERA, NETWORK, network_settings
from simulated_chain import a_second_passes, executed

from staking_gateway.ledger.records import AccountStatus
from staking_gateway.problem import Topic
from staking_gateway_provider.reporting import StakingPageLink, help_link
from staking_gateway_provider.timetables.era import EraTimetable
from staking_gateway_provider.triggers.gateway import DEFER_GRACE_SECONDS, ElectionWindowTrigger

DAG_ID = f"staking_payout_{NETWORK}"
TASKS = {
    "wait_for_window": "all_success",
    "previous_era": "all_success",
    "payout": "all_success",
    "staking_status": "all_done",
    "report": "all_done",
}
"""Trigger rules: statuses are checked and reported whatever became of the payout."""


def parsed_dag():
    return dags_of(PAYOUT)[DAG_ID]


@pytest.mark.parametrize(
    ("file", "kind"), [(PAYOUT, "payout"), (CATCH_UP, "catch_up"), (WAREHOUSE, "export"), (QUALITY, "quality")]
)
def test_each_enabled_network_is_a_dag_that_is_parsed_without_asking_anybody(network, monkeypatch, file, kind):
    monkeypatch.delenv("STAKING_GATEWAY_CONFIG", raising=False)
    assert list(dags_of(file)) == [f"staking_{kind}_devnet"], "the shipped configuration"
    off = network_settings(enabled=False)
    network(networks={"one": network_settings(), "two": network_settings(user=DAVE, payer=BOB), "off": off})
    allow_nothing_but_files(monkeypatch)
    dags = dags_of(file)
    assert sorted(dags) == [f"staking_{kind}_one", f"staking_{kind}_two"]
    for dag in dags.values():
        stored = json.loads(json.dumps(DagSerialization.to_dict(dag)))
        assert DagSerialization.from_dict(stored).dag_id == dag.dag_id
    network(enabled=False)
    assert dags_of(file) == {}


class TestShape:
    @pytest.fixture
    def dag(self, network):
        network(accounts=[ALICE_STASH, BOB_STASH, DAVE])
        return parsed_dag()

    def test_the_tasks_follow_one_another_and_are_tried_again_by_the_policy(self, dag):
        tasks = list(dag.topological_sort())
        assert {task.task_id: task.trigger_rule for task in tasks} == TASKS
        for before, after in itertools.pairwise(tasks):
            assert after.task_id in before.downstream_task_ids
        for task in tasks:
            assert task.owner == "staking"
            assert task.doc_md
            delays = [task.retry_delay * 2**number for number in range(task.retries)]
            assert sum(delays, timedelta(0)) > timedelta(minutes=15), "longer than an outage"
            assert (task.retry_delay, task.max_retry_delay) == (timedelta(seconds=15), timedelta(minutes=10))
            assert task.retry_exponential_backoff
            assert task.retry_policy is not None
        assert dag.get_task("wait_for_window").deferrable
        assert dag.get_task("payout").deferrable

    def test_the_wait_starts_in_the_triggerer_with_the_networks_time_out(self, network):
        network(timing={"window_timeout": "2h"})
        stored = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(parsed_dag()))
        wait = stored.get_task("wait_for_window")
        assert wait.start_from_trigger
        assert wait.start_trigger_args.timeout == timedelta(hours=2, seconds=DEFER_GRACE_SECONDS)

    @pytest.mark.parametrize("wrong", [{"era": -1}, {"era": "5"}, {"era": 1.5}, {"approve": "no hash"}])
    def test_the_form_refuses_what_no_task_takes(self, dag, wrong):
        with pytest.raises(ParamValidationError):
            deepcopy(dag.params).update(wrong)

    def test_what_is_paid_and_stored_is_told_to_other_dags(self, dag):
        outlets = {task.task_id: [asset.uri for asset in task.outlets] for task in dag.tasks if task.outlets}
        assets = {"payout": "payouts", "staking_status": "statuses"}
        assert outlets == {task_id: [f"staking://{NETWORK}/{name}"] for task_id, name in assets.items()}

    def test_the_dag_has_the_networks_schedule(self, dag, network):
        assert isinstance(dag.timetable, EraTimetable)
        assert dag.timetable.calendar.anchors[0].length == timedelta(seconds=20)
        assert (dag.catchup, dag.start_date) == (False, None)
        assert dag.max_active_runs == 8
        assert dag.tags == {"staking", NETWORK}
        assert "Pays every era of a staking network exactly once" in dag.doc_md
        assert dag.dag_display_name == f"Staking payout: {NETWORK}"
        assert dag.description == f"Pays each era of the network {NETWORK} exactly once, and checks its accounts"
        network(start_date="2026-03-01T00:00:00Z", catchup=True)
        again = parsed_dag()
        assert again.catchup is True
        assert again.start_date.isoformat() == "2026-03-01T00:00:00+00:00"


class Run:
    """A run of the DAG, from its first task to its last."""

    def __init__(self, era=None, *, form=None, retries=0, before=lambda trigger: None):
        self.triggers = []

        def note(trigger):
            self.triggers.append(type(trigger).__name__)
            before(trigger)

        self.dag_run = run_dag(parsed_dag(), era=era, form=form, retries=retries, before=note)
        self.instances = {(ti.task_id, ti.map_index): ti for ti in self.dag_run.get_task_instances()}

    @property
    def states(self):
        return {
            task_id: [str(ti.state) for (name, _), ti in sorted(self.instances.items()) if name == task_id]
            for task_id in TASKS
        }

    def links(self, task_id, map_index=-1):
        """What a page of Airflow shows as the links of a task."""
        stored = DagSerialization.to_dict(parsed_dag())
        # The scheduler, which `DAG.test` plays too, reads DAGs without links.
        with patch.object(DagSerialization, "_load_operator_extra_links", True):
            task = DagSerialization.from_dict(stored).get_task(task_id)
        return {name: task.get_extra_links(self.instances[task_id, map_index], name) for name in task.extra_links}

    def xcoms(self):
        """Tasks and keys of the XComs: each is a row of Airflow's database."""
        with create_session() as session:
            rows = session.execute(
                XComModel.get_many(run_id=self.dag_run.run_id).with_only_columns(XComModel.task_id, XComModel.key)
            )
            return sorted((task_id, key) for task_id, key in rows)

    def xcom(self, task_id, key="return_value", map_index=-1):
        return self.instances[task_id, map_index].xcom_pull(task_ids=task_id, key=key, map_indexes=map_index)


@pytest.fixture
def three_accounts(network):
    def write(**settings):
        network(**{"accounts": [ALICE_STASH, BOB_STASH, DAVE], **settings})

    return write


def all_green():
    return {task_id: ["success"] for task_id in TASKS}


class TestRun:
    @pytest.fixture(autouse=True)
    def prepared(self, airflow, gateway, three_accounts):
        three_accounts()

    @pytest.fixture
    def pass_time(self, gateway):
        return a_second_passes(gateway)

    def test_pays_its_era_once_and_stores_every_status(self, gateway, ledger, pass_time):
        run, era = Run(ERA - 2, before=pass_time), ERA - 2
        assert run.dag_run.state == "success"
        assert run.states == all_green()
        assert executed(gateway) == [era]
        assert len(gateway.control.truth()["requests"]) == 1
        found = ledger.facts.rows(AccountStatus, NETWORK, range(era, era + 1))
        assert {row.address: row.status for row in found} == dict.fromkeys([ALICE_STASH, BOB_STASH, DAVE], "isStaking")
        assert run.triggers == ["PayoutConfirmationTrigger"], "the short wait for finality keeps its worker"
        read = [("payout", "outcome"), ("previous_era", "return_value"), ("report", "report")]
        assert run.xcoms() == read, "what nobody reads is no row"
        outcome, report = run.xcom("payout", "outcome"), run.xcom("report", "report")
        assert (run.xcom("previous_era"), outcome["era"], outcome["outcome"]) == (era, era, "PAID")
        assert outcome["parts"][0]["tx_hash"] == gateway.control.truth()["payouts"][0]["tx_hash"]
        counts = {"staking": 3, "not_staking": 0, "unexpected": {}, "unexpected_count": 0}
        assert report == {**outcome, **counts}

    def test_pays_the_era_of_its_form(self, gateway, three_accounts, ledger, pass_time):
        three_accounts(explorer_url="https://explorer.example/tx/{tx_hash}")
        run = Run(form={"era": ERA - 3}, before=pass_time)
        assert run.states == all_green()
        tx_hash = gateway.control.truth()["payouts"][0]["tx_hash"]
        assert run.links("payout")["Explorer"] == f"https://explorer.example/tx/{tx_hash}"
        assert run.xcom("previous_era") == ERA - 3
        assert len(ledger.statuses_of(NETWORK, range(ERA))[ERA - 3]) == 3

    def test_with_one_era_in_the_form_and_another_as_its_key_pays_none(self, gateway, capfd):
        run = Run(ERA, form={"era": ERA - 1}, retries=5)
        assert run.states["wait_for_window"] == ["failed"]
        assert run.instances["wait_for_window", -1].try_number == 1
        told = capfd.readouterr().out
        assert f"Task failed: era: the form names era {ERA - 1}, and the partition key names era {ERA}" in told
        assert "] Start a run with one of them, and leave the other empty" in told
        assert executed(gateway) == []

    def test_waits_deferred_for_its_era_to_end_and_the_window_to_close(self, gateway):
        gateway.control.window("open")

        def happens(trigger):
            if isinstance(trigger, ElectionWindowTrigger):
                gateway.control.advance(eras=1)
                gateway.control.window("closed")
            else:
                gateway.control.advance(seconds=1)

        run = Run(ACTIVE, before=happens)
        assert run.states == all_green()
        assert run.triggers == ["ElectionWindowTrigger", "PayoutConfirmationTrigger"]
        assert executed(gateway) == [ACTIVE]
        assert all(ti.try_number == 1 for ti in run.instances.values())

    def test_that_cannot_pay_checks_the_accounts_all_the_same_and_is_red(self, gateway, three_accounts, ledger, capfd):
        three_accounts(payout={"max_fee_per_payout": 5})
        run = Run(ERA, retries=2)
        assert run.dag_run.state == "failed"
        assert run.states == {**all_green(), "payout": ["failed"], "report": ["failed"]}
        tries = {task_id: run.instances[task_id, -1].try_number for task_id in ("payout", "report")}
        assert tries == {"payout": 3, "report": 1}, "the fee may fall meanwhile; a report changes nothing"
        assert run.xcom("payout", "outcome")["outcome"] == "HELD_FEE"
        assert run.xcom("report", "report")["outcome"] == "HELD_FEE"
        failed, page = help_link(Topic.HELD_FEE), StakingPageLink().get_link(None, ti_key=run.dag_run)
        assert run.links("payout") == {"Runbook": failed, "Staking page": page, "Explorer": ""}
        assert run.links("report") == {"Runbook": failed, "Staking page": page}
        assert run.links("previous_era") == {"Runbook": "", "Staking page": ""}, "of a task that succeeded"
        assert len(ledger.statuses_of(NETWORK, range(ERA + 1))[ERA]) == 3
        assert executed(gateway) == []
        told = capfd.readouterr().out
        assert f"Task failed: Era {ERA} of {NETWORK} ended HELD_FEE: the fee is 100000000000000000 planck" in told
        assert f"] {Topic.HELD_FEE.remedy}" in told

    def test_of_an_expired_era_says_so_and_the_report_points_there(self, gateway, capfd):
        run = Run(ACTIVE - 90)
        assert run.states == {
            **all_green(),
            "previous_era": ["failed"],
            "payout": ["upstream_failed"],
            "staking_status": ["failed"],
            "report": ["failed"],
        }
        assert run.links("payout")["Runbook"] == "", "of a task that never ran"
        assert run.links("staking_status")["Runbook"] == help_link(Topic.INPUT)
        told = capfd.readouterr().out
        assert f"era {ACTIVE - 90} has expired: while era {ACTIVE} is active, the oldest" in told
        assert "the run failed before it paid, and nothing was sent: " in told
        assert executed(gateway) == []
