"""Ten eras, 2,000 accounts, two workers, two schedulers; everything is killed once, and nothing is left to be done by hand."""

from __future__ import annotations

from collections import Counter

import story
from clusternet import ACCOUNTS, ERAS, PATIENCE, SCHEDULERS, WORKERS
from servers import execute

from staking_gateway.ledger import PayoutState
from staking_gateway.types import StakingStatus
from staking_gateway_simulator.accounts import stakes_by_default


def test_every_era_has_exactly_one_executed_payout(net, runs):
    truth = net.control.truth()
    assert Counter(payout["era"] for payout in truth["payouts"]) == dict.fromkeys(ERAS, 1)
    assert truth["owing"] == []


def test_no_payload_was_ever_made_anew(net, runs):
    payloads = {(request["era"], request["payload"]) for request in net.control.truth()["requests"]}
    assert Counter(era for era, _ in payloads) == dict.fromkeys(ERAS, 1)


def test_all_statuses_of_every_era_are_stored_and_right(net, runs):
    expected = {
        account.hex: StakingStatus.IS_STAKING if stakes_by_default(account.public_key) else StakingStatus.IS_NOT_STAKING
        for account in ACCOUNTS
    }
    assert {*expected.values()} == {*StakingStatus}
    with net.ledger() as ledger:
        assert ledger.statuses_of(net.name, ERAS) == dict.fromkeys(ERAS, expected)


def test_the_ledger_agrees_with_the_chain_and_has_nothing_in_flight(net, runs):
    executed = {payout["era"]: payout["tx_hash"] for payout in net.control.truth()["payouts"]}
    with net.ledger() as ledger:
        found = ledger.payouts_of(net.name, ERAS)
    assert [*found] == [*ERAS]
    for era, (payout,) in found.items():
        assert payout.state is PayoutState.CONFIRMED
        assert payout.tx_hash in (executed[era], None)
        assert payout.lease_owner is None


def test_two_schedulers_made_one_run_for_every_era(net, runs):
    found = net.stack.api.runs(net.dag_id)
    assert {run["partition_key"]: run["dag_run_id"] for run in found} == {str(era): run for era, run in runs.items()}
    assert len(found) == len(ERAS)
    both = execute(net.stack.database, "SELECT DISTINCT hostname FROM job WHERE job_type = 'SchedulerJob'")
    assert {name for (name,) in both} == {*SCHEDULERS}


def test_every_run_is_green_and_no_task_is_left_over(net, runs):
    assert net.finished(*runs.values()) == ["success"] * len(ERAS)
    assert net.unfinished(*runs.values()) == []
    for era, run_id in runs.items():
        assert net.outcome(run_id) in ("PAID", "ALREADY_PAID"), era


def test_no_message_and_no_trigger_is_left_over(net, runs):
    assert net.redis.waiting() == 0
    net.wait(
        lambda: execute(net.stack.database, "SELECT count(*) FROM trigger") == [(0,)],
        PATIENCE,
        "the triggerer has forgotten every trigger",
    )


def test_the_chunks_were_spread_over_both_workers(net, runs):
    machines = Counter(chunk["hostname"] for run_id in runs.values() for chunk in net.chunks(run_id, "success"))
    assert {*machines} == {*WORKERS}
    assert machines.total() == len(ERAS) * story.CHUNKS


def test_what_died_was_tried_again_and_what_was_lost_was_sent_again(net, runs):
    for happening in (story.worker_in_mid_payout, story.everything_in_mid_payout):
        assert net.task(runs[story.era_of(happening)])["try_number"] > 1
    chunks = net.chunks(runs[story.era_of(story.worker_in_mid_chunk)], "success")
    assert sum(chunk["try_number"] > 1 for chunk in chunks) >= 1
    lost = execute(net.stack.database, "SELECT run_id FROM log WHERE event = 'stuck in queued reschedule'")
    assert (runs[story.era_of(story.redis_with_chunks_in_it)],) in lost


def test_the_doctor_finds_nothing_wrong(net, runs):
    examined = net.stack.run("staking", "doctor", "--all", timeout=PATIENCE)
    assert examined.returncode == 0, examined.stdout + examined.stderr
    assert "it is the ledger that pays" in examined.stdout
