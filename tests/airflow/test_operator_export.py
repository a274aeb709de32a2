"""Exporting eras of the ledger from a task."""

import pytest
from names import NETWORK, PARTY
from tasks import Task

from staking_gateway.ledger import Actor
from staking_gateway_provider.dags import exports_asset
from staking_gateway_provider.operators.export import LedgerExportOperator


@pytest.fixture(autouse=True)
def books(gateway, ledger):
    for era in range(5, 10):
        ledger.plan(NETWORK, era, 0, **PARTY, actor=Actor("r"))


@pytest.fixture
def export(tmp_path):
    """Runs the operator; what it returned, its events, and the eras that have files."""

    def run(run_era=None, /, **arguments):
        asset, target = exports_asset(NETWORK), tmp_path / "warehouse"
        arguments = {"target": f"file://{target}", "format": "csv", **arguments}
        task = Task(LedgerExportOperator(task_id="export", network=NETWORK, outlets=[asset], **arguments), era=run_era)
        returned = task.run()
        written = [int(path.stem.removeprefix("era=")) for path in target.glob(f"{NETWORK}/staking_payouts/*")]
        return returned, task.context["outlet_events"][asset], sorted(written)

    return run


@pytest.mark.parametrize(
    ("run_era", "arguments", "eras"),
    [
        (7, {}, [7]),
        (7, {"eras": "None", "tables": ""}, [7]),
        (7, {"eras": 8}, [8]),
        (7, {"eras": "4-6"}, [5, 6]),
        (7, {"eras": "4 - 7", "tables": "staking_payouts"}, [5, 6, 7]),
        (3, {}, []),
    ],
)
def test_each_written_era_is_an_event_and_a_file_of_each_view(export, run_era, arguments, eras):
    tables = 1 if arguments.get("tables") else 2
    returned, events, files = export(run_era, **arguments)
    assert [int(era) for era in events.partitions] == files == eras
    assert (returned["eras"], returned["files"]) == (len(eras), tables * len(eras))
