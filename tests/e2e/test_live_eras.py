"""A real scheduler, triggerer and api-server, whole eras, and the simulator's word on what was really executed."""

from __future__ import annotations

import os
import re
import signal
from datetime import datetime

import psutil
import pytest
from demos import PATIENCE
from substrateinterface import Keypair

from demo.moment import paid_in_a_row
from demo.run import PAYER_KEY, USER_KEY
from demo.stack import COMPONENTS
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.types import StakingStatus
from tests.support import leaks

PRIVATE_KEYS = [Keypair.create_from_uri(key).private_key.hex() for key in (USER_KEY, PAYER_KEY)]
NEEDLES = [spelling.encode() for spelling in (USER_KEY, PAYER_KEY, *PRIVATE_KEYS, "eyJwayI6")]
"""Every spelling of a key or of a self-made access token that must not be found anywhere."""


def found(search, home):
    """Where a search finds a secret."""
    return {needle: where for needle in NEEDLES if (where := search(home, needle))}


REFUSED_BY_WINDOW = (PayoutState.SIGNED, PayoutState.HELD)


def paid_runs(devnet, least=1):
    """The scheduled runs that are done, once there are so many, without a gap."""

    def look():
        runs = devnet.runs()
        devnet.check_runs(runs)
        paid = paid_in_a_row(runs)
        return paid if len(paid) >= least else None

    return devnet.wait(look, PATIENCE, f"{least} eras are paid")


def finished_run(devnet, run_id):
    """A run, once it has come to an end."""

    def look():
        return next((run for run in devnet.runs() if run.run_id == run_id and run.finished), None)

    return devnet.wait(look, PATIENCE, f"{run_id} has finished")


def outcome_of(devnet, run):
    """What the payout task of a run came to."""
    return devnet.stack.api.xcom(devnet.dag_id, run.run_id, "payout", "outcome")


def payouts_of(truth, era):
    """Payouts of an era the chain has executed."""
    return [payout for payout in truth["payouts"] if payout["era"] == era]


def needless_calls(devnet, truth):
    """Calls of /send that neither the gateway accepted nor an open window refused between the check and the call."""
    ledger = Ledger(f"sqlite:///{devnet.stack.home / leaks.LEDGER}")
    eras = ledger.payouts_of(devnet.name, range(devnet.control.state()["active_era"] + 1)).values()
    moves = [(event.from_state, event.to_state) for parts in eras for part in parts for event in ledger.events(part)]
    ledger.close()
    return truth["calls"]["by_path"].get("/send", 0) - len(truth["requests"]) - moves.count(REFUSED_BY_WINDOW)


@pytest.fixture
def open_window(devnet):
    """The election window, held open until the test is over; gives the active era."""
    era = devnet.control.window("open")["active_era"]
    yield era
    devnet.control.window("auto")


def test_a_run_in_the_open_window_waits_without_a_worker_slot_and_pays_when_it_closes(devnet, open_window):
    era = open_window

    def look():
        runs = [run for run in devnet.runs() if run.era == era]
        return next((run for run in runs if run.tasks.get("wait_for_window") == "deferred"), None)

    run = devnet.wait(look, PATIENCE, f"the run of era {era} is deferred")
    task = next(t for t in devnet.stack.api.tasks(devnet.dag_id, run.run_id) if t["task_id"] == "wait_for_window")
    pool = devnet.stack.api.call("GET", "pools/default_pool")
    assert task["trigger"]["classpath"].endswith("ElectionWindowStartTrigger")
    assert pool["include_deferred"] is False
    assert pool["deferred_slots"] >= 1
    # While there is a trigger in the database, so are its arguments.
    assert found(leaks.found_in_database, devnet.stack.home) == {}
    assert payouts_of(devnet.control.truth(), era) == []
    closed_at = datetime.fromisoformat(devnet.control.window("closed")["chain_time"])

    run = finished_run(devnet, run.run_id)

    payouts = payouts_of(devnet.control.truth(), era)
    assert run.state == "success"
    assert len(payouts) == 1
    assert datetime.fromisoformat(payouts[0]["accepted_at"]) >= closed_at


def test_a_run_without_a_key_beside_the_scheduled_one_leaves_one_payout_of_the_era_before_the_active_one(devnet):
    active = devnet.moment().era
    devnet.wait(lambda: devnet.control.state()["active_era"] > active, PATIENCE, f"era {active} has ended")

    run = finished_run(devnet, devnet.stack.api.trigger(devnet.dag_id))

    era = devnet.stack.api.xcom(devnet.dag_id, run.run_id, "previous_era", "return_value")
    assert run.era is None
    assert run.state == "success"
    assert era == active
    assert outcome_of(devnet, run)["outcome"] in ("PAID", "ALREADY_PAID")
    assert len(payouts_of(devnet.control.truth(), era)) == 1


