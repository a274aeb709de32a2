"""Prometheus' own checker, on the rules and on the dashboard of docs/monitoring."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support.debian import program

MONITORING = Path(__file__).parents[2] / "docs" / "monitoring"


@pytest.fixture(scope="module")
def promtool():
    """Runs promtool, and fails when it finds a mistake."""
    path = program("prometheus", "promtool")

    def run(*words):
        checked = subprocess.run([path, *words], capture_output=True, text=True, timeout=60, check=False)
        assert checked.returncode == 0, checked.stdout + checked.stderr

    return run


def test_prometheus_takes_the_rules(promtool):
    promtool("check", "rules", MONITORING / "alert-rules.yml")


def test_with_an_era_a_day_prometheus_finds_the_mean_and_that_it_is_slow(promtool, tmp_path):
    """Every hour of a day: two eras of 2400 and 7200 seconds, a day apart, and then silence."""
    board = json.loads((MONITORING / "grafana-dashboard.json").read_text())
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
        "rule_files": [str(MONITORING / "alert-rules.yml")],
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
    promtool("test", "rules", path)
