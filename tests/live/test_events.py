"""Eras paid when the chain says they have ended, by the shipped example DAG.

Why live: Airflow's triggerer runs the watcher, keeps its state between two lives of its process, and its scheduler makes the consumer's
runs of the events. What the watcher announces is proved without Airflow (`tests/airflow/test_trigger_era.py`).
"""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from staking_gateway_provider.triggers.era import STATE_KEY
from tests.live.network import Network
from tests.live.stand import Stand

EXAMPLE = Path(__file__).parents[2] / "examples" / "dags" / "example_staking_events.py"


class Eventsnet(Network):
    """A network whose runs are started by events."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.dag_id = f"staking_events_{self.name}"

    def _asset(self, name):
        return self.api.call("GET", "assets", name_pattern=f"{self.name}_{name}", limit=10)["assets"][0]["id"]

    def announced(self):
        """The eras the watcher has announced, in its order."""
        events = self.api.call("GET", "assets/events", asset_id=self._asset("new_era"), limit=100)["asset_events"]
        return [event["extra"]["payload"]["era"] for event in sorted(events, key=lambda event: event["id"])]

    def calm(self):
        """Whether all that was announced is noted, and the era has some seconds to go."""
        active, noted = self.active(), self.api.find(f"assets/{self._asset('new_era')}/state-store/{STATE_KEY}")
        left = self.calendar.end(active) - datetime.now(timezone.utc)
        return left > timedelta(seconds=2) and noted and noted["value"] == self.announced()[-1] == active - 1

    def paid(self):
        """The eras whose runs have succeeded; none may have failed."""
        runs = self.runs()
        assert "failed" not in {run["state"] for run in runs}, self.unfinished(*[run["dag_run_id"] for run in runs])
        return {int(run["partition_key"]) for run in runs if run["state"] == "success"}


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """Airflow and the simulator, with runs that are started by events."""
    folder = tmp_path_factory.mktemp("events")
    (folder / "dags").mkdir()
    shutil.copy(EXAMPLE, folder / "dags")
    net = Eventsnet("eventsnet", era_length=timedelta(seconds=20), chain={"unpaid-eras": 1})
    settings = {"CORE__DAGS_ARE_PAUSED_AT_CREATION": False}
    with Stand(folder, [net], dags=folder / "dags", settings=settings) as stand:
        stand.start()
        yield net


def test_a_killed_triggerer_announces_nothing_twice_and_misses_nothing_and_each_era_is_paid_once(net):
    net.wait(net.paid, "an era is paid")
    # In the second between an event and its note, a kill may announce it again; that is proved where it can be timed.
    net.wait(net.calm, "what is announced is noted")
    net.stand.kill("triggerer")
    last = net.announced()[-1]
    net.wait(lambda: net.active() > last + 2, f"era {last + 2} has ended")
    assert net.announced()[-1] == last
    net.stand.start("triggerer")
    eras = [*range(net.announced()[0], net.active())]
    net.wait(lambda: {*eras} <= net.paid(), f"eras {eras} are paid")

    assert eras[-1] >= last + 2
    announced = net.announced()
    assert announced == [*range(announced[0], announced[-1] + 1)]
    runs = [run for run in net.runs() if int(run["partition_key"]) in eras]
    assert sorted(int(run["partition_key"]) for run in runs) == eras
    assert {net.outcome(run["dag_run_id"]) for run in runs} <= {"PAID", "ALREADY_PAID"}
    executed = net.executed()
    assert {era: executed[era] for era in eras} == dict.fromkeys(eras, 1)
