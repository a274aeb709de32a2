"""The rules of the simulated chain, with a clock that only the test moves."""

import contextlib
import json
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import pytest
import sr25519
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from staking_gateway import signing
from staking_gateway.errors import InvalidInput, StakingGatewayError
from staking_gateway.types import RequestStatus
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account, stakes_by_default
from staking_gateway_simulator.chain import Chain
from staking_gateway_simulator.clock import ChainClock, EraSchedule
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.events import Born, from_json
from staking_gateway_simulator.gateway import Call, Gateway
from staking_gateway_simulator.payout_rules import PayoutCall, Refusal
from staking_gateway_simulator.settings import SimulatorSettings, iso_utc, to_micros
from staking_gateway_simulator.simulation import Simulation
from staking_gateway_simulator.store import StateFile, StateFileError
from staking_gateway_simulator.tokens import TokenGate
from staking_gateway_simulator.truth import tell_state, tell_truth

SIGNERS = {name: signing.LocalSigner(name) for name in ("//Alice", "//Bob", "//Charlie", "//Dave")}
RELAYER = SIGNERS["//Bob"].account.hex
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ERA = 30
"""Active era at START: 600 seconds after the anchor, 20 seconds each."""
VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())


def settings(**changes):
    return SimulatorSettings(**{"manual_clock": True, "start_time": START, "unpaid_eras": 3, **changes})


class World:
    """A simulation with a manual chain clock, and a real clock that the test sets."""

    def __init__(self, state=None, **changes):
        self.real = START.timestamp()
        self.settings = settings(**changes)
        self.state = state
        self.simulation = self.open()

    def open(self):
        return Simulation(self.settings, self.state, lambda: self.real)

    @property
    def chain(self):
        return self.simulation.chain

    def control(self, name, **fields):
        status, value = Control(self.simulation).respond("POST", name, json.dumps(fields).encode())
        assert status == 200, value
        return value

    def sign(self, era, user="//Alice", payer="//Alice", **changes):
        user, payer = SIGNERS[user], SIGNERS[payer]
        given = {
            "staking_nonce": self.chain.account(user.account.hex).staking_nonce,
            "payment_nonce": self.chain.account(payer.account.hex).payment_nonce,
            "fee": self.chain.fee,
            "relayer": RELAYER,
            "signed_era": era,
            **changes,
        }
        message = signing.payout_message(given["relayer"], given["signed_era"], given["staking_nonce"])
        proof = user.sign(signing.MessageKind.PAYOUT, message)
        message = signing.fee_payment_message(
            user.account, RELAYER, proof, given["fee"], given.get("signed_payment_nonce", given["payment_nonce"])
        )
        fee_proof = payer.sign(signing.MessageKind.FEE_PAYMENT, message)
        return PayoutCall(RELAYER, user.account.hex, payer.account.hex, era, proof, fee_proof, given["payment_nonce"])

    def submit(self, *args, **kwargs):
        return self.simulation.submit(self.sign(*args, **kwargs))

    def status(self, request_id):
        return self.chain.requests[request_id].status_at(self.simulation.tick)


@pytest.fixture
def world():
    return World()


# -- the calendar ---------------------------------------------------------------------------------------------------------


def test_the_active_era_is_counted_from_the_anchor(world):
    assert tell_state(world.simulation)["active_era"] == ERA
    assert world.control("advance", seconds=19.999999)["active_era"] == ERA
    assert world.control("advance", seconds=0.000001)["active_era"] == ERA + 1
    assert world.control("advance", eras=70)["active_era"] == ERA + 71


def test_the_window_is_open_for_the_end_of_each_era_and_the_next_change_is_told(world):
    state = tell_state(world.simulation)
    assert (state["window"], state["next_window_change_at"]) == ("closed", "2026-01-01T00:10:15.000000+00:00")
    assert world.control("advance", seconds=14.999999)["window"] == "closed"
    state = world.control("advance", seconds=0.000001)
    assert (state["window"], state["next_window_change_at"]) == ("open", "2026-01-01T00:10:20.000000+00:00")
    assert world.control("advance", seconds=5)["window"] == "closed"


