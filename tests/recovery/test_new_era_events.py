"""Eras paid when the chain says they have ended: real Airflow, whole eras, and a triggerer that is killed in between."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import staking_gateway_provider
from demo.api import ApiRefused
from demo.stack import COMPONENTS
from staking_gateway_provider.triggers.era import STATE_KEY
from tests.support.live import QUICK_TRIGGERER, LiveNetwork

EXAMPLE = Path(staking_gateway_provider.__file__).parent / "example_dags" / "example_staking_events.py"
NETWORK = "eventsnet"
PATIENCE = 120
"""Seconds; what takes so long on a machine with other things to do never happens."""


class Eventsnet(LiveNetwork):
    """A network whose runs are started by events; `stack` is entered, nothing is started yet."""

    unpaid_eras = 1

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.dag_id = f"staking_events_{NETWORK}"

    def bring_up(self):
        """Start everything."""
        dags = self.stack.home / "dags"
        dags.mkdir()
        shutil.copy(EXAMPLE, dags)
        self.set_airflow(**QUICK_TRIGGERER, CORE__DAGS_FOLDER=dags, CORE__DAGS_ARE_PAUSED_AT_CREATION=False)
        self.stack.migrate()
        for name in ("simulator", *COMPONENTS):
            self.start(name)
        self.wait(lambda: not self.stack.unhealthy(), PATIENCE, "Airflow is up", self.stack.unhealthy)
        self.stack.api.log_in()

    def asset(self, name):
        """The id of an asset, or None while Airflow does not know it."""
        found = self.stack.api.call("GET", "assets", name_pattern=f"{NETWORK}_{name}", limit=10)["assets"]
        return found[0]["id"] if found else None

    def events(self, name):
        """The events of an asset, oldest first."""
        found = self.stack.api.call("GET", "assets/events", asset_id=self.asset(name), limit=100)
        return sorted(found["asset_events"], key=lambda event: event["id"])

    def announced(self):
        """The eras the watcher has announced, in its order."""
        return [event["extra"]["payload"]["era"] for event in self.events("new_era")]

    def noted(self):
        """The last era the watcher knows to be announced, or None."""
        try:
            return self.stack.api.call("GET", f"assets/{self.asset('new_era')}/state-store/{STATE_KEY}")["value"]
        except ApiRefused as refused:
            if refused.status == 404:
                return None
            raise

    def active(self):
        """The active era."""
        return self.control.state()["active_era"]

    def calm(self):
        """Whether all that was announced is noted, and the era has some seconds to go."""
        active = self.active()
        left = self.network.calendar.end(active) - datetime.now(timezone.utc)
        return left > timedelta(seconds=2) and self.noted() == self.announced()[-1] == active - 1

    def paid_runs(self):
        """The runs that have succeeded, by era; none may have failed."""
        runs = self.runs()
        self.check_runs(runs)
        return {run.era: run for run in runs if run.state == "success"}


@pytest.fixture(scope="module")
def eventsnet(tmp_path_factory):
    """Airflow and the simulator, with runs that are started by events."""
    era_length = timedelta(seconds=12)
    eventsnet = Eventsnet.alone(tmp_path_factory.mktemp("events"), NETWORK, era_length=era_length)
    with eventsnet.stack:
        eventsnet.bring_up()
        yield eventsnet


@pytest.fixture(scope="module")
def down(eventsnet):
    """The eras that ended while there was no triggerer; all of them are paid."""
    eventsnet.wait(eventsnet.paid_runs, PATIENCE, "an era is paid", eventsnet.stack.api.import_errors)
    # In the second between an event and its note, a kill may announce it again; that is proven where it can be timed.
    eventsnet.wait(eventsnet.calm, PATIENCE, "what is announced is noted")
    eventsnet.kill("triggerer")
    last = eventsnet.announced()[-1]
    eventsnet.wait(lambda: eventsnet.active() > last + 2, PATIENCE, f"era {last + 2} has ended")
    assert eventsnet.announced()[-1] == last
    eventsnet.start("triggerer")
    ended = range(last + 1, eventsnet.active())
    all_eras = {*range(eventsnet.announced()[0], ended.stop)}
    eventsnet.wait(lambda: all_eras <= {*eventsnet.paid_runs()}, PATIENCE, f"eras {all_eras} are paid")
    return ended


def test_a_killed_triggerer_announces_nothing_twice_and_misses_nothing(eventsnet, down):
    announced = eventsnet.announced()
    assert len(down) >= 2
    assert announced == [*range(announced[0], announced[-1] + 1)]
    assert {*down} < {*announced}


def test_the_consumer_runs_exactly_once_per_era_and_pays_it(eventsnet, down):
    runs = [run for run in eventsnet.runs() if run.era <= down[-1]]
    payouts = eventsnet.control.truth()["payouts"]
    eras = [*range(eventsnet.announced()[0], down[-1] + 1)]
    assert sorted(run.era for run in runs) == eras
    assert sorted(payout["era"] for payout in payouts if payout["era"] <= down[-1]) == eras
    outcomes = [eventsnet.stack.api.xcom(eventsnet.dag_id, run.run_id, "payout", "outcome") for run in runs]
    assert {outcome["outcome"] for outcome in outcomes} <= {"PAID", "ALREADY_PAID"}
