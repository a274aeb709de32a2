"""Facts about eras: stored once per key, the newest counts, and unknown never replaces known."""

from dataclasses import replace
from datetime import timedelta

import pytest

from staking_gateway.errors import InvalidInput
from staking_gateway.ledger import AccountReward, EraFacts, Reconciliation
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
def facts(ledger):
    return ledger.facts


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


def test_rewards_of_accounts_replace_earlier_ones(ledger):
    facts, payer = ledger.facts, replace(REWARD, account_key=PAYER.hex, amount=0, block_number=9)
    facts.note_rewards([REWARD, payer])
    facts.note_rewards([])
    facts.note_rewards([replace(REWARD, amount=5)])
    facts.note_rewards([replace(REWARD, amount=5, noted_at=LATER, run="run#2")])
    found = ledger.views.rows("staking_rewards", NETWORK, range(9))
    assert [(row.account_key, row.amount, row.noted_at) for row in found] == [
        (USER.hex, 5, REWARD.noted_at),
        (PAYER.hex, 0, REWARD.noted_at),
    ]
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