def test_control_forces_the_window_and_gives_it_back(world):
    assert world.control("window", state="open")["window_forced"]
    world.control("advance", eras=3)
    assert tell_state(world.simulation)["window"] == "open"
    world.control("window", state="closed")
    world.control("advance", seconds=16)
    assert tell_state(world.simulation)["window"] == "closed"
    assert world.control("window", state="auto")["window"] == "open"


@given(
    anchor=st.integers(0, 2**40),
    length=st.integers(1, 10**9),
    share=st.floats(0, 1),
    era=st.integers(0, 10**6),
    inside=st.floats(0, 1, exclude_max=True),
)
def test_every_moment_lies_in_the_era_that_began_before_it(anchor, length, share, era, inside):
    schedule = EraSchedule(7, anchor, length, int(length * share))
    moment = schedule.start_of(era) + int(length * inside)
    assert schedule.era_at(moment) == era
    change = schedule.next_window_change(moment)
    if change is None:
        assert schedule.window in (0, length)
    else:
        assert moment < change <= schedule.start_of(era + 1)
        assert schedule.is_window_open(change) is not schedule.is_window_open(moment)
        assert schedule.is_window_open(change - 1) is schedule.is_window_open(moment)


@given(
    speed=st.floats(0.001, 1000),
    steps=st.lists(
        st.tuples(st.integers(0, 10**9), st.sampled_from(["advance", "manual", "auto", "slow"])), max_size=8
    ),
)
def test_chain_time_never_goes_back(speed, steps):
    real, clock = 10**15, ChainClock(False, speed, 10**15, 10**15)
    for elapsed, what in steps:
        before, real = clock.chain_at(real), real + elapsed
        assert clock.chain_at(real) >= before
        before = clock.chain_at(real)
        if what == "advance":
            clock = clock.advanced(real, elapsed)
            assert clock.chain_at(real) == before + elapsed
        else:
            clock = clock.switched(real, manual=what == "manual", speed=0.5 if what == "slow" else speed)
            assert clock.chain_at(real) == before


def test_a_fast_chain_still_confirms_in_real_seconds():
    world = World(manual_clock=False, speed=10.0, confirm_seconds=2.0, window=0, start_time=None)
    request = world.submit(ERA - 1)
    world.real += 1.9
    assert tell_state(world.simulation)["chain_time"] == "2026-01-01T00:10:19.000000+00:00"
    assert world.status(request) is RequestStatus.PENDING
    world.real += 0.2
    payout = tell_truth(world.simulation)["payouts"][0]
    assert payout["accepted_at"] == "2026-01-01T00:10:00.000000+00:00"
    assert payout["executed_at"] == "2026-01-01T00:10:20.000000+00:00"


# -- what is accepted -----------------------------------------------------------------------------------------------------


def test_only_the_given_number_of_eras_before_the_first_start_can_be_paid(world):
    assert [owed["era"] for owed in tell_truth(world.simulation)["owing"]] == [27, 28, 29]
    with pytest.raises(Refusal, match="era 26 has no stakers to pay out"):
        world.submit(26)
    assert World(unpaid_eras=10**6).chain.born.first_payable == 0


@pytest.mark.parametrize(
    ("era", "reason"),
    [
        (ERA, "era 30 is still active and cannot be paid out yet"),
        (ERA + 1, "era 31 has not begun: the active era is 30"),
        (2**32 - 1, "era 4294967295 has not begun: the active era is 30"),
    ],
)
def test_the_active_and_future_eras_are_refused(world, era, reason):
    with pytest.raises(Refusal, match=reason):
        world.submit(era)


def test_an_era_beyond_the_history_depth_is_gone_and_told_as_expired(world):
    world.control("advance", eras=84 - 3)
    assert tell_truth(world.simulation)["expired"] == []
    request = world.submit(27)
    world.control("advance", seconds=1)
    assert world.status(request) is RequestStatus.PROCESSED
    world.control("advance", eras=2)
    truth = tell_truth(world.simulation)
    assert (truth["owing"][0]["era"], truth["expired"]) == (29, [[28, 28]])
    with pytest.raises(Refusal, match="era 28 is more than 84 eras before the active era 113: its rewards are gone"):
        world.submit(28)


