"""What a payout leaves behind for others: events for other DAGs, and a link for people."""

import json
import pkgutil
from importlib import import_module
from inspect import isclass

import pytest
from airflow.sdk import Asset, BaseOperator, BaseSensorOperator
from airflow.sdk.providers_manager_runtime import ProvidersManagerTaskRuntime
from names import ERA, NETWORK
from simulated_chain import a_second_passes
from tasks import Task

import staking_gateway_provider
from staking_gateway.errors import EraNotPaid
from staking_gateway_provider.dags import exports_asset, normalize_uri, payouts_asset, statuses_asset
from staking_gateway_provider.get_provider_info import get_provider_info
from staking_gateway_provider.operators.base import StakingOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import explorer_link

TEMPLATE = "https://explorer.example/tx/{tx_hash}?tab=events"
HASH = "0x" + "aB" * 32


class TestEvents:
    def test_of_a_paid_era_have_it_as_their_partition_and_say_what_was_paid(self, gateway, network):
        network()
        asset = payouts_asset(NETWORK)
        pay = PayoutStakersOperator(task_id="p", network=NETWORK, deferrable=True, outlets=[asset])
        paid = Task(pay, era=ERA, on_wait=a_second_passes(gateway))
        outcome = paid.run()
        event = paid.context["outlet_events"][asset]
        assert event.partitions == [str(ERA)]
        assert event.extra == {"era": ERA, "outcome": "PAID", "transactions": [outcome["parts"][0]["tx_hash"]]}
        assert json.loads(json.dumps(event.extra)) == event.extra

    def test_of_an_era_that_was_not_paid_there_are_none(self, gateway, network):
        network(payout={"max_fee_per_payout": 5})
        pay = PayoutStakersOperator(task_id="p", network=NETWORK, deferrable=True, outlets=[payouts_asset(NETWORK)])
        failed = Task(pay, era=ERA)
        with pytest.raises(EraNotPaid):
            failed.run()
        assert failed.context["outlet_events"] == {}

    def test_of_statuses_have_the_era_as_their_partition(self, gateway, network):
        network()
        asset = statuses_asset(NETWORK)
        checked = Task(StakingStatusOperator(task_id="s", network=NETWORK, outlets=[asset]), era=ERA)
        checked.run()
        assert checked.context["outlet_events"][asset].partitions == [str(ERA)]


class TestUris:
    """Airflow asks the provider about the scheme `staking`."""

    def test_of_our_assets_are_what_airflow_keeps(self):
        assert ProvidersManagerTaskRuntime().asset_uri_handlers["staking"] is normalize_uri
        for asset in (payouts_asset("devnet"), statuses_asset("devnet"), exports_asset("devnet")):
            assert asset.normalized_uri == asset.uri
        assert Asset("staking://devnet/payouts/").uri == "staking://devnet/payouts"

    @pytest.mark.parametrize("uri", ["staking://devnet", "staking://devnet/", "staking:/payouts", "staking:///payouts"])
    def test_that_name_no_network_or_nothing_of_it_are_refused(self, uri):
        with pytest.raises(ValueError, match="A staking URI names a network and one of its assets"):
            Asset(uri)


class TestLink:
    """What the API server shows of it: `TestRun` of test_dags.py."""

    def test_there_is_none_without_an_explorer_a_network_or_an_outcome(self, gateway, network):
        outcome = {"network": NETWORK, "parts": [{"tx_hash": HASH}]}
        network()
        assert explorer_link(outcome) == ""
        network(explorer_url=TEMPLATE)
        others = (None, [], {**outcome, "network": "other"}, {"parts": outcome["parts"]}, {"network": NETWORK})
        assert {explorer_link(other) for other in others} == {""}
        network(explorer_url="nowhere")
        assert explorer_link(outcome) == "", "a mistake in staking.yaml is no error of the page"


class TestLinksOfEveryTask:
    """What they lead to in each state of a task: `TestRun` of test_dags.py."""

    @pytest.mark.parametrize("kind", [BaseOperator, BaseSensorOperator])
    def test_each_operator_and_sensor_has_them(self, kind):
        ours = {
            one
            for module in pkgutil.walk_packages(staking_gateway_provider.__path__, "staking_gateway_provider.")
            if module.name.split(".")[1] in {"operators", "sensors"}
            for one in vars(import_module(module.name)).values()
            if isclass(one) and issubclass(one, kind) and one.__module__ == module.name != StakingOperator.__module__
        }
        assert ours
        for one in ours:
            assert {"Runbook", "Staking page"} <= {link.name for link in one.operator_extra_links}

    def test_airflow_is_told_of_them(self):
        told = {path.rpartition(".")[2] for path in get_provider_info()["extra-links"]}
        assert told == {type(link).__name__ for link in PayoutStakersOperator.operator_extra_links}
