"""The comparison of ledger, gateway and chain, with the real engine, clients and ledger, against the simulator and its node."""

import re
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.books.compare import Sides
from staking_gateway.books.reconcile import note_amounts, reconcile
from staking_gateway.chain import ChainReader, EraReward
from staking_gateway.config.models import NetworkConfig
from staking_gateway.errors import ChainError, Failed, StakingGatewayError
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.gateway.gateway import Gateway
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.ledger.records import EraFacts, Reconciliation
from staking_gateway.payout.drive import pay_eras
from staking_gateway.payout.engine import PayoutEngine
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.payout.terms import terms_of
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.text import Token
from staking_gateway.types import AccountId, ElectionWindow, StakingStatus
from staking_gateway_simulator.accounts import staker
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import DEFAULT_ERA_REWARD, SimulatorSettings
from tests.support.failed import fails
from tests.support.ledgers import sqlite_url
from tests.support.nodes import close_nodes

ALICE, BOB, CHARLIE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie"))
NAME = "testnet"
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ACTIVE, FIRST = 30, 19
STAKER = staker(20)
RUN = Actor("airflow staking/test")
SETTINGS = {
    "relayer": BOB.account.address,
    "user": ALICE.account.address,
    "payer": CHARLIE.account.address,
    "calendar": {"era_length": "20s", "anchors": [{"era": 0, "start": "2026-01-01T00:00:00Z"}]},
    "timing": {"poll_interval": "0.1s"},
    "accounts": [STAKER],
}


class Node:
    """A node of which some methods are replaced."""

    def __init__(self, node, **methods):
        self._node = node
        vars(self).update(methods)

    def __getattr__(self, name):
        return getattr(self._node, name)


def refuse(*_):
    raise ChainError("no such method", method="state_call", how=Failed.NODE_REFUSED)


class Books:
    """An installation that pays the eras of a simulated chain."""

    def __init__(self, simulator, folder):
        self.control = simulator.control
        self.plain = GatewayClient(simulator.url, simulator.token)
        self.ledger = Ledger(sqlite_url(folder))
        self.settings = dict(SETTINGS)
        self.node = ChainReader(simulator.url + "/node", timeout=10)
        self.client = Gateway(GatewayClient(simulator.url, simulator.token), self.node)
        self.now = START + timedelta(seconds=1)

    @property
    def network(self):
        return NetworkConfig.model_validate(self.settings)

    def engine(self, client, **terms):
        quick = dict.fromkeys(("poll_interval", "lag", "finalized_within"), timedelta(seconds=0.1))
        terms = replace(terms_of(NAME, self.network), calendar=None, **quick, **terms)
        return PayoutEngine(terms, client, ProofMaker(ALICE, CHARLIE), self.ledger, RUN)

    def pay(self, *eras, **terms):
        """The gateway alone confirms an era of one call: a node would contradict what these tests plant."""
        gateway = self.plain if terms.get("parts", self.network.payout.parts) == 1 else self.client
        for era in eras:
            (outcome,) = pay_eras(self.engine(gateway, **terms), [era])
            assert outcome.outcome is Outcome.PAID

    def pay_without_node(self, era):
        """The gateway alone says whether the era is paid."""
        list(pay_eras(self.engine(self.plain), [era]))
        return self.ledger.payout(NAME, era, 0)

    def compare(self, node="own", *, later=timedelta(0), **eras):
        settled = timedelta(
            hours=1
        )  # confirmations have the time of this machine, which is later than that of the chain
        records = self.ledger.payouts_of(NAME, range(ACTIVE))
        confirmed = [part.confirmed_at for parts in records.values() for part in parts if part.confirmed_at]
        now = max([self.now, *(at + settled for at in confirmed)]) + later
        anchor = {"era": ACTIVE, "start": (now - timedelta(seconds=1)).isoformat()}
        network = NetworkConfig.model_validate(
            {**self.settings, "calendar": {"era_length": "20s", "anchors": [anchor]}}
        )
        asked = self.node if node == "own" else node
        return reconcile(Sides(NAME, network, self.ledger, self.client, asked, RUN, now), **eras)

    def sides(self, now):
        """The ledger beside the node."""
        return Sides(NAME, self.network, self.ledger, None, self.node, RUN, now)

    def found(self, **options):
        """The differences as era, subject and finding."""
        return [(row.era, row.subject, row.finding) for row in self.compare(**options).differences]


