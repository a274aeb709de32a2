"""Celery workers and schedulers with PostgreSQL and Redis: each is killed once, at a moment that is proved, and nothing is left to do by hand.

Why live: Celery delivers again what a dead worker had taken, a second scheduler adopts what a dead one had queued, and both databases
are gone for a while. The tests of the ledger on PostgreSQL at the end need the server of this suite.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_simulator.accounts import stakes_by_default
from tests.live.network import Network
from tests.live.stand import PROGRAMS, ROOT, SCHEDULERS, Stand
from tests.support.ledgers import heard, planned
from tests.support.servers import execute

ERA_LENGTH = timedelta(hours=12)
ERAS = range(991, 1000)
"""The eras of the story: all are over by the calendar when it begins, none on the chain, whose clock is the test's."""
ACCOUNTS = [AccountId.parse("0x" + hashlib.sha256(b"%d" % number).hexdigest()) for number in range(200)]
"""Some of them stake, others do not, see `stakes_by_default`."""
HOLD_PAYOUT = "silence-after:path=/send:times=1"
"""The payout is accepted, and its call never answered."""
SLOW_STATUSES = "late:method=getStakingStatus:seconds=3"


class Cluster(Network):
    """A network whose eras end when the test says so."""

    def end_era(self, era):
        """Let the chain go on to the next era; returns the id of the run that waits for that."""
        assert self.active() == era
        run_id = self.run_of(era)
        self.deferred(run_id, "wait_for_window")
        assert self.control.advance(eras=1)["active_era"] == era + 1
        return run_id

    def held(self, era):
        """End an era; its run, and the task of its payout, which waits for the answer of the gateway."""
        self.control.set_faults(HOLD_PAYOUT)
        run_id = self.end_era(era)
        self.wait(lambda: self.requested(era), f"the gateway has the payout of era {era}")
        task = self.task(run_id)
        assert task["state"] == "running"
        return run_id, task

    def restart(self, *names):
        for name in names:
            self.stand.kill(name)
        self.stand.start(*names)


def restart(*servers):
    for server in servers:
        server.kill()
    for server in servers:
        server.start()


# --- the story: what is killed in each era ---------------------------------------------------------------------------


def nothing(net, era):
    return net.end_era(era)


def worker_in_mid_payout(net, era):
    run_id, task = net.held(era)
    net.restart(task["hostname"])
    return run_id


def triggerer_in_mid_wait(net, era):
    net.control.set_faults("slow-execution:times=1:seconds=60")
    run_id = net.end_era(era)
    task = net.deferred(run_id)
    assert task["trigger"]["classpath"].endswith("PayoutConfirmationTrigger")
    assert net.executed()[era] == 0
    net.stand.kill("triggerer")
    net.control.advance(seconds=60)
    assert net.executed()[era] == 1
    assert net.task(run_id)["state"] == "deferred"
    net.stand.start("triggerer")
    return run_id


def scheduler_in_mid_payout(net, era):
    run_id, task = net.held(era)
    query = f"SELECT job.hostname FROM job JOIN task_instance ti ON ti.queued_by_job_id = job.id WHERE ti.id = '{task['id']}'"
    ((scheduler,),) = net.stand.query(query)
    net.stand.kill(scheduler)
    # Only then, so that it is the other one that goes on.
    assert net.ended(run_id) == ["success"]
    net.stand.start(scheduler)
    return run_id


def both_servers_in_mid_payout(net, era):
    run_id, _ = net.held(era)
    restart(net.stand.postgresql, net.stand.redis)
    return run_id


def api_server_in_mid_payout(net, era):
    run_id, _ = net.held(era)
    net.restart("api-server")
    return run_id


def worker_in_mid_statuses(net, era):
    net.control.set_faults(SLOW_STATUSES)
    run_id = net.end_era(era)

    def running():
        task = net.task(run_id, "staking_status")
        return task if task and task["state"] == "running" else None

    task = net.wait(running, "a worker asks for statuses")
    net.restart(task["hostname"])
    net.control.set_faults()
    return run_id


def redis_with_tasks_in_it(net, era):
    """No worker is there to take the payout before the broker loses it."""
    run_id = net.run_of(era)
    net.deferred(run_id, "wait_for_window")
    for worker in ("worker-1", "worker-2"):
        net.stand.kill(worker)
    assert net.end_era(era) == run_id
    net.wait(net.stand.redis.waiting, "a task waits in the broker")
    restart(net.stand.redis)
    assert net.stand.redis.waiting() == 0
    net.stand.start("worker-1", "worker-2")
    return run_id


def everything_in_mid_payout(net, era):
    """And the chain has not executed the payout yet when it is sent again."""
    sends = net.sends()
    net.control.set_faults(HOLD_PAYOUT, "slow-execution:times=1:seconds=60")
    run_id = net.end_era(era)
    net.wait(lambda: net.requested(era), f"the gateway has the payout of era {era}")
    assert net.executed()[era] == 0
    for name in PROGRAMS["celery"]:
        net.stand.kill(name)
    restart(net.stand.postgresql, net.stand.redis)
    net.stand.start(*PROGRAMS["celery"])
    net.wait(lambda: net.sends() >= sends + 2, f"the payout of era {era} is sent again")
    net.control.advance(seconds=60)
    return run_id


