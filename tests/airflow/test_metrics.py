"""Metrics as a StatsD server gets them from Airflow's own client, and the documents about them."""

import json
import re
import shutil
import socket
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml
from airflow.sdk.observability import stats
from airflow.sdk.observability.metrics import stats_utils
from names import ACCOUNTS, ALICE_STASH, BOB_STASH, ERA, NETWORK, SIGNERS, network_settings
from tasks import Task, TaskInstance

from staking_gateway.alerts.delivery import Watch
from staking_gateway.alerts.facts import AlertFacts
from staking_gateway.errors import AccountsNotStaking, GatewayUnavailable, RpcMethodNotFound
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.ledger.conditions import Findings
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider import metrics
from staking_gateway_provider.metrics import METRICS, counting_errors, emit_watch
from staking_gateway_provider.operators.alerts import StakingAlertsOperator
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator

DOCS = Path(__file__).parents[2] / "docs"
PROMTOOL = shutil.which("promtool")
"""Prometheus' own checker, where it is installed."""
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
            except TimeoutError:  # noqa: PERF203 - the end of what there is
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
    start = (datetime.now(timezone.utc) - timedelta(minutes=10)).replace(microsecond=0)

    def write(**settings):
        calendar = {"era_length": "1h", "anchors": [{"era": ERA + 1, "start": start.isoformat()}]}
        network(**{"calendar": calendar, **settings})

    write()
    return write


def pay():
    return PayoutStakersOperator(task_id="payout", network=NETWORK, deferrable=True)


class Killed(BaseException):
    """The run is no more."""


def die_while_it_waits(era):
    """A run sends the payout of an era, and never gets to see it confirmed."""

    def die(trigger):
        raise Killed

    with pytest.raises(Killed):
        Task(pay(), era=era, ti=TaskInstance("dies"), on_wait=die).run()


def timings(lines):
    """How long after their eras' ends payouts were confirmed, in milliseconds, in the order in which it was told."""
    start = f"airflow.staking.{NETWORK}.era_end_to_confirmed_seconds:"
    return [float(line.removeprefix(start).removesuffix("|ms")) for line in lines if line.startswith(start)]


def names(metrics):
    """The metrics with the network in their names, without it."""
    return {
        name.removeprefix(f"airflow.staking.{NETWORK}."): value for name, value in metrics.items() if NETWORK in name
    }


