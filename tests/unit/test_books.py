"""The judgement of one era by what ledger, gateway and chain say, without any of them."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from staking_gateway.books.amounts import NodeReads, Shares, _judge
from staking_gateway.books.execution import Sides, execution
from staking_gateway.books.nonces import Elsewhere, Nonces, _foreign, fees, nonces
from staking_gateway.books.statuses import compare_statuses
from staking_gateway.books.witnesses import GatewayReads, Requests
from staking_gateway.chain.history import PastStatuses
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.types import NonceKind, RequestState, RequestStatus, StakingStatus
from tests.support.alerting import HOUR, START
from tests.support.alerting import network as network_settings
from tests.support.ledgers import NETWORK, NOW, PAYER, USER, judged, planned, put, sqlite_url

FIRST, SECOND = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))
DONE, GONE = RequestStatus.PROCESSED, RequestStatus.REJECTED
LATER = NOW + timedelta(hours=1)
NONE = Elsewhere(0, 0)


@pytest.fixture
def ledger(tmp_path):
    opened = Ledger(sqlite_url(tmp_path), clock=lambda: NOW)
    yield opened
    opened.close()


def paid(ledger, era=1392, state=PayoutState.CONFIRMED, **changes):
    return put(ledger, planned(ledger, era), state, **{"fee": 5, "request_id": FIRST, "answer": "accepted", **changes})


@pytest.mark.parametrize(
    ("state", "requests", "on_chain", "agrees", "finding"),
    [
        (PayoutState.CONFIRMED, {FIRST: DONE}, True, True, "agrees"),
        (PayoutState.CONFIRMED, {FIRST: DONE}, False, False, "unpaid_green"),
        (PayoutState.CONFIRMED, {FIRST: DONE}, None, None, "unknown"),
        (PayoutState.CONFIRMED, {FIRST: GONE}, None, False, "unpaid_green"),
        (PayoutState.CONFIRMED, {FIRST: GONE}, True, True, "agrees"),
        (PayoutState.CONFIRMED, {FIRST: DONE, SECOND: DONE}, True, False, "paid_twice"),
        (PayoutState.CONFIRMED, {FIRST: DONE, SECOND: GONE}, True, True, "agrees"),
        (PayoutState.EMPTY, {}, True, True, "paid_elsewhere"),
        (PayoutState.EMPTY, {}, False, False, "unpaid_green"),
        (PayoutState.REJECTED, {FIRST: GONE}, False, True, "agrees"),
        (PayoutState.REJECTED, {FIRST: GONE}, True, False, "paid_elsewhere"),
        (PayoutState.SUBMITTED, {}, True, None, "unknown"),
    ],
)
def test_whether_an_era_is_paid(ledger, state, requests, on_chain, agrees, finding):  # noqa: PLR0917 - a table
    part = paid(ledger, state=state)
    parts = [judged(ledger, part, state) if state in (PayoutState.REJECTED, PayoutState.EMPTY) else part]
    sides = Sides(parts, {0: Requests(requests)}, on_chain, "why", 1, expected=True, automatic=False, now=LATER)
    verdict = execution(sides)
    assert (verdict.judged.agrees, verdict.judged.finding) == (agrees, finding)
    if agrees is False:
        fresh = execution(replace(sides, now=NOW)).judged
        assert fresh.agrees is None or finding == "paid_twice" or GONE in requests.values()


@pytest.mark.parametrize(
    ("on_record", "told", "found"),
    [
        ([], 7, {}),
        ([(5, NETWORK, 1)], 6, {}),
        ([(5, NETWORK, 1)], 8, {1: [range(6, 8)]}),
        ([(5, NETWORK, 1), (5, "other", 2), (9, NETWORK, 3)], 10, {3: [range(6, 9)]}),
        ([(5, NETWORK, 1), (9, "other", 3)], 10, {}),
        ([(5, NETWORK, 1), (9, NETWORK, 3)], 6, {}),
    ],
)
def test_used_nonces_without_a_record(on_record, told, found):
    assert _foreign(NETWORK, told, on_record) == found


def test_a_nonce_that_the_ledger_says_was_used_and_that_is_free_on_the_chain(ledger):
    records = [paid(ledger)]
    (told,) = nonces(1392, records, Nonces(1392), elsewhere=NONE, now=LATER)
    assert (told.judged.agrees, told.judged.finding, told.chain) == (False, "unpaid_green", "the next nonce is 1392")
    (told,) = fees(1392, records, Nonces(1392), now=LATER)
    assert (told.judged.agrees, told.judged.finding, told.ledger) == (False, "fee_differs", "5 for nonce 1392")
    assert nonces(1392, records, Nonces(1392), elsewhere=NONE, now=NOW)[0].judged.agrees is None


def test_nonces_of_payloads_that_failed_are_on_record(ledger):
    payout = judged(
        ledger, paid(ledger, 1392, PayoutState.REJECTED, staking_nonce=7, payment_nonce=3), PayoutState.REJECTED
    )
    put(ledger, payout, PayoutState.REJECTED, staking_nonce=8, payment_nonce=4)
    paid(ledger, 1393, staking_nonce=9, payment_nonce=5)
    on_record = [(8, NETWORK, 1392), (9, NETWORK, 1393)]
    assert ledger.nonces_on_record(NETWORK, USER, NonceKind.STAKING) == on_record, "another's nonce is none of ours"
    found = ledger.nonces_on_record(NETWORK, PAYER, NonceKind.PAYMENT)
    assert {nonce for nonce, _, _ in found} == {3, 4, 5}


def test_an_era_is_found_paid_by_an_empty_part_with_the_number_of_its_executed_parts(ledger):
    paid(ledger, 10, PayoutState.EMPTY)
    paid(ledger, 14, PayoutState.REJECTED)
    paid(ledger, 15)
    assert ledger.eras_found_paid(NETWORK) == {10: 0}
    put(ledger, planned(ledger, 15, 1), PayoutState.EMPTY)
    assert ledger.eras_found_paid(NETWORK)[15] == 1


@pytest.mark.parametrize(
    ("elsewhere", "agrees", "finding"),
    [
        ((2, None), True, "paid_elsewhere"),
        ((1, None), False, "paid_elsewhere"),
        ((1, 2), False, "paid_elsewhere"),
        ((1, 1), False, "paid_twice"),
        ((0, 1), False, "paid_twice"),
        ((2, None, False), True, "paid_elsewhere"),
        ((1, None, False), None, "unknown"),
        ((0, None, False), False, "paid_elsewhere"),
    ],
)
def test_foreign_nonces_agree_while_the_ledger_knows_as_many_calls_of_others(ledger, elsewhere, agrees, finding):
    user, elsewhere = Nonces(1393, foreign={1392: [range(1390, 1392)]}), Elsewhere(*elsewhere)
    (told,) = nonces(1392, [paid(ledger)], user, elsewhere=elsewhere, now=LATER)
    assert (told.judged.agrees, told.judged.finding) == (agrees, finding)
    (told,) = nonces(1392, [], replace(user, told=1392), elsewhere=elsewhere, now=LATER)
    assert told.judged.agrees is agrees
    unused = nonces(1392, ledger.era_payouts(NETWORK, 1392), replace(user, told=1392), elsewhere=elsewhere, now=LATER)
    assert unused[0].judged.agrees is False, "its own nonce is free on the chain"


class Gateway:
    """A gateway that answers only for one request."""

    def request_state(self, request):
        status = {FIRST: GONE, SECOND: DONE}[request]
        return RequestState(status, status.value)


def test_every_request_that_the_ledger_has_known_is_asked_for(ledger):
    payout = paid(ledger, state=PayoutState.SUBMITTED)
    first = GatewayReads(Gateway()).states(payout)
    assert (first.states, first.all_failed) == ({FIRST: GONE}, True)
    payout = put(ledger, payout, PayoutState.UNKNOWN)
    assert not GatewayReads(Gateway()).states(payout).all_failed, "what became of the lost send is unknown"
    found = GatewayReads(Gateway()).states(paid(ledger, state=PayoutState.SUBMITTED, request_id=SECOND))
    assert found.states == {FIRST: GONE, SECOND: DONE}
    assert (found.processed, found.all_failed) == ([SECOND], False)


class Pruned:
    """A node that has the last blocks of era 9 alone."""

    def __init__(self):
        self.asked = []

    def state(self):
        return SimpleNamespace(active_era=10)

    def staking_at_end_of(self, era, accounts):
        self.asked.append(era)
        known = {account.hex: StakingStatus.IS_STAKING for account in accounts}
        return PastStatuses(era, known if era == 9 else None, reason="" if era == 9 else "use an archive node")


def test_a_node_without_the_blocks_of_an_era_is_not_asked_for_older_ones(ledger):
    node = Pruned()
    for era in range(5, 10):
        ledger.record_statuses(NETWORK, era, [(USER, StakingStatus.IS_STAKING)])
    eras = range(4, 11)
    found = compare_statuses(
        NETWORK,
        network_settings(),
        eras,
        NodeReads(node, network_settings(), START + 10 * HOUR),
        expected=range(0),
        ledger=ledger,
        now=NOW,
    )
    assert node.asked == [9, 8]
    assert {era: verdict.judged.agrees for era, verdict in found.items()} == {
        9: True,
        8: None,
        7: None,
        6: None,
        5: None,
    }
    assert "use an archive node" in found[5].judged.text


def test_a_mistaken_account_stops_no_comparison_and_the_others_are_stored(ledger):
    settings = network_settings([{"account": USER.hex}, {"account": USER.address[:-1] + "x"}])
    compare_statuses(
        NETWORK,
        settings,
        [9],
        NodeReads(Pruned(), settings, START + 10 * HOUR),
        expected=range(9, 10),
        ledger=ledger,
        now=NOW,
    )
    assert ledger.statuses_of(NETWORK, range(20)) == {9: {USER.hex: StakingStatus.IS_STAKING}}


@pytest.mark.parametrize(
    ("total", "each", "agrees"),
    [
        (4 * 10**18 + 3, 10**18 + 1, True),  # each share is 0.75 units more, which the chain rounds up
        (4 * 10**18 + 3, 10**18 - 10**9, True),
        (4 * 10**18 + 3, 10**18 + 3, False),
        (4 * 10**18 + 3, 10**18 - 10**10, False),
    ],
)
def test_accounts_may_get_as_much_more_or_less_as_rounding_explains(total, each, agrees):
    shares = Shares(dict.fromkeys("abcd", each))
    assert _judge(total, 4 * each, shares, whole=True).agrees is agrees
    less = agrees is False and 4 * each < total
    assert _judge(total, 4 * each, shares, whole=False).agrees is (None if less else agrees)
