"""The signer's rules without HTTP: its policy, its counts and its files. `test_who_can_sign` sends it changed messages."""

import json
import sqlite3
from contextlib import closing
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.errors import SigningError, StakingGatewayError
from staking_gateway.signing import LocalSigner, access_token_message, fee_payment_message, payout_message, verify
from staking_gateway_simulator.signer import SigningService, read_keys
from staking_gateway_simulator.signing_policy import CountFile, Role, SigningPolicy

ALICE, BOB, CHARLIE, DAVE, EVE = (LocalSigner(f"//{name}") for name in ("Alice", "Bob", "Charlie", "Dave", "Eve"))
NOON = datetime(2026, 6, 1, 12, tzinfo=timezone.utc)
TOKEN = "correct-horse"
PROOF = "0x" + "ab" * 64
OWNERS = {"payout": ALICE, "fee_payment": CHARLIE, "access_token": ALICE}
POLICY = SigningPolicy(
    relayers=frozenset({BOB.account, EVE.account}),
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
        self.counts = counts or CountFile(None)
        keys = {Role.USER: [ALICE], Role.PAYER: [CHARLIE]}
        self.service = SigningService(keys, policy, self.counts, TOKEN, lambda: self.now)

    def ask(self, kind, message, signer=None):
        account = (signer or OWNERS[kind]).account.hex
        body = {"account": account, "kind": kind, "message": "0x" + message.hex()}
        return self.service.sign(json.dumps(body).encode())

    def refusal(self, kind, message, signer=None):
        status, answer = self.ask(kind, message, signer)
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
        ("payout", payout(era=10)), ("payout", payout(era=20)), ("fee_payment", fee_payment(fee=0)), ("fee_payment", fee_payment()),
        ("access_token", access_token(off=300)), ("access_token", access_token(off=-300)),
    ],
)  # fmt: skip
def test_the_three_known_messages_are_signed_within_the_limits(service, kind, message):
    status, answer = service.ask(kind, message)
    assert (status, set(answer)) == (200, {"signature"})
    assert verify(message, answer["signature"], OWNERS[kind].account)


def test_the_payers_key_signs_no_payout_and_the_users_key_no_fee(service):
    assert "key is a payer's; only a user's key signs payouts" in service.refusal("payout", payout(), CHARLIE)
    assert "key is a user's; only a payer's key signs fee" in service.refusal("fee_payment", fee_payment(), ALICE)
    assert service.ask("access_token", access_token(CHARLIE), CHARLIE)[0] == 200
    with pytest.raises(SigningError, match=f"the key of {ALICE.account} is a user's and a payer's"):
        SigningService({Role.USER: [ALICE], Role.PAYER: [ALICE]}, POLICY, service.counts, TOKEN, lambda: 0.0)


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


@pytest.mark.parametrize(
    "change",
    [
        lambda message: message + b"\0",
        lambda message: message[:-1],
        lambda message: bytes([message[0] ^ 1]) + message[1:],
        lambda message: b"<Bytes>" + message + b"</Bytes>",
    ],
    ids=["a byte more", "a byte less", "another beginning", "wrapped"],
)
def test_what_is_not_exactly_a_message_of_its_kind_is_not_signed(service, change):
    messages = {"payout": payout(), "fee_payment": fee_payment(), "access_token": access_token()}
    for kind, message in messages.items():
        assert "are not a" in service.refusal(kind, change(message))
        for other in messages.keys() - {kind}:
            assert "are not a" in service.refusal(kind, messages[other])


# -- what was signed before -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "word", "make"), [("payout", "era", payout), ("fee_payment", "fee", fee_payment)])
def test_a_staking_nonce_is_signed_for_one_era_only_and_a_payment_nonce_for_one_fee(service, kind, word, make):
    first, other = {word: 15, "nonce": 2**64 - 1}, {word: 16, "nonce": 2**64 - 1}
    assert service.ask(kind, make(**first))[0] == 200
    service.now += 86400
    reason = f"nonce {2**64 - 1} was signed for {word} 15 on 2026-06-01, so it is not signed for {word} 16"
    assert service.refusal(kind, make(**other)) == reason
    allowed = make(**first), make(**first, relayer=EVE), make(**other | {"nonce": 7})
    assert [service.ask(kind, message)[0] for message in allowed] == [200] * 3
    assert service.refusal(kind, make(**first)) == "3 of this kind were signed for the account today"


def test_a_count_file_is_made_once_and_never_replaced_silently(tmp_path):
    path = tmp_path / "counts.db"
    with pytest.raises(
        StakingGatewayError, match=r"does not exist\. Restore it from a backup, or start once with --new-c"
    ):
        CountFile(path)
    made = Service(CountFile(path, new=True))
    assert made.ask("payout", payout(era=15))[0] == 200
    with pytest.raises(StakingGatewayError, match=r"exists already\. Start without --new-counts"):
        CountFile(path, new=True)
    with closing(CountFile(path)) as again:
        assert "was signed for era 15" in Service(again).refusal("payout", payout(era=16))
    sound = path.read_bytes()
    path.unlink()
    assert made.ask("payout", payout(era=15))[0] == 500
    path.write_bytes(sound)  # restored while the signer runs
    assert made.ask("payout", payout(era=15))[0] == 500
    made.counts.close()
    for damaged in (b"", b"no database", sound[:4096], sound[:-4096] + bytes(4096)):
        path.write_bytes(damaged)
        with pytest.raises(
            StakingGatewayError, match=r"cannot be used as count file: .*\. Restore it from a backup, or choo"
        ):
            CountFile(path)
        assert path.read_bytes() == damaged


def test_what_cannot_be_counted_is_not_signed(tmp_path):
    made = Service(CountFile(tmp_path / "counts.db", new=True))
    with closing(sqlite3.connect(tmp_path / "counts.db")) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON counts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        assert made.ask("payout", payout()) == (500, {"reason": "the count of signatures cannot be written"})
        other.execute("DROP TRIGGER full")
    assert made.ask("payout", payout())[0] == 200
    made.counts.close()


# -- the keys -------------------------------------------------------------------------------------------------------------

PHRASE = "bottom drive obey lake curtain smoke basket hold race lonely fit walk"
SEED = "0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"


def private(path, text):
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_a_key_file_holds_one_key_per_line_and_others_cannot_use_it(tmp_path):
    path = private(tmp_path / "keys", f"# the user\n//Alice\n\n  {PHRASE}//payer  \n{SEED}\n")
    assert [str(signer.account) for signer in read_keys(path)] == [
        str(LocalSigner(secret).account) for secret in ("//Alice", f"{PHRASE}//payer", SEED)
    ]
    for mode in (0o640, 0o604, 0o601):
        path.chmod(mode)
        with pytest.raises(SigningError, match=rf"has mode {mode:o}: others can use it\. Run chmod 600 "):
            read_keys(path)