def test_an_open_window_is_told_before_anything_else_is_wrong(world):
    world.control("window", state="open")
    with pytest.raises(Refusal, match=r"^election window is open\Z"):
        world.submit(ERA + 5, payment_nonce=9)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"payment_nonce": 1}, "invalid payment nonce: the payer's current one is 0, not 1"),
        ({"staking_nonce": 1}, "invalid proxy authorisation: "),
        ({"signed_era": ERA - 2}, "invalid proxy authorisation: "),
        ({"relayer": SIGNERS["//Dave"].account.hex}, "invalid proxy authorisation: "),
        ({"fee": 1}, "invalid fee authorisation: "),
        ({"signed_payment_nonce": 1}, "invalid fee authorisation: "),
    ],
)
def test_a_proof_over_anything_else_is_refused(world, wrong, reason):
    with pytest.raises(Refusal, match=reason):
        world.submit(ERA - 1, **wrong)
    assert world.chain.requests == {}


def test_each_proof_must_be_signed_by_its_own_account(world):
    alice, charlie = world.sign(ERA - 1), world.sign(ERA - 1, user="//Charlie", payer="//Charlie")
    with pytest.raises(Refusal, match="invalid proxy authorisation"):
        world.simulation.submit(PayoutCall(**{**vars(alice), "proxy_signature": charlie.proxy_signature}))
    with pytest.raises(Refusal, match="invalid fee authorisation"):
        world.simulation.submit(PayoutCall(**{**vars(alice), "payer": charlie.payer}))
    with pytest.raises(Refusal, match="invalid proxy authorisation"):
        world.simulation.submit(PayoutCall(**{**vars(alice), "user": charlie.user}))


def test_a_payer_that_cannot_afford_the_fee_is_refused():
    world = World(balance=10, fee=11)
    with pytest.raises(Refusal, match="cannot afford the relayer fee: it owns 10, the fee is 11"):
        world.submit(ERA - 1)
    world.control("fee", amount="10")
    assert world.submit(ERA - 1)


# -- what is executed -----------------------------------------------------------------------------------------------------


def test_a_request_goes_from_awaiting_to_pending_to_processed(world):
    request = world.submit(ERA - 1)
    assert world.status(request) is RequestStatus.AWAITING_TO_SEND
    world.control("advance", seconds=0.5)
    assert world.status(request) is RequestStatus.PENDING
    world.control("advance", seconds=0.5)
    assert world.status(request) is RequestStatus.PROCESSED


def test_an_execution_moves_both_nonces_the_fee_and_the_stakers(world):
    request = world.submit(ERA - 1, payer="//Charlie")
    before = world.chain.balance(SIGNERS["//Charlie"].account.hex), world.chain.balance(RELAYER)
    world.control("advance", seconds=1)
    user, payer = (world.chain.account(SIGNERS[name].account.hex) for name in ("//Alice", "//Charlie"))
    assert (user.staking_nonce, user.payment_nonce, payer.staking_nonce, payer.payment_nonce) == (1, 0, 0, 1)
    fee = world.chain.fee
    after = world.chain.balance(SIGNERS["//Charlie"].account.hex), world.chain.balance(RELAYER)
    assert after == (before[0] - fee, before[1] + fee)
    truth = tell_truth(world.simulation)
    assert truth["payouts"] == [
        {
            "era": ERA - 1,
            "part": 0,
            "request_id": request,
            "user": SIGNERS["//Alice"].account.address,
            "payer": SIGNERS["//Charlie"].account.address,
            "relayer": SIGNERS["//Bob"].account.address,
            "fee": str(fee),
            "staking_nonce": 0,
            "payment_nonce": 0,
            "accepted_at": "2026-01-01T00:10:00.000000+00:00",
            "executed_at": "2026-01-01T00:10:01.000000+00:00",
            "block": 602,
            "index": 0,
            "tx_hash": world.chain.requests[request].tx_hash,
            "stakers_paid": 100,
        }
    ]
    assert truth["fees_charged"] == str(fee)
    assert [owed["era"] for owed in truth["owing"]] == [27, 28]
    with pytest.raises(Refusal, match="era 29 has already been paid out"):
        world.submit(ERA - 1)


