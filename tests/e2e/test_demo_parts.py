"""The demo's parts that need no Airflow: its verdict, its words, its secrets, its keeper."""

from __future__ import annotations

import copy
import json
import os
import signal
import socket
import stat
import subprocess
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
from demo.moment import Moment, Run, changes, paid_in_a_row
from demo.run import Options
from demo.services import DemoFailed, Services, quote
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


def test_the_era_after_the_last_one_is_not_judged():
    truth = truth_of(7, 8)
    truth["owing"] = [{"era": 9}]

    assert judge([paid(7)], truth, accounts=6).disagreements == ()


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


def test_an_outcome_that_is_not_green_and_a_missing_status_are_contradictions():
    assert judge([paid(7, "UNKNOWN")], truth_of(7), accounts=6).disagreements == ("era 7: its outcome is UNKNOWN",)
    assert judge([paid(7)], truth_of(7), accounts=7).disagreements == ("era 7: 6 of 7 accounts have a status",)


def test_options_come_from_the_environment():
    assert Options.read({}, terminal=True) == Options(eras=3, keep=True)
    assert Options.read({"ERAS": "", "KEEP": ""}, terminal=False) == Options(eras=3, keep=False)
    assert Options.read({"ERAS": "5", "KEEP": "0"}, terminal=True) == Options(eras=5, keep=False)
    assert Options.read({"KEEP": "1"}, terminal=False) == Options(eras=3, keep=True)


@pytest.mark.parametrize("variables", [{"ERAS": "0"}, {"ERAS": "-3"}, {"ERAS": "1.5"}, {"KEEP": "yes"}], ids=str)
def test_an_option_that_cannot_be_used_is_named_with_its_value(variables):
    ((name, value),) = variables.items()
    with pytest.raises(ValueError, match=f"^{name}={value} is "):
        Options.read(variables, terminal=True)


def moment(era=5, window="closed", **states):
    runs = [Run(f"scheduled__era-{era - 1}", "scheduled", era - 1, "running", dict(states))] if states else []
    return Moment(era, window, 3.0, 8.0, tuple(runs))


def test_each_change_is_told_once():
    before = moment(wait_for_window="running", payout="none")
    now = moment(window="open", wait_for_window="deferred", payout="none")

    assert changes(None, before) == [
        "chain: era 5 is active",
        "chain: the election window is closed",
        "era 4: wait_for_window running",
        "era 4: scheduled run is running",
    ]
    assert changes(before, now) == ["chain: the election window is open", "era 4: wait_for_window deferred"]
    assert changes(now, now) == []
    assert now.describe(age=1) == "Era 5 is active and ends in 7 s; the election window is open, closes in 2 s"


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


def test_a_log_is_quoted_from_its_last_error_on(tmp_path):
    log = tmp_path / "scheduler.log"
    log.write_text(
        "starting\nError: old\nfine again\n"
        + "more\n" * 20
        + "Traceback (most recent call last):\n  x\nValueError: no\n"
    )

    text = quote(log)

    assert str(log) in text
    assert text.endswith("  ValueError: no")
    assert "starting" not in text
    assert "There is no log" in quote(tmp_path / "other.log")


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


def test_waiting_in_vain_ends_the_demo_and_says_for_what(tmp_path):
    with pytest.raises(DemoFailed, match="in vain: Airflow is up, missing: \\['scheduler'\\]"):
        devnet_of(Stack(tmp_path)).wait(lambda: False, 0, "Airflow is up", lambda: ["scheduler"])


def test_a_failed_run_ends_the_demo_with_the_first_failed_task(tmp_path):
    run = Run("scheduled__era-4", "scheduled", 4, "failed", {"payout": "failed", "report": "failed"})

    with pytest.raises(DemoFailed, match=r"scheduled__era-4 (.|\n)* in task payout"):
        devnet_of(Stack(tmp_path)).check_runs([run])


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


def test_an_impatient_user_does_not_wait_for_the_grace(stubborn, monkeypatch):
    running, _, child = stubborn
    monkeypatch.setattr(services, "_SLACK_SECONDS", 60)

    running.stop(hurried=lambda: True)

    assert not psutil.pid_exists(child)


def test_a_program_that_ends_is_noticed_and_its_children_end_too(stubborn):
    running, service, child = stubborn
    (program,) = [process for process in psutil.Process(service.pid).children() if process.pid != child]
    program.kill()
    service.keeper.wait(10)

    with pytest.raises(DemoFailed, match="The stubborn has ended with status"):
        running.check()
    assert not psutil.pid_exists(child)


def test_the_keeper_ends_everything_when_its_owner_is_killed(tmp_path):
    script = f"""
import os, sys, time
sys.path.insert(0, {str(services._KEEPER.parent.parent)!r})
from pathlib import Path
from demo.services import Services
service = Services().start("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"], os.environ, Path("log"))
print(service.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as owner:
        keeper = psutil.Process(int(owner.stdout.readline()))
        owner.kill()

    gone, alive = psutil.wait_procs([keeper], timeout=10)
    assert (len(gone), alive) == (1, [])
