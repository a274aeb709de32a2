"""Payouts made with the published JavaScript client, with ours, and with both."""

import uuid

import pytest
from network import ACTIVE_ERA, ALICE, BOB, DAVE, METHOD, PAYER, RELAYER, USER, request_payouts, sent, settings, values

from staking_gateway import GatewayClient
from staking_gateway.signing import ProofMaker
from staking_gateway.types import NonceKind
from staking_gateway_simulator.running import RunningSimulator

ERA = ACTIVE_ERA - 1
STAKING_NONCE, PAYMENT_NONCE = 2**53 + 1, 300
FEE = 2**64 + 1
BALANCE = 10**24
PARAMS = ["relayer", "user", "payer", "era", "proxySignature", "feePaymentSignature", "paymentNonce"]
"""Params of a payout request (interface document, section 2.2)."""


@pytest.fixture
def simulator():
    with RunningSimulator(settings(fee=FEE, balance=BALANCE)) as running:
        running.control.nonce(USER.hex, "staking", STAKING_NONCE)
        running.control.nonce(PAYER.hex, "payment", PAYMENT_NONCE)
        yield running


def post(paying, simulator, *posts):
    """Send ready-made params through the client's HTTP layer."""
    given = {"gateway": simulator.url, "options": {"suri": "//Eve"}, "method": METHOD, "posts": posts}
    told = paying.run("post", given)
    return told["answers"], told["heard"]


def proofs_of_theirs(paying, era=ERA):
    """The params of a payout, all proofs made by the client."""
    payout = {"kind": "payout", "suri": "//Alice", "relayer": RELAYER.hex, "era": str(era), "nonce": str(STAKING_NONCE)}
    (proxy,) = paying.run("sign", [payout])
    fee = {
        "kind": "fee_payment",
        "suri": "//Dave",
        "user": USER.address,
        "relayer": RELAYER.address,
        "proxySignature": proxy["signature"],
        "relayerFee": str(FEE),
        "paymentNonce": str(PAYMENT_NONCE),
    }
    (fee_payment,) = paying.run("sign", [fee])
    return params(proxy["signature"], fee_payment["signature"], era)


def proofs_of_ours(_, era=ERA):
    """The params of a payout, all proofs made by our signers."""
    proofs = ProofMaker(ALICE, DAVE).make(
        relayer=BOB.account, era=era, relayer_fee=FEE, staking_nonce=STAKING_NONCE, payment_nonce=PAYMENT_NONCE
    )
    return params(proofs.proxy_signature, proofs.fee_payment_signature, era)


def params(proxy_signature, fee_payment_signature, era):
    accounts = [RELAYER.address, USER.address, PAYER.address]
    fields = [*accounts, str(era), proxy_signature, fee_payment_signature, str(PAYMENT_NONCE)]
    return dict(zip(PARAMS, fields, strict=True))


def sent_by_theirs(paying, simulator, given):
    (answer,), _ = post(paying, simulator, given)
    return answer["value"]


def sent_by_ours(_, simulator, given):
    with GatewayClient(simulator.url, simulator.token) as gateway:
        return gateway.payout_stakers(
            relayer=given["relayer"],
            user=given["user"],
            payer=given["payer"],
            era=int(given["era"]),
            proxy_signature=given["proxySignature"],
            fee_payment_signature=given["feePaymentSignature"],
            payment_nonce=int(given["paymentNonce"]),
        )


@pytest.mark.parametrize("method", ["proxyPayoutstakers", "proxyPayoutStakers"])
def test_its_own_request_machinery_pays_an_era(paying, method):
    with RunningSimulator(settings(payout_method=method, fee=FEE, balance=BALANCE)) as simulator:
        (answer,), heard = request_payouts(paying, simulator, str(ERA), method=method)
        (request,) = sent(heard, "/send")
        assert request["method"] == method
        assert sorted(request["params"]) == sorted(PARAMS)
        assert all(isinstance(value, str) for value in request["params"].values())
        request_id = answer["value"]
        assert str(uuid.UUID(request_id)) == request_id
        states = []
        for seconds in (0, 0.5, 0.5):
            simulator.control.advance(seconds=seconds)
            states += values(paying, simulator, ["poll", "requestState", request_id])
        truth = simulator.control.truth()
    (payout,) = truth["payouts"]
    assert (payout["era"], payout["request_id"], payout["fee"]) == (ERA, request_id, str(FEE))
    assert payout["user"] == payout["payer"] == PAYER.address
    assert [state["status"] for state in states] == ["AwaitingToSend", "Pending", "Processed"]
    assert states[-1] == {
        "status": "Processed",
        "txHash": payout["tx_hash"],
        "blockNumber": str(payout["block"]),
        "transactionIndex": str(payout["index"]),
    }


@pytest.mark.parametrize("make", [proofs_of_ours, proofs_of_theirs])
@pytest.mark.parametrize("send", [sent_by_ours, sent_by_theirs])
def test_it_makes_no_difference_who_signs_and_who_sends(paying, simulator, make, send):
    request_id = send(paying, simulator, make(paying))
    (state,) = values(paying, simulator, ["poll", "requestState", request_id])
    assert state["status"] == "AwaitingToSend"
    simulator.control.advance(seconds=1)
    (payout,) = simulator.control.truth()["payouts"]
    assert payout["request_id"] == request_id
    assert (payout["user"], payout["payer"], payout["fee"]) == (USER.address, PAYER.address, str(FEE))
    assert (payout["era"], payout["staking_nonce"], payout["payment_nonce"]) == (ERA, STAKING_NONCE, PAYMENT_NONCE)
    with GatewayClient(simulator.url, simulator.token) as gateway:
        ours = gateway.request_state(request_id)
        assert gateway.nonce(USER, NonceKind.STAKING) == STAKING_NONCE + 1
    (theirs,) = values(paying, simulator, ["poll", "requestState", request_id])
    assert (ours.status, ours.tx_hash, ours.block_number) == (
        theirs["status"],
        theirs["txHash"],
        int(theirs["blockNumber"]),
    )
