"""The example DAGs do what they say. `test_dags` parses them, as it does those that are shipped."""

import pytest
from airflow.sdk import PartitionedAssetTimetable
from dag_files import QUALITY, WAREHOUSE, dags_of, run_dag
from names import ALICE_STASH, BOB, BOB_STASH, DAVE, ERA, NETWORK, PARTY, network_settings

from staking_gateway.ledger import Actor
from staking_gateway_provider.dags import statuses_asset

# --- the export -----------------------------------------------------------------------------------------------------------------


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


# --- the checks in SQL -----------------------------------------------------------------------------------------------------


def test_quality_is_checked_in_each_enabled_network_when_the_statuses_of_an_era_are_stored(network):
    bare = network_settings(user=BOB, payer=DAVE)
    limited = network_settings(payout={"max_fee_per_payout": 7})
    network(networks={"one": limited, "two": bare})
    dags = dags_of(QUALITY)
    always = {"eras", "no_gap", "no_difference", "statuses"}
    assert {dag_id: {*dag.task_ids} for dag_id, dag in dags.items()} == {
        "staking_quality_one": {*always, "fees"},
        "staking_quality_two": always,
    }
    schedule = dags["staking_quality_one"].timetable
    # Events with an era start only runs of such a timetable.
    assert isinstance(schedule, PartitionedAssetTimetable)
    assert schedule.asset_condition.uri == statuses_asset("one").uri
    fees = dags["staking_quality_one"].get_task("fees")
    assert (fees.conn_id, fees.column_mapping) == ("staking_ledger", {"fee": {"max": {"leq_to": 7}}})


def test_quality_the_statuses_of_the_runs_era_are_as_many_as_the_accounts(network, tmp_path):
    (tmp_path / "accounts.csv").write_text(
        f"account,expect,label\n\n# ours\n{ALICE_STASH},staking,one\n{BOB_STASH}  # two\n"
    )
    network(accounts=[BOB], accounts_file=str(tmp_path / "accounts.csv"))
    statuses = dags_of(QUALITY)[f"staking_quality_{NETWORK}"].get_task("statuses")
    statuses.render_template_fields({"partition_key": "1391"})
    assert f"WHERE network = '{NETWORK}' AND era = 1391)" in statuses.sql
    assert statuses.checks == {"complete": {"check_statement": "COUNT(*) = 3"}}
