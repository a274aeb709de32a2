"""A ledger with five paid eras, three accounts, rewards and comparisons."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

from staking_gateway.ledger import Ledger
from staking_gateway.ledger.records import AccountReward, EraFacts, Reconciliation
from staking_gateway.types import StakingStatus
from tests.support.ledgers import NETWORK, NOW, PAYER, RELAYER, USER, answered, judged, planned, signed

ROOT = Path(__file__).parents[2]
ERAS = range(1390, 1395)
MOST = 2**128 - 1
FEE = 10**17
ACCOUNTS = (USER, PAYER, RELAYER)


def keep_books(url, eras=ERAS):
    """Fill a new ledger. The fee of the newest era is 2^128 - 2."""
    with closing(Ledger(url)) as ledger:
        for era in eras:
            ended = NOW + timedelta(hours=era)
            payout = answered(ledger, signed(ledger, planned(ledger, era), fee=MOST - 1 if era == eras[-1] else FEE))
            judged(ledger, payout, confirmed_at=ended + timedelta(minutes=9))
            known = {"network": NETWORK, "era": era}
            noted = {**known, "noted_at": ended}
            ledger.facts.note(
                EraFacts(**noted, ended_at=ended, reward=MOST, reward_source="storage", symbol="UNIT", decimals=12)
            )
            reward = {"account_key": USER.hex, "address": USER.address, "amount": MOST, "source": "events"}
            ledger.facts.note(AccountReward(**noted, **reward))
            result = {"subject": "fee", "agrees": True, "finding": "agrees", "text": "equal"}
            ledger.facts.note(Reconciliation(**known, **result, checked_at=ended, run="r"))
            staking = [(account, StakingStatus.IS_STAKING) for account in ACCOUNTS]
            ledger.record_statuses(NETWORK, era, staking, keep_from=0)
