"""The examples of the pages are DAGs that do what their page says, in whole runs against the simulator."""

import re
import shutil
from pathlib import Path

import pytest
from dag_files import dags_of, run_dag
from names import ACTIVE, ALICE_STASH, BOB_STASH, DAVE, network_settings
from simulated_chain import RUNNING_CLOCK, executed

from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.triggers.gateway import ElectionWindowTrigger

SNIPPETS = Path(__file__).resolve().parents[1] / "docs_snippets"
README = SNIPPETS.parents[1] / "README.md"
OLDER, NEWER = ACTIVE - 2, ACTIVE - 1
"""The unpaid eras."""


def test_a_task_is_retried_also_where_its_dag_says_nothing():
    """Airflow may fail a task that it resumes at once."""
    given = ({}, {"retries": 0}, {"default_args": {"retries": 5}})
    assert [PreviousEraOperator(task_id="era", **more).retries for more in given] == [2, 0, 5]


@pytest.mark.parametrize("simulator", [{**RUNNING_CLOCK, "unpaid_eras": 2}], indirect=True)
class TestRun:
    @pytest.fixture(autouse=True)
    def prepared(self, airflow, gateway, network, tmp_path, monkeypatch):
        self.folder = tmp_path / "dags"
        self.folder.mkdir()
        monkeypatch.setattr("airflow.settings.DAGS_FOLDER", str(self.folder))
        self.configure = lambda **settings: network({"devnet": network_settings(**settings)})
        self.configure(history_depth=3)

    def run(self, file, *, era=None, form=None, before=lambda trigger: None):
        """Run the DAG of an example; its state, and what each task that is not mapped returned."""
        (dag,) = dags_of(shutil.copy(SNIPPETS / file, self.folder)).values()
        run = run_dag(dag, era=era, form=form, before=before)
        instances = [ti for ti in run.get_task_instances() if ti.map_index == -1]
        return run.state, {ti.task_id: ti.xcom_pull(task_ids=ti.task_id, map_indexes=-1) for ti in instances}

    def test_pays_the_era_of_the_form_and_the_newest_ended_era(self, gateway):
        assert self.run("pay_one_era.py", form={"era": OLDER})[0] == "success"
        assert executed(gateway) == [OLDER]
        assert self.run("pay_newest_era.py")[0] == "success"
        assert executed(gateway) == [OLDER, NEWER]

    def test_the_readmes_dag_runs_as_it_is_printed(self, gateway, tmp_path):
        (printed,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        (tmp_path / "printed.py").write_text(printed)
        state, returned = self.run(tmp_path / "printed.py")
        assert (state, returned["payout"]["outcome"]) == ("success", "PAID")
        assert executed(gateway) == [NEWER]

    def test_pays_each_missed_era_once(self, gateway):
        assert self.run("pay_missed_eras.py")[0] == "success"
        assert sorted(executed(gateway)) == [OLDER, NEWER]

    def test_runs_once_per_era_and_the_partition_key_is_the_era(self):
        assert self.run("after_each_era.py", era=1392) == ("success", {"close_books": "era 1392 has ended"})

    def test_exports_the_era_of_its_run(self, gateway, tmp_path):
        target = tmp_path / "warehouse"
        example = (SNIPPETS / "export_ledger.py").read_text()
        there = example.replace('"s3://aws_default@warehouse/staking"', f'"{target}", format="csv"')
        (tmp_path / "export_ledger.py").write_text(there)
        self.run("pay_one_era.py", form={"era": OLDER})
        assert self.run(tmp_path / "export_ledger.py", era=OLDER)[0] == "success"
        assert [path.name for path in target.glob("devnet/staking_eras/*")] == [f"era={OLDER}.csv"]

    def test_waits_for_the_closed_window(self, gateway):
        gateway.control.window("open")
        waits = []

        def close(trigger):
            waits.append(type(trigger))
            gateway.control.window("closed")

        state, returned = self.run("after_the_window.py", before=close)
        assert (state, waits) == ("success", [ElectionWindowTrigger])
        assert returned["change_validators"] == "The election window is closed"

    def test_fails_while_an_account_is_not_staking(self, gateway):
        gateway.control.staking(DAVE, staking=False)
        for last, state, staking in ((BOB_STASH, "success", 2), (DAVE, "failed", 1)):
            self.configure(accounts=[ALICE_STASH, last])
            found, returned = self.run("check_statuses.py")
            assert (found, returned["staking_status"]["staking"]) == (state, staking)
