"""Who can have what signed: a DAG author without the signer's connection, and one with its token."""

import pytest
from names import ACCOUNTS, ALICE, BOB, CHARLIE, DAVE, ERA, SIGNERS
from simulated_chain import a_second_passes, sends
from tasks import Task

from staking_gateway.errors import InvalidConnection, SigningError
from staking_gateway.types import AccountId
from staking_gateway_provider.connections import ConnectionMissing
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_simulator.settings import DEFAULT_FEE
from staking_gateway_simulator.signer import RunningSigner
from staking_gateway_simulator.signing_policy import SigningPolicy
from tests.airflow.conftest import airflow_db, airflow_home, connect, gateway, ledger, network, simulator

FIXTURES = (airflow_db, airflow_home, connect, gateway, ledger, network, simulator)
TOKEN = "token-of-the-signer"
RELAYER = AccountId.parse(BOB)
USERS = frozenset({AccountId.parse(ALICE)})
POLICY = SigningPolicy(frozenset({RELAYER}), DEFAULT_FEE, USERS, first_era=ERA - 1, last_era=ERA, daily_count=2)


def pay(gateway, era=ERA, **arguments):
    """Run a payout's task to its end; a second passes on the chain whenever it waits."""
    given = {**ACCOUNTS, **SIGNERS, "deferrable": True, "poll_interval": 0.1, **arguments}
    operator = PayoutStakersOperator(task_id="payout", era=era, **given)
    return Task(operator, on_wait=a_second_passes(gateway)).run()


def signed(ledger):
    """What was ever signed, as the ledger remembers it."""
    return [
        event
        for era in range(ERA - 4, ERA + 1)
        for part in ledger.era_payouts("staking_gateway_default", era)
        for event in ledger.events(part)
        if event.to_state.value == "SIGNED"
    ]


# --- a DAG author without the signer's connection ---------------------------------------------------------------------

WITHOUT = {
    "no such connection": ({"user_signer_conn_id": "not_given_to_this_worker"}, ConnectionMissing),
    "no payer's connection": ({"payer_signer_conn_id": "not_given_to_this_worker"}, ConnectionMissing),
    "the gateway's connection instead": ({"user_signer_conn_id": "staking_gateway_default"}, InvalidConnection),
    "the ledger's connection instead": ({"payer_signer_conn_id": "test_ledger"}, InvalidConnection),
    "the key of another account": ({"user_signer_conn_id": "staking_signer_payer"}, SigningError),
    "a key of the author's own": ({"user_signer_conn_id": "author"}, SigningError),
    "a key of the author's own for all": (
        {"user_signer_conn_id": "author", "payer_signer_conn_id": "author"},
        SigningError,
    ),
}


@pytest.mark.parametrize("case", WITHOUT)
def test_a_task_without_the_signers_connection_signs_nothing_and_sends_nothing(gateway, connect, ledger, case):
    connect("author", conn_type="stakingsigner", password="//Dave")
    arguments, error = WITHOUT[case]
    with pytest.raises(error):
        pay(gateway, **arguments)
    assert sends(gateway) == 0
    assert signed(ledger) == []


# --- a DAG author who may use a remote signer ---------------------------------------------------------------------------


@pytest.fixture
def remote(gateway, connect):
    """Both keys are with a remote signer, and nowhere in Airflow."""
    with RunningSigner(POLICY, token=TOKEN) as running:
        for role, account in (("user", ALICE), ("payer", CHARLIE)):
            connect(
                f"staking_signer_{role}", conn_type="stakingsigner", login=account, host=running.url, password=TOKEN
            )
        yield running


BEYOND = {
    "another relayer": ({"relayer": DAVE}, ERA, None, f"relayer {DAVE} is not allowed"),
    "an era before the first": ({}, ERA - 3, None, f"era {ERA - 3} is not one of {ERA - 1} to {ERA}"),
    "a fee above the signer's limit": (
        {"max_fee_per_payout": str(10**30)},
        ERA,
        2 * DEFAULT_FEE,
        f"the fee {2 * DEFAULT_FEE} is more than {DEFAULT_FEE}",
    ),
}


@pytest.mark.parametrize("case", BEYOND)
@pytest.mark.parametrize("simulator", [{"relayers": (BOB, DAVE)}], indirect=True)
def test_a_task_gets_nothing_signed_that_the_policy_refuses_whatever_it_is_told(remote, gateway, ledger, case):
    """A DAG's author can raise the ceilings that are arguments of an operator; those of the signer stay."""
    arguments, era, fee, reason = BEYOND[case]
    if fee is not None:
        gateway.control.fee(fee)
    with pytest.raises(SigningError, match=reason):
        pay(gateway, era, **arguments)
    assert sends(gateway) == 0
    assert signed(ledger) == []
