"""Metrics as a StatsD server gets them from Airflow's own client, and the documents about them."""

import itertools
import re
import socket
from pathlib import Path

import pytest
import yaml
from airflow.sdk.observability import stats
from airflow.sdk.observability.metrics import stats_utils
from names import ALICE_STASH, BOB_STASH, ERA, NETWORK, PARTY, hourly
from simulated_chain import a_second_passes
from tasks import Task, TaskInstance

from staking_gateway.errors import Failed, GatewayError, StakingGatewayError
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider import metrics
from staking_gateway_provider.alerting import send_alerts
from staking_gateway_provider.metrics import METRICS
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator
from tests.support.failed import fails
from tests.support.ledgers import put

DOCS = Path(__file__).parents[2] / "docs"
FEE = 100_000_000_000_000_000


class Receiver:
    """A StatsD server."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.2)
        self.port = self._socket.getsockname()[1]

    def close(self):
        self._socket.close()

    def lines(self):
        """Metrics since the last time, as on the wire."""
        lines = []
        while True:
            try:
                lines += self._socket.recv(65536).decode().splitlines()
            except TimeoutError:
                return lines

    def received(self):
        """The same: name to value and kind."""
        return dict(line.split(":", 1) for line in self.lines())


@pytest.fixture
def statsd(monkeypatch):
    """Airflow is set up with a StatsD server; called with a configuration, with that one."""
    receiver = Receiver()

    def set_up(**options):
        settings = {"statsd_on": "True", "statsd_host": "127.0.0.1", "statsd_port": str(receiver.port), **options}
        for name, value in settings.items():
            monkeypatch.setenv(f"AIRFLOW__METRICS__{name.upper()}", value)
        factory = stats_utils.get_stats_factory()

        def make():
            backends.append(factory())
            return backends[-1]

        stats.initialize(factory=make, export_legacy_names=True)
        return receiver

    backends = []
    yield set_up
    for backend in backends:
        backend.statsd.close()
    monkeypatch.undo()
    stats.initialize(factory=stats_utils.get_stats_factory(), export_legacy_names=True)
    receiver.close()


@pytest.fixture
def just_ended(network):
    """A calendar in which ERA ended ten minutes ago."""
    network.usual = {"calendar": hourly(minutes=10)}
    network()
    return network


@pytest.fixture
def pay(gateway, just_ended):
    """Pays an era in a run of its own."""

    def run(era=ERA, name=NETWORK, *, on_wait=None):
        operator = PayoutStakersOperator(task_id="payout", network=name, deferrable=True)
        ti = TaskInstance(f"run {next(runs)}")
        return Task(operator, era=era, ti=ti, on_wait=on_wait or a_second_passes(gateway)).run()

    runs = itertools.count()
    return run


@pytest.fixture
def die_while_it_waits(pay, gateway):
    """A run sends the payout of an era, and never gets to see it confirmed."""

    def run(era):
        def die(trigger):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pay(era, on_wait=die)
        gateway.control.advance(seconds=1)

    return run


def timings(lines):
    """How long after their eras' ends payouts were confirmed, in milliseconds, in the order in which it was told."""
    start = f"airflow.staking.{NETWORK}.era_end_to_confirmed_seconds:"
    return [float(line.removeprefix(start).removesuffix("|ms")) for line in lines if line.startswith(start)]


def names(metrics):
    """The metrics with the network in their names, without it."""
    start = f"airflow.staking.{NETWORK}."
    return {name.removeprefix(start): value for name, value in metrics.items() if NETWORK in name}


class TestPayout:
    def test_of_any_run_is_told_once_with_its_cost_by_the_run_that_finds_it_confirmed(
        self, pay, die_while_it_waits, statsd
    ):
        """Else only those eras would be timed whose own run sees them confirmed: not the ones that were in trouble."""
        receiver = statsd()
        die_while_it_waits(ERA - 1)
        for era in (ERA, ERA - 1):
            pay(era)
        told = receiver.lines()
        assert told.count(f"airflow.staking.{NETWORK}.era_fee:{FEE}|g") == 2
        own, before = timings(told)
        assert 4_200_000 <= before < 4_300_000
        assert 600_000 <= own < 700_000
        for era in (ERA - 1, ERA):
            assert pay(era)["outcome"] == "ALREADY_PAID"
        assert receiver.lines() == []

    @pytest.mark.parametrize("legacy", ["True", "False"])
    def test_has_the_network_as_a_tag_where_the_server_takes_tags_and_in_the_name_unless_airflow_leaves_it_out(
        self, pay, statsd, legacy
    ):
        receiver = statsd(statsd_influxdb_enabled="True", legacy_names_on=legacy)
        pay()
        told = receiver.received()
        assert told[f"airflow.staking.era_fee,network={NETWORK}"] == f"{FEE}|g"
        assert all(f",network={NETWORK}" in name for name in told) is (legacy == "False")


