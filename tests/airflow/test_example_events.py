"""The example that pays by events: parsed without asking anybody, never loaded by itself, and paying as the payout DAG does."""

from types import SimpleNamespace

import pytest
from dag_files import EVENTS, PAYOUT, allow_nothing_but_files, dags_of
from names import BOB, DAVE, NETWORK, network_settings

TWO = {"one": network_settings(), "two": network_settings(user=BOB, payer=DAVE)}


# Airflow's reading of .airflowignore uses a name that pathspec has given up.
@pytest.mark.filterwarnings("ignore:GitWildMatchPattern:DeprecationWarning")
class TestParsing:
    def test_needs_no_network_no_database_and_no_connection(self, network, monkeypatch):
        network()
        allow_nothing_but_files(monkeypatch)
        assert sorted(dags_of(EVENTS)) == [f"staking_eras_{NETWORK}", f"staking_events_{NETWORK}"]

    def test_each_enabled_network_has_its_two_dags(self, network):
        network(networks={**TWO, "off": network_settings(enabled=False)})
        assert sorted(dags_of(EVENTS)) == [
            "staking_eras_one",
            "staking_eras_two",
            "staking_events_one",
            "staking_events_two",
        ]


class TestShape:
    def test_an_era_is_paid_by_the_tasks_of_the_payout_dag(self, network):
        network()
        ours = dags_of(EVENTS)[f"staking_events_{NETWORK}"]
        theirs = dags_of(PAYOUT)[f"staking_payout_{NETWORK}"]

        def shape(dag):
            return {
                task.task_id: (task.task_type, task.trigger_rule, task.retries, task.downstream_task_ids)
                for task in dag.tasks
            }

        assert shape(ours) == shape(theirs)

    def test_a_network_is_watched_as_its_settings_say(self, network):
        network(gateway_conn_id="elsewhere", history_depth=7, timing={"poll_interval": "90s"})
        (asset,) = dags_of(EVENTS)[f"staking_eras_{NETWORK}"].timetable.asset_condition.objects
        (watcher,) = asset.watchers
        assert watcher.trigger.arguments() == {
            "gateway_conn_id": "elsewhere",
            "poll_interval": 90.0,
            "history_depth": 7,
            "network": NETWORK,
        }

    @pytest.mark.parametrize("name", ["one", "two"])
    def test_a_network_passes_on_its_own_eras(self, network, name):
        network(networks=TWO)
        dag = dags_of(EVENTS)[f"staking_eras_{name}"]
        task = dag.get_task("pass_on")
        (new_era,) = dag.timetable.asset_condition.objects
        (ended_era,) = task.outlets
        assert (new_era.name, ended_era.name) == (f"{name}_new_era", f"{name}_ended_era")
        assert [asset.name for asset in task.inlets] == [new_era.name, ended_era.name]
        assert dag.max_active_runs == 1

        announced = History(SimpleNamespace(extra={"payload": {"era": era}}) for era in (8, 9, 9))
        passed_on, out = History([SimpleNamespace(partition_key="8")]), Outlet()
        events = {asset.name: history for asset, history in ((new_era, announced), (ended_era, passed_on))}
        task.python_callable(inlet_events=ByName(events), outlet_events=ByName({ended_era.name: out}))
        assert out.keys == ["9"]
        assert announced.newest_first
        assert passed_on.newest_first
        assert announced.most < passed_on.most


class ByName(dict):
    """Something of each asset; a DAG file and Airflow have the same asset in different classes."""

    def __getitem__(self, asset):
        return super().__getitem__(asset.name)


class History(list):
    """Events of an asset, as a task asks for them."""

    def ascending(self, ascending):
        self.newest_first = not ascending
        return self

    def limit(self, most):
        self.most = most
        return self


class Outlet:
    """Where a task leaves the partitions it makes."""

    def add_partitions(self, keys):
        self.keys = keys
