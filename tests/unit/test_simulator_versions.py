"""Other versions of the gateway: what each setting changes in its answers and on its chain."""

import json
from datetime import datetime, timezone

import pytest

from staking_gateway.errors import InvalidInput
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import NonceKind
from staking_gateway_simulator.__main__ import build_parser, main, read_settings
from staking_gateway_simulator.control import Control
from staking_gateway_simulator.events import Doomed, Rejected, from_json
from staking_gateway_simulator.gateway import Call, Gateway
from staking_gateway_simulator.settings import SimulatorSettings
from staking_gateway_simulator.simulation import Simulation
from staking_gateway_simulator.truth import tell_truth

ALICE, BOB, CHARLIE, DAVE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie", "//Dave"))
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ACTIVE = 30
ERA = ACTIVE - 1
FEE = 10**17
BALANCE = 10**24
UNKNOWN = "6d1c6ee8-51a8-4c29-9a0c-31a1a31e2d1a"


class World:
    """A simulated gateway in one process, called as the interface document says. Its chain's clock moves only when told."""

    def __init__(self, state=None, **settings):
        given = {"manual_clock": True, "start_time": START, "unpaid_eras": 3, "balance": BALANCE, **settings}
        self.simulation = Simulation(SimulatorSettings(**given), state, START.timestamp)
        self._gateway = Gateway(self.simulation)

    def ask(self, path, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
        return json.loads(self._gateway.respond(Call(path, {"Authorization": "bearer simulator-token"}, body)).body)

    def refusal(self, path, method, **params):
        error = self.ask(path, method, **params)["error"]
        return error["code"], error["message"], error["data"].get("gatewayError")

    def params(self, era=ERA, *, user=ALICE, payer=CHARLIE, sent=None, signed_era=None, **signed):
        """Params of a payout; `sent` replaces some of them after signing."""
        chain = self.simulation.chain
        staking, payment = (
            chain.account(user.account.hex).staking_nonce,
            chain.account(payer.account.hex).payment_nonce,
        )
        given = {"relayer_fee": chain.fee, "staking_nonce": staking, "payment_nonce": payment, **signed}
        proofs = ProofMaker(user, payer).make(
            relayer=BOB.account, era=era if signed_era is None else signed_era, **given
        )
        return {
            "relayer": BOB.account.address,
            "user": user.account.address,
            "payer": payer.account.address,
            "era": str(era),
            "proxySignature": proofs.proxy_signature,
            "feePaymentSignature": proofs.fee_payment_signature,
            "paymentNonce": str(given["payment_nonce"]),
            **(sent or {}),
        }

    def send(self, params=None):
        return self.ask("/send", "proxyPayoutstakers", **(params or self.params()))["result"]

    def refused(self, params=None):
        return self.refusal("/send", "proxyPayoutstakers", **(params or self.params()))

    def poll(self, request_id):
        return self.ask("/poll", "requestState", requestId=request_id)["result"]

    def control(self, name, **fields):
        status, answer = Control(self.simulation).respond("POST", name, json.dumps(fields).encode())
        assert status == 200, answer

    def execute(self, params=None):
        """Send a payout and let the chain execute it."""
        request = self.send(params)
        self.control("advance", seconds=1)
        return request

    @property
    def truth(self):
        return tell_truth(self.simulation)

    def end(self, request_id):
        """What became of a request: status, reason and fee."""
        (entry,) = (entry for entry in self.truth["requests"] if entry["request_id"] == request_id)
        return entry["status"], entry["reason"], entry["fee"]

    def nonces(self):
        """The user's staking nonce and the payer's payment nonce."""
        chain = self.simulation.chain
        return chain.account(ALICE.account.hex).staking_nonce, chain.account(CHARLIE.account.hex).payment_nonce

    def charged(self):
        """What the payer has paid."""
        return BALANCE - self.simulation.chain.balance(CHARLIE.account.hex)


def open_window(world):
    world.control("window", state="open")
    return world.params()


def pay_before(world):
    world.execute()
    return world.params()


def expire(world):
    params = world.params(ACTIVE - 3)
    world.control("advance", eras=85)
    world.control("window", state="closed")
    return params


INNER = {
    "window": (open_window, "election window is open"),
    "active era": (lambda world: world.params(ACTIVE), "era 30 is still active"),
    "future era": (lambda world: world.params(ACTIVE + 9), "era 39 has not begun"),
    "paid era": (pay_before, "era 29 has already been paid out"),
    "expired era": (expire, "era 27 is more than 84 eras before the active era 115"),
    "era without stakers": (lambda world: world.params(ACTIVE - 9), "era 21 has no stakers"),
    "staking nonce": (lambda world: world.params(staking_nonce=5), "invalid proxy authorisation: "),
    "proof of another era": (lambda world: world.params(signed_era=ERA - 1), "invalid proxy authorisation: "),
}
"""Ways to break a rule of the payout itself, and how the reason begins."""
PAYMENT = {
    "payment nonce": (lambda world: world.params(payment_nonce=1), "invalid payment nonce: "),
    "signed payment nonce": (
        lambda world: world.params(payment_nonce=1, sent={"paymentNonce": "0"}),
        "invalid fee authorisation: ",
    ),
    "fee": (lambda world: world.params(relayer_fee=FEE + 1), "invalid fee authorisation: "),
    "payer": (lambda world: world.params(sent={"payer": DAVE.account.address}), "invalid fee authorisation: "),
}
"""Ways to break a rule of the fee's payment."""
WRONG = INNER | PAYMENT
wrong_payouts = pytest.mark.parametrize(("make", "reason"), WRONG.values(), ids=WRONG)
inner_failures = pytest.mark.parametrize(("make", "reason"), INNER.values(), ids=INNER)


# -- the door -------------------------------------------------------------------------------------------------------------


@wrong_payouts
def test_the_gateway_refuses_a_wrong_payout_unless_it_is_told_not_to(make, reason):
    world = World()
    code, _, told = world.refused(make(world))
    assert code == -32600
    assert told.startswith(reason)


@wrong_payouts
def test_without_door_checks_the_gateway_accepts_and_the_chain_rejects(make, reason):
    world = World(door_checks=False)
    params = make(world)
    before = world.nonces(), world.truth["fees_charged"]
    request = world.execute(params)
    status, told, fee = world.end(request)
    assert (status, fee) == ("Rejected", None)
    assert told.startswith(reason)
    assert (world.nonces(), world.truth["fees_charged"]) == before
    assert world.truth["fees_for_nothing"] == "0"
    assert world.poll(request)["status"] == "Rejected"


def test_without_door_checks_the_chain_rejects_a_payer_that_cannot_pay_the_fee():
    world = World(door_checks=False, balance=FEE - 1, fee_on_failure=True)
    status, reason, fee = world.end(world.execute())
    assert (status, fee) == ("Rejected", None)
    assert reason.startswith("the payer cannot afford the relayer fee")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("relayer", DAVE.account.address),
        ("relayer", BOB.account.hex),
        ("era", 29),
        ("era", "abc"),
        ("proxySignature", "0x12"),
        ("paymentNonce", None),
    ],
)
def test_without_door_checks_an_unknown_relayer_and_malformed_params_are_still_refused(name, value):
    world = World(door_checks=False)
    code, _, reason = world.refused(world.params(sent={name: value}))
    assert code == -32602
    assert f"({name})" in reason
    assert world.truth["requests"] == []


