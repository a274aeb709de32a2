"""Facts about eras: stored once per key, the newest counts, and unknown never replaces known."""

from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.errors import InvalidInput
from staking_gateway.ledger import AccountReward, EraFacts, Ledger, Reconciliation
from tests.support.ledgers import NETWORK, NOW, PAYER, USER

MOST = 2**128 - 1
FACTS = EraFacts(
    network=NETWORK,
    era=7,
    chain="westend",
    ended_at=NOW,
    reward=MOST,
    reward_source="storage",
    reward_block=123,
    symbol="UNIT",
    decimals=12,
    noted_at=NOW,
    run="run#1",
)
LATER = NOW + timedelta(hours=1)
NOTHING = EraFacts(network=NETWORK, era=7, noted_at=LATER, run="run#2")
REWARD = AccountReward(
    network=NETWORK, era=7, account_key=USER.hex, address="5F", amount=MOST, source="events", noted_at=NOW, run="run#1"
)
FOUND = Reconciliation(
    network=NETWORK, era=7, subject="fee", agrees=True, finding="agrees", text="equal", checked_at=NOW, run="run#1"
)


@pytest.fixture
def facts(url):
    with closing(Ledger(url)) as ledger:
        yield ledger.facts


@pytest.mark.parametrize(
    ("then", "stored"),
    [
        (NOTHING, FACTS),
        (replace(FACTS, noted_at=LATER, run="run#2"), FACTS),
        (
            replace(NOTHING, reward=0, reward_source="events"),
            replace(FACTS, reward=0, reward_source="events", reward_block=None, noted_at=LATER, run="run#2"),
        ),
        (replace(FACTS, symbol="DOT", decimals=10), replace(FACTS, symbol="DOT", decimals=10)),
    ],
    ids=[
        "unknown replaces nothing",
        "what is known keeps its time",
        "a reward comes with its own source and block",
        "the newest counts",
    ],
)
def test_facts_of_an_era_are_kept_until_newer_ones_are_known(facts, then, stored):
    assert facts.era(NETWORK, 7) is None
    facts.note_era(FACTS)
    assert facts.era(NETWORK, 7) == FACTS
    facts.note_era(then)
    assert facts.era(NETWORK, 7) == stored


def test_facts_are_read_by_range_and_network(facts):
    for era in (5, 6, 9):
        facts.note_era(replace(FACTS, era=era))
    facts.note_era(replace(FACTS, network="another", era=6))
    assert list(facts.eras(NETWORK, range(5, 9))) == [5, 6]
    assert facts.eras(NETWORK, range(9, 9)) == {}


def test_rewards_of_accounts_replace_earlier_ones(facts):
    payer = replace(REWARD, account_key=PAYER.hex, amount=0, block_number=9)
    facts.note_rewards([REWARD, payer])
    facts.note_rewards([])
    facts.note_rewards([replace(REWARD, amount=5)])
    facts.note_rewards([replace(REWARD, amount=5, noted_at=LATER, run="run#2")])
    assert facts.rewards(NETWORK, 7) == [replace(REWARD, amount=5), payer]
    assert facts.rewards(NETWORK, 8) == []
    with pytest.raises(InvalidInput, match="number"):
        facts.note_rewards([replace(REWARD, amount=MOST + 1)])


def test_the_newest_comparison_of_a_subject_counts_and_only_differences_are_listed_as_such(facts):
    differs = replace(FOUND, agrees=False, finding="fee_differs", ledger_says="1", chain_says="2")
    unknown = replace(FOUND, subject="nonces", agrees=None, finding="unknown")
    facts.note_reconciliation([differs, unknown, replace(differs, era=8), replace(differs, network="another")])
    assert facts.differences(NETWORK) == [differs, replace(differs, era=8)]
    facts.note_reconciliation([FOUND])
    assert facts.reconciliations(NETWORK, range(8)) == [FOUND, unknown]
    assert facts.differences(NETWORK) == [replace(differs, era=8)]
