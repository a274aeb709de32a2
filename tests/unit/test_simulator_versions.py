"""What the simulated gateway accepts, refuses and tells, and what each setting of another version changes."""

import pytest

from tests.support.simulated import ACTIVE, DAVE, ERA, FEE


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
