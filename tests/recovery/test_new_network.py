"""A network that is enabled long after it began to owe."""

from __future__ import annotations

from datetime import datetime, timedelta

from livenet import ACTIVE, PATIENCE

FIRST = ACTIVE - 6


def test_a_network_enabled_with_catchup_runs_and_pays_every_era_since_its_start_date_once(livenet):
    network, api = livenet.newcomer, livenet.stack.api
    assert api.dag(network.dag_id) is None
    # Within the era before: that one started too early.
    start_date = network.calendar.start(FIRST) - timedelta(minutes=30)
    owed = set(network.owing())

    network.settings.edit(network.name, enabled=True, catchup=True, start_date=start_date.isoformat())
    network.parse_again(livenet.steady.dag_id)
    network.wait(lambda: api.dag(network.dag_id), PATIENCE, f"{network.dag_id} is known")
    api.unpause(network.dag_id)

    def caught_up():
        due = api.dag(network.dag_id)["next_dagrun_run_after"]
        return due and datetime.fromisoformat(due.replace("Z", "+00:00")) == network.calendar.end(ACTIVE)

    network.wait(caught_up, PATIENCE, "the next run is the active era's")
    runs = network.finished([run["dag_run_id"] for run in network.all_runs()])
    eras = list(range(FIRST, ACTIVE))
    assert [int(run["partition_key"]) for run in runs] == eras
    assert {(run["run_type"], run["state"]) for run in runs} == {("scheduled", "success")}
    assert network.executed() == dict.fromkeys(eras, 1)
    assert set(network.owing()) == owed - {*eras}