def test_a_run_of_an_era_that_is_paid_is_green_and_sends_nothing(devnet):
    era = paid_runs(devnet)[-1].era
    before = devnet.control.truth()

    run = finished_run(devnet, devnet.stack.api.trigger(devnet.dag_id, str(era)))

    after = devnet.control.truth()
    assert run.era == era
    assert run.state == "success"
    assert outcome_of(devnet, run)["outcome"] == "ALREADY_PAID"
    # The scheduler may have paid the next era meanwhile: every call there was is one of its requests.
    new_requests = [request["era"] for request in after["requests"][len(before["requests"]) :]]
    assert era not in new_requests
    assert needless_calls(devnet, after) <= 0
    assert payouts_of(after, era) == payouts_of(before, era)


def test_airflow_tests_a_connection(devnet):
    tested = devnet.stack.run("connections", "test", "staking_gateway_default")

    assert tested.returncode == 0
    assert "Connection success!" in tested.stdout


def test_no_component_registers_the_plugin_twice(devnet):
    logs = [devnet.stack.log_of(name).read_text() for name in COMPONENTS]

    assert all(logs)
    assert [line for log in logs for line in log.splitlines() if "already registered" in line] == []


def test_nothing_listens_beyond_this_machine(devnet):
    sessions = devnet.stack.services.sessions()
    listening = [
        found.laddr
        for found in psutil.net_connections("inet")
        if found.status == psutil.CONN_LISTEN and found.pid and os.getsid(found.pid) in sessions
    ]

    assert {address.port for address in listening} == {devnet.stack.port, devnet.port}
    assert {address.ip for address in listening} == {"127.0.0.1"}


def test_an_era_with_one_chunk_of_accounts_takes_five_worker_starts(devnet):
    """The scheduler writes a line per start: the task's first part, and each part after a wait. The demo has more chunks.

    A window that opens before the payout is sent, or a start that Airflow loses, costs its run one more: of three
    eras the cheapest counts.
    """
    runs = paid_runs(devnet, least=3)
    line = re.compile(
        r"Received executor event with state \w+ for task instance TaskInstanceKey\(.*?task_id='(\w+)', run_id='([^']+)'"
    )

    chunks = devnet.network.account_chunks()
    of_chunks = ["staking_status"] * (chunks - 1) + (["statuses_stored"] if chunks > 1 else [])
    five = ["payout", "payout", "previous_era", "report", "staking_status"]
    expected = sorted([*five, *of_chunks])

    def started():
        found = line.findall(devnet.stack.log_of("scheduler").read_text())
        of_runs = [sorted(task for task, run_id in found if run_id == run.run_id) for run in runs]
        return of_runs if all(len(tasks) >= len(expected) for tasks in of_runs) else None

    assert min(devnet.wait(started, PATIENCE, "all tasks are counted"), key=len) == expected


def test_every_scheduled_era_is_paid_exactly_once_and_every_account_has_its_status(devnet):
    runs = paid_runs(devnet, least=3)
    truth = devnet.control.truth()
    eras = [run.era for run in runs]
    ledger = Ledger(f"sqlite:///{devnet.stack.home / leaks.LEDGER}")
    statuses = [{found.account_key: found.status for found in ledger.statuses(devnet.name, era)} for era in eras]
    ledger.close()

    expected = {
        account.account_id.hex: StakingStatus.IS_NOT_STAKING if account.label == "idle" else StakingStatus.IS_STAKING
        for account in devnet.network.accounts
    }
    assert eras == list(range(eras[0], eras[-1] + 1))
    assert {era: len(payouts_of(truth, era)) for era in eras} == dict.fromkeys(eras, 1)
    assert [era["era"] for era in truth["owing"] if era["era"] <= eras[-1]] == []
    assert truth["expired"] == []
    assert statuses == [expected] * len(eras)
    assert needless_calls(devnet, truth) <= 0
    assert {request["status"] for request in truth["requests"] if request["era"] <= eras[-1]} == {"Processed"}


def test_no_key_no_access_token_and_no_signature_is_in_any_log_or_database(devnet):
    paid_runs(devnet)
    home = devnet.stack.home

    assert found(leaks.found_in_files, home) == {}
    assert found(leaks.found_in_database, home) == {}
    signatures = leaks.ledger_signatures(home)
    assert len(signatures) >= 2
    for signature in signatures:
        assert leaks.found_in_files(home, signature, but=[leaks.LEDGER]) == []
        assert leaks.found_in_database(home, signature) == []


def test_a_second_demo_is_refused(demo, devnet, start):
    second = start()

    assert second.process.wait(PATIENCE) == 2
    assert f"Already running in {devnet.stack.home}" in second.text()
    assert f"process {demo.process.pid}" in second.text()


def test_the_demo_agrees_with_the_truth_and_ends_well_on_ctrl_c(demo, devnet):
    home = devnet.stack.home
    (run, *_) = paid_runs(devnet)

    assert demo.signal(signal.SIGINT) == 0
    assert re.search(rf"{run.era}.*PAID.*[0-9a-f-]{{36}}.*0x[0-9a-f]{{64}}.* s .*2 .*1 ", demo.text())
    assert "simulator's truth: 1 payouts executed, 1 fees charged, 0 eras owed" in demo.text()
    assert demo.left_behind() == []
    private = ["secrets.json", "passwords.json", "airflow.cfg"]
    assert {(home / name).stat().st_mode & 0o077 for name in private} == {0}
