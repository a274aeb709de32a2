"""What the simulated gateway accepts, refuses and tells, and what each setting of another version changes."""

import base64
import json
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from staking_gateway_simulator.__main__ import build_parser, read_settings
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.events import Doomed
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.tokens import TokenGate
from tests.support.simulated import ACTIVE, ALICE, BOB, DAVE, ERA, FEE, SimulatedGateway

UNKNOWN = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"
TOKENS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())["awt"]


def open_window(gateway):
    gateway.control("window", state="open")
    return gateway.params()


def pay_before(gateway):
    gateway.execute()
    return gateway.params()


def expire(gateway):
    params = gateway.params(ACTIVE - 3)
    gateway.control("advance", eras=85)
    gateway.control("window", state="closed")
    return params


def everything_wrong(gateway):
    gateway.control("window", state="open")
    return gateway.params(ACTIVE + 5, payment_nonce=9)


INNER = {
    "window": (open_window, "election window is open"),
    "window before anything else": (everything_wrong, "election window is open"),
    "active era": (lambda gateway: gateway.params(ACTIVE), "era 30 is still active"),
    "future era": (lambda gateway: gateway.params(2**32 - 1), "era 4294967295 has not begun"),
    "paid era": (pay_before, "era 29 has already been paid out"),
    "expired era": (expire, "era 27 is more than 84 eras before the active era 115"),
    "era without stakers": (lambda gateway: gateway.params(ACTIVE - 4), "era 26 has no stakers"),
    "staking nonce": (lambda gateway: gateway.params(staking_nonce=5), "invalid proxy authorisation: "),
    "proof of another era": (lambda gateway: gateway.params(signed_era=ERA - 1), "invalid proxy authorisation: "),
    "proof of another relayer": (
        lambda gateway: gateway.params(relayer=DAVE.account),
        "invalid proxy authorisation: ",
    ),
    "proof of another user": (
        lambda gateway: gateway.params(sent={"user": DAVE.account.address}),
        "invalid proxy authorisation: ",
    ),
}
"""Ways to break a rule of the payout itself, and how the reason begins."""
PAYMENT = {
    "payment nonce": (lambda gateway: gateway.params(payment_nonce=1), "invalid payment nonce: "),
    "signed payment nonce": (
        lambda gateway: gateway.params(payment_nonce=1, sent={"paymentNonce": "0"}),
        "invalid fee authorisation: ",
    ),
    "fee": (lambda gateway: gateway.params(relayer_fee=FEE + 1), "invalid fee authorisation: "),
    "payer": (lambda gateway: gateway.params(sent={"payer": DAVE.account.address}), "invalid fee authorisation: "),
}
"""Ways to break a rule of the fee's payment."""
WRONG = INNER | PAYMENT
AT_DOOR_ONLY = ("proof of another user", "proof of another relayer", "window before anything else")
"""These break a rule of the fee's payment as well."""
INNER_ALONE = {name: wrong for name, wrong in INNER.items() if name not in AT_DOOR_ONLY}
wrong_payouts = pytest.mark.parametrize(("make", "reason"), WRONG.values(), ids=WRONG)


# --- the door ------------------------------------------------------------------------------------------------------------


@wrong_payouts
def test_the_gateway_refuses_a_wrong_payout(make, reason):
    gateway = SimulatedGateway()
    params = make(gateway)
    before = gateway.truth["requests"]
    code, _, told = gateway.refusal(**params)
    assert (code, told.startswith(reason), gateway.truth["requests"]) == (-32600, True, before)


def test_a_payer_that_cannot_afford_the_fee_is_refused():
    gateway = SimulatedGateway(balance=10, fee=11)
    assert "cannot afford the relayer fee: it owns 10, the fee is 11" in gateway.refusal(**gateway.params())[2]
    gateway.control("fee", amount="10")
    assert gateway.pay()


@pytest.mark.parametrize(("make", "reason"), (INNER_ALONE | PAYMENT).values(), ids=INNER_ALONE | PAYMENT)
def test_without_door_checks_the_gateway_accepts_and_the_chain_rejects(make, reason):
    gateway = SimulatedGateway(door_checks=False)
    params = make(gateway)
    before = gateway.nonces(), gateway.charged()
    status, told, fee = gateway.end(request := gateway.execute(params))
    assert (status, told.startswith(reason), fee) == ("Rejected", True, None)
    assert (gateway.nonces(), gateway.charged(), gateway.truth["fees_for_nothing"]) == (*before, "0")
    assert gateway.poll(request)["status"] == "Rejected"


@pytest.mark.parametrize(
    ("checks", "at_door", "at_execution", "status"),
    [
        (True, "closed", "open", "Processed"),
        (False, "closed", "open", "Rejected"),
        (False, "open", "closed", "Processed"),
    ],
)
def test_the_window_counts_at_the_door_or_without_door_checks_at_the_execution(checks, at_door, at_execution, status):
    gateway = SimulatedGateway(door_checks=checks)
    gateway.control("window", state=at_door)
    request = gateway.pay()
    gateway.control("window", state=at_execution)
    gateway.advance(1)
    assert gateway.end(request)[0] == status