class TestLook:
    def test_tells_what_is_owed_and_how_the_accounts_stand(self, gateway, just_ended, statsd, ledger):
        payout = ledger.plan(NETWORK, ERA, 0, actor=Actor("run"), **PARTY)
        expected = {ALICE_STASH: "staking", BOB_STASH: "not_staking"}
        just_ended(accounts=[{"account": account, "expect": state} for account, state in expected.items()])
        found = [(AccountId.parse(account), StakingStatus.IS_NOT_STAKING) for account in expected]
        ledger.record_statuses(NETWORK, ERA, found)
        receiver = statsd()

        def look():
            send_alerts(NETWORK, network_config(NETWORK), {"ti": TaskInstance()}, ERA)

        look()
        told = names(receiver.received())
        assert 600 <= int(told.pop("oldest_unpaid_age_seconds").removesuffix("|g")) < 700
        assert told == {
            "eras_unpaid": "1|g",
            "accounts_not_staking": "1|g",
            "alerts_open": "1|g",
            "alerts_unsent": "0|g",
            "runway_eras": "10000000|g",
        }
        put(ledger, payout, PayoutState.CONFIRMED)
        look()
        told = names(receiver.received())
        assert (told["eras_unpaid"], told["oldest_unpaid_age_seconds"]) == ("0|g", "0|g")


class TestErrors:
    def test_are_counted_by_class_those_of_many_accounts_together(self, gateway, just_ended, statsd):
        just_ended(accounts=[ALICE_STASH, BOB_STASH])
        receiver = statsd()
        gateway.control.set_faults("http-503-before:path=/query:times=1")
        with fails(Failed.FAILED):
            Task(PreviousEraOperator(task_id="era", network=NETWORK)).run()
        assert names(receiver.received()) == {"gateway_errors.failed": "1|c"}
        gateway.control.set_faults("http-502-before:method=getStakingStatus:times=2")
        with pytest.raises(StakingGatewayError):
            Task(StakingStatusOperator(task_id="s", network=NETWORK), era=ERA).run()
        assert receiver.lines().count(f"airflow.staking.{NETWORK}.gateway_errors.failed:1|c") == 2

    def test_that_cannot_be_counted_are_logged_and_change_nothing_about_the_call(
        self, gateway, just_ended, monkeypatch, caplog
    ):
        just_ended()

        def fail(*_, **__):
            raise RuntimeError("no receiver")

        monkeypatch.setattr(metrics, "_send", fail)
        gateway.control.set_faults("http-503-before:path=/query:times=1")
        with fails(Failed.FAILED):
            Task(PreviousEraOperator(task_id="era", network=NETWORK)).run()
        assert "could not be counted" in caplog.text

    def test_a_method_the_gateway_has_not_is_none(self, statsd):
        receiver = statsd()
        metrics.count_error(NETWORK, GatewayError(method="m", how=Failed.NO_METHOD))
        assert receiver.received() == {}


MONITORING = DOCS / "monitoring"
BOARD, RULES = ((MONITORING / name).read_text() for name in ("grafana-dashboard.json", "alert-rules.yml"))


class TestDocuments:
    """The dashboard and the alert rules use the metrics there are."""

    def test_the_dashboard_and_the_rules_use_them_and_no_others(self):
        """Names as Prometheus has them through statsd_exporter's mapping, or an OpenTelemetry collector."""
        ends = {"gauge": [""], "counter": ["_total"], "timing": ["_bucket", "_sum", "_count"]}
        exported = {f"airflow_staking_{name}{end}" for name, kind in METRICS.items() for end in ends[kind]}
        assert set(re.findall(r"airflow_staking_\w+", BOARD + RULES)) <= exported
        assert {name for name in METRICS if f"airflow_staking_{name}" not in BOARD} == set()

    def test_the_mapping_names_every_metric_and_takes_the_network_out_of_its_name(self):
        mappings = yaml.safe_load((MONITORING / "statsd-mapping.yml").read_text())["mappings"]
        mapped = {entry["name"]: entry for entry in mappings if entry.get("action") != "drop"}
        expected = {}
        for name, kind in METRICS.items():
            exported = f"airflow_staking_{name}{'_total' if kind == 'counter' else ''}"
            tail = ".*" if name == "gateway_errors" else ""
            expected[exported] = ("$1", f"airflow.staking.*.{name}{tail}", kind == "timing")
        assert expected == {
            name: (entry["labels"]["network"], entry["match"], "observer_type" in entry)
            for name, entry in mapped.items()
        }