@pytest.fixture
def simulator(request):
    settings = {"stakers": 60, "batch": 60, "confirm_seconds": 0, "unpaid_eras": ACTIVE - FIRST}
    options = {"manual_clock": True, "start_time": START, **settings, **getattr(request, "param", {})}
    with RunningSimulator(SimulatorSettings(**options)) as running:
        yield running
        close_nodes()


@pytest.fixture
def books(simulator, tmp_path):
    opened = Books(simulator, tmp_path)
    with closing(opened.ledger), opened.client, opened.plain:
        yield opened


def test_eleven_paid_eras_agree_in_every_subject_and_their_rewards_are_in_the_ledger(books):
    books.pay(*range(FIRST, ACTIVE))
    compared = books.compare()
    assert compared.eras == range(FIRST, ACTIVE)
    assert compared.counts() == {"agree": 55, "differ": 0, "unknown": 0}, [
        row for row in compared.rows if not row.agrees
    ]
    compared.raise_unless_compared()
    assert {*books.ledger.facts.rows(Reconciliation, NAME, compared.eras)} == {*compared.rows}
    rewards = [facts.reward for era in compared.eras if (facts := books.ledger.facts.era(NAME, era))]
    assert rewards == [DEFAULT_ERA_REWARD] * 11
    first = compared.rows[0]
    assert (first.ledger_says[:8], first.chain_says, first.gateway_says[-9:]) == ("paid, 0x", "paid", "Processed")


def test_the_simulators_node_tells_what_its_gateway_does(books):
    for change in ({"seconds": 14}, {"seconds": 1}, {"eras": 1}):
        books.control.advance(**change)
        state = books.node.state()
        assert (state.active_era, state.window) == (books.plain.active_era(), books.plain.election_window())
    assert state.window is ElectionWindow.OPEN
    assert books.node.token() == Token("SIM", 18)


class TestPlanted:
    """Differences that the simulator plants, and no other is found."""

    def test_an_era_paid_elsewhere_with_the_user_and_the_payer_of_the_ledger(self, books):
        books.pay(20)
        books.control.pay_elsewhere(21, user=ALICE.account.address, payer=CHARLIE.account.address)
        books.pay(22)
        assert books.found(from_era=22) == [(22, "fee", "fee_differs"), (22, "nonces", "paid_elsewhere")]
        assert books.found() == [
            (21, "execution", "paid_elsewhere"),
            (22, "fee", "fee_differs"),
            (22, "nonces", "paid_elsewhere"),
        ]

    @pytest.mark.parametrize("simulator", [{"batch": 20}], indirect=True)
    @pytest.mark.parametrize("parts", [3, "until_empty"])
    def test_an_era_paid_elsewhere_in_several_calls(self, books, parts):
        books.settings["payout"] = {"parts": parts}
        books.pay(20)
        for _ in range(3):
            books.control.pay_elsewhere(21, user=ALICE.account.address)
        books.pay(22)
        assert books.found() == [(21, "execution", "paid_elsewhere"), (22, "nonces", "paid_elsewhere")]

    def test_an_era_that_is_green_and_unpaid(self, books):
        books.pay(20)
        books.control.leave_unpaid()
        books.pay(21)
        books.pay(22)
        compared = books.compare()
        difference, amount = compared.differences
        assert (difference.era, difference.subject, difference.finding) == (21, "execution", "unpaid_green")
        assert (amount.era, amount.subject, amount.ledger_says) == (21, "amount", "accounts got 0")
        assert (difference.chain_says, difference.gateway_says[-9:]) == ("unpaid", "Processed")
        with pytest.raises(
            StakingGatewayError, match=r"era 21: the ledger says paid, 0x\w+, and the chain says unpaid"
        ) as caught:
            compared.raise_unless_compared()
        assert caught.value.problem.topic.anchor == "books"