# --- fees for nothing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "reason"), INNER_ALONE.values(), ids=INNER_ALONE)
def test_a_payout_that_fails_for_itself_costs_its_fee(make, reason):
    gateway = SimulatedGateway(door_checks=False, fee_on_failure=True)
    params = make(gateway)
    (staking, payment), charged = gateway.nonces(), gateway.charged()
    relayer, payouts = gateway.simulation.chain.balance(BOB.account.hex), len(gateway.truth["payouts"])
    status, told, fee = gateway.end(gateway.execute(params))
    assert (status, told.startswith(reason), fee) == ("Rejected", True, str(FEE))
    assert (gateway.nonces(), gateway.charged()) == ((staking, payment + 1), charged + FEE)
    assert gateway.simulation.chain.balance(BOB.account.hex) == relayer + FEE
    truth = gateway.truth
    assert (truth["fees_charged"], truth["fees_for_nothing"]) == (str(charged + FEE), str(FEE))
    assert len(truth["payouts"]) == payouts


@pytest.mark.parametrize("era", [ERA, ACTIVE])
@pytest.mark.parametrize("wrong", PAYMENT.values(), ids=PAYMENT)
def test_a_wrong_payment_of_the_fee_costs_nothing_whatever_else_is_wrong(wrong, era):
    gateway = SimulatedGateway(door_checks=False, fee_on_failure=True)
    assert gateway.end(gateway.execute({**wrong[0](gateway), "era": str(era)}))[::2] == ("Rejected", None)
    assert (gateway.nonces(), gateway.charged()) == ((0, 0), 0)


@pytest.mark.parametrize(("doomed", "fee", "nonces"), [(False, str(FEE), (1, 1)), (True, None, (0, 0))])
def test_a_payout_that_became_wrong_after_the_door_costs_its_fee_and_a_doomed_one_nothing(doomed, fee, nonces):
    gateway = SimulatedGateway(fee_on_failure=True)
    request = gateway.pay()
    if doomed:
        gateway.simulation.happen(Doomed(request, "Rejected", "the transaction failed on the chain"))
    else:
        gateway.control("nonce", account=ALICE.account.hex, kind="staking")
    gateway.advance(1)
    assert (gateway.end(request)[::2], gateway.nonces()) == (("Rejected", fee), nonces)


# --- /poll ---------------------------------------------------------------------------------------------------------------


def test_the_oldest_version_tells_the_state_as_one_word():
    gateway = SimulatedGateway(poll_form="bare", door_checks=False)
    assert gateway.poll(UNKNOWN) == "Transaction not found"
    requests = [gateway.pay(), gateway.pay(gateway.params(ACTIVE)), gateway.pay(), gateway.pay()]
    gateway.simulation.happen(Doomed(requests[2], "SendingFailed", "not sent"))
    gateway.simulation.happen(Doomed(requests[3], "PayerRefused", "not paid"))
    told = []
    for _ in range(3):
        told.append([gateway.poll(request) for request in requests])
        gateway.advance(0.5)
    assert told == [["Pending"] * 4, ["Pending"] * 4, ["Processed", "Rejected", "Rejected", "Rejected"]]


@pytest.mark.parametrize("form", ["object", "bare"])
def test_a_status_can_call_a_failed_payout_processed_while_the_truth_does_not(form):
    gateway = SimulatedGateway(door_checks=False, inner_failure_status="Processed", poll_form=form)
    failed, unpaid = gateway.execute(gateway.params(ACTIVE)), gateway.execute(gateway.params(relayer_fee=1))
    told = [state if form == "bare" else state["status"] for state in map(gateway.poll, (failed, unpaid))]
    assert told == ["Processed", "Rejected"]
    assert [gateway.end(request)[0] for request in (failed, unpaid)] == ["Rejected", "Rejected"]
    assert (gateway.truth["payouts"], gateway.nonces()) == ([], (0, 0))


@pytest.mark.parametrize("status", ["SendingFailed", "PayerRefused"])
@pytest.mark.parametrize("setting", ["null", "request_id"])
def test_the_hash_of_what_could_not_be_sent_may_be_the_request_id(status, setting):
    gateway = SimulatedGateway(tx_hash_of_failed=setting)
    request = gateway.pay()
    gateway.simulation.happen(Doomed(request, status, "it did not reach the chain"))
    assert gateway.poll(request) == {"txHash": None, "status": "AwaitingToSend"}
    gateway.advance(1)
    holds_id = setting == "request_id" and status == "SendingFailed"
    assert gateway.poll(request) == {"txHash": request if holds_id else None, "status": status}


