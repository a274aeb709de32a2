"""The DAG that catches up: how it is parsed, and what whole runs of it find, plan and pay."""

from datetime import timedelta

import pytest
from airflow.sdk import DAG, DeltaTriggerTimetable
from airflow.serialization.definitions.operatorlink import XComOperatorLink
from dag_files import CATCH_UP, dags_of, run_dag
from names import ACTIVE, NETWORK
from simulated_chain import RUNNING_CLOCK, executed, sends

TASKS = ["plan", "payout", "report", "reconcile"]
GREEN = {"plan": ["success"], "report": ["success"], "reconcile": ["skipped"]}
OLDER, NEWER = ACTIVE - 2, ACTIVE - 1
"""The unpaid eras."""


def parsed_dag():
    return dags_of(CATCH_UP)[f"staking_catch_up_{NETWORK}"]


class TestShape:
    @pytest.mark.parametrize(
        ("settings", "schedule"),
        [
            ({}, timedelta(minutes=15)),
            ({"calendar": {"era_length": "6h", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]}}, timedelta(hours=6)),
            ({"catch_up": {"interval": "30m"}}, timedelta(minutes=30)),
            ({"catch_up": {"scheduled": False}}, None),
        ],
    )  # fmt: skip
    def test_it_runs_once_an_era_unless_told_otherwise(self, network, settings, schedule):
        network(**settings)
        dag = parsed_dag()
        assert dag.schedule == (None if schedule is None else DeltaTriggerTimetable(schedule))
        bare = DAG("any", schedule=schedule).timetable
        assert schedule is None or dag.timetable == bare, "as Airflow makes it of a bare interval"

    def test_one_run_at_a_time_pays_one_era_at_a_time_and_its_form_starts_with_the_networks_budget(self, network):
        network(catch_up={"max_eras": 10, "max_fees": "1" + "0" * 30})
        dag = parsed_dag()
        assert (dag.max_active_runs, dag.catchup) == (1, False)
        assert dag.get_task("payout").partial_kwargs["max_active_tis_per_dagrun"] == 8
        empty = dict.fromkeys(("from_era", "to_era", "eras", "approve"))
        assert dag.params.dump() == {**empty, "dry_run": False, "max_eras": 10, "max_fees": "1" + "0" * 30}


class Run:
    """A run of the DAG, from its first task to its last; arguments are what the form was filled in with."""

    def __init__(self, **form):
        self.dag_run = run_dag(parsed_dag(), form=form, retries=0)
        instances = self.dag_run.get_task_instances()
        self.states = {task_id: sorted(str(ti.state) for ti in instances if ti.task_id == task_id) for task_id in TASKS}
        # Read now: the next run that has no date either takes the place of this one.
        found = {ti.task_id: ti for ti in instances if ti.map_index == -1}
        payouts = sorted((ti for ti in instances if ti.task_id == "payout"), key=lambda ti: ti.map_index)
        self.links = [
            XComOperatorLink("Explorer", "_link_ExplorerLink").get_link(None, ti_key=ti.key) for ti in payouts
        ]
        self.plan = found["plan"].xcom_pull(task_ids="plan", key="plan", map_indexes=-1)
        self.report = found["report"].xcom_pull(task_ids="report", key="report", map_indexes=-1)

    @property
    def outcomes(self):
        return {int(era): told["outcome"] for era, told in self.report["outcomes"].items()}


@pytest.mark.parametrize("simulator", [{**RUNNING_CLOCK, "unpaid_eras": 2}], indirect=True)
class TestRun:
    @pytest.fixture(autouse=True)
    def prepared(self, airflow, gateway, network):
        network(history_depth=3, explorer_url="https://explorer.example/tx/{tx_hash}")

    def test_a_fresh_installation_finds_every_unpaid_era_and_pays_it_once(self, gateway):
        run = Run()
        assert run.states == {**GREEN, "payout": ["success"] * 3}
        assert sorted(executed(gateway)) == [OLDER, NEWER]
        assert run.outcomes == {OLDER - 1: "ALREADY_PAID", OLDER: "PAID", NEWER: "PAID"}
        paid = {payout["era"]: payout["tx_hash"] for payout in gateway.control.truth()["payouts"]}
        assert run.links == ["", *(f"https://explorer.example/tx/{paid[era]}" for era in (OLDER, NEWER))]
        calls = sends(gateway)

        again = Run()
        assert again.states == {**GREEN, "payout": ["skipped"]}
        assert (again.plan["pay"], again.plan["paid"]) == ([], [OLDER - 1, OLDER, NEWER])
        assert sends(gateway) == calls

    def test_a_dry_run_sends_nothing_and_its_plan_is_paid_once_approved_and_no_other(self, gateway):
        dry = Run(dry_run=True, from_era=OLDER)
        assert dry.states == {**GREEN, "payout": ["skipped"]}
        assert [entry["era"] for entry in dry.plan["pay"]] == [OLDER, NEWER]
        refused = Run(approve=dry.plan["hash"], from_era=NEWER)
        assert refused.states["plan"] == ["failed"]
        assert sends(gateway) == 0
        run = Run(approve=dry.plan["hash"], from_era=OLDER)
        # A note on how far the calendar is off may have gone on by an era.
        changed = {name: run.plan[name] for name in ("dry_run", "notes", "approved") if name in run.plan}
        assert {**dry.plan, **changed} == run.plan
        assert sorted(executed(gateway)) == [OLDER, NEWER]

    def test_a_budget_leaves_the_rest_for_the_next_run_and_a_fee_that_rises_in_mid_run_does_not_break_it(self, gateway):
        run = Run(from_era=OLDER, max_eras=1)
        assert executed(gateway) == [OLDER]
        assert [entry["era"] for entry in run.plan["later"]] == [NEWER]
        fee = int(run.plan["fee"])
        gateway.control.set_faults({"fault": "fee-after", "by": 2, "times": 1})
        assert list(Run(from_era=OLDER, max_fees=str(fee)).outcomes.values()) == ["HELD_FEE"]
        assert int(gateway.control.truth()["fees_charged"]) == fee

    def test_chosen_eras_are_paid_alone_and_a_list_that_makes_no_sense_pays_nothing(self, gateway, capfd):
        assert Run(eras=f"{OLDER}, {NEWER}", from_era=OLDER).states["plan"] == ["failed"]
        assert "eras: from_era or to_era is given as well" in capfd.readouterr().out
        assert sends(gateway) == 0
        dry = Run(eras=f"{NEWER}", dry_run=True)
        run = Run(eras=f"{NEWER}", approve=dry.plan["hash"])
        assert (executed(gateway), run.outcomes) == ([NEWER], {NEWER: "PAID"})

    def test_an_unknown_field_of_the_form_is_refused_by_name_and_nothing_is_sent(self, gateway, capfd):
        assert Run(dryrun=True).states["plan"] == ["failed"]
        assert "dryrun: is no field of this DAG's form" in capfd.readouterr().out
        assert sends(gateway) == 0