def test_an_era_of_many_stakers_is_paid_in_parts():
    world = World(stakers=600, batch=250)
    for part, left in ((0, 2), (1, 1), (2, 0)):
        world.submit(ERA - 1)
        world.control("advance", seconds=1)
        truth = tell_truth(world.simulation)
        assert (truth["payouts"][-1]["part"], truth["payouts"][-1]["stakers_paid"]) == (part, (250, 250, 100)[part])
        assert [owed["parts_left"] for owed in truth["owing"] if owed["era"] == ERA - 1] == ([left] if left else [])
    with pytest.raises(Refusal, match="already been paid out"):
        world.submit(ERA - 1)


def test_the_same_payload_is_accepted_twice_while_pending_and_executed_once(world):
    payload = world.sign(ERA - 1)
    first, second = world.simulation.submit(payload), world.simulation.submit(payload)
    assert first != second
    world.control("advance", seconds=1)
    assert (world.status(first), world.status(second)) == (RequestStatus.PROCESSED, RequestStatus.REJECTED)
    truth = tell_truth(world.simulation)
    assert len(truth["payouts"]) == 1
    assert truth["requests"][0]["payload"] == truth["requests"][1]["payload"]
    assert truth["requests"][1]["reason"] == "era 29 has already been paid out"
    ends = [world.chain.requests[request].ended for request in (first, second)]
    assert [(end.block, end.index) for end in ends] == [(602, 0), (602, 1)]


def test_a_rejected_request_changes_nothing(world):
    request = world.submit(ERA - 1)
    world.control("fee", amount=str(world.chain.fee + 1))
    world.control("advance", seconds=1)
    assert "invalid fee authorisation" in world.chain.requests[request].ended.reason
    assert world.chain.account(SIGNERS["//Alice"].account.hex).moved == 0
    assert world.chain.account(SIGNERS["//Alice"].account.hex).payment_nonce == 0
    assert [owed["era"] for owed in tell_truth(world.simulation)["owing"]] == [27, 28, 29]


@pytest.mark.parametrize(("kind", "reason"), [("staking", "invalid proxy auth"), ("payment", "invalid payment nonce")])
def test_a_nonce_somebody_else_used_rejects_what_was_signed_with_it(world, kind, reason):
    request = world.submit(ERA - 1)
    world.control("nonce", account=SIGNERS["//Alice"].account.address, kind=kind, by=2)
    world.control("advance", seconds=1)
    assert reason in world.chain.requests[request].ended.reason
    assert world.submit(ERA - 1)


def test_a_window_that_opens_after_acceptance_does_not_stop_the_execution(world):
    request = world.submit(ERA - 1)
    world.control("window", state="open")
    world.control("advance", seconds=1)
    assert world.status(request) is RequestStatus.PROCESSED


def test_a_jump_over_many_eras_executes_at_the_due_time_not_at_the_end_of_the_jump(world):
    world.submit(27)
    truth = world.control("advance", eras=500) and tell_truth(world.simulation)
    assert truth["payouts"][0]["executed_at"] == "2026-01-01T00:10:01.000000+00:00"
    assert truth["expired"] == [[28, 445]]


def test_an_account_stakes_by_its_second_byte_until_control_says_otherwise(world):
    even, odd = "0x1102" + "11" * 30, "0x1103" + "11" * 30
    assert (world.chain.is_staking(even), world.chain.is_staking(odd)) == (True, False)
    world.control("staking", account=even, staking=False)
    world.control("staking", account=odd, staking=True)
    assert (world.chain.is_staking(even), world.chain.is_staking(odd)) == (False, True)


def test_the_development_accounts_are_those_of_their_key_uris_and_stake():
    for uri, key in DEV_ACCOUNTS.items():
        assert signing.LocalSigner(uri).account.hex == key
        assert stakes_by_default(bytes.fromhex(key[2:]))


def test_generated_accounts_give_both_answers():
    answers = Counter(stakes_by_default(sr25519.pair_from_seed(bytes([seed]) * 32)[0]) for seed in range(200))
    assert min(answers[True], answers[False]) > 50


