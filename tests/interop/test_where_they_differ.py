"""Where the published client leaves the interface document, or loses something on the way. Each is known, and none is ours."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest
from network import ACTIVE_ERA, DAVE, METHOD, PAYER, ask, request_payouts, sent, settings

from staking_gateway import GatewayClient
from staking_gateway.errors import EraUnknown
from staking_gateway_simulator.running import RunningSimulator
from tests.support.payouts import pay

ERA = ACTIVE_ERA - 1


def test_an_era_sent_as_a_number_is_refused_for_the_document_says_string(paying):
    with RunningSimulator(settings()) as simulator:
        (answer,), heard = request_payouts(paying, simulator, ERA)
        assert [request["params"]["era"] for request in sent(heard, "/send")] == [ERA, ERA]
        assert simulator.control.truth()["requests"] == []
    assert f"invalid parameter (era) passed to {METHOD}: it must be a string" in answer["error"]


def test_it_leaves_the_fee_proof_of_a_third_payer_out_which_the_document_requires(paying):
    with RunningSimulator(settings()) as simulator:
        (answer,), heard = request_payouts(paying, simulator, str(ERA), suri="//Alice", payerAddress=PAYER.address)
        assert simulator.control.truth()["requests"] == []
    assert all("feePaymentSignature" not in request["params"] for request in sent(heard, "/send"))
    assert "invalid parameter (feePaymentSignature)" in answer["error"]


@pytest.mark.parametrize("as_number", [False, True], ids=["string", "number"])
def test_era_zero_is_an_era_to_it_as_a_string_and_a_failure_as_a_number_while_ours_trusts_neither(paying, as_number):
    newborn = settings(start_time=datetime(2026, 1, 1, tzinfo=timezone.utc), unpaid_eras=0, era_as_number=as_number)
    with RunningSimulator(newborn) as simulator:
        (answer,), (call,) = ask(paying, simulator, ["query", "getActiveEra"])
        with GatewayClient(simulator.url, simulator.token) as gateway, pytest.raises(EraUnknown):
            gateway.active_era()
    assert call["answer"]["result"] == (0 if as_number else "0")
    assert answer.get("value") == (None if as_number else "0")
    assert ("error" in answer) is as_number


def test_it_rounds_nonces_beyond_2_to_the_53_and_signs_the_wrong_one(paying):
    nonce = 2**53 + 1
    with RunningSimulator(settings()) as simulator:
        simulator.control.nonce(PAYER.hex, "payment", nonce)
        (answer,), heard = request_payouts(paying, simulator, str(ERA))
        assert {request["params"]["paymentNonce"] for request in sent(heard, "/send")} == {str(nonce - 1)}
        assert f"invalid payment nonce: the payer's current one is {nonce}" in answer["error"]
        with GatewayClient(simulator.url, simulator.token) as gateway:
            pay(gateway, DAVE, DAVE, ERA)
        simulator.control.advance(seconds=1)
        assert [payout["payment_nonce"] for payout in simulator.control.truth()["payouts"]] == [nonce]


def test_it_signs_again_after_a_refusal_and_loses_the_id_of_what_it_sent(paying):
    with RunningSimulator(settings(batch=50)) as simulator:
        (first, second), heard = request_payouts(paying, simulator, str(ERA), str(ERA))
        requests = simulator.control.truth()["requests"]
    # It counts nonces on in memory: the second call's are those that hold only once the first one was executed.
    assert [request["params"]["paymentNonce"] for request in sent(heard, "/send")] == ["0", "1", "0"]
    assert requests[0]["request_id"] == first["value"]
    assert len(requests) == 2
    assert second == {}


def test_the_newest_one_takes_a_refusal_for_an_empty_answer(client):
    with RunningSimulator(settings()) as simulator:
        (answer,), (call,) = ask(client, simulator, ["query", "getStakingDelay"])
    assert call["answer"]["error"]["code"] == -32601
    assert ("error" in answer) is (client.version != "5.7.0")
    assert "value" not in answer
