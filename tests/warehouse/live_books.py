"""The soak of `benchmarks` with the example warehouse, a node of each chain, a backfill, and planted differences."""

import csv
import json
import shutil
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from functools import cached_property

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

from benchmarks.soak.course import Act, Course
from benchmarks.soak.network import FIRST, Network, fault_rules
from benchmarks.soak.run import Soak
from benchmarks.soak.stand import Stand
from demo.stack import ROOT
from staking_gateway.ledger import Ledger
from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.standing import is_paid
from staking_gateway_provider.csv_rows import cell
from staking_gateway_provider.ui import URL_PREFIX
from staking_gateway_simulator.accounts import staker

EXAMPLE = ROOT / "plugins/staking_gateway_provider/example_dags/example_staking_warehouse.py"
WATCH = "staking_watch"
STAKERS = 30
WATCHED = (20, 21, 22)
"""Places of the stakers whose rewards and statuses are stored. A further account does not stake."""
FOREIGN = {"staking-nonce-before", "payment-nonce-before", "staking-nonce-after", "payment-nonce-after"}
"""Faults in which somebody else uses the accounts. The comparison reports those, as it must."""
MOST_ERAS = 70
"""Eras of a network, whose chain keeps rewards for 84."""
PATIENCE = 300
"""Seconds; what takes so long on a machine with other things to do never happens."""
TASK_SECONDS = 20
"""A task that runs while its DAG is paused ends in this time."""
SETTLING = 1200
"""Seconds until the last eras are paid, or exported: a catch-up waits minutes between its tries, and each paid era has started an export."""
CHANCE = 0.005
"""Of each fault at each call. With a node, an era needs more calls than in the soak."""
ATTEMPTS = 10
CREEP = 0.1
"""Seconds by which a chain goes on while what has ended is paid. An era must not end meanwhile."""


class Filling(Course):
    """Faults without kills. Now and then a payout DAG is paused, and its eras are left out."""

    def steps(self):
        return [step for step in super().steps() if step.act in (Act.PAUSE, Act.RESUME)]


class BookedNetwork(Network):
    """A network whose gateway's connection names a node, and whose eras need one payout each."""

    @classmethod
    def make(cls, name, course, start):
        made = super().make(name, course, start)
        idle = next(key for key in made.accounts if key not in made.staking)
        return replace(made, accounts=(*map(staker, WATCHED), idle))

    def settings(self):
        settings = super().settings()
        # The chain waits while Airflow is busy, and while the books are read.
        settings["calendar"]["max_drift"] = 10_000
        return settings

    def connections(self):
        given = super().connections()
        given[f"gateway_{self.name}"]["extra"] |= {"node_conn_id": f"node_{self.name}"}
        return {**given, f"node_{self.name}": {"conn_type": "substrate", "host": f"{self.url}/node"}}

    def simulator(self, folder, birth):
        rules = [rule for rule in fault_rules(self.course.chance) if rule.partition(":")[0] not in FOREIGN]
        words = super().simulator(folder, birth)
        for name, value in {"stakers": STAKERS, "batch": STAKERS, "faults": ",".join(rules)}.items():
            words[words.index(f"--{name}") + 1] = str(value)
        return words