def test_without_door_checks_a_good_payout_is_executed():
    world = World(door_checks=False)
    assert world.end(world.execute()) == ("Processed", None, str(FEE))
    assert [payout["era"] for payout in world.truth["payouts"]] == [ERA]


def test_without_door_checks_the_window_at_the_execution_counts_and_with_them_the_window_at_the_door():
    for checks, status in ((False, "Rejected"), (True, "Processed")):
        world = World(door_checks=checks)
        request = world.send()
        world.control("window", state="open")
        world.control("advance", seconds=1)
        assert world.end(request)[0] == status
    world = World(door_checks=False)
    params = open_window(world)
    request = world.send(params)
    world.control("window", state="closed")
    world.control("advance", seconds=1)
    assert world.end(request)[0] == "Processed"


def test_without_door_checks_the_same_payload_is_accepted_after_its_execution_too_and_executed_once():
    world = World(door_checks=False)
    params = world.params()
    requests = [world.execute(params) for _ in range(3)]
    assert [world.end(request)[0] for request in requests] == ["Processed", "Rejected", "Rejected"]
    assert len(world.truth["payouts"]) == 1


# -- fees for nothing -----------------------------------------------------------------------------------------------------


@inner_failures
def test_a_payout_that_fails_for_itself_costs_its_fee(make, reason):
    world = World(door_checks=False, fee_on_failure=True)
    params = make(world)
    (staking, payment), charged = world.nonces(), world.charged()
    relayer, payouts = world.simulation.chain.balance(BOB.account.hex), len(world.truth["payouts"])
    status, told, fee = world.end(world.execute(params))
    assert (status, fee) == ("Rejected", str(FEE))
    assert told.startswith(reason)
    assert world.nonces() == (staking, payment + 1)
    assert world.charged() == charged + FEE
    assert world.simulation.chain.balance(BOB.account.hex) == relayer + FEE
    truth = world.truth
    assert (truth["fees_charged"], truth["fees_for_nothing"]) == (str(charged + FEE), str(FEE))
    assert len(truth["payouts"]) == payouts


