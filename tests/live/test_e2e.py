"""Whole eras by schedule, and the simulator's truth about what was executed.

Why live: the scheduler starts a run at each era's end, and every process of Airflow loads the plugin. The rules of the payout itself are
proved without Airflow; `test_alerts` has the run that waits in the triggerer for the window.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest

from staking_gateway.ledger import PayoutState
from staking_gateway.types import AccountId, StakingStatus
from tests.live.network import ACTIVE, STASH, Network
from tests.live.stand import PROGRAMS, Stand

IDLE = "0x02" + "01" * 31
"""A public key whose account does not stake, by the simulator's rule: its second byte is odd."""
REFUSED_BY_WINDOW = (PayoutState.SIGNED, PayoutState.HELD)


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """A network that pays eras of 40 seconds by schedule."""
    net = Network(
        "devnet",
        era_length=timedelta(seconds=40),
        chain={"window": 5, "unpaid-eras": 1},
        accounts=[STASH, {"account": IDLE, "label": "idle", "expect": "not_staking"}],
        catch_up={"interval": "30s"},
    )
    net.settings["start_date"] = net.start.isoformat()
    with Stand(tmp_path_factory.mktemp("e2e"), [net]) as stand:
        stand.start()
        for dag_id in (net.dag_id, net.catch_up_dag_id):
            stand.api.unpause(dag_id)
        yield net


def test_every_era_is_paid_exactly_once_without_a_needless_call_and_every_account_has_its_status(net):
    eras = range(ACTIVE, max(ACTIVE + 3, net.active()))

    def paid():
        return net.active() >= eras.stop and not {*net.owing()} & {*eras}

    net.wait(paid, f"eras {eras} are paid", net.owing)
    net.ended(*[run["dag_run_id"] for run in net.runs() if int(run["partition_key"] or 0) in eras])
    truth, executed = net.control.truth(), net.executed()
    assert {era: executed[era] for era in eras} == dict.fromkeys(eras, 1)
    assert truth["expired"] == []
    expected = {AccountId.parse(STASH).hex: StakingStatus.IS_STAKING, IDLE: StakingStatus.IS_NOT_STAKING}
    with net.stand.ledger() as ledger:
        statuses = ledger.statuses_of(net.name, eras)
        parts = [part for found in ledger.payouts_of(net.name, range(2**31)).values() for part in found]
        moves = Counter(two for part in parts for two in pairwise(one.to_state for one in ledger.events(part)))
    # A run that is late, as on a busy machine, checks no accounts: a later era has ended.
    checked = [found for found in statuses.values() if found]
    assert checked
    assert all(found == expected for found in checked)
    # Each call was accepted, or refused because the window had opened since it was looked at.
    needless = truth["calls"]["by_path"]["/send"] - len(truth["requests"]) - moves[REFUSED_BY_WINDOW]
    assert needless <= 0


def test_no_component_registers_the_plugin_twice(net):
    logs = [net.stand.log_of(name).read_text() for name in PROGRAMS["local"]]
    assert all(logs)
    assert [line for log in logs for line in log.splitlines() if "already registered" in line] == []