# -- the state file -------------------------------------------------------------------------------------------------------


def test_a_restart_forgets_nothing(tmp_path):
    world = World(tmp_path / "s.db", stakers=300)
    paid, pending = world.submit(28), None
    world.control("advance", seconds=1)
    pending = world.submit(ERA - 1)
    world.control("staking", account=SIGNERS["//Dave"].account.address, staking=False)
    world.control("nonce", account=SIGNERS["//Dave"].account.address, kind="payment", by=3)
    world.control("window", state="closed")
    truth, state = tell_truth(world.simulation), tell_state(world.simulation)
    world.simulation.close()
    world.real += 1000
    world.simulation = world.open()
    assert (tell_truth(world.simulation), tell_state(world.simulation)) == (truth, state)
    assert world.chain.account(SIGNERS["//Dave"].account.hex).payment_nonce == 3
    assert not world.chain.is_staking(SIGNERS["//Dave"].account.hex)
    world.control("advance", seconds=1)
    assert world.status(paid) is world.status(pending) is RequestStatus.PROCESSED
    world.simulation.close()


def test_an_automatic_clock_runs_on_while_nobody_serves(tmp_path):
    world = World(tmp_path / "s.db", manual_clock=False, start_time=None)
    request = world.submit(ERA - 1)
    world.simulation.close()
    world.real += 40
    world.simulation = world.open()
    assert tell_state(world.simulation)["active_era"] == ERA + 2
    assert tell_truth(world.simulation)["payouts"][0]["executed_at"] == "2026-01-01T00:10:01.000000+00:00"
    assert world.status(request) is RequestStatus.PROCESSED
    world.simulation.close()


def test_a_pending_request_keeps_its_remaining_time_when_the_clock_is_switched(tmp_path):
    world = World(tmp_path / "s.db")
    ended = world.submit(28)
    world.control("advance", seconds=1)
    request = world.submit(ERA - 1)
    world.control("advance", seconds=0.25)
    world.simulation.close()
    world.real += 1000
    world.settings = settings(manual_clock=False, speed=2.0)
    world.simulation = world.open()
    world.real += 0.7
    assert tell_state(world.simulation)["chain_time"] == "2026-01-01T00:10:02.650000+00:00"
    assert world.status(request) is RequestStatus.PENDING
    world.real += 0.1
    world.simulation.settle()
    assert world.status(ended) is world.status(request) is RequestStatus.PROCESSED
    world.simulation.close()


def test_the_fee_of_the_state_file_holds_unless_another_is_asked_for(tmp_path):
    world = World(tmp_path / "s.db", fee=5)
    world.control("fee", amount="6")
    for asked, got in ((None, 6), (7, 7), (None, 7)):
        world.simulation.close()
        world.settings = settings(fee=asked)
        world.simulation = world.open()
        assert world.chain.fee == got
    world.simulation.close()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"anchor_era": 1}, "anchor era: 0, not 1"),
        ({"anchor_time": datetime(2026, 1, 1, 0, 1, tzinfo=timezone.utc)}, "anchor time: 2026-01-01T00:00:00"),
        ({"era_length": 30.0}, "era length: 20 s, not 30 s"),
        ({"stakers": 5}, "number of stakers: 100, not 5"),
    ],
)
def test_a_state_file_of_another_chain_is_refused_by_name(tmp_path, changes, named):
    world = World(tmp_path / "s.db")
    world.simulation.close()
    world.settings = settings(**changes)
    with pytest.raises(StateFileError, match=named):
        world.open()
    world.settings = settings()
    world.open().close()


def test_a_state_file_is_held_by_one_simulator_at_a_time(tmp_path):
    world = World(tmp_path / "s.db")
    with pytest.raises(StateFileError, match="in use by another simulator"):
        world.open()
    world.simulation.close()
    world.open().close()


