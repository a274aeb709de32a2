"""A live Airflow and a simulator, and payouts told where to die."""

from __future__ import annotations

from pathlib import Path

from tests.support.live import QUICK_TRIGGERER, LiveNetwork

HERE = Path(__file__).parent


class Killnet(LiveNetwork):
    """The network of these tests; `stack` is entered, nothing is started yet."""

    def bring_up(self):
        """Start everything but the schedule: the DAG is paused."""
        self._deaths = self.stack.home / "deaths"
        self._deaths.mkdir()
        self.set_airflow(**QUICK_TRIGGERER, CORE__DAGS_FOLDER=HERE / "dags")
        self.stack.migrate()
        self.stack.environment.update(KILLS_FOLDER=str(self._deaths), PYTHONPATH=str(HERE / "deadly"))
        self.start_all()

    def arm(self, era, *points):
        """Let the payout of an era die at these points, once at each; see `deadly/sitecustomize.py`."""
        for point in points:
            (self._deaths / f"{era} {point}.armed").touch()

    def fired(self, era):
        """The points the payout of an era has died at."""
        return {path.stem.partition(" ")[2] for path in self._deaths.glob(f"{era} *.fired")}