class TestPaidMeanwhile:
    """This installation pays an era while the chain is asked about it."""

    @pytest.mark.parametrize(("first", "agrees"), [("payout", True), ("answer", None)])
    def test_a_payout_before_or_after_the_answer_of_the_chain_is_no_difference(self, books, first, agrees):
        def era_paid(era):
            unpaid = books.node.era_paid(era)
            if era == 25:
                books.pay(era)
            return books.node.era_paid(era) if first == "payout" else unpaid

        books.pay(20)
        compared = books.compare(node=Node(books.node, era_paid=era_paid), later=timedelta(minutes=-59))
        (row,) = [row for row in compared.rows if (row.era, row.subject) == (25, "execution")]
        assert row.agrees is agrees, row.text
        assert compared.differences == []


class TestUnknown:
    def test_a_dead_node_leaves_everything_unknown_and_a_known_difference_stays(self, books):
        books.pay(20)
        books.control.leave_unpaid()
        books.pay(21)
        assert books.found() == [(21, "execution", "unpaid_green"), (21, "amount", "amount_differs")]
        dead = ChainReader("http://127.0.0.1:1", timeout=1)
        compared = books.compare(node=dead)
        told = {(row.era, row.subject): row.agrees for row in compared.rows}
        known = {(21, "execution"): False, (21, "amount"): False}
        assert told == {**dict.fromkeys(told), **known}
        assert {era for era, subject in told if subject == "execution"} == {*range(20, ACTIVE)}
        assert "system_chain" in str(compared) or "connect" in str(compared)
        with pytest.raises(StakingGatewayError):
            compared.raise_unless_compared()
        stored = books.ledger.facts.rows(Reconciliation, NAME, range(20, 22))
        assert [row.era for row in stored if row.agrees is False] == [21, 21]
        assert [row.agrees for row in stored][:5] == [True] * 5, "unknown replaces no known result"

    def test_one_that_knows_nothing_undoes_none_that_is_stored_meanwhile(self, books, monkeypatch):
        books.pay(20)
        known, facts = books.compare().rows[0], books.ledger.facts
        newer, read = replace(known, agrees=False, finding="paid_elsewhere"), facts.rows

        def slowly(*asked):
            rows = read(*asked)
            facts.note(newer)
            return rows

        monkeypatch.setattr(facts, "rows", slowly)
        books.sides(books.now).store([replace(known, agrees=None, finding="unknown")])
        assert newer in read(Reconciliation, NAME, range(20, 21))

    def test_a_node_that_does_not_tell_paid_eras_ends_the_comparison_with_its_error_and_known_results_are_stored(
        self, books
    ):
        books.pay(20)
        compared = books.compare(node=Node(books.node, era_paid=refuse))
        assert {row.subject: row.agrees for row in compared.rows if row.era == 20} == {
            "execution": None,
            "fee": True,
            "nonces": True,
            "amount": None,
        }
        stored = books.ledger.facts.rows(Reconciliation, NAME, range(20, 21))
        assert {row.subject for row in stored if row.agrees} == {"fee", "nonces"}
        with fails(Failed.NODE_REFUSED):
            compared.raise_unless_compared()