def test_a_foreign_or_damaged_file_is_refused_and_left_as_it_was(tmp_path):
    import sqlite3

    (tmp_path / "text.db").write_bytes(b"not a database, but long enough to look like one" * 50)
    database = sqlite3.connect(tmp_path / "other.db")
    database.execute("CREATE TABLE events (x)")
    database.close()
    for name, reason in (("text.db", "not a database"), ("other.db", "not a state file"), (".", "unable to open")):
        before = (tmp_path / name).read_bytes() if name != "." else None
        with pytest.raises(StateFileError, match=reason):
            StateFile(tmp_path / name)
        assert before is None or (tmp_path / name).read_bytes() == before
    world = World(tmp_path / "s.db")
    world.simulation._file._database.execute("UPDATE events SET event = '{}'")
    world.simulation.close()
    with pytest.raises(StateFileError, match="damaged"):
        world.open()
    world.state = tmp_path / "headless.db"
    world.simulation = world.open()
    world.simulation._file._database.execute("DELETE FROM events WHERE sequence = 1")
    world.simulation.close()
    with pytest.raises(StateFileError, match="does not begin with a birth"):
        world.open()


def test_what_cannot_be_written_is_not_accepted(tmp_path):
    import sqlite3

    world = World(tmp_path / "s.db")
    payload = world.sign(ERA - 1)
    world.simulation._file._database.execute("PRAGMA query_only = ON")
    with pytest.raises(sqlite3.Error):
        world.simulation.submit(payload)
    assert world.chain.requests == {}
    world.simulation._file._database.execute("PRAGMA query_only = OFF")
    assert world.simulation.submit(payload)
    world.simulation.close()


def test_a_chain_cannot_start_before_its_anchor():
    with pytest.raises(InvalidInput, match="anchor_time"):
        World(start_time=datetime(2025, 12, 31, tzinfo=timezone.utc))


@pytest.mark.parametrize(
    "changes",
    [
        {"era_length": 0},
        {"window": 21},
        {"batch": 0},
        {"speed": float("nan")},
        {"fee": -1},
        {"relayers": ("nobody",)},
        {"anchor_time": datetime(2026, 1, 1)},  # noqa: DTZ001
    ],
)
def test_a_setting_out_of_range_is_refused_by_name(changes):
    with pytest.raises(StakingGatewayError):
        settings(**changes)


# -- access tokens --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS["awt"], ids=lambda vector: vector["id"])
def test_a_published_access_token_is_good_for_its_age_only(vector):
    issued = datetime.fromisoformat(vector["iat"].replace("Z", "+00:00")).timestamp()
    gate = TokenGate((), 600)
    assert [gate.admits(vector["token"], issued + age) for age in (-16, -15, 0, 600, 601)] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_a_token_whose_claims_were_changed_is_refused():
    import base64

    vector = next(vector for vector in VECTORS["awt"] if vector["payer_public_key"])
    issued, claims = (
        datetime.fromisoformat(vector["iat"][:-1] + "+00:00").timestamp(),
        json.loads(vector["payload_json"]),
    )

    def admits(changed):
        return TokenGate((), 600).admits(base64.b64encode(json.dumps(changed).encode()).decode(), issued)

    assert admits(claims)
    for name, value in {
        "pk": DEV_ACCOUNTS["//Dave"],
        "iat": vector["iat"].replace("006Z", "007Z"),
        "hasPayer": False,
        "payer": DEV_ACCOUNTS["//Dave"],
        "sig": "0x" + "00" * 64,
    }.items():
        assert not admits({**claims, name: value}), name
        assert not admits({key: kept for key, kept in claims.items() if key != name}), name
        assert not admits({**claims, name: 5}), name
    assert not admits({**claims, "payer": read_account(claims["payer"]).address})
    assert not admits([claims])
    for garbage in ("", "x", "\u00e9", "e30=", "WzFd", vector["token"] + "=", base64.b64encode(b"[" * 5000).decode()):
        assert not TokenGate(("issued",), 600).admits(garbage, issued)
    assert TokenGate(("issued",), 600).admits("issued", issued)


def test_only_so_many_verified_tokens_are_remembered(monkeypatch):
    monkeypatch.setattr("staking_gateway_simulator.tokens._REMEMBERED", 1)
    gate = TokenGate((), 600)
    for vector in VECTORS["awt"]:
        issued = datetime.fromisoformat(vector["iat"][:-1] + "+00:00").timestamp()
        assert gate.admits(vector["token"], issued)
        assert len(gate._verified) == 1