class Books(Stand):
    """A live Airflow that fills a warehouse; the DAGs are those of the package and the example.

    :ivar warehouse: the folder that the example exports to.
    """

    def __init__(self, home, course):
        super().__init__(home, course, BookedNetwork)
        self.warehouse = home / "warehouse"

    def __enter__(self):
        super().__enter__()
        dags = self.stack.home / "dags"
        shutil.copytree(ROOT / "dags", dags, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(EXAMPLE, dags)
        packages = self.stack.home / "packages"
        packages.mkdir()
        (arrow,) = (ROOT / ".venv-warehouse").glob("lib/python*/site-packages/pyarrow")
        (packages / "pyarrow").symlink_to(arrow)
        more = {
            "AIRFLOW__CORE__DAGS_FOLDER": dags,
            "AIRFLOW_VAR_STAKING_WAREHOUSE": self.warehouse,
            "PYTHONPATH": packages,
        }
        self.stack.environment.update({name: str(value) for name, value in more.items()})
        return self

    def bring_up(self):
        super().bring_up()
        for dag_id in (WATCH, *(f"staking_export_{network.name}" for network in self.networks)):
            self.wait(lambda dag_id=dag_id: self.stack.api.dag(dag_id), f"{dag_id} is known")
            self.pause(dag_id, paused=False)

    # --- commands ------------------------------------------------------------------------------------------------------

    def command(self, *words, status=0):
        """What `airflow staking ... --output json` prints."""
        done = self.stack.run("staking", *map(str, words), "--output", "json", timeout=PATIENCE)
        assert done.returncode == status, done.stdout + done.stderr
        return json.loads(done.stdout)

    def overview(self, network):
        """What the Staking page shows of a network."""
        return json.loads(self.stack.api.page(f"{URL_PREFIX}/api/networks/{network.name}/overview"))

    # --- what happens --------------------------------------------------------------------------------------------------

    def settle(self):
        """Let the chains creep until every ended era is paid by the ledger, and its run has ended; the active era of each network."""

        def look():
            active = {one.name: one.control.advance(seconds=CREEP)["active_era"] for one in self.networks}
            if any(self._unfinished(one, active[one.name]) for one in self.networks):
                return None
            with closing(Ledger(self.ledger_url)) as ledger:
                for name, era in active.items():
                    records = ledger.payouts_of(name, range(FIRST, era))
                    if not all(is_paid(records.get(ended, ()), 1) for ended in range(FIRST, era)):
                        return None
            return active

        return self.wait(look, "every ended era is paid", SETTLING)

    def _unfinished(self, network, active):
        """Runs of ended eras that have not ended."""
        runs = self.stack.api.runs(network.payout_dag)
        return [run for run in runs if run["state"] not in ("success", "failed") and int(run["partition_key"]) < active]

    def rest(self, newest):
        """Pause everything that pays, and export once more: what the last catch-ups found out came after the last payout."""
        for network in self.networks:
            for dag_id in (network.payout_dag, network.catch_up_dag):
                self.pause(dag_id, paused=True)
        time.sleep(TASK_SECONDS)
        for network in self.networks:
            self.stack.api.trigger(f"staking_export_{network.name}", str(newest[network.name]))
        self.wait(lambda: not self.unfinished("staking_export_"), "the exports have ended", SETTLING)

    def unfinished(self, prefix):
        dags = [f"{prefix}{network.name}" for network in self.networks]
        return [
            run for dag_id in dags for run in self.stack.api.runs(dag_id) if run["state"] not in ("success", "failed")
        ]

    def paid_at(self, network, era):
        """When the ledger got to know that an era is paid."""
        with closing(Ledger(self.ledger_url)) as ledger:
            return ledger.era_payouts(network.name, era)[0].confirmed_at

    # --- files and rows ------------------------------------------------------------------------------------------------

    def rows(self, network, view, eras):
        """Rows of a view of the ledger, as CSV spells them."""
        with closing(Ledger(self.ledger_url)) as ledger:
            return sorted([cell(value) for value in row] for row in ledger.views.rows(view, network.name, eras))

    def files(self, network, view, eras):
        """Rows of the files that the example has written."""
        found = []
        for era in eras:
            path = self.warehouse / network.name / view / f"era={era}.csv"
            if path.exists():
                with path.open(newline="") as stream:
                    header, *rows = csv.reader(stream)
                assert header == [column.name for column in VIEWS[view].columns]
                found += rows
        return sorted(found)


class Filled(Soak):
    """Fills the warehouse. The eras that the first network left out are paid by `airflow staking backfill`.

    :ivar backfilled: the runs that the command has made, by era.
    """

    def __init__(self, books, course, tell):
        super().__init__(books, course, tell)
        self._books = books
        self.backfilled = {}

    @cached_property
    def first(self):
        return self._books.networks[0]

    def _do(self, step):
        paused = step.act is Act.PAUSE
        if step.target != self.first.name:
            # The catch-up pays these eras.
            super()._do(step)
            return
        if not paused:
            self._backfill()
        super()._do(step)
        self._books.pause(self.first.catch_up_dag, paused=paused)

    def _drain(self):
        """Wait without faults until every ended era is paid. The chains are slowed down meanwhile, so that Airflow can finish its runs."""
        for network in self._books.networks:
            self._books.count_faults(network)
            network.control.set_faults()
        self._books.settle()

    def _backfill(self):
        owing = (one["era"] for one in self.first.control.truth()["owing"])
        left = ",".join(str(era) for era in owing if era >= FIRST)
        words = ("backfill", "--network", self.first.name, "--eras", left, "--yes")
        # The command meets faults too. It then ends before it makes a run, so it can be repeated.
        attempts = Retrying(
            retry=retry_if_exception_type(AssertionError), stop=stop_after_attempt(ATTEMPTS), reraise=True
        )
        told = attempts(self._books.command, *words)
        made = {row["era"]: row["run"] for row in told["eras"] if row["action"] == "make"}
        self._tell(f"backfill of {left}: {len(made)} runs")
        self.backfilled |= made


def executed(truth, eras):
    """The payouts of some eras that the chain has executed, and how often each era was."""
    found = [payout for payout in truth["payouts"] if payout["era"] in eras]
    return found, Counter(payout["era"] for payout in found)
