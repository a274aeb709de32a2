"""What the published JavaScript client is told by the simulator."""

import pytest
from network import ACTIVE_ERA, IDLE, PAYER, USER, settings, values

from staking_gateway_simulator.running import RunningSimulator

BALANCE, STAKED = 5 * 10**23, 10**21
UNKNOWN_REQUEST = "7b9ed9c0-6f0c-4a3e-9d3c-0d2a7a1d9f11"


@pytest.fixture(scope="module")
def simulator():
    with RunningSimulator(settings(balance=BALANCE)) as running:
        running.control.staking(PAYER.hex, False)
        yield running


def test_the_staking_status_is_the_chains_however_the_account_is_spelt(client, simulator):
    accounts = [USER.address, USER.hex, PAYER.address, PAYER.hex, IDLE]
    calls = [["query", "getStakingStatus", account] for account in accounts]
    assert values(client, simulator, *calls) == ["isStaking"] * 2 + ["isNotStaking"] * 3


def test_era_balances_chain_and_an_unknown_request_are_the_chains(client, simulator):
    queries = [["getActiveEra"], ["getAccountInfo", USER.address], ["getAccountInfo", PAYER.address], ["getChainInfo"]]
    calls = [["query", *query] for query in queries]
    era, staking, idle, info, state = values(client, simulator, *calls, ["poll", "requestState", UNKNOWN_REQUEST])
    assert era == str(ACTIVE_ERA)
    assert staking == {
        "totalBalance": str(BALANCE + STAKED),
        "freeBalance": str(BALANCE),
        "stakedBalance": str(STAKED),
        "unlockedBalance": "0",
        "unstakedBalance": "0",
    }
    assert (idle["totalBalance"], idle["stakedBalance"]) == (str(BALANCE), "0")
    assert info == {"name": "staking-gateway simulator", "version": "1"}
    assert state == {"txHash": None, "status": "Transaction not found"}