# -- nothing makes it stumble ---------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": json_values,
        "method": st.sampled_from(["proxyPayoutstakers", "getStakingStatus", "getNonce", "getRelayerFees"])
        | json_values,
        "params": st.dictionaries(
            st.sampled_from(["accountId", "nonceType", "relayer", "user", "era", "transactionType"]), json_values
        )
        | json_values,
    },
)


@hypothesis_settings(max_examples=150, deadline=None)
@given(
    path=st.sampled_from(["/send", "/query", "/poll"]),
    body=st.binary(max_size=50) | envelopes.map(json.dumps).map(str.encode),
)
def test_every_body_is_answered_with_json_rpc(path, body):
    gateway = Gateway(World().simulation)
    answer = gateway.respond(Call(path, {"Authorization": "bearer simulator-token"}, body))
    value = json.loads(answer.body)
    assert answer.status == 200
    assert value["jsonrpc"] == "2.0"
    assert ("result" in value) != ("error" in value)
    if "error" in value:
        assert value["error"]["data"]["request"] == body.decode("utf-8", "replace")


@pytest.mark.parametrize("name", ["advance", "window", "latency", "fee", "staking", "nonce"])
@hypothesis_settings(max_examples=30, deadline=None)
@given(
    fields=st.dictionaries(
        st.sampled_from(["eras", "seconds", "state", "amount", "account", "staking", "kind", "by"]), json_values
    )
    | json_values
)
def test_every_control_body_is_answered(name, fields):
    status, value = Control(World().simulation).respond("POST", name, json.dumps(fields).encode())
    assert status == 200 or (status == 400 and value["field"] and value["message"])


def test_the_clock_cannot_be_put_beyond_what_eras_and_dates_can_say():
    world = World()
    control = Control(world.simulation)
    assert control.respond("POST", "advance", b'{"eras": 4294967296}')[0] == 400
    assert control.respond("POST", "advance", b'{"seconds": 1e12}')[0] == 400
    assert control.respond("POST", "advance", b'{"eras": 4000000000}')[0] == 200
    assert tell_state(world.simulation)["active_era"] == ERA + 4_000_000_000


# -- whatever happens -----------------------------------------------------------------------------------------------------


