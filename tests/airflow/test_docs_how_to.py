"""The examples of the how-to pages: each is a DAG that does what its page says, in whole runs against the simulator."""

import inspect
import re
import shutil
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path

import pytest
from airflow.sdk import BaseNotifier, BaseOperator
from airflow.timetables.base import Timetable
from dag_files import dags_of, run_dag
from names import ACTIVE, ALICE_STASH, BOB_STASH, DAVE, hourly, network_settings
from simulated_chain import RUNNING_CLOCK, executed

from docs.tools import shown
from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_provider.plugin import StakingGatewayPlugin
from staking_gateway_provider.triggers.election import ElectionWindowTrigger

ROOT = Path(__file__).resolve().parents[2]
SNIPPETS = ROOT / "tests" / "docs_snippets"
DOCS = ROOT / "docs"
PAGES = [*(DOCS / "how-to").glob("*.md"), DOCS / "backfill.md"]
SHOWN = [ROOT / name for page in PAGES for name in shown.named(page.read_text())]
EXAMPLES = {str(path.relative_to(ROOT)): path.read_text() for path in [*SHOWN, ROOT / "dags" / "staking_payout.py"]}
OLDER, NEWER = ACTIVE - 2, ACTIVE - 1
"""The unpaid eras."""


def classes_for_dags():
    """Names of the operators, sensors, notifiers and timetables, without their base classes."""
    info = get_provider_info()
    modules = [name for kind in ("operators", "sensors") for entry in info[kind] for name in entry["python-modules"]]
    modules += [path.rpartition(".")[0] for path in info["notifications"]]
    modules += [timetable.__module__ for timetable in StakingGatewayPlugin.timetables]
    found = {one for module in modules for one in vars(import_module(module)).values() if inspect.isclass(one)}
    kinds = {BaseOperator, BaseNotifier, Timetable}
    ours = {one for one in found if one.__module__ in modules and kinds.intersection(one.__mro__)}
    return sorted(one.__name__ for one in ours if not any(one in other.__bases__ for other in ours))


@pytest.mark.parametrize("name", classes_for_dags())
def test_every_class_for_dags_is_used_in_an_example(name):
    assert any(re.search(rf"\b{name}\(|\b{name}\.partial\(", text) for text in EXAMPLES.values())


def test_an_example_has_about_ten_lines():
    own = {name: text for name, text in EXAMPLES.items() if "docs_snippets" in name}
    assert {name: len(text.split("\n")) for name, text in own.items() if len(re.findall(r"^.", text, re.M)) > 12} == {}


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

    def test_pays_each_missed_era_once(self, gateway):
        assert self.run("pay_missed_eras.py")[0] == "success"
        assert sorted(executed(gateway)) == [OLDER, NEWER]

    def test_runs_once_per_era_and_the_partition_key_is_the_era(self):
        assert self.run("after_each_era.py", era=1392) == ("success", {"close_books": "era 1392 has ended"})

    def test_exports_the_era_of_its_run_and_prunes_what_can_no_longer_be_paid(self, gateway, tmp_path):
        target = tmp_path / "warehouse"
        for name in ("export_ledger.py", "prune_ledger.py"):
            example = (SNIPPETS / name).read_text()
            there = example.replace('"s3://aws_default@warehouse/staking"', f'"{target}", format="csv"')
            (tmp_path / name).write_text(there)
        self.run("pay_one_era.py", form={"era": OLDER})
        assert self.run(tmp_path / "export_ledger.py", era=OLDER)[0] == "success"
        assert [path.name for path in target.glob("devnet/staking_eras/*")] == [f"era={OLDER}.csv"]
        assert self.run(tmp_path / "prune_ledger.py") == ("success", {"prune": {"eras": 0, "rows": 0}})

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

    @pytest.mark.parametrize(
        ("file", "receivers"), [("send_alerts.py", 1), ("send_alerts_to_webhooks.py", 2), ("watch_all_networks.py", 1)]
    )
    def test_sends_each_receiver_each_alert_once(self, connect, broken, file, receivers):
        broken.script = [lambda exchange: exchange.answer(b"{}")]
        for conn_id in ("staking_alerts_default", "alerts_team", "alerts_on_call"):
            connect(conn_id, conn_type="http", host=f"{broken.url}/{conn_id}")
        since = (datetime.now(timezone.utc) - timedelta(minutes=106)).isoformat()
        alerts = {"webhook_conn_id": "staking_alerts_default"}
        self.configure(calendar=hourly(minutes=45), start_date=since, alerts=alerts)
        for _ in range(2):
            assert self.run(file)[0] == "success"
        assert len({request.target for request in broken.requests}) == len(broken.requests) == receivers
        assert all(f"Era {NEWER} is not paid in time" in request.json["text"] for request in broken.requests)
