"""Who can have what signed: a DAG author without the signer's connection, and one with its token."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest
from names import ACCOUNTS, ALICE, BOB, CHARLIE, DAVE, ERA, SIGNERS
from tasks import Task

from staking_gateway.errors import (
    ConnectionMissing,
    InvalidConnection,
    SigningError,
)
from staking_gateway.signing import (
    LocalSigner,
    MessageKind,
    access_token_message,
    fee_payment_message,
    payout_message,
    verify,
)
from staking_gateway.types import AccountId
from staking_gateway_provider.operators.payout import PayoutStakersOperator
from staking_gateway_simulator.settings import DEFAULT_FEE
from staking_gateway_simulator.signer import RunningSigner, SigningService
from staking_gateway_simulator.signing_policy import CountFile, Role, SigningPolicy
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
    return Task(operator, on_wait=lambda trigger: gateway.control.advance(seconds=1)).run()


def sent(gateway):
    return gateway.control.truth()["calls"]["by_path"].get("/send", 0)


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
    assert sent(gateway) == 0
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
    assert sent(gateway) == 0
    assert signed(ledger) == []


def test_with_the_signers_token_only_messages_within_the_policy_are_ever_signed():
    """A thousand messages, changed from ones the policy allows; judged here by their bytes alone."""
    alice, charlie = LocalSigner("//Alice"), LocalSigner("//Charlie")
    proof = alice.sign(MessageKind.PAYOUT, payout_message(BOB, ERA, 7))
    sound = {
        MessageKind.PAYOUT: payout_message(BOB, ERA, 7),
        MessageKind.FEE_PAYMENT: fee_payment_message(ALICE, BOB, proof, DEFAULT_FEE, 7),
        MessageKind.ACCESS_TOKEN: access_token_message(ALICE, "2026-06-01T00:00:00.000Z"),
    }
    policy = replace(POLICY, daily_count=10**6)
    keys = {Role.USER: [alice], Role.PAYER: [charlie]}
    service = SigningService(keys, policy, CountFile(None), TOKEN, lambda: 1_780_272_000.0)
    owners = {MessageKind.PAYOUT: alice, MessageKind.FEE_PAYMENT: charlie, MessageKind.ACCESS_TOKEN: alice}
    granted = dict.fromkeys(sound, 0)
    for number in range(1000):
        chance = random.Random(f"signer:{number}")
        kind = chance.choice(list(sound))
        message = bytearray(sound[chance.choice([kind, kind, kind, *sound])])
        for _ in range(chance.choice((0, 1, 1, 2, 4))):
            message = _changed(chance, message)
        account = chance.choice([owners[kind], alice, charlie]).account
        body = f'{{"account": "{account.hex}", "kind": "{kind.value}", "message": "0x{bytes(message).hex()}"}}'
        status, answer = service.sign(body.encode())
        if status == 200:
            assert _within_policy(kind, bytes(message)), bytes(message).hex()
            assert account == owners[kind].account
            assert verify(bytes(message), answer["signature"], account)
            granted[kind] += 1
    assert all(count > 15 for count in granted.values()), granted


def _changed(chance, message):
    at = chance.randrange(len(message) + 1)
    kind = chance.randrange(5)
    if kind == 0 and at < len(message):
        message[at] ^= 1 << chance.randrange(8)
        return message
    if kind == 1:
        return message[:at] + bytearray(chance.randbytes(chance.randrange(1, 5))) + message[at:]
    if kind == 2:
        return message[:at]
    if kind == 3:  # another number at the end, where nonces are
        return message[:-8] + bytearray(struct.pack("<Q", chance.randrange(2**64)))
    return bytearray(b"<Bytes>") + message + bytearray(b"</Bytes>") if chance.random() < 0.3 else message


def _within_policy(kind, message):
    if kind is MessageKind.PAYOUT:
        (era,) = struct.unpack("<I", message[82:86])
        head = bytes([49 << 2]) + b"authorization for signed payout stakers operation"
        return message[:82] == head + RELAYER.public_key and len(message) == 94 and ERA - 1 <= era <= ERA
    if kind is MessageKind.FEE_PAYMENT:
        fee = int.from_bytes(message[193:209], "little")
        relayers = message[64:96] == message[161:193] == RELAYER.public_key
        head = bytes([31 << 2]) + b"authorization for proxy payment"
        users = message[32:64] == AccountId.parse(ALICE).public_key
        return message[:32] == head and len(message) == 217 and users and relayers and fee <= DEFAULT_FEE
    head = bytes([15 << 2]) + b"awt_gateway_api" + AccountId.parse(ALICE).public_key
    return message.startswith(head) and len(message) in (73, 74, 106)
