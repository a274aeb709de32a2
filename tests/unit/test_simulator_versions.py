"""What the simulated gateway accepts, refuses and tells, and what each setting of another version changes."""

import base64
import json
from datetime import datetime
from pathlib import Path

import pytest

from staking_gateway_simulator.accounts import DEV_ACCOUNTS
from staking_gateway_simulator.tokens import TokenGate
from tests.support.simulated import ACTIVE, DAVE, ERA, FEE

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


PROXY, FEE_PROOF = "invalid proxy authorisation: ", "invalid fee authorisation: "
INNER = {
    "window": (open_window, "election window is open"),
    "active era": (lambda gateway: gateway.params(ACTIVE), "era 30 is still active"),
    "future era": (lambda gateway: gateway.params(2**32 - 1), "era 4294967295 has not begun"),
    "paid era": (pay_before, "era 29 has already been paid out"),
    "expired era": (expire, "era 27 is more than 84 eras before the active era 115"),
    "era without stakers": (lambda gateway: gateway.params(ACTIVE - 4), "era 26 has no stakers"),
    "staking nonce": (lambda gateway: gateway.params(staking_nonce=5), PROXY),
    "proof of another era": (lambda gateway: gateway.params(signed_era=ERA - 1), PROXY),
}
"""Ways to break a rule of the payout itself, and how the reason begins."""
PAYMENT = {
    "payment nonce": (lambda gateway: gateway.params(payment_nonce=1), "invalid payment nonce: "),
    "signed nonce": (lambda gateway: gateway.params(payment_nonce=1, sent={"paymentNonce": "0"}), FEE_PROOF),
    "fee": (lambda gateway: gateway.params(relayer_fee=FEE + 1), FEE_PROOF),
    "payer": (lambda gateway: gateway.params(sent={"payer": DAVE.account.address}), FEE_PROOF),
}
"""Ways to break a rule of the fee's payment."""
AT_DOOR = {
    "proof of another relayer": (lambda gateway: gateway.params(relayer=DAVE.account), PROXY),
    "proof of another user": (lambda gateway: gateway.params(sent={"user": DAVE.account.address}), PROXY),
}
"""These break a rule of the fee's payment as well."""


# --- the door ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "reason"), (INNER | PAYMENT | AT_DOOR).values(), ids=INNER | PAYMENT | AT_DOOR)
def test_the_gateway_refuses_a_wrong_payout(simulated, make, reason):
    gateway = simulated()
    params = make(gateway)
    before = gateway.truth["requests"]
    code, _, told = gateway.refusal(**params)
    assert (code, told.startswith(reason), gateway.truth["requests"]) == (-32600, True, before)


@pytest.mark.parametrize(
    ("checks", "at_door", "at_execution", "status"),
    [
        (True, "closed", "open", "Processed"),
        (False, "closed", "open", "Rejected"),
        (False, "open", "closed", "Processed"),
    ],
)
def test_the_window_counts_at_the_door_or_without_door_checks_at_the_execution(
    simulated, checks, at_door, at_execution, status
):
    gateway = simulated(door_checks=checks)
    gateway.control("window", state=at_door)
    request = gateway.pay()
    gateway.control("window", state=at_execution)
    gateway.advance(1)
    assert gateway.end(request)[0] == status


@pytest.mark.parametrize("costs", [False, True], ids=["failures are free", "failures cost their fee"])
@pytest.mark.parametrize(("make", "reason"), (INNER | PAYMENT).values(), ids=INNER | PAYMENT)
def test_without_door_checks_the_chain_rejects_and_a_payout_that_fails_for_itself_may_cost_its_fee(
    simulated, make, reason, costs
):
    gateway = simulated(door_checks=False, fee_on_failure=costs)
    params = make(gateway)
    (staking, payment), charged, payouts = gateway.nonces(), gateway.charged(), gateway.truth["payouts"]
    status, told, fee = gateway.end(request := gateway.execute(params))
    lost = FEE if costs and (make, reason) in INNER.values() else 0
    assert (status, told.startswith(reason), fee) == ("Rejected", True, str(lost) if lost else None)
    assert (gateway.nonces(), gateway.charged()) == ((staking, payment + bool(lost)), charged + lost)
    assert (gateway.truth["fees_for_nothing"], gateway.truth["payouts"]) == (str(lost), payouts)
    assert gateway.poll(request)["status"] == "Rejected"


# --- access tokens -------------------------------------------------------------------------------------------------------


def issued(vector):
    return datetime.fromisoformat(vector["iat"].replace("Z", "+00:00")).timestamp()


@pytest.mark.parametrize("vector", TOKENS, ids=lambda vector: vector["id"])
def test_a_published_access_token_is_good_unchanged_and_for_its_age_only(vector):
    gate = TokenGate((), 600)
    admitted = [gate.admits(vector["token"], issued(vector) + age) for age in (-16, -15, 0, 600, 601)]
    assert admitted == [False, True, True, True, False]
    claims = json.loads(vector["payload_json"])
    for name in claims:
        for changed in ({**claims, name: DEV_ACCOUNTS["//Dave"]}, {**claims, name: 5}):
            token = base64.b64encode(json.dumps(changed).encode()).decode()
            assert not gate.admits(token, issued(vector)), name
    for garbage in ("", "x", "\u00e9", "e30=", "WzFd", base64.b64encode(b"[" * 5000).decode()):
        assert not gate.admits(garbage, issued(vector))