class TestPayout:
    def test_tells_how_long_after_the_era_it_was_confirmed_and_what_it_cost(self, gateway, just_ended, statsd):
        receiver = statsd()
        Task(pay(), era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = names(receiver.received())
        assert told["era_fee"] == f"{FEE}|g"
        milliseconds = float(told["era_end_to_confirmed_seconds"].removesuffix("|ms"))
        assert 600_000 <= milliseconds < 700_000

    def test_that_was_made_earlier_is_not_told_again(self, gateway, just_ended, statsd):
        Task(pay(), era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        receiver = statsd()
        Task(pay(), era=ERA, ti=TaskInstance("manual__2")).run()
        assert names(receiver.received()) == {}

    def test_of_another_run_is_told_by_the_run_that_finds_it_confirmed(self, gateway, just_ended, statsd):
        """Else only those eras would be timed whose own run sees them confirmed: not the ones that were in trouble."""
        receiver = statsd()
        die_while_it_waits(ERA - 1)
        gateway.control.advance(seconds=1)
        Task(pay(), era=ERA, ti=TaskInstance("next"), on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = receiver.lines()
        assert sum(line.startswith(f"airflow.staking.{NETWORK}.era_fee:") for line in told) == 2
        before, own = timings(told)
        assert 4_200_000 <= before < 4_300_000
        assert 600_000 <= own < 700_000
        assert Task(pay(), era=ERA - 1, ti=TaskInstance("again")).run()["outcome"] == "ALREADY_PAID"
        assert receiver.lines() == []

    @pytest.mark.parametrize("simulator", [{"batch": 60}], indirect=True)
    def test_of_several_parts_is_told_with_the_last_one_whichever_runs_confirm_them(self, gateway, just_ended, statsd):
        just_ended(payout={"parts": 2})
        receiver = statsd()
        die_while_it_waits(ERA - 1)
        gateway.control.advance(seconds=1)
        Task(pay(), era=ERA, ti=TaskInstance("next"), on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        assert len(timings(receiver.lines())) == 1, "a part of the era before is confirmed, and one is left"
        again = TaskInstance("again")
        Task(pay(), era=ERA - 1, ti=again, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = receiver.received()
        assert told[f"airflow.staking.{NETWORK}.era_fee"] == f"{2 * FEE}|g"

    def test_until_nothing_is_left_is_told_when_nothing_is(self, gateway, just_ended, statsd):
        just_ended(payout={"parts": "until_empty"})
        receiver = statsd()
        Task(pay(), era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = receiver.lines()
        assert len(timings(told)) == 1
        assert len([line for line in told if "era_fee" in line and NETWORK in line]) == 1

    def test_of_a_network_that_shares_the_payer_is_told_under_its_own_name(self, gateway, network, just_ended, statsd):
        receiver = statsd()
        die_while_it_waits(ERA - 1)
        start = datetime.now(timezone.utc).isoformat()
        calendar = {"era_length": "1h", "anchors": [{"era": ERA + 1, "start": start}]}
        twins = {NETWORK: {"enabled": False}, "twin": {}}
        network(networks={name: network_settings(calendar=calendar, **more) for name, more in twins.items()})
        gateway.control.advance(seconds=1)
        twin = PayoutStakersOperator(task_id="payout", network="twin", deferrable=True)
        Task(twin, era=ERA, ti=TaskInstance("twin"), on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = receiver.received()
        assert {f"airflow.staking.{name}.era_fee" for name in (NETWORK, "twin")} <= set(told)

    def test_is_made_and_told_though_another_networks_settings_hold_a_mistake(
        self, gateway, network, just_ended, statsd
    ):
        receiver = statsd()
        die_while_it_waits(ERA - 1)
        start = datetime.now(timezone.utc).isoformat()
        calendar = {"era_length": "1h", "anchors": [{"era": ERA + 1, "start": start}]}
        twins = {NETWORK: {"payot": {}}, "twin": {}}
        network(networks={name: network_settings(calendar=calendar, **more) for name, more in twins.items()})
        gateway.control.advance(seconds=1)
        twin = PayoutStakersOperator(task_id="payout", network="twin", deferrable=True)
        paid = Task(twin, era=ERA, ti=TaskInstance("twin"), on_wait=lambda trigger: gateway.control.advance(seconds=1))
        assert paid.run()["outcome"] == "PAID"
        told = receiver.received()
        assert "airflow.staking.twin.era_fee" in told
        assert f"airflow.staking.{NETWORK}.era_fee" not in told

    def test_without_a_network_of_the_file_is_not_told(self, gateway, statsd, monkeypatch):
        receiver = statsd()
        operator = PayoutStakersOperator(task_id="payout", deferrable=True, **ACCOUNTS, **SIGNERS)
        Task(operator, era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        assert receiver.received() == {}


class TestLook:
    def test_tells_what_is_owed_and_how_the_accounts_stand(self, gateway, just_ended, statsd, ledger):
        party = {
            role: AccountId.parse(f"0x{number:064x}") for number, role in enumerate(("user", "payer", "relayer"), 1)
        }
        ledger.plan(NETWORK, ERA, 0, actor=Actor("run"), **party)
        just_ended(
            accounts=[{"account": ALICE_STASH, "expect": "staking"}, {"account": BOB_STASH, "expect": "not_staking"}]
        )
        found = [(AccountId.parse(account), StakingStatus.IS_NOT_STAKING) for account in (ALICE_STASH, BOB_STASH)]
        ledger.record_statuses(NETWORK, ERA, found)
        receiver = statsd()
        Task(StakingAlertsOperator(task_id="alerts", network=NETWORK), era=ERA).run()
        told = names(receiver.received())
        age = int(told.pop("oldest_unpaid_age_seconds").removesuffix("|g"))
        assert 600 <= age < 700
        assert told == {
            "eras_unpaid": "1|g",
            "accounts_not_staking": "1|g",
            "alerts_open": "1|g",
            "alerts_unsent": "0|g",
            "runway_eras": "10000000|g",
        }
        payout = ledger.payout(NETWORK, ERA, 0)
        ledger.transition(payout, PayoutState.CONFIRMED, "test", Actor("run"))
        Task(StakingAlertsOperator(task_id="alerts", network=NETWORK), era=ERA).run()
        told = names(receiver.received())
        assert (told["eras_unpaid"], told["oldest_unpaid_age_seconds"]) == ("0|g", "0|g")

    def test_tells_the_runway_where_the_gateway_tells_the_balance(self, statsd):
        seen = Watch(AlertFacts(None), Findings(runway=7), (), None)
        receiver = statsd()
        emit_watch(NETWORK, seen)
        assert names(receiver.received())["runway_eras"] == "7|g"


class TestErrors:
    def test_are_counted_by_class(self, gateway, just_ended, statsd):
        receiver = statsd()
        gateway.control.set_faults("http-503-before:path=/query:times=2")
        for _ in range(2):
            with pytest.raises(GatewayUnavailable):
                Task(PreviousEraOperator(task_id="era", network=NETWORK)).run()
        assert names(receiver.received()) == {"gateway_errors.GatewayUnavailable": "1|c"}

    def test_of_many_accounts_are_counted_together(self, gateway, just_ended, statsd):
        just_ended(accounts=[ALICE_STASH, BOB_STASH])
        receiver = statsd()
        gateway.control.set_faults("http-503-before:method=getStakingStatus:times=2")
        with pytest.raises(AccountsNotStaking):
            Task(StakingStatusOperator(task_id="s", network=NETWORK), era=ERA).run()
        assert names(receiver.received()) == {"gateway_errors.GatewayUnavailable": "2|c"}

    def test_that_cannot_be_counted_are_logged_and_change_nothing_about_the_call(self, monkeypatch, caplog):
        class Client:
            def payout_stakers(self):
                raise GatewayUnavailable("no", method="m", status=503)

        def fail(*_):
            raise RuntimeError("no receiver")

        monkeypatch.setattr(metrics, "count_errors", fail)
        with pytest.raises(GatewayUnavailable):
            counting_errors(Client(), NETWORK).payout_stakers()
        assert "could not be counted" in caplog.text

    def test_a_method_the_gateway_has_not_is_none(self, statsd):
        class Client:
            base_url = "x"

            def chain_info(self):
                raise RpcMethodNotFound(method="m", code=-32601, rpc_message="Method not found")

        receiver = statsd()
        client = counting_errors(Client(), NETWORK)
        assert client.base_url == "x"
        with pytest.raises(RpcMethodNotFound):
            client.chain_info()
        assert receiver.received() == {}
        assert getattr(client, "free_balance", None) is None


class TestNames:
    def test_have_the_network_as_a_tag_where_the_server_takes_tags(self, gateway, just_ended, statsd):
        receiver = statsd(statsd_influxdb_enabled="True")
        Task(pay(), era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        assert receiver.received()[f"airflow.staking.era_fee,network={NETWORK}"] == f"{FEE}|g"

    def test_have_the_network_in_them_unless_airflow_leaves_such_names_out(self, gateway, just_ended, statsd):
        receiver = statsd(legacy_names_on="False", statsd_influxdb_enabled="True")
        Task(pay(), era=ERA, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()
        told = receiver.received()
        assert told
        assert all(f",network={NETWORK}" in name for name in told)


class TestDocuments:
    """The page, the dashboard and the alert rules speak of the metrics there are."""

    def described(self):
        rows = re.findall(r"^\| `staking\.(\w+)` \| (\w+) \|", (DOCS / "metrics.md").read_text(), re.M)
        return dict(rows)

    def exported(self):
        """Names as Prometheus has them through statsd_exporter's mapping, or an OpenTelemetry collector."""
        ends = {"gauge": [""], "counter": ["_total"], "timing": ["_bucket", "_sum", "_count"]}
        return {f"airflow_staking_{name}{end}" for name, kind in METRICS.items() for end in ends[kind]}

    def used(self, text):
        return set(re.findall(r"airflow_staking_\w+", text))

    def test_the_page_describes_every_metric(self):
        assert self.described() == METRICS

    def test_the_dashboard_is_one_and_uses_them(self):
        text = (DOCS / "monitoring" / "grafana-dashboard.json").read_text()
        board = json.loads(text)
        assert {"title", "uid", "schemaVersion", "panels", "templating", "time"} <= set(board)
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids))
        squares = set()
        for panel in board["panels"]:
            assert panel["title"]
            assert panel["type"] in ("stat", "timeseries", "bargauge", "row")
            place = panel["gridPos"]
            assert place["x"] + place["w"] <= 24
            covered = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not covered & squares, f"{panel['title']} lies on another panel"
            squares |= covered
            for target in panel["targets"]:
                assert 'network=~"$network"' in target["expr"]
                assert target["datasource"] == {"type": "prometheus", "uid": "${source}"}
        assert {variable["name"] for variable in board["templating"]["list"]} == {"source", "network"}
        assert self.used(text) <= self.exported()
        missing = {name for name in METRICS if f"airflow_staking_{name}" not in text}
        assert missing == set()

    def test_what_is_told_once_for_an_era_is_looked_at_over_eras_not_over_scrapes(self):
        """A day lies between two eras: within minutes nothing grows, and nothing divided by nothing is no number."""
        texts = [(DOCS / "monitoring" / name).read_text() for name in ("grafana-dashboard.json", "alert-rules.yml")]
        windows = re.findall(
            r"(\w+)\(airflow_staking_era_end_to_confirmed_seconds_\w+(?:\{[^}]*\})?\[([^\]]+)\]", "".join(texts)
        )
        assert len(windows) == 5
        assert set(windows) == {("increase", "2d")}

    def test_the_rules_are_some_and_use_them(self):
        text = (DOCS / "monitoring" / "alert-rules.yml").read_text()
        rules = [rule for group in yaml.safe_load(text)["groups"] for rule in group["rules"]]
        assert len({rule["alert"] for rule in rules}) == len(rules) >= 7
        for rule in rules:
            assert rule["expr"]
            assert rule["labels"]["severity"] in ("warning", "critical")
            assert set(rule["annotations"]) == {"summary", "description"}
        assert self.used(text) <= self.exported()

    def test_the_mapping_names_every_metric_and_takes_the_network_out_of_its_name(self):
        mapping = yaml.safe_load((DOCS / "monitoring" / "statsd-mapping.yml").read_text())["mappings"]
        mapped = {entry["name"] for entry in mapping if entry.get("action") != "drop"}
        totals = {name: "_total" if kind == "counter" else "" for name, kind in METRICS.items()}
        assert mapped == {f"airflow_staking_{name}{total}" for name, total in totals.items()}
        for name, kind in METRICS.items():
            (entry,) = [entry for entry in mapping if entry["name"] == f"airflow_staking_{name}{totals[name]}"]
            assert entry["labels"]["network"] == "$1"
            tail = ".*" if name == "gateway_errors" else ""
            assert entry["match"] == f"airflow.staking.*.{name}{tail}"
            assert ("observer_type" in entry) is (kind == "timing")


if PROMTOOL:

    def test_prometheus_takes_the_rules():
        command = [PROMTOOL, "check", "rules", str(DOCS / "monitoring" / "alert-rules.yml")]
        checked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr

    def test_with_an_era_a_day_prometheus_finds_the_mean_and_that_it_is_slow(tmp_path):
        """Every hour of a day: two eras of 2400 and 7200 seconds, a day apart, and then silence."""
        board = json.loads((DOCS / "monitoring" / "grafana-dashboard.json").read_text())
        (panel,) = [panel for panel in board["panels"] if panel["title"].startswith("From the end")]
        quantile, mean = (target["expr"].replace("$network", ".*") for target in panel["targets"])
        name, labels = "airflow_staking_era_end_to_confirmed_seconds", 'network="mainnet"'
        series = {
            f"{name}_sum{{{labels}}}": "0x23 2400x23 9600x23",
            f"{name}_count{{{labels}}}": "0x23 1x23 2x23",
            f'{name}_bucket{{{labels}, le="3600"}}': "0x23 1x23 1x23",
            f'{name}_bucket{{{labels}, le="7200"}}': "0x23 1x23 2x23",
            f'{name}_bucket{{{labels}, le="+Inf"}}': "0x23 1x23 2x23",
        }
        label = '{network="mainnet"}'
        asked = {"30h": (mean, 2400), "40h": (mean, 2400), "50h": (mean, 4800), "60h": (mean, 4800)}
        alert = {"exp_labels": {"network": "mainnet", "severity": "warning"}}
        alert["exp_annotations"] = {
            "summary": "mainnet: eras are paid late",
            "description": "The eras of two days were confirmed 1h 20m 0s after their end, on average.",
        }
        tests = {
            "rule_files": [str(DOCS / "monitoring" / "alert-rules.yml")],
            "tests": [
                {
                    "interval": "1h",
                    "input_series": [{"series": one, "values": values} for one, values in series.items()],
                    "promql_expr_test": [
                        {"expr": expr, "eval_time": at, "exp_samples": [{"labels": label, "value": value}]}
                        for at, (expr, value) in asked.items()
                    ]
                    + [
                        {
                            "expr": f"{quantile} > bool 3600",
                            "eval_time": "60h",
                            "exp_samples": [{"labels": label, "value": 1}],
                        }
                    ],
                    "alert_rule_test": [
                        {"alertname": "StakingPayoutsSlow", "eval_time": "20h", "exp_alerts": []},
                        {"alertname": "StakingPayoutsSlow", "eval_time": "60h", "exp_alerts": [alert]},
                    ],
                }
            ],
        }
        path = tmp_path / "tests.yml"
        path.write_text(yaml.safe_dump(tests))
        checked = subprocess.run(
            [PROMTOOL, "test", "rules", str(path)], capture_output=True, text=True, timeout=60, check=False
        )
        assert checked.returncode == 0, checked.stdout + checked.stderr
