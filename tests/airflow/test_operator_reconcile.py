"""The comparison with the chain in Airflow: task, command, page, alerts, and the shipped DAG; and amounts after a report."""

from datetime import timedelta

import pytest
from airflow.sdk import RetryAction
from airflow.sdk.exceptions import AirflowSkipException
from dag_files import CATCH_UP, dags_of, run_dag
from names import ACTIVE, ALICE_STASH, ERA, NETWORK, hourly
from simulated_chain import RUNNING_CLOCK
from staking_commands import airflow, as_json
from tasks import Task, TaskInstance

from staking_gateway.eras import utc_now
from staking_gateway.errors import Failed, StakingGatewayError
from staking_gateway.health.overview import Overview
from staking_gateway.health.state import LiveFacts, NetworkState
from staking_gateway.ledger.records import Reconciliation
from staking_gateway.types import AccountId
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.operators.era import EraReportOperator
from staking_gateway_provider.operators.reconcile import ReconcileOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from staking_gateway_provider.reporting import RETRY_POLICY
from staking_gateway_simulator.settings import DEFAULT_ERA_REWARD
from tests.support.failed import fails
from tests.support.nodes import close_nodes

ADDRESS = ("--network", NETWORK)
DIFFERENCE = f"era {ERA}: the ledger says no payout, and the chain says paid"
SIMULATOR = {"stakers": 60, "batch": 60, "confirm_seconds": 0}
one_call_per_era = pytest.mark.parametrize("simulator", [SIMULATOR], indirect=True)


@pytest.fixture
def node(gateway, connect, network):
    """Let the gateway's connection name the simulator's node; the fixture changes its address."""

    def at(url=None, **extras):
        fields = {"host": gateway.url, "password": gateway.token}
        extra = {"read_attempts": 1, "node_conn_id": "substrate_default"}
        connect("staking_gateway_default", conn_type="stakinggateway", **fields, extra=extra)
        extra = {"timeout": 5, **extras}
        connect("substrate_default", conn_type="substrate", host=url or f"{gateway.url}/node", extra=extra)

    at()
    network(calendar=hourly())
    yield at
    close_nodes()


@pytest.fixture
def paid_elsewhere(node, gateway, capsys):
    """Era 998 is paid by this installation, and era 999 by something else."""
    airflow("pay", *ADDRESS, "--yes", "--eras", ERA - 1)
    gateway.control.pay_elsewhere(ERA)
    capsys.readouterr()


def compare(**arguments):
    return Task(ReconcileOperator(task_id="reconcile", network=NETWORK, **arguments))


def test_without_a_node_the_task_is_skipped_and_the_command_refused_and_both_say_what_to_set(gateway, network):
    network()
    with pytest.raises(AirflowSkipException, match=r"names no node .* extra node_conn_id .*/help#no-node"):
        compare().run()
    with pytest.raises(SystemExit, match=r"'staking_gateway_default' names no node of the chain.*extra node_conn_id"):
        airflow("reconcile", *ADDRESS)


@one_call_per_era
@pytest.mark.usefixtures("paid_elsewhere")
class TestDifference:
    def test_the_task_fails_and_names_both_sides_and_the_remedy(self, ledger):
        task = compare()
        with pytest.raises(StakingGatewayError, match=f"1 difference: {DIFFERENCE}. Check the named eras"):
            task.run()
        told = task.ti.xcoms["reconciliation"]
        counts = {"from_era": ERA - 1, "to_era": ERA, "agree": 4, "differ": 1, "unknown": 0}
        assert told == {**counts, "differences": [DIFFERENCE]}
        stored = ledger.facts.rows(Reconciliation, NETWORK, range(ERA + 1))
        assert [row.text for row in stored if row.agrees is False] == [DIFFERENCE]

    def test_the_command_shows_it_and_ends_with_1(self, capsys):
        rows = as_json(capsys, "reconcile", *ADDRESS, fails=rf"{DIFFERENCE}(?s:.)*#books")
        assert [row["result"] for row in rows] == ["agrees"] * 4 + ["differs"]
        with pytest.raises(SystemExit, match=DIFFERENCE):
            airflow("reconcile", *ADDRESS)
        printed = capsys.readouterr().out
        assert "2 eras of testnet; results: 4 agree, 1 differ, 0 unknown" in printed
        assert "and the chain says paid" in printed
        airflow("reconcile", *ADDRESS, "--to-era", ERA - 1)

    def test_the_page_tells_it_until_the_books_agree(self, ledger, capsys):
        def causes():
            state = NetworkState(NETWORK, network_config(NETWORK), ledger, LiveFacts(), now=utc_now())
            return [cause for cause in Overview(state).data["causes"] if cause["topic"] == "books"]

        assert causes() == []
        with pytest.raises(StakingGatewayError):
            compare().run()
        (cause,) = causes()
        assert (cause["level"], cause["eras"], DIFFERENCE in cause["detail"]) == ("danger", [ERA], True)
        capsys.readouterr()
        assert as_json(capsys, "why", *ADDRESS, "--era", ERA)["reason"] == "paid by something else; seen on the chain"
        airflow("eras", *ADDRESS)
        airflow("pay", *ADDRESS, "--yes", "--eras", ERA)
        assert "ALREADY_PAID" in capsys.readouterr().out
        assert compare().run()["differ"] == 0
        assert causes() == []


