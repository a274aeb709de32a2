"""The example with SQL checks: parsed without a connection, a DAG per enabled network, and no check without its setting."""

from airflow.sdk import PartitionedAssetTimetable
from dag_files import EXAMPLES, allow_nothing_but_files, dags_of
from names import ALICE_STASH, BOB, BOB_STASH, DAVE, NETWORK, network_settings

from staking_gateway_provider.lineage import statuses_asset

QUALITY = EXAMPLES / "example_staking_quality.py"


def test_each_enabled_network_is_checked_when_the_statuses_of_an_era_are_stored(network, monkeypatch):
    bare = network_settings(user=BOB, payer=DAVE)
    limited = network_settings(payout={"max_fee_per_payout": 7})
    network(networks={"one": limited, "two": bare, "off": network_settings(enabled=False)})
    allow_nothing_but_files(monkeypatch)
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


def test_the_statuses_of_the_runs_era_are_as_many_as_the_accounts(network, tmp_path):
    (tmp_path / "accounts.csv").write_text(
        f"account,expect,label\n\n# ours\n{ALICE_STASH},staking,one\n{BOB_STASH}  # two\n"
    )
    network(accounts=[BOB], accounts_file=str(tmp_path / "accounts.csv"))
    statuses = dags_of(QUALITY)[f"staking_quality_{NETWORK}"].get_task("statuses")
    statuses.render_template_fields({"partition_key": "1391"})
    assert f"WHERE network = '{NETWORK}' AND era = 1391)" in statuses.sql
    assert statuses.checks == {"complete": {"check_statement": "COUNT(*) = 3"}}
