"""The demo's parts that need no Airflow: its verdict, its words, its secrets, its keeper."""

from __future__ import annotations

import copy
import json
import os
import signal
import socket
import stat
import sys
import time
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import psutil
import pytest

from demo import services
from demo.devnet import Devnet, task_log, task_quote
from demo.environment import airflow_environment
from demo.home import Secrets, clear
from demo.interruption import Interruption, StopRequested
from demo.moment import Run, paid_in_a_row
from demo.run import Options
from demo.services import DemoFailed, Services
from demo.stack import free_port
from demo.verdict import PaidEra, judge, seconds_to_acceptance

END = datetime(2026, 6, 1, tzinfo=timezone.utc)
FEE = 10**17


def paid(era, outcome="PAID"):
    """An era as Airflow and the ledger tell it."""
    payout = SimpleNamespace(request_id=f"request-{era}", tx_hash=f"0x{era}", fee=FEE)
    return PaidEra(era, outcome, END + timedelta(seconds=20 * era), (payout,), staking=5, not_staking=1)


def truth_of(*eras):
    """What the simulator says when it has paid these eras."""
    return {
        "payouts": [
            {
                "era": era,
                "request_id": f"request-{era}",
                "tx_hash": f"0x{era}",
                "fee": str(FEE),
                "accepted_at": (END + timedelta(seconds=20 * era + 3)).isoformat(),
            }
            for era in eras
        ],
        "requests": [{"era": era, "request_id": f"request-{era}"} for era in eras],
        "owing": [],
        "expired": [],
        "fees_charged": str(FEE * len(eras)),
    }


def test_a_story_that_is_true_is_confirmed_in_numbers():
    verdict = judge([paid(7), paid(8)], truth_of(7, 8), accounts=6)

    assert verdict.disagreements == ()
    assert verdict.truth == "simulator's truth: 2 payouts executed, 2 fees charged, 0 eras owed"
    assert seconds_to_acceptance(verdict.eras[0], truth_of(7, 8)) == 3


def _twice(truth):
    truth["payouts"].append({**truth["payouts"][0], "request_id": "request-again"})
    truth["fees_charged"] = str(3 * FEE)


def _another(truth):
    truth["payouts"][0]["request_id"] = "request-of-somebody-else"


def _hanging(truth):
    truth["requests"].append({"era": 7, "request_id": "request-hanging"})


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (_twice, "era 7: 2 payouts were executed, not one"),
        (_another, "era 7: the ledger has"),
        (_hanging, "request request-hanging was accepted, but not executed"),
        (lambda truth: truth["payouts"].pop(), "era 8: 0 payouts were executed"),
        (lambda truth: truth["payouts"][1].update(tx_hash="0xother"), "era 8: the ledger has"),
        (lambda truth: truth.update(fees_charged="1"), "but 1 was charged"),
        (lambda truth: truth["owing"].append({"era": 6}), "era 6 is owed"),
        (lambda truth: truth["expired"].append([3, 4]), "era 4 is owed"),
        (lambda truth: truth["payouts"].append({**truth["payouts"][0], "era": 5}), "era 5 was paid, but not by these"),
    ],
)
def test_a_story_that_is_not_true_is_contradicted(change, complaint):
    truth = copy.deepcopy(truth_of(7, 8))
    change(truth)

    assert any(complaint in text for text in judge([paid(7), paid(8)], truth, accounts=6).disagreements)


def test_options_come_from_the_environment():
    assert Options.read({}, terminal=True) == Options(eras=3, keep=True)
    assert Options.read({"ERAS": "", "KEEP": ""}, terminal=False) == Options(eras=3, keep=False)
    assert Options.read({"ERAS": "5", "KEEP": "0"}, terminal=True) == Options(eras=5, keep=False)
    assert Options.read({"KEEP": "1"}, terminal=False) == Options(eras=3, keep=True)


def test_an_era_counts_when_all_before_it_are_paid():
    runs = [
        Run("scheduled__era-8", "scheduled", 8, "success"),
        Run("scheduled__era-7", "scheduled", 7, "running"),
        Run("manual__era-6", "manual", 6, "success"),
    ]
    assert paid_in_a_row(runs) == []

    runs[1] = Run("scheduled__era-7", "scheduled", 7, "success")
    assert [run.era for run in paid_in_a_row(runs)] == [7, 8]


def test_a_signal_within_the_shield_comes_at_its_end_and_only_once():
    seen = []

    def be_interrupted():
        with interruption.shielded(), interruption.shielded():
            signal.raise_signal(signal.SIGTERM)
            seen.append(interruption.is_waiting())

    interruption = Interruption()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    interruption.install()
    try:
        with pytest.raises(StopRequested, match="SIGTERM"):
            be_interrupted()
        be_interrupted()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

    assert seen == [True, True]


