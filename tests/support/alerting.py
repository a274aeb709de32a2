"""A network to watch, with a ledger whose time is told, and somebody who collects the messages."""

from datetime import datetime, timedelta, timezone

from staking_gateway.alerts import deliver, watch
from staking_gateway.config.models import NetworkConfig
from staking_gateway.health.state import LiveFacts
from staking_gateway.ledger import Actor, Ledger, PayoutState
from staking_gateway.types import AccountId, StakingStatus
from tests.support.ledgers import PAYER, RELAYER, USER, put, sqlite_url

NAME = "testnet"
START = datetime(2026, 6, 1, tzinfo=timezone.utc)
"""Era 0 begins; eras last an hour."""
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
ACCOUNTS = [AccountId.parse(f"0x{number:064x}") for number in range(10, 16)]
IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
RUN = Actor("staking_payout_testnet/run")
PAID = {"tx_hash": "0x" + "12" * 32}


def network(accounts=(), **settings):
    """A network's settings; accounts as pairs of an account and what is expected of it, or as in the file."""
    entries = [
        one if isinstance(one, dict) else {"account": one[0].hex, "expect": one[1]}
        for one in accounts or [(USER, "any")]
    ]
    return NetworkConfig.model_validate(
        {
            "relayer": RELAYER.hex,
            "user": USER.hex,
            "payer": PAYER.hex,
            "calendar": {"era_length": "1h", "anchors": [{"era": 0, "start": START.isoformat()}]},
            "accounts": entries,
            "history_depth": 20,
            **settings,
        }
    )


class Watched:
    """A network, and everything that was said of it.

    :param era: the active era.
    """

    def __init__(self, url, era=100, accounts=(), **settings):
        self.network = network(accounts, **settings)
        self.now = START + era * HOUR
        self.ledger = Ledger(url, clock=lambda: self.now)
        self.live = {}
        self.said = []
        self.receivers = {"somebody": self.said.append}

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.ledger.close()

    @property
    def active(self):
        return (self.now - START) // HOUR

    def pay(self, *eras, part=0, state=PayoutState.CONFIRMED, **changes):
        """Leave a part of the payout of eras in a state."""
        for era in eras:
            payout = self.ledger.plan(NAME, era, part, user=USER, payer=PAYER, relayer=RELAYER, actor=RUN)
            if payout.state.settled:
                continue
            put(self.ledger, payout, state, RUN, **{**(PAID if state is PayoutState.CONFIRMED else {}), **changes})

    def check(self, era, **statuses):
        """Store what accounts, by their index, do in an era."""
        found = [(ACCOUNTS[int(index[1:])], status) for index, status in statuses.items()]
        self.ledger.record_statuses(NAME, era, found)

    def watch(self, era=None, airflow=None):
        """Look, and say nothing."""
        live = LiveFacts(**{"at": self.now, **self.live})
        return watch(NAME, self.network, self.ledger, live, era=era, airflow=airflow, clock=lambda: self.now)

    def look(self, era=None, *, after=timedelta(0), airflow=None):
        """Look a little later, and say what is to be said; returns the titles."""
        self.now += after
        self.watch(era, airflow)
        before = len(self.said)
        deliver(NAME, self.ledger.journal.alerts, self.receivers)
        return [message["title"].removeprefix(f"[{NAME}] ") for message in self.said[before:]]


def watched(tmp_path, *, paid=(), **arguments):
    """A network with a ledger in which some eras are paid."""
    return Watched(sqlite_url(tmp_path, fill=_pay, with_eras=tuple(paid)), **arguments)


def _pay(url, *eras):
    with Watched(url) as network:
        network.pay(*eras)
