"""Eras that were missed: by an outage, before a network was enabled, or left out by hand. Each is paid once.

Why live: Airflow's scheduler, its backfills and its catch-up decide which runs are made, from partition keys and dates that it keeps in
its own database. That our timetable names the right eras is proved without Airflow (`tests/airflow/test_timetable.py`), and what the
catch-up plans too (`tests/unit/test_catch_up.py`).
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest

from tests.live.network import ACTIVE, Network
from tests.live.stand import PROGRAMS, Stand

FAR_FUTURE = "2999-01-01T00:00:00+00:00"
TEN_SECONDS = timedelta(seconds=10)
ERAS_DOWN = 7
MISSED = [ACTIVE - 7, ACTIVE - 6, ACTIVE - 5, ACTIVE - 3, ACTIVE - 2]
HAD_A_RUN = [ACTIVE - 4, ACTIVE - 1]


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    """`steady` and `newcomer` have eras of an hour. The eras of `brisk` are short; nothing runs yet, and it has no chain."""
    networks = [
        Network("steady"),
        Network("newcomer", enabled=False),
        Network("brisk", era_length=TEN_SECONDS, chain={"unpaid-eras": 1}),
    ]
    with Stand(tmp_path_factory.mktemp("recovery"), networks) as stand:
        stand.start("steady", "newcomer", *PROGRAMS["local"])
        stand.wait_until_up(*[networks[place].dag_id for place in (0, 2)])
        yield stand


@pytest.fixture(scope="module")
def rivals(stand):
    """Ids of runs of one era, of which one paid it: a backfill's and two manual ones; if the schedule is quick, it makes one too.

    They waited at the open election window, and were let go at once.
    """
    steady, era = stand.networks["steady"], ACTIVE - 1
    steady.control.window("open")
    run_ids = [*steady.backfill(era, era), steady.trigger(era), steady.trigger(era)]
    stand.api.unpause(steady.dag_id)
    for run_id in run_ids:
        steady.deferred(run_id, "wait_for_window")
    assert steady.sends() == 0
    steady.control.window("closed")
    assert steady.ended(*run_ids) == ["success"] * 3
    assert steady.executed()[era] == len(steady.requested(era)) == 1
    steady.wait(lambda: next_run_after(steady) == steady.calendar.end(ACTIVE), "the schedule waits for the active era")
    steady.finished(*[run["dag_run_id"] for run in steady.runs()])
    return run_ids


@pytest.fixture
def steady(stand, rivals):
    """The network that the scheduler runs; the era before the active one is paid."""
    return stand.networks["steady"]


# --- backfills -------------------------------------------------------------------------------------------------------


def test_a_backfill_pays_each_missed_era_once_the_oldest_first_and_no_other(steady):
    in_flight = steady.trigger(ACTIVE - 4)
    made = steady.backfill(MISSED[0], FAR_FUTURE)
    *runs, _ = steady.finished(*made, in_flight)

    # None of an era that has a run, and none of one that has not ended: that run would never end.
    assert [int(run["partition_key"]) for run in runs] == MISSED
    assert {run["state"] for run in runs} == {"success"}
    assert runs == sorted(runs, key=lambda run: run["start_date"])
    executed = steady.executed()
    assert {era: executed[era] for era in MISSED + HAD_A_RUN} == dict.fromkeys(MISSED + HAD_A_RUN, 1)
    assert not set(steady.owing()) & {*MISSED, *HAD_A_RUN}


def test_chosen_eras_get_one_run_each_by_command_in_order_of_expiry_and_are_paid_once(steady):
    chosen = [ACTIVE - 30, ACTIVE - 28, ACTIVE - 27]

    def pay(*words):
        eras = f"{chosen[1]}-{chosen[2]},{chosen[0]}"
        words = ("staking", "pay", "--runs", "--network", steady.name, "--eras", eras, "--output", "json", *words)
        done = steady.stand.run(*words)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    before, shown = steady.runs_per_era(), pay("--dry-run")
    assert ([entry["era"] for entry in shown["pay"]], shown["runs"]) == (chosen, {})
    assert steady.runs_per_era() == before

    runs = steady.finished(*pay("--yes")["runs"].values())
    assert [(int(run["partition_key"]), run["state"]) for run in runs] == [(era, "success") for era in chosen]
    assert runs == sorted(runs, key=lambda run: run["start_date"])
    assert [steady.executed()[era] for era in chosen] == [1, 1, 1]
    again = pay("--yes")
    assert (again["paid"], again["made"]) == (sorted(chosen), [])
    assert steady.runs_per_era() == {**before, **dict.fromkeys(chosen, 1)}


def test_a_backfill_after_an_anchor_was_appended_finds_every_earlier_run(steady):
    first, missed, last = ACTIVE - 12, ACTIVE - 11, ACTIVE - 10
    steady.finished(steady.trigger(first), steady.trigger(last))
    dates = {run["dag_run_id"]: run["partition_date"] for run in steady.runs()}
    next_start = steady.calendar.end(ACTIVE) + timedelta(minutes=7)

    steady.settings["calendar"]["anchors"].append({"era": ACTIVE + 1, "start": next_start.isoformat()})
    steady.stand.write_settings()
    steady.parse_again()
    steady.wait(lambda: next_run_after(steady) == next_start, "the new anchor counts")
    made = steady.backfill(first, last)

    assert [int(run["partition_key"]) for run in steady.finished(*made)] == [missed]
    assert {run["dag_run_id"]: run["partition_date"] for run in steady.runs()}.items() >= dates.items()
    assert [steady.executed()[era] for era in (first, missed, last)] == [1, 1, 1]
    assert steady.backfill(first, last) == []


def next_run_after(network):
    """When the next run of the schedule is due."""
    return as_time(network.api.dag(network.dag_id)["next_dagrun_run_after"])


def as_time(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


# --- a network that is enabled long after it began to owe ------------------------------------------------------------


def test_a_network_enabled_with_catchup_runs_and_pays_every_era_since_its_start_date_once(stand, rivals):
    network, api, first = stand.networks["newcomer"], stand.api, ACTIVE - 6
    assert api.dag(network.dag_id) is None
    # Within the era before: that one started too early.
    start_date = network.calendar.start(first) - timedelta(minutes=30)
    owed = set(network.owing())

    network.settings |= {"enabled": True, "catchup": True, "start_date": start_date.isoformat()}
    stand.write_settings()
    stand.networks["steady"].parse_again()
    network.wait(lambda: api.dag(network.dag_id), f"{network.dag_id} is known")
    api.unpause(network.dag_id)

    due = network.calendar.end(ACTIVE)
    network.wait(lambda: next_run_after(network) == due, "the next run is the active era's")
    runs = network.finished(*[run["dag_run_id"] for run in network.runs()])
    eras = list(range(first, ACTIVE))
    assert [int(run["partition_key"]) for run in runs] == eras
    assert {(run["run_type"], run["state"]) for run in runs} == {("scheduled", "success")}
    assert network.executed() == dict.fromkeys(eras, 1)
    assert set(network.owing()) == owed - {*eras}


# --- all of Airflow was down for seven eras; the chain was not -------------------------------------------------------


def test_a_catch_up_pays_each_era_that_an_outage_missed_once_the_oldest_first(stand):
    network = stand.networks["brisk"]
    stand.start(network.name)
    network.wait(network.control.state, "the simulator of brisk answers")
    first = network.control.state()["first_payable_era"]
    stand.api.unpause(network.dag_id)
    network.wait(network.executed, "brisk has paid an era")
    stand.stop_airflow()
    down = range(active := network.active(), active + ERAS_DOWN)
    network.wait(lambda: network.active() >= down.stop, "the eras of the outage are over")
    assert not {*down} & {*network.executed()}
    stand.start()
    network.wait(lambda: max(network.runs_per_era()) >= down.stop, "the scheduler goes on")
    stand.api.pause(network.dag_id)

    all_eras, paid_before = range(first, down.stop), network.executed()
    missed = [era for era in all_eras if not paid_before[era]]
    # The scheduler by itself makes up for the era it had noted as its next before the stop, and for the newest one.
    assert {*missed} >= {*down[1:-1]}
    state, report = network.catch_up(from_era=all_eras[0], to_era=all_eras[-1])

    assert state == "success"
    outcomes = {int(era): told["outcome"] for era, told in report["outcomes"].items()}
    # What was executed before the stop, and not final yet, is confirmed only now. An era's own run may pay it meanwhile.
    assert {*outcomes.values()} <= {"PAID", "ALREADY_PAID"}
    assert {outcomes[era] for era in missed if era not in network.runs_per_era()} == {"PAID"}
    order = [payout["era"] for payout in network.control.truth()["payouts"] if payout["era"] in missed]
    for place, era in enumerate(order):
        sooner = {*missed[: missed.index(era)]} - {*order[:place]}
        assert len(sooner) < 8, f"the catch-up begins eight eras at a time, and era {era} went before {sooner}"
    executed = network.executed()
    assert {era: executed[era] for era in all_eras} == dict.fromkeys(all_eras, 1)
