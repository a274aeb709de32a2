"""The example with SQL checks: parsed without a connection, a DAG per enabled network, and no check without its setting."""

from dag_files import EXAMPLES, allow_nothing_but_files, dags_of
from names import BOB, DAVE, network_settings

from staking_gateway_provider.lineage import payouts_asset

QUALITY = EXAMPLES / "example_staking_quality.py"


def test_each_enabled_network_is_checked_after_its_payouts(network, monkeypatch):
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
    (asset,) = dags["staking_quality_one"].schedule
    assert asset.uri == payouts_asset("one").uri
    fees = dags["staking_quality_one"].get_task("fees")
    assert (fees.conn_id, fees.column_mapping) == ("staking_ledger", {"fee": {"max": {"leq_to": 7}}})
