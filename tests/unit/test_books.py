"""The judgement of one era by what ledger, gateway and chain say, without any of them."""

from datetime import timedelta
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from staking_gateway.books.compare import Nonces, Sides, execution, nonces, unrecorded
from staking_gateway.books.reconcile import _amounts, _block, _requested, compare_statuses, judge_amounts, note_amounts
from staking_gateway.chain import EraReward
from staking_gateway.errors import Failed, GatewayError, InvalidEra
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.types import AccountId, NonceKind, RequestState, RequestStatus, StakingStatus
from tests.support.alerting import HOUR, START
from tests.support.alerting import network as network_settings
from tests.support.ledgers import NETWORK, NOW, USER, judged, planned, put

FIRST, SECOND = (f"00000000-0000-4000-8000-00000000000{number}" for number in (1, 2))
DONE, GONE = RequestStatus.PROCESSED, RequestStatus.REJECTED
LATER = NOW + timedelta(hours=1)


def at(ledger, now=LATER, *, node=None, gateway=None, network=None):
    """The sides of a comparison."""
    return Sides(NETWORK, network or network_settings(), ledger, gateway, node, Actor("test"), now)


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
        (PayoutState.EMPTY, {}, True, True, "agrees"),
        (PayoutState.EMPTY, {}, False, False, "unpaid_green"),
        (PayoutState.REJECTED, {FIRST: GONE}, False, True, "agrees"),
        (PayoutState.REJECTED, {FIRST: GONE}, True, False, "paid_elsewhere"),
        (PayoutState.SUBMITTED, {}, True, None, "unknown"),
    ],
)
def test_whether_an_era_is_paid(ledger, state, requests, on_chain, agrees, finding):  # noqa: PLR0917 - a table
    part = paid(ledger, state=state)
    parts = [judged(ledger, part, state) if state in (PayoutState.REJECTED, PayoutState.EMPTY) else part]
    sides = at(ledger)
    sides.request_states = lambda part: requests
    row = execution(sides, 1392, parts, on_chain, expected=True, automatic=False)
    assert (row.agrees, row.finding) == (agrees, finding)
    if agrees is False:
        sides.now = NOW
        fresh = execution(sides, 1392, parts, on_chain, expected=True, automatic=False)
        assert fresh.agrees is None or finding == "paid_twice" or GONE in requests.values()


@pytest.mark.parametrize(
    ("parts", "automatic", "expected", "finding"),
    [
        (1, True, True, "agrees"),
        (0, False, False, "unknown"),
        (0, False, True, "paid_elsewhere"),
        (2, False, True, "unknown"),
    ],
)
def test_what_the_chain_alone_calls_paid(ledger, parts, automatic, expected, finding):
    """Of an era with two calls."""
    sides = at(ledger, network=network_settings(payout={"parts": 2}))
    sides.request_states = lambda part: {}
    records = [paid(ledger), put(ledger, planned(ledger, 1392, 1), PayoutState.REJECTED)] if parts == 2 else []
    assert execution(sides, 1392, records, True, expected=expected, automatic=automatic).finding == finding


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
    assert unrecorded(NETWORK, told, on_record) == found


def test_an_era_is_found_paid_by_an_empty_part_with_the_number_of_its_executed_parts(ledger):
    paid(ledger, 10, PayoutState.EMPTY)
    paid(ledger, 14, PayoutState.REJECTED)
    paid(ledger, 15)
    assert ledger.eras_found_paid(NETWORK) == {10: 0}
    put(ledger, planned(ledger, 15, 1), PayoutState.EMPTY)
    assert ledger.eras_found_paid(NETWORK)[15] == 1


def test_foreign_nonces_agree_while_the_ledger_knows_as_many_calls_of_others(ledger):
    records, foreign = [paid(ledger)], {1392: [range(1390, 1392)]}
    for agrees in (True, False):
        user = Nonces(NonceKind.STAKING, 1393, foreign=foreign, explained=agrees)
        for parts in (records, []):
            (told,) = nonces(at(ledger), 1392, parts, user)
            assert (told.agrees, told.finding) == (agrees, "agrees" if agrees else "paid_elsewhere")
    unused = nonces(at(ledger), 1392, records, Nonces(NonceKind.STAKING, 1392, foreign=foreign, explained=True))
    assert unused[0].finding == "unpaid_green", "its own nonce is free on the chain"


class Gateway:
    """A gateway that answers only for one request."""

    def request_state(self, request):
        status = {FIRST: GONE, SECOND: DONE}[request]
        return RequestState(status, status.value)