@one_call_per_era
def test_a_dead_node_fails_task_and_command_and_the_task_is_retried(paid_elsewhere, node, capsys):
    node("http://127.0.0.1:1", timeout=1)
    task = compare(from_era=ERA - 1, to_era=ERA)
    with fails(Failed.NODE_UNREACHABLE) as caught:
        task.run()
    assert RETRY_POLICY.evaluate(caught.value, 1, 3).action is not RetryAction.FAIL
    assert (task.ti.xcoms["reconciliation"]["agree"], task.ti.xcoms["reconciliation"]["differ"]) == (0, 0)
    capsys.readouterr()
    rows = as_json(capsys, "reconcile", *ADDRESS, fails=r"127.0.0.1:1(?s:.)*#node")
    assert {row["result"] for row in rows} == {"unknown"}


@one_call_per_era
class TestAmounts:
    PAID = {"network": NETWORK, "era": ERA, "outcome": "PAID", "reason": "", "parts": []}  # noqa: RUF012

    def report(self):
        ti = TaskInstance()
        ti.xcoms["payout", "outcome"] = self.PAID
        ti.xcoms["staking_status", "too_late"] = True
        return Task(EraReportOperator(task_id="report", network=NETWORK), era=ERA, ti=ti).run()

    def test_a_report_of_a_paid_era_stores_its_reward(self, node, ledger):
        self.report()
        facts = ledger.facts.era(NETWORK, ERA)
        assert (facts.reward, facts.symbol, facts.decimals) == (DEFAULT_ERA_REWARD, "SIM", 18)
        assert facts.ended_at == network_config(NETWORK).calendar.end(ERA)

    @pytest.mark.parametrize("broken", ["dead", "missing"])
    def test_a_node_that_does_not_answer_fails_no_report(self, node, ledger, monkeypatch, caplog, broken):
        if broken == "dead":
            node("http://127.0.0.1:1", timeout=1)
        else:
            monkeypatch.delenv("AIRFLOW_CONN_SUBSTRATE_DEFAULT")
        self.report()
        facts = ledger.facts.era(NETWORK, ERA)
        assert facts is None or facts.reward is None
        assert "The reward stays unknown until the next comparison" in caplog.text


def test_statuses_of_past_eras_come_from_an_archive_node(node, gateway, ledger):
    gateway.control.advance(eras=10)
    gateway.control.staking(ALICE_STASH, False)
    told = Task(StakingStatusOperator(task_id="staking_status", network=NETWORK), era=ACTIVE).run()
    assert (told["staking"], told["not_staking"], told["failed"]) == (2, 0, {})
    account = AccountId.parse(ALICE_STASH).hex
    assert ledger.statuses_of(NETWORK, range(ACTIVE, ACTIVE + 1))[ACTIVE][account].value == "isStaking"


@pytest.mark.parametrize(
    "simulator", [{**RUNNING_CLOCK, **SIMULATOR, "confirm_seconds": 0.05, "unpaid_eras": 2}], indirect=True
)
def test_the_catch_up_dag_compares_at_its_end_and_a_difference_leaves_a_paid_run_green(
    airflow, node, gateway, network, monkeypatch
):
    network(history_depth=3)
    monkeypatch.setattr("staking_gateway.books.compare.SETTLED", timedelta(0))
    # While the eras are paid, the node cannot tell; otherwise the payouts would not be green.
    monkeypatch.setattr("staking_gateway.gateway.gateway.Gateway.era_paid", lambda gateway, era: None)
    gateway.control.leave_unpaid()
    run = run_dag(dags_of(CATCH_UP)[f"staking_catch_up_{NETWORK}"], retries=0)
    states = {one.task_id: str(one.state) for one in run.get_task_instances() if one.map_index == -1}
    assert states["report"] == "success"
    assert states["reconcile"] == "failed"
    assert run.state == "success"
