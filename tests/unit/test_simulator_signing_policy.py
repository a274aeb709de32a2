"""The signer's rules without HTTP: its policy, its counts, its files and its log."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.signing import (
    LocalSigner,
    access_token_message,
    fee_payment_message,
    payout_message,
    verify,
)
from staking_gateway_simulator.signer.counts import DailyCounts
from staking_gateway_simulator.signer.policy import SigningPolicy
from staking_gateway_simulator.signer.service import SigningService

ALICE, BOB, CHARLIE, DAVE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie", "//Dave"))
NOON = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
TOKEN = "correct-horse"
PROOF = "0x" + "ab" * 64
POLICY = SigningPolicy(
    relayers=frozenset({BOB.account}),
    max_fee=100,
    users=frozenset({ALICE.account}),
    first_era=10,
    last_era=20,
    daily_count=3,
)


def iat(moment):
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def payout(relayer=BOB, era=15, nonce=1):
    return payout_message(relayer.account, era, nonce)


def fee_payment(user=ALICE, relayer=BOB, fee=100, nonce=1):
    return fee_payment_message(user.account, relayer.account, PROOF, fee, nonce)


def access_token(owner=ALICE, off=0.0):
    return access_token_message(owner.account, iat(NOON + timedelta(seconds=off)))


class Service:
    """A signer of Alice and Charlie, at noon."""

    def __init__(self, counts=None, policy=POLICY):
        self.now = NOON.timestamp()
        self.counts = counts or DailyCounts(None)
        self.service = SigningService([ALICE, CHARLIE], policy, self.counts, TOKEN, lambda: self.now)

    def ask(self, kind, message, account=ALICE.account.hex):
        content = message if isinstance(message, str) else "0x" + message.hex()
        return self.service.sign(json.dumps({"account": account, "kind": str(kind), "message": content}).encode())

    def refusal(self, kind, message, account=ALICE.account.hex):
        status, answer = self.ask(kind, message, account)
        assert (status, set(answer)) == (403, {"reason"}), answer
        return answer["reason"]


@pytest.fixture
def service():
    made = Service()
    yield made
    made.counts.close()


# -- what is signed, and what is not --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        *[("payout", payout(era=10)), ("payout", payout(era=20)), ("fee_payment", fee_payment(fee=0))],
        *[
            ("fee_payment", fee_payment()),
            ("access_token", access_token(off=300)),
            ("access_token", access_token(off=-300)),
        ],
    ],
)
def test_the_three_known_messages_are_signed_within_the_limits(service, kind, message):
    status, answer = service.ask(kind, message)
    assert (status, set(answer)) == (200, {"signature"})
    assert verify(message, answer["signature"], ALICE.account)


@pytest.mark.parametrize(
    ("kind", "message", "reason"),
    [
        ("payout", payout(relayer=DAVE), f"relayer {DAVE.account} is not allowed"),
        ("payout", payout(era=9), "era 9 is not one of 10 to 20"),
        ("payout", payout(era=21), "era 21 is not one of 10 to 20"),
        ("fee_payment", fee_payment(relayer=DAVE), f"relayer {DAVE.account} is not allowed"),
        ("fee_payment", fee_payment(user=DAVE), f"fees are not paid for user {DAVE.account}"),
        ("fee_payment", fee_payment(fee=101), "the fee 101 is more than 100"),
        ("access_token", access_token(owner=CHARLIE), f"is of {CHARLIE.account}, not of {ALICE.account}"),
        ("access_token", access_token(off=300.001), "is more than 300 s from this machine's"),
        ("access_token", access_token(off=-300.001), "is more than 300 s from this machine's"),
        (
            "access_token",
            access_token_message(ALICE.account, "2026-13-01T00:00:00.000Z"),
            "2026-13-01T00:00:00.000Z is none",
        ),
    ],
)
def test_a_message_beyond_the_limits_is_refused_with_the_reason(service, kind, message, reason):
    assert reason in service.refusal(kind, message)


# -- counting -------------------------------------------------------------------------------------------------------------


def test_what_cannot_be_counted_is_not_signed(tmp_path):
    made = Service(DailyCounts(tmp_path / "counts.db"))
    with closing(sqlite3.connect(tmp_path / "counts.db")) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON counts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        assert made.ask("payout", payout()) == (500, {"reason": "the count of signatures cannot be written"})
        other.execute("DROP TRIGGER full")
    assert made.ask("payout", payout())[0] == 200
    made.counts.close()
