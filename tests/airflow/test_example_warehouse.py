"""The example that exports the ledger: parsed without asking anybody, and writing the paid era with those before it."""

import json

import pytest
from airflow.serialization.serialized_objects import DagSerialization
from dag_files import WAREHOUSE, allow_nothing_but_files, dags_of, run_dag
from names import ERA, NETWORK, PARTY, network_settings

from staking_gateway.ledger import Actor


def test_needs_no_network_no_database_and_no_connection(network, monkeypatch):
    network(networks={"one": network_settings(), "off": network_settings(enabled=False)})
    allow_nothing_but_files(monkeypatch)
    dags = dags_of(WAREHOUSE)
    assert sorted(dags) == ["staking_export_one"]
    for dag in dags.values():
        stored = json.loads(json.dumps(DagSerialization.to_dict(dag)))
        assert DagSerialization.from_dict(stored).dag_id == dag.dag_id


@pytest.mark.parametrize(("era", "eras"), [(ERA, range(ERA - 12, ERA + 1)), (3, range(4))])
@pytest.mark.usefixtures("airflow", "gateway")
def test_a_run_writes_its_era_and_those_before_it_that_may_have_changed_since(
    network, ledger, tmp_path, monkeypatch, *, era, eras
):
    network(history_depth=6)
    monkeypatch.setenv("AIRFLOW_VAR_STAKING_WAREHOUSE", str(tmp_path / "warehouse"))
    for number in range(max(0, era - 14), era + 2):
        ledger.plan(NETWORK, number, 0, **PARTY, actor=Actor("r"))
    folder = tmp_path / "dags"
    folder.mkdir()
    monkeypatch.setattr("airflow.settings.DAGS_FOLDER", str(folder))
    example = folder / WAREHOUSE.name
    example.write_text(WAREHOUSE.read_text().replace("retries=2", 'retries=2, format="csv"'))
    dags = dags_of(example)
    assert run_dag(dags[f"staking_export_{NETWORK}"], era=era).state == "success"
    written = (tmp_path / "warehouse" / NETWORK / "staking_payouts").iterdir()
    assert sorted(int(path.stem.removeprefix("era=")) for path in written) == [*eras]