@inner_failures
def test_by_default_such_a_failure_costs_nothing(make, reason):
    world = World(door_checks=False)
    params = make(world)
    before = world.nonces(), world.charged()
    assert world.end(world.execute(params))[2] is None
    assert (world.nonces(), world.charged()) == before


@pytest.mark.parametrize("era", [ERA, ACTIVE])
@pytest.mark.parametrize("wrong", PAYMENT.values(), ids=PAYMENT)
def test_a_wrong_payment_of_the_fee_costs_nothing_whatever_else_is_wrong(wrong, era):
    world = World(door_checks=False, fee_on_failure=True)
    params = {**wrong[0](world), "era": str(era)}
    assert world.end(world.execute(params))[::2] == ("Rejected", None)
    assert (world.nonces(), world.charged(), world.truth["fees_for_nothing"]) == ((0, 0), 0, "0")


def test_a_payout_that_became_wrong_after_the_door_costs_its_fee_too():
    world = World(fee_on_failure=True)
    request = world.send()
    world.control("nonce", account=ALICE.account.hex, kind="staking")
    world.control("advance", seconds=1)
    assert world.end(request)[::2] == ("Rejected", str(FEE))
    assert world.nonces() == (1, 1)


def test_a_request_that_fails_without_a_reason_of_its_own_costs_nothing():
    world = World(fee_on_failure=True)
    request = world.send()
    world.simulation.happen(Doomed(request, "Rejected", "the transaction failed on the chain"))
    world.control("advance", seconds=1)
    assert world.end(request)[::2] == ("Rejected", None)


def test_a_fee_of_zero_moves_the_payment_nonce_all_the_same():
    world = World(door_checks=False, fee_on_failure=True, fee=0)
    assert world.end(world.execute(world.params(ACTIVE)))[2] == "0"
    assert (world.nonces(), world.truth["fees_for_nothing"]) == ((0, 1), "0")


def test_a_stale_node_does_not_know_the_payment_nonce_of_a_failed_payout_either():
    world = World(door_checks=False, fee_on_failure=True)
    world.execute(world.params(ACTIVE))
    chain, since = world.simulation.chain, world.simulation.now - 5_000_000
    used = [chain.nonces_used_since(key.account.hex, kind, since) for key in (ALICE, CHARLIE) for kind in NonceKind]
    expected = [(key is CHARLIE and kind is NonceKind.PAYMENT) for key in (ALICE, CHARLIE) for kind in NonceKind]
    assert used == expected


def test_fees_for_nothing_outlive_the_process(tmp_path):
    settings = {"state": tmp_path / "s.db", "door_checks": False, "fee_on_failure": True}
    world = World(**settings)
    world.execute(world.params(ACTIVE))
    world.execute()
    truth, nonces = world.truth, world.nonces()
    world.simulation.close()
    world = World(**settings)
    assert (world.truth, world.nonces()) == (truth, nonces)
    assert (truth["fees_charged"], truth["fees_for_nothing"], nonces) == (str(2 * FEE), str(FEE), (1, 2))
    world.simulation.close()


