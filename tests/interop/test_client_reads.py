"""What the published JavaScript client is told by the simulator."""

import pytest
from network import ACTIVE_ERA, IDLE, METHOD, PAYER, RELAYER, USER, ask, settings, values

from staking_gateway.types import MAX_AMOUNT
from staking_gateway_simulator.running import RunningSimulator

BALANCE, STAKED = 5 * 10**23, 10**21
STAKING_NONCE, PAYMENT_NONCE = 7, 2**53 + 1
UNKNOWN_REQUEST = "7b9ed9c0-6f0c-4a3e-9d3c-0d2a7a1d9f11"


@pytest.fixture(scope="module")
def simulator():
    with RunningSimulator(settings(balance=BALANCE, fee=MAX_AMOUNT)) as running:
        running.control.nonce(USER.hex, "staking", STAKING_NONCE)
        running.control.nonce(USER.hex, "payment", PAYMENT_NONCE)
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


def test_nonces_and_fee_arrive_digit_for_digit(paying, simulator):
    nonces = [["getNonce", account, kind] for account in (USER.address, USER.hex) for kind in ("staking", "payment")]
    fees = [["getRelayerFees", RELAYER.address], ["getRelayerFees", RELAYER.address, PAYER.address]]
    told = values(paying, simulator, *(["query", *query] for query in nonces + fees))
    assert told == [str(STAKING_NONCE), str(PAYMENT_NONCE)] * 2 + [{METHOD: str(MAX_AMOUNT)}] * 2


# ------------------------------------------------------------------------------------------------------ access tokens


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hasPayer": True},
        {"payerAddress": PAYER.address},
        {"payerAddress": PAYER.hex, "hasPayer": True},
    ],
    ids=["own", "default payer", "payer by address", "payer by key"],
)
def test_its_own_access_token_opens_every_door(client, simulator, options):
    calls = [["query", "getActiveEra"], ["poll", "requestState", UNKNOWN_REQUEST]]
    _, heard = ask(client, simulator, *calls, suri="//Eve//stash", options=options)
    assert [(call["path"], call["status"]) for call in heard] == [("/query", 200), ("/poll", 200)]
