"""A mistake in one network's settings, or in an account that is only watched, stops neither the others nor a payout."""

from __future__ import annotations

import pytest
from names import ALICE_STASH, BOB_STASH, DAVE, ERA, NETWORK
from substrateinterface.utils.ss58 import ss58_encode
from tasks import Task

from staking_gateway.errors import ConfigError
from staking_gateway.health.report import NOT_CHECKED, era_report
from staking_gateway.types import AccountId
from staking_gateway_provider.networks import network_config
from staking_gateway_provider.operators.era import PreviousEraOperator
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_provider.operators.status import StakingStatusOperator

MISTYPED = BOB_STASH[:-1] + "d"
"""Looks like an address; its checksum is wrong."""
AGAIN = ss58_encode(AccountId.parse(ALICE_STASH).hex, 0)
"""The first account once more, as another network spells it."""


def keys(ledger):
    return {found.account_key for found in ledger.statuses(NETWORK, ERA)}


@pytest.mark.parametrize("accounts", [[ALICE_STASH, MISTYPED, DAVE], [ALICE_STASH, AGAIN, DAVE]])
class TestAWatchedAccount:
    @pytest.fixture(autouse=True)
    def prepared(self, gateway, network, accounts):
        network(accounts=accounts, payout={"confirm": "none"})

    def test_stops_no_payout(self):
        assert Task(PreviousEraOperator(task_id="e", network=NETWORK), era=ERA).run() == ERA
        paid = Task(PayoutStakersOperator(task_id="p", network=NETWORK, era=ERA, deferrable=True), era=ERA).run()
        assert paid["outcome"] == "PAID"

    def test_loses_none_of_the_others_and_is_named_in_the_report(self, ledger, accounts):
        with pytest.raises(ConfigError, match=rf"networks\.{NETWORK}\.accounts\[1\]"):
            Task(StakingStatusOperator(task_id="s", network=NETWORK), era=ERA).run()
        assert keys(ledger) == {AccountId.parse(account).hex for account in (ALICE_STASH, DAVE)}
        paid = {"outcome": "PAID", "reason": ""}
        report = era_report(NETWORK, ERA, paid, settings=network_config(NETWORK), ledger=ledger)
        assert report.unexpected == ({MISTYPED: NOT_CHECKED} if MISTYPED in accounts else {})


def test_whether_an_era_is_stored_is_asked_of_the_tasks_own_gateway(gateway, network, ledger):
    network(gateway_conn_id="not_there")
    own = {"gateway_conn_id": "staking_gateway_default"}
    told = Task(StakingStatusOperator(task_id="s", network=NETWORK, **own), era=ERA).run()
    assert told["staking"] == 2
    assert ledger.newest_status_era(NETWORK) == ERA