def test_the_state_file_of_an_older_simulator_is_read(tmp_path):
    world = World(tmp_path / "s.db", door_checks=False)
    rejected = world.execute(world.params(ACTIVE))
    file = world.simulation._file._database
    (text,) = file.execute("SELECT event FROM events WHERE event LIKE '%Rejected%'").fetchone()
    fields = json.loads(text)
    older = {name: value for name, value in fields.items() if name not in ("inner", "fee")}
    assert len(older) == len(fields) - 2
    file.execute("UPDATE events SET event = ? WHERE event LIKE '%Rejected%'", (json.dumps(older),))
    world.simulation.close()
    world = World(tmp_path / "s.db", inner_failure_status="Processed")
    assert world.end(rejected)[::2] == ("Rejected", None)
    assert world.poll(rejected)["status"] == "Rejected"
    assert from_json(json.dumps(older)) == Rejected(**{key: value for key, value in older.items() if key != "event"})
    world.simulation.close()


# -- /poll ----------------------------------------------------------------------------------------------------------------


def test_the_oldest_version_tells_the_state_as_one_word():
    world = World(poll_form="bare", door_checks=False)
    assert world.poll(UNKNOWN) == "Transaction not found"
    requests = [world.send(), world.send(world.params(ACTIVE)), world.send(), world.send()]
    world.simulation.happen(Doomed(requests[2], "SendingFailed", "not sent"))
    world.simulation.happen(Doomed(requests[3], "PayerRefused", "not paid"))
    told = []
    for _ in range(3):
        told.append([world.poll(request) for request in requests])
        world.control("advance", seconds=0.5)
    assert told == [["Pending"] * 4, ["Pending"] * 4, ["Processed", "Rejected", "Rejected", "Rejected"]]


def test_another_version_fails_to_poll_an_unknown_request_and_tells_a_known_one_as_an_object():
    world = World(poll_form="error")
    assert world.refusal("/poll", "requestState", requestId=UNKNOWN) == (
        -32603,
        "Internal error",
        "failed to poll chain",
    )
    assert world.poll(world.execute())["status"] == "Processed"


@pytest.mark.parametrize("form", ["object", "bare"])
def test_a_status_can_call_a_failed_payout_processed_while_the_truth_does_not(form):
    world = World(door_checks=False, inner_failure_status="Processed", poll_form=form)
    failed, unpaid = world.execute(world.params(ACTIVE)), world.execute(world.params(relayer_fee=1))
    told = [state if form == "bare" else state["status"] for state in map(world.poll, (failed, unpaid))]
    assert told == ["Processed", "Rejected"]
    assert [world.end(request)[0] for request in (failed, unpaid)] == ["Rejected", "Rejected"]
    assert (world.truth["payouts"], world.nonces()) == ([], (0, 0))
    if form == "object":
        assert set(world.poll(failed)) == {"txHash", "status", "blockNumber", "transactionIndex"}


@pytest.mark.parametrize("status", ["SendingFailed", "PayerRefused"])
@pytest.mark.parametrize("setting", ["null", "request_id"])
def test_the_hash_of_what_could_not_be_sent_may_be_the_request_id(status, setting):
    world = World(tx_hash_of_failed=setting)
    request = world.send()
    world.simulation.happen(Doomed(request, status, "it did not reach the chain"))
    assert world.poll(request) == {"txHash": None, "status": "AwaitingToSend"}
    world.control("advance", seconds=1)
    holds_id = setting == "request_id" and status == "SendingFailed"
    assert world.poll(request) == {"txHash": request if holds_id else None, "status": status}


# -- the words of refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["signed payment nonce", "fee", "payer"])
def test_a_wrong_fee_proof_can_be_an_internal_error_that_tells_the_whole_signature(wrong):
    world = World(internal_refusals=True)
    params = PAYMENT[wrong][0](world)
    # As it was submitted: hex digits may be capital letters.
    params["feePaymentSignature"] = "0x" + params["feePaymentSignature"][2:].upper()
    told = f"Error: invalid fee authorisation: {params['feePaymentSignature']}"
    assert world.refused(params) == (-32603, "Internal error", told)
    assert world.truth["requests"] == []