# --- the words of refusals -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["signed payment nonce", "fee", "payer"])
def test_a_wrong_fee_proof_can_be_an_internal_error_that_tells_the_whole_signature(wrong):
    gateway = SimulatedGateway(internal_refusals=True)
    params = PAYMENT[wrong][0](gateway)
    # As it was submitted: hex digits may be capital letters.
    params["feePaymentSignature"] = "0x" + params["feePaymentSignature"][2:].upper()
    told = f"Error: invalid fee authorisation: {params['feePaymentSignature']}"
    assert gateway.refusal(**params) == (-32603, "Internal error", told)


@pytest.mark.parametrize("in_message", [False, True])
@pytest.mark.parametrize("at_door", [True, False], ids=["open before", "opens between both looks"])
def test_the_words_of_an_open_window_can_be_others_and_elsewhere(monkeypatch, in_message, at_door):
    gateway = SimulatedGateway(window_text="Window is OPEN", window_in_message=in_message)
    params, submit = gateway.params(), gateway.simulation.submit

    def submit_late(call):
        gateway.control("window", state="open")
        return submit(call)

    monkeypatch.setattr(gateway.simulation, "submit", submit_late)
    if at_door:
        open_window(gateway)
    error = gateway.ask("/send", "proxyPayoutstakers", **params)["error"]
    words = (error["message"], error["data"].get("gatewayError"))
    assert words == (("Window is OPEN", None) if in_message else ("Invalid Request", "Window is OPEN"))
    assert error["code"] == -32600
    assert json.loads(error["data"]["request"])["params"] == params


@pytest.mark.parametrize("strict", [False, True])
def test_the_transaction_type_of_a_fee_may_have_to_be_spelt_exactly(strict):
    gateway = SimulatedGateway(strict_transaction_type=strict, payout_method="proxyPayoutStakers")

    def fee(spelt):
        return gateway.ask("/query", "getRelayerFees", relayer=BOB.account.address, **spelt)

    unknown = "invalid transaction type"
    assert fee({"transactionType": "proxyPayoutStakers"})["result"] == str(FEE)
    assert fee({})["result"] == {"proxyPayoutStakers": str(FEE)}
    assert fee({"transactionType": "proxyTransfer"})["error"]["data"]["gatewayError"] == unknown
    other = fee({"transactionType": "proxyPayoutstakers"})
    assert (other["error"]["data"]["gatewayError"] if strict else other["result"]) == (unknown if strict else str(FEE))


# --- choosing a version --------------------------------------------------------------------------------------------------


def test_every_setting_has_its_flag():
    flags = (
        "--no-door-checks --fee-on-failure --poll-form bare --inner-failure-status Processed --tx-hash-of-failed request_id "
        "--internal-refusals --window-in-message --strict-transaction-type"
    )
    given = build_parser().parse_args([*flags.split(), "--window-text", "the window is open"])
    assert read_settings(given) == SimulatorSettings(
        door_checks=False,
        fee_on_failure=True,
        poll_form="bare",
        inner_failure_status="Processed",
        tx_hash_of_failed="request_id",
        internal_refusals=True,
        window_text="the window is open",
        window_in_message=True,
        strict_transaction_type=True,
    )


# --- access tokens -------------------------------------------------------------------------------------------------------


def issued(vector):
    return datetime.fromisoformat(vector["iat"].replace("Z", "+00:00")).timestamp()


@pytest.mark.parametrize("vector", TOKENS, ids=lambda vector: vector["id"])
def test_a_published_access_token_is_good_for_its_age_only(vector):
    gate = TokenGate((), 600)
    admitted = [gate.admits(vector["token"], issued(vector) + age) for age in (-16, -15, 0, 600, 601)]
    assert admitted == [False, True, True, True, False]


def test_a_token_whose_claims_were_changed_is_refused():
    vector = next(vector for vector in TOKENS if vector["payer_public_key"])
    claims = json.loads(vector["payload_json"])

    def admits(changed):
        token = base64.b64encode(json.dumps(changed).encode()).decode()
        return TokenGate((), 600).admits(token, issued(vector))

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
    gate = TokenGate(("issued",), 600)
    for garbage in ("", "x", "\u00e9", "e30=", "WzFd", vector["token"] + "=", base64.b64encode(b"[" * 5000).decode()):
        assert not gate.admits(garbage, issued(vector))
    assert gate.admits("issued", issued(vector))


# --- every body is answered ----------------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@hypothesis_settings(max_examples=75, deadline=None)
@given(
    name=st.sampled_from(["advance", "window", "latency", "fee", "staking", "nonce", "faults"]),
    fields=st.dictionaries(
        st.sampled_from(["eras", "seconds", "state", "amount", "account", "staking", "kind", "by", "rules", "seed"]),
        json_values,
    )
    | json_values,
)
def test_every_control_body_is_answered(name, fields):
    status, value = SimulatedGateway().try_control(name, fields)
    assert status == 200 or (status == 400 and value["field"] and value["message"])