class TestAmounts:
    def test_the_watched_accounts_got_what_truly_happened(self, books):
        books.pay(20, 21)
        books.compare()
        found = [one for one in books.ledger.views.rows("staking_rewards", NAME, range(20, 21)) if one.account_key]
        told = {one.account_key: one.amount for one in found}
        truth = books.control.rewards()["accounts"]
        assert told == {STAKER: int(truth[STAKER])}
        assert found[0].source == "events"

    @pytest.mark.parametrize("simulator", [{"batch": 30}], indirect=True)
    @pytest.mark.parametrize("parts", [2, "until_empty"])
    def test_an_era_of_which_something_else_paid_a_part_is_unknown(self, books, parts):
        books.settings["payout"] = {"parts": parts}
        books.pay(20, parts=1)
        books.control.advance(seconds=3)  # another block
        books.control.pay_elsewhere(20)
        books.pay_without_node(20)
        assert [part.state for part in books.ledger.era_payouts(NAME, 20)] == [PayoutState.CONFIRMED, PayoutState.EMPTY]
        (row,) = [row for row in books.compare().rows if row.subject == "amount"]
        assert (row.agrees, row.text.endswith("the rest may be unpaid, or paid by something else")) == (None, True)

    def test_a_reward_of_which_a_part_is_unknown_is_no_total_and_says_why(self, books):
        books.pay(20)
        partly = EraReward(None, 7, "partly unknown: item Staking.X may hold a part of the reward. Use a newer version")
        compared = books.compare(Node(books.node, era_reward=lambda era: partly))
        (row,) = [row for row in compared.rows if row.subject == "amount"]
        assert (row.agrees, row.chain_says, row.text) == (
            None,
            None,
            f"era 20: the reward of the era is {partly.reason}",
        )
        assert books.ledger.facts.era(NAME, 20).reward is None

    def test_a_node_far_from_the_calendar_tells_neither_reward_nor_token(self, books):
        books.pay(20)
        sides = books.sides(books.now + timedelta(days=365))
        note_amounts(sides, [20])
        assert "by the calendar, so the node is not asked" in sides.node_problem
        facts = books.ledger.facts.era(NAME, 20)
        assert (facts.reward, facts.symbol, facts.decimals) == (None, None, None)

    def test_a_total_of_another_chain_is_named_and_the_chains_replaces_it(self, books):
        books.pay(20)
        other = EraFacts(network=NAME, era=20, reward=7, reward_source="storage", reward_block=1, noted_at=START)
        books.ledger.facts.note(other)
        (difference,) = books.compare().differences
        assert (difference.subject, difference.finding) == ("amount", "amount_differs")
        assert f"was 7 in the ledger, and is {DEFAULT_ERA_REWARD} on the chain" in difference.text
        assert books.ledger.facts.era(NAME, 20).reward == DEFAULT_ERA_REWARD
        assert books.found() == []

    @pytest.mark.parametrize("simulator", [{"pruned": 3}], indirect=True)
    def test_a_pruned_block_leaves_them_unknown_and_an_earlier_result_stays(self, books):
        books.pay(20)
        sides = books.sides(books.now)
        sides.store(note_amounts(sides, [20]))
        assert sides.node_problem == ""
        books.pay(21)
        books.control.advance(seconds=8)
        found = {row.era: (row.agrees, row.text) for row in books.compare().rows if row.subject == "amount"}
        assert found[20][0] is True
        assert found[21][0] is None
        assert re.search("what accounts got is unknown: .*archive node", found[21][1])
        assert [one.account_key for one in books.ledger.views.rows("staking_rewards", NAME, range(21, 22))] == [None]
        assert books.ledger.facts.era(NAME, 21).reward == DEFAULT_ERA_REWARD


class TestStatuses:
    """Stored statuses, and those of an archive node at the end of the era."""

    def store(self, books, *eras, status=StakingStatus.IS_STAKING):
        books.pay(*eras)
        account = AccountId.parse(STAKER)
        for era in eras:
            books.ledger.record_statuses(NAME, era, [(account, status)])

    def found(self, books):
        return {row.era: (row.agrees, row.finding, row.text) for row in books.compare().rows if row.subject == "status"}

    def test_they_agree_or_differ(self, books):
        self.store(books, 20)
        self.store(books, 21, status=StakingStatus.IS_NOT_STAKING)
        found = self.found(books)
        assert found[20][:2] == (True, "agrees")
        assert found[21][:2] == (False, "status_differs")
        assert f"{STAKER} is isNotStaking in the ledger and isStaking on the chain" in found[21][2]

    def test_an_era_without_any_gets_those_of_an_archive_node(self, books):
        books.pay(20, 21)
        found = self.found(books)
        assert {era: found[era][:2] for era in (20, 21)} == dict.fromkeys((20, 21), (True, "agrees"))
        stored = books.ledger.statuses_of(NAME, range(ACTIVE))
        assert {era: stored[era][STAKER] for era in (20, 21)} == dict.fromkeys((20, 21), StakingStatus.IS_STAKING)
        assert 19 not in stored, "an era before the installation"