STORY = {
    happening: era
    for era, happening in zip(
        ERAS,
        (
            nothing,
            worker_in_mid_payout,
            triggerer_in_mid_wait,
            scheduler_in_mid_payout,
            redis_with_tasks_in_it,
            worker_in_mid_statuses,
            both_servers_in_mid_payout,
            api_server_in_mid_payout,
            everything_in_mid_payout,
        ),
        strict=True,
    )
}


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """Airflow on several machines, and the chain; a run waits for the end of every era."""
    start = datetime.now(timezone.utc).replace(microsecond=0) - ERAS.stop * ERA_LENGTH
    middle = start + ERAS.start * ERA_LENGTH + ERA_LENGTH / 2
    net = Cluster(
        "cluster",
        era_length=ERA_LENGTH,
        chain={"clock": "manual", "start-time": middle.isoformat(), "unpaid-eras": 0, "confirm-seconds": 0},
        start_date=(start + ERAS.start * ERA_LENGTH).isoformat(),
        catchup=True,
        timing={"poll_interval": "1s", "lag": "1s", "finalized_within": "1s"},
        accounts=[account.address for account in ACCOUNTS],
    )
    with Stand(tmp_path_factory.mktemp("services"), [net], executor="celery", database="postgresql") as stand:
        stand.start()
        stand.api.unpause(net.dag_id)
        yield net


@pytest.fixture(scope="module")
def runs(net):
    """The id of each era's run; all have ended, in spite of everything."""
    found = {}
    for happening, era in STORY.items():
        found[era] = happening(net, era)
        net.finished(found[era])
    return found


def test_every_era_has_exactly_one_executed_payout_whose_payload_was_never_made_anew(net, runs):
    assert net.executed() == dict.fromkeys(ERAS, 1)
    assert net.owing() == []
    payloads = {(request["era"], request["payload"]) for request in net.control.truth()["requests"]}
    assert Counter(era for era, _ in payloads) == dict.fromkeys(ERAS, 1)


def test_the_ledger_agrees_with_the_chain_and_has_every_status(net, runs):
    executed = {payout["era"]: payout["tx_hash"] for payout in net.control.truth()["payouts"]}
    stakes = {True: StakingStatus.IS_STAKING, False: StakingStatus.IS_NOT_STAKING}
    expected = {account.hex: stakes[stakes_by_default(account.public_key)] for account in ACCOUNTS}
    assert {*expected.values()} == {*StakingStatus}
    with net.stand.ledger() as ledger:
        found, statuses = ledger.payouts_of(net.name, ERAS), ledger.statuses_of(net.name, ERAS)
    assert [*found] == [*ERAS]
    for era, (payout,) in found.items():
        assert payout.state is PayoutState.CONFIRMED
        assert payout.tx_hash in (executed[era], None)
    assert statuses == dict.fromkeys(ERAS, expected)


def test_two_schedulers_made_one_run_for_every_era_and_all_its_tasks_are_green(net, runs):
    assert sorted((run["partition_key"], run["dag_run_id"]) for run in net.runs()) == sorted(
        (str(era), run_id) for era, run_id in runs.items()
    )
    both = net.stand.query("SELECT DISTINCT hostname FROM job WHERE job_type = 'SchedulerJob'")
    assert {name for (name,) in both} == {*SCHEDULERS}
    assert net.unfinished(*runs.values()) == []
    assert {net.outcome(run_id) for run_id in runs.values()} <= {"PAID", "ALREADY_PAID"}


def test_what_died_was_tried_again_and_what_was_lost_was_sent_again(net, runs):
    for happening in (worker_in_mid_payout, everything_in_mid_payout):
        assert net.task(runs[STORY[happening]])["try_number"] > 1
    assert net.task(runs[STORY[worker_in_mid_statuses]], "staking_status")["try_number"] > 1
    lost = net.stand.query("SELECT run_id FROM log WHERE event = 'stuck in queued reschedule'")
    assert (runs[STORY[redis_with_tasks_in_it]],) in lost


def test_no_message_and_no_trigger_is_left_over_and_the_doctor_finds_nothing_wrong(net, runs):
    assert net.stand.redis.waiting() == 0
    net.wait(lambda: net.stand.query("SELECT count(*) FROM trigger") == [(0,)], "every trigger is forgotten")
    examined = net.stand.run("staking", "doctor", "--all")
    assert examined.returncode == 0, examined.stdout + examined.stderr
    assert "it is the ledger that pays" in examined.stdout


# --- the ledger on PostgreSQL ----------------------------------------------------------------------------------------


def test_the_tests_of_the_ledger_pass_on_postgresql(net):
    texts = {path: path.read_text() for path in sorted((ROOT / "tests" / "unit").glob("test_*.py"))}
    files = [str(path) for path, text in texts.items() if "KINDS" in text or "POSTGRESQL" in text]
    assert files
    url = net.stand.postgresql.database("ledger_tests", "SUPERUSER")
    given = {"STAKING_TEST_POSTGRES_URL": url.render_as_string(hide_password=False)}
    chosen = "postgresql or (test_ledger and not sqlite)"  # all of them that are not about files
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, *files],
        cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert execute(url, "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ledger%'") == []


@pytest.mark.parametrize(("set_up", "then"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")])
def test_what_is_committed_is_on_the_servers_disk_whatever_the_server_is_set_up_for(net, set_up, then):
    url = net.stand.postgresql.database(f"commits_{set_up}")
    net.stand.postgresql.execute(f"ALTER ROLE {url.username} SET synchronous_commit = {set_up}")
    assert execute(url, "SHOW synchronous_commit") == [(set_up,)]
    shown = []

    def show(connection, cursor, statement, *_):
        cursor.execute("SHOW synchronous_commit")
        shown.append((statement.partition(" ")[0], cursor.fetchone()[0]))

    with closing(Ledger(url.render_as_string(hide_password=False))) as ledger, heard("before_cursor_execute", show):
        made = planned(ledger)
        assert ledger.payout(made.network, made.era, 0) == made
    assert {("INSERT", then), ("SELECT", then)} <= set(shown)
    assert {setting for _, setting in shown} == {then}