@pytest.mark.parametrize("checks", [True, False])
def test_an_unknown_relayer_can_be_an_internal_error(checks):
    world = World(internal_refusals=True, door_checks=checks)
    told = (
        -32603,
        "Internal error",
        "Error: could not get relayer fee: this gateway does not work for the relayer",
    )
    relayer = DAVE.account.address
    assert world.refused(world.params(sent={"relayer": relayer})) == told
    assert world.refusal("/query", "getRelayerFees", relayer=relayer) == told


@pytest.mark.parametrize("wrong", [*INNER, "payment nonce"])
def test_other_refusals_stay_invalid_requests(wrong):
    world = World(internal_refusals=True)
    make, reason = WRONG[wrong]
    code, message, told = world.refused(make(world))
    assert (code, message) == (-32600, "Invalid Request")
    assert told.startswith(reason)


def test_the_words_of_an_open_window_can_be_others():
    world = World(window_text="Era election is in progress")
    assert world.refused(open_window(world)) == (-32600, "Invalid Request", "Era election is in progress")


@pytest.mark.parametrize("text", ["election window is open", "Window is OPEN"])
def test_the_words_of_an_open_window_can_be_the_message(text):
    world = World(window_text=text, window_in_message=True)
    params = open_window(world)
    error = world.ask("/send", "proxyPayoutstakers", **params)["error"]
    assert (error["code"], error["message"], set(error["data"])) == (-32600, text, {"request"})
    assert json.loads(error["data"]["request"])["params"] == params


def test_a_window_that_opens_between_both_looks_is_refused_with_the_same_words(monkeypatch):
    world = World(window_text="shut", window_in_message=True)
    params, submit = world.params(), world.simulation.submit

    def submit_late(call):
        world.control("window", state="open")
        return submit(call)

    monkeypatch.setattr(world.simulation, "submit", submit_late)
    error = world.ask("/send", "proxyPayoutstakers", **params)["error"]
    assert (error["code"], error["message"]) == (-32600, "shut")


@pytest.mark.parametrize("strict", [False, True])
def test_the_transaction_type_of_a_fee_may_have_to_be_spelt_exactly(strict):
    world = World(strict_transaction_type=strict, payout_method="proxyPayoutStakers")
    relayer = BOB.account.address
    ask = {"relayer": relayer, "user": CHARLIE.account.address}
    assert world.ask("/query", "getRelayerFees", transactionType="proxyPayoutStakers", **ask)["result"] == str(FEE)
    unknown = (-32602, "Invalid params", "invalid transaction type")
    assert world.refusal("/query", "getRelayerFees", transactionType="proxyTransfer", **ask) == unknown
    if strict:
        assert world.refusal("/query", "getRelayerFees", transactionType="proxyPayoutstakers", **ask) == unknown
    else:
        assert world.ask("/query", "getRelayerFees", transactionType="proxyPayoutstakers", **ask)["result"] == str(FEE)
    assert world.ask("/query", "getRelayerFees", relayer=relayer)["result"] == {"proxyPayoutStakers": str(FEE)}


# -- choosing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("poll_form", "oldest"),
        ("poll_form", None),
        ("inner_failure_status", "processed"),
        ("tx_hash_of_failed", "id"),
        ("window_text", ""),
    ],
)
def test_a_value_that_is_no_choice_is_refused_by_name(name, value):
    with pytest.raises(InvalidInput) as refused:
        SimulatorSettings(**{name: value})
    assert refused.value.field == name


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


@pytest.mark.parametrize("flag", ["--poll-form", "--inner-failure-status", "--tx-hash-of-failed"])
def test_a_flag_takes_only_its_choices(flag, capsys):
    with pytest.raises(SystemExit):
        build_parser().parse_args([flag, "other"])
    assert "invalid choice: 'other'" in capsys.readouterr().err


def test_an_empty_text_of_the_window_ends_with_one_line_and_status_2(tmp_path, capsys):
    assert main(["--port", "0", "--state", str(tmp_path / "s.db"), "--window-text", ""]) == 2
    assert capsys.readouterr().err == "Error: window_text: is empty. Write a text, e.g. election window is open\n"