class AnyHistory(RuleBasedStateMachine):
    """Submissions, replays, jumps, foreign nonces and changed fees in any order, with and without checks at the door."""

    @initialize(stakers=st.integers(1, 5), batch=st.integers(1, 3), checks=st.booleans(), fee_on_failure=st.booleans())
    def begin(self, stakers, batch, checks, fee_on_failure):
        self.world = World(
            stakers=stakers,
            batch=batch,
            history_depth=4,
            confirm_seconds=3.0,
            door_checks=checks,
            fee_on_failure=fee_on_failure,
        )
        self.fee_on_failure = fee_on_failure
        self.parts = -(-stakers // batch)
        self.payloads = []
        self.foreign = Counter()
        self.world.control("window", state="closed")

    @rule(
        user=st.sampled_from(["//Alice", "//Charlie"]),
        payer=st.sampled_from(["//Alice", "//Dave"]),
        back=st.sampled_from([0, 1, 1, 1, 2, 2, 3, 5]),
    )
    def submit(self, user, payer, back):
        era = self.world.chain.active_era(self.world.simulation.now) - back
        self.payloads.append(self.world.sign(max(0, era), user, payer))
        self.replay(len(self.payloads) - 1)

    @rule(user=st.sampled_from(["//Alice", "//Charlie"]), back=st.integers(1, 3))
    def submit_replay_and_wait(self, user, back):
        self.submit(user, user, back)
        self.replay(len(self.payloads) - 1)
        self.wait(3)

    @rule(which=st.integers(0, 100))
    def replay(self, which):
        if self.payloads:
            with contextlib.suppress(Refusal):
                self.world.simulation.submit(self.payloads[which % len(self.payloads)])

    @rule(seconds=st.sampled_from([1, 3, 3, 7, 20]))
    def wait(self, seconds):
        self.world.control("advance", seconds=seconds)

    @rule(name=st.sampled_from(["//Alice", "//Charlie"]), kind=st.sampled_from(["staking", "payment"]))
    def use_a_nonce(self, name, kind):
        self.world.control("nonce", account=SIGNERS[name].account.address, kind=kind)
        self.foreign[SIGNERS[name].account.hex, kind] += 1

    @rule(amount=st.integers(0, 2**60))
    def change_the_fee(self, amount):
        self.world.control("fee", amount=str(amount))

    @rule(state=st.sampled_from(["open", "closed", "closed", "auto"]))
    def force_the_window(self, state):
        self.world.control("window", state=state)

    @invariant()
    def every_part_is_paid_at_most_once_and_every_payload_executed_at_most_once(self):
        truth = tell_truth(self.world.simulation)
        parts = Counter((payout["era"], payout["part"]) for payout in truth["payouts"])
        assert all(count == 1 and part < self.parts for (_, part), count in parts.items())
        payloads = {request["request_id"]: request["payload"] for request in truth["requests"]}
        executed = [payloads[payout["request_id"]] for payout in truth["payouts"]]
        assert len(executed) == len(set(executed))

    @invariant()
    def fees_and_nonces_are_those_of_the_executions_and_of_the_failures_that_cost_a_fee(self):
        truth, chain = tell_truth(self.world.simulation), self.world.chain
        failed = [request for request in truth["requests"] if request["fee"] and request["status"] == "Rejected"]
        assert self.fee_on_failure or not failed
        lost = sum(int(request["fee"]) for request in failed)
        fees = [int(payout["fee"]) for payout in truth["payouts"]]
        assert int(truth["fees_for_nothing"]) == lost
        assert int(truth["fees_charged"]) == sum(fees) + lost == chain.account(RELAYER).moved
        assert sum(account.moved for account in chain.accounts.values()) == 0
        for signer in SIGNERS.values():
            account, key = chain.account(signer.account.hex), signer.account.hex
            used = Counter(
                (read_account(payout[role]).hex, kind)
                for payout in truth["payouts"]
                for role, kind in (("user", "staking"), ("payer", "payment"))
            )
            used.update((read_account(request["payer"]).hex, "payment") for request in failed)
            assert account.staking_nonce == used[key, "staking"] + self.foreign[key, "staking"]
            assert account.payment_nonce == used[key, "payment"] + self.foreign[key, "payment"]

    @invariant()
    def every_staker_is_paid_owed_or_expired(self):
        truth, chain = tell_truth(self.world.simulation), self.world.chain
        expired = sum(chain.stakers_left(era) for first, last in truth["expired"] for era in range(first, last + 1))
        paid = sum(payout["stakers_paid"] for payout in truth["payouts"])
        owed = sum(owing["stakers_left"] for owing in truth["owing"])
        eras = chain.active_era(self.world.simulation.now) - chain.born.first_payable
        assert paid + owed + expired == eras * chain.born.stakers

    def teardown(self):
        """The chain read back from its events is the same chain."""
        if hasattr(self, "world"):
            events = [
                from_json(row[0]) for row in self.world.simulation._file._database.execute("SELECT event FROM events")
            ]
            again, chain = Chain(self.world.settings, events), self.world.chain
            assert isinstance(events[0], Born)
            for name in (
                "accounts",
                "requests",
                "executed",
                "stakers_paid",
                "fee",
                "fees_charged",
                "fees_for_nothing",
                "_charged",
                "forced_window",
                "clock",
                "_pending",
            ):
                assert getattr(again, name) == getattr(chain, name), name
            self.world.simulation.close()


TestAnyHistory = AnyHistory.TestCase
TestAnyHistory.settings = hypothesis_settings(max_examples=100, stateful_step_count=40, deadline=None)


def test_times_are_told_in_utc_and_read_back():
    assert datetime.fromisoformat(iso_utc(to_micros(START.timestamp()))) == START
    with pytest.raises(ValueError, match="not an event"):
        from_json('{"event": "Nothing"}')
