"""What happens to the eras, one after the other: in each something else is killed, at a moment that is proven."""

from __future__ import annotations

from clusternet import ACCOUNTS, AIRFLOW, CHUNK, ERAS, PATIENCE, SLOTS

HOLD_PAYOUT = "silence-after:path=/send:times=1"
"""The payout is accepted, and its call never answered."""
CHUNKS = len(ACCOUNTS) // CHUNK
SLOW_STATUSES = "late:method=getStakingStatus:seconds=3"
"""A chunk of 250 accounts, 32 at a time, takes 24 seconds."""


def calm(net, era):
    return net.end_era(era)


def worker_in_mid_payout(net, era):
    net.control.set_faults(HOLD_PAYOUT)
    run_id = net.end_era(era)
    worker = net.held(era, run_id)["hostname"]
    net.kill(worker)
    net.start(worker)
    return run_id


def triggerer_in_mid_wait(net, era):
    net.control.set_faults("slow-execution:times=1:seconds=60")
    run_id = net.end_era(era)
    task = net.deferred(run_id)
    assert task["trigger"]["classpath"].endswith("PayoutConfirmationTrigger")
    assert net.executed(era) == []
    net.kill("triggerer")
    net.control.advance(seconds=60)
    assert len(net.executed(era)) == 1
    assert net.task(run_id)["state"] == "deferred"
    net.start("triggerer")
    return run_id


def scheduler_in_mid_payout(net, era):
    net.control.set_faults(HOLD_PAYOUT)
    run_id = net.end_era(era)
    victim = net.scheduler_of(net.held(era, run_id))
    net.kill(victim)
    # Only then, so that it is the other one that goes on.
    assert net.finished(run_id) == ["success"]
    net.start(victim)
    return run_id


def _hold(net, era):
    """Let the payout of an era be accepted, and its call wait; returns the id of its run."""
    net.control.set_faults(HOLD_PAYOUT)
    run_id = net.end_era(era)
    net.held(era, run_id)
    return run_id


def _restart(*servers):
    for server in servers:
        server.kill()
    for server in servers:
        server.start()


def postgresql_in_mid_payout(net, era):
    run_id = _hold(net, era)
    _restart(net.postgresql)
    return run_id


def both_servers_in_mid_payout(net, era):
    run_id = _hold(net, era)
    _restart(net.postgresql, net.redis)
    return run_id


def api_server_in_mid_payout(net, era):
    run_id = _hold(net, era)
    net.kill("api-server")
    net.start("api-server")
    return run_id


def redis_with_chunks_in_it(net, era):
    net.control.set_faults(SLOW_STATUSES)
    run_id = net.end_era(era)
    _all_busy(net, run_id)
    _restart(net.redis)
    assert net.redis.waiting() == 0
    assert len(net.chunks(run_id, "queued")) == CHUNKS - SLOTS
    net.control.set_faults()
    return run_id


def worker_in_mid_chunk(net, era):
    net.control.set_faults(SLOW_STATUSES)
    run_id = net.end_era(era)
    chunk, *_ = _all_busy(net, run_id)
    net.kill(chunk["hostname"])
    net.start(chunk["hostname"])
    net.control.set_faults()
    return run_id


def _all_busy(net, run_id):
    """Wait until every slot of the workers checks a chunk, and the other chunks wait in the broker; returns those that are checked."""

    def look():
        checked = net.chunks(run_id, "running")
        return checked if len(checked) == SLOTS and net.redis.waiting() == CHUNKS - SLOTS else None

    return net.wait(look, PATIENCE, "both workers check chunks, and others are queued")


def everything_in_mid_payout(net, era):
    """And the chain has not executed the payout yet when it is sent again."""
    net.control.set_faults(HOLD_PAYOUT, "slow-execution:times=1:seconds=60")
    sends = net.sends()
    run_id = net.end_era(era)
    net.held(era, run_id)
    assert net.executed(era) == []
    for name in AIRFLOW:
        net.kill(name)
    _restart(net.postgresql, net.redis)
    for name in AIRFLOW:
        net.start(name)
    net.wait(lambda: net.sends() == sends + 2, PATIENCE, f"the payout of era {era} is sent again")
    net.control.advance(seconds=60)
    return run_id


STORY = dict(
    zip(
        ERAS,
        (
            calm,
            worker_in_mid_payout,
            triggerer_in_mid_wait,
            scheduler_in_mid_payout,
            postgresql_in_mid_payout,
            redis_with_chunks_in_it,
            worker_in_mid_chunk,
            both_servers_in_mid_payout,
            api_server_in_mid_payout,
            everything_in_mid_payout,
        ),
        strict=True,
    )
)


def era_of(happening):
    """The era something happened in."""
    return next(era for era, happened in STORY.items() if happened is happening)


def tell(net):
    """Let it all happen; the ids of the runs by their eras."""
    runs = {}
    for era, happen in STORY.items():
        runs[era] = happen(net, era)
        net.finished(runs[era])
    return runs