def test_every_request_that_the_ledger_has_known_is_asked_for(ledger):
    payout = paid(ledger, state=PayoutState.SUBMITTED)
    assert at(ledger, gateway=Gateway()).request_states(payout) == {FIRST: GONE}
    payout = put(ledger, payout, PayoutState.UNKNOWN)
    lost = at(ledger, gateway=Gateway()).request_states(payout)
    assert lost == {FIRST: GONE, "": None}, "what became of the lost send is unknown"
    found = paid(ledger, state=PayoutState.SUBMITTED, request_id=SECOND)
    assert at(ledger, gateway=Gateway()).request_states(found) == {FIRST: GONE, "": None, SECOND: DONE}


@pytest.mark.parametrize("how", [Failed.TIMEOUT, Failed.NO_METHOD])
def test_a_gateway_that_does_not_answer_is_asked_once(ledger, how):
    payout = put(ledger, paid(ledger, state=PayoutState.SUBMITTED), PayoutState.SUBMITTED, request_id=SECOND)
    gateway = Mock(request_state=Mock(side_effect=GatewayError("away", method="requestState", how=how)))
    sides = at(ledger, gateway=gateway)
    assert sides.request_states(payout) == {FIRST: None, SECOND: None}
    assert ("away" in sides.gateway_problem, gateway.request_state.call_count) == (True, 1)


def test_what_accounts_got_is_known_of_all_parts_or_of_none(ledger):
    part = paid(ledger)
    node = Mock(**{"state.return_value": SimpleNamespace(active_era=10), "block_of_nonce.return_value": 7})
    sides = at(ledger, START + 10 * HOUR, node=node)
    assert _block(sides, part) == 7
    node.paid_rewards.return_value = {"0xaa": 10}
    assert _amounts(sides, 1392, {7, 8}) == {"0xaa": 20}
    node.paid_rewards.return_value = "several payouts"
    assert _amounts(sides, 1392, {7, 8}) == "several payouts"
    node.block_of_nonce.return_value = None
    assert "the block of the payout" in _amounts(sides, 1392, {_block(sides, part)})
    assert judge_amounts(None, {"0xaa": 10}, noted=None, whole=True)[0] == "unknown"


def test_nothing_is_noted_of_an_era_that_may_not_have_ended_and_nothing_stored_of_no_era(ledger):
    sides = at(ledger, START + 9 * HOUR)
    assert sides.store(note_amounts(sides, [9])) == []
    assert ledger.facts.era(NETWORK, 9) is None


@pytest.mark.parametrize(
    ("asked", "field"),
    [((None, 100), "to_era"), ((30, 20), "from_era"), ((None, 9), "to_era"), (("x", None), "from_era")],
)
def test_eras_that_cannot_be_compared_are_refused_by_name(asked, field):
    assert _requested(range(10, 100), None, "20") == range(10, 21)
    with pytest.raises(InvalidEra) as refused:
        _requested(range(10, 100), *asked)
    assert refused.value.field == field


class Pruned:
    """A node that has the last blocks of era 9 alone."""

    def __init__(self):
        self.asked = []

    def state(self):
        return SimpleNamespace(active_era=10)

    def staking_at_end_of(self, era, accounts):
        self.asked.append(era)
        known = {account.hex: StakingStatus.IS_STAKING for account in accounts}
        return known if era == 9 else "use an archive node"


def test_a_node_without_the_blocks_of_an_era_is_not_asked_for_older_ones(ledger):
    node = Pruned()
    for era in range(5, 10):
        ledger.record_statuses(NETWORK, era, [(USER, StakingStatus.IS_STAKING)])
    eras = range(4, 11)
    found = compare_statuses(at(ledger, START + 10 * HOUR, node=node), eras, expected=range(0))
    assert node.asked == [9, 8]
    assert {row.era: row.agrees for row in found} == {9: True, 8: None, 7: None, 6: None, 5: None}
    assert "use an archive node" in found[-1].text


def test_a_mistaken_account_stops_no_comparison_and_the_others_are_stored(ledger):
    settings = network_settings([{"account": USER.hex}, {"account": AccountId(b"", USER.address[:-1] + "x")}])
    sides = at(ledger, START + 10 * HOUR, node=Pruned(), network=settings)
    compare_statuses(sides, [9], expected=range(9, 10))
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
    shares, reward = dict.fromkeys("abcd", each), EraReward(total, 1)
    found = "agrees" if agrees else "amount_differs"
    assert judge_amounts(reward, shares, noted=total, whole=True)[0] == found
    less = "unknown" if not agrees and 4 * each < total else found
    assert judge_amounts(reward, shares, noted=total, whole=False)[0] == less