def test_secrets_are_made_once_and_only_their_owner_can_read_them(tmp_path):
    first = Secrets.of(tmp_path)
    path = tmp_path / "secrets.json"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Secrets.of(tmp_path) == first
    assert len(set(vars(first).values())) == 4
    path.write_text("{}")
    assert Secrets.of(tmp_path) != first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_start_forgets_all_but_the_secrets_and_the_empty_database(tmp_path):
    for name in ("secrets.json", "lock", "empty-3.3.2.db", "airflow.db", "staking_ledger.db"):
        (tmp_path / name).touch()
    (tmp_path / "logs" / "dag_id=x").mkdir(parents=True)

    clear(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty-3.3.2.db", "lock", "secrets.json"]


def test_airflow_is_told_nothing_of_the_callers_airflow(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    monkeypatch.setenv("AIRFLOW_CONN_OTHER", "http://x")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    connections = {"staking_gateway_default": {"conn_type": "staking_gateway", "host": "http://127.0.0.1:1"}}

    told = airflow_environment(
        tmp_path,
        tmp_path,
        port=8080,
        config=tmp_path / "staking.yaml",
        connections=connections,
        secrets=Secrets.of(tmp_path),
    )

    assert told["AIRFLOW__CORE__EXECUTOR"] == "LocalExecutor"
    assert json.loads(told["AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT"]) == connections["staking_gateway_default"]
    assert not {"AIRFLOW_CONN_OTHER", "HTTPS_PROXY", "PYTHONPATH"} & set(told)


def test_a_port_that_is_taken_is_replaced_by_a_free_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert free_port(port) != port
    assert free_port(port) == port


def test_a_tasks_log_is_quoted_in_plain_words(tmp_path):
    folder = tmp_path / "logs" / "dag_id=d" / "run_id=r" / "task_id=staking_status" / "map_index=2"
    folder.mkdir(parents=True)
    (folder / "attempt=1.log").write_text("")
    error = {
        "level": "error",
        "event": "Task failed",
        "error_detail": [{"exc_type": "EraNotPaid", "exc_value": "owed"}],
    }
    (folder / "attempt=2.log").write_text(json.dumps({"level": "info", "event": "hello"}) + "\n" + json.dumps(error))

    log = task_log(tmp_path, "d", "r", "staking_status[2]")

    assert log == folder / "attempt=2.log"
    assert task_quote(log).splitlines()[1:] == ["  error: Task failed", "    EraNotPaid: owed"]
    assert task_log(tmp_path, "d", "r", "payout") is None


class Stack:
    """Says what a stack would say."""

    def __init__(self, home, import_errors=()):
        self.home = home
        self.services = SimpleNamespace(check=lambda: None)
        self.api = SimpleNamespace(import_errors=lambda: list(import_errors), dag=lambda _: None, log_in=lambda: None)
        self.migrate = self.start = lambda: None
        self.unhealthy = list

    def log_of(self, component):
        return self.home / f"{component}.log"


def devnet_of(stack):
    return Devnet(stack, "devnet", SimpleNamespace(), port=1, window_seconds=5)


def test_a_dag_file_that_cannot_be_imported_ends_the_demo_with_its_error(tmp_path):
    error = {"filename": "staking_payout.py", "stack_trace": "Traceback ...\nConfigError: networks: there is none"}

    with pytest.raises(DemoFailed, match=r"staking_payout\.py(.|\n)*dag-processor\.log(.|\n)*there is none"):
        devnet_of(Stack(tmp_path, [error])).bring_up()


SPAWNS_ELSEWHERE = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], preexec_fn=os.setpgrp)
print(child.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def stubborn(tmp_path, monkeypatch):
    """A program that ignores SIGTERM and has a child in a process group of its own."""
    monkeypatch.setattr(services, "GRACE_SECONDS", 0.5)
    running = Services()
    log = tmp_path / "stubborn.log"
    service = running.start("stubborn", [sys.executable, "-c", SPAWNS_ELSEWHERE], os.environ, log)
    until = time.monotonic() + 10
    while not log.read_text().endswith("\n"):
        assert time.monotonic() < until
        time.sleep(0.02)
    yield running, service, int(log.read_text())
    running.stop()


def test_what_a_program_starts_in_another_process_group_ends_with_it(stubborn):
    running, service, child = stubborn
    assert psutil.pid_exists(child)

    running.stop()

    assert service.keeper.returncode == 128 + 128 - signal.SIGKILL
    assert not psutil.pid_exists(child)


def test_a_program_that_ended_by_itself_is_named_with_its_log(tmp_path):
    running, log = Services(), tmp_path / "short.log"
    service = running.start("short", [sys.executable, "-c", "raise SystemExit(3)"], os.environ, log)
    service.keeper.wait(60)
    with pytest.raises(DemoFailed, match=rf"The short has ended with status 3\.\n.*{log}"):
        running.check()
    running.stop()
