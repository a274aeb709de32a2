"""What a payout, a plan and an alert cost must not grow with the ledger. Work is counted, because times differ between machines."""

from contextlib import closing, contextmanager
from datetime import timedelta

import pytest
import sqlalchemy as sa

from staking_gateway.alerts import deliver, ended, watch
from staking_gateway.catch_up import survey, write_notices
from staking_gateway.health.overview import Overview
from staking_gateway.health.state import LiveFacts, NetworkState
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.ledger.records import Alert, Sight, Sighting
from staking_gateway.ledger.views import VIEWS
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.types import NonceKind
from tests.support.alerting import HOUR, IS, IS_NOT, NAME, RUN, START
from tests.support.alerting import network as network_of
from tests.support.ledgers import account, answered, connected, heard, judged, signed
from tests.support.world import ALICE, CHARLIE, World

DEPTH = 84
SHIFTS = {
    "payouts": {"id": 1, "era": 1, "executed": 2},
    "payout_copies": {"id": 2, "payout_id": 1, "staking_nonce": 1, "payment_nonce": 1},
    "payout_sends": {"copy_id": 2, "request_id": "text"},
    "payout_sightings": {"id": 3, "payout_id": 1, "nonce": 1},
    "payout_events": {"id": 9, "payout_id": 1},
    "era_notices": {"era": 1},
    "alerts": {"topic": "text", "era": 1},
    "alert_messages": {"id": "text"},
}
"""Of each table, what a row about the next era has more than the same row about the era before."""
WASTED = 10**9
"""The first payment nonce of the fees for nothing."""


class Grown(World):
    """A world whose ledger holds the payouts of so many eras before the first that can be paid."""

    def __init__(self, folder, before):
        folder.mkdir()
        super().__init__(folder, unpaid_eras=8, max_fee_per_day=10**30, max_fee_per_run=10**30)
        self.first = self.era - 7
        with closing(Ledger(self.ledger_url, clock=lambda: self.now() - timedelta(days=365))) as ledger:
            self.pay_first(ledger, self.first - before)
        with connected(self.ledger_url) as connection:
            connection.exec_driver_sql("BEGIN")
            for table, shifts in SHIFTS.items():
                columns = [column["name"] for column in sa.inspect(connection).get_columns(table)]
                told = ", ".join(shifted(name, shifts.get(name)) for name in columns)
                numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {before - 1})"
                connection.exec_driver_sql(f"INSERT INTO {table} {numbers} SELECT {told} FROM {table}, n")
            connection.exec_driver_sql("COMMIT")
        for signer, kind in ((ALICE, NonceKind.STAKING), (CHARLIE, NonceKind.PAYMENT)):
            self.control("nonce", account=signer.account.address, kind=kind.value, by=before)

    def pay_first(self, ledger, era):
        """An era that was paid after a fee for nothing, with a notice, and an alert that is over, with its messages."""
        owner = {"user": ALICE.account, "payer": CHARLIE.account, "relayer": CHARLIE.account}
        part = ledger.plan(NAME, era, 0, **owner, chain=self.terms.lane, actor=RUN)
        of_copy = {"fee": 7, "staking_nonce": 0, "signed_at": ledger.now()}
        part = answered(ledger, signed(ledger, part, **of_copy, payment_nonce=WASTED))
        charged = [Sighting(Sight.CHARGED, ledger.now(), WASTED, CHARLIE.account.hex)]
        part = ledger.transition(part, PayoutState.SUBMITTED, "charged", RUN, sightings=charged)
        judged(ledger, answered(ledger, signed(ledger, part, **of_copy, payment_nonce=0)))
        ledger.journal.note_once(NAME, era, "expiry_50_of_84", f"era {era} is unpaid")
        key, alerts = f"era:{era}", ledger.journal.alerts
        late = Alert(
            NAME, key, "not_paid", 1, "warning", f"era {era}", era, "never attempted", "", "unpaid", self.now()
        )
        for found in (late, ended(late, "paid")):
            alerts.update(NAME, [found], clear_after=timedelta(0))
        for message in alerts.unsent(NAME):
            alerts.end_claim(alerts.claim(message, timedelta(0)), sent=True)

    @property
    def network(self):
        calendar = {"era_length": "20s", "anchors": [{"era": self.era + 1, "start": self.now().isoformat()}]}
        return network_of(calendar=calendar, history_depth=DEPTH)

    def pay(self):
        for era, lost in enumerate(("no", "after", "before"), self.first):
            self.gateway.lose = [] if lost == "no" else [lost]
            assert self.drive(era, self.engine(f"run {era}")).outcome is Outcome.PAID

    def alert(self):
        """What a run does after its payout: it checks the network, and sends alerts."""
        live = LiveFacts(active=self.era + 1, at=self.now())
        watch(NAME, self.network, self.ledger, live, clock=self.now)
        deliver(NAME, self.ledger.journal.alerts, {"receiver": lambda message: None})

    def catch_up(self):
        plan = survey(self.terms, self.gateway, self.ledger, self.network, clock=self.now)
        write_notices(plan, self.ledger)

    def page(self):
        return Overview(NetworkState(NAME, self.network, self.ledger, LiveFacts(), now=self.now())).as_dict()

    def export(self):
        eras = range(self.first - DEPTH, self.first)
        for view in VIEWS:
            exported = [row.era for row in self.ledger.views.rows(view, NAME, eras)]
            assert exported == list(eras) or view not in ("staking_eras", "staking_payouts")

    def check(self):
        check_eras(self.ledger, range(self.first, self.first + 5), accounts=10)


def shifted(name, shift):
    return name if shift is None else f"{name} || '-' || i" if shift == "text" else f"{name} + {shift} * i"


class Steps:
    """Counts the steps of SQLite's virtual machine: the same on every machine, and more for each row that is read."""

    EACH = 20

    def __init__(self):
        self.count = 0

    @contextmanager
    def of(self, ledger):
        """Count what is done meanwhile."""
        ledger.close()  # so that all its connections are new, and counted
        with heard("checkout", self._watch, sa.pool.Pool):
            yield self
        ledger.close()

    def _watch(self, connection, *_):  # in place of the handler of the time limit
        connection.set_progress_handler(self._step, self.EACH)

    def _step(self):
        self.count += 1
        return 0


def test_no_work_grows_with_the_ledger(tmp_path):
    """A statement that reads a whole table takes ten times the steps in the larger ledger."""
    with closing(Grown(tmp_path / "few", 400)) as few, closing(Grown(tmp_path / "many", 4_000)) as many:
        for world, networks in ((few, 1), (many, 10)):
            for other in (NAME, *(f"network {number}" for number in range(1, networks))):
                check_eras(world.ledger, range(world.first - KEPT - 1, world.first), accounts=10, network=other)
            world.alert()
        for work in (Grown.alert, Grown.page, Grown.pay, Grown.catch_up, Grown.export, Grown.check):
            counts = []
            for world in (few, many):
                with Steps().of(world.ledger) as steps:
                    work(world)
                counts.append(steps.count)
            assert counts[1] < 1.05 * counts[0], work.__name__


KEPT = 30
"""Eras whose statuses are kept in these tests."""


def check_eras(ledger, eras, accounts=4, network=NAME):
    """Store the statuses of all accounts for each era, and forget older ones, as the task of each era does."""
    settings = network_of(statuses={"keep_eras": KEPT})
    for era in eras:
        found = [(account(number), [IS, IS_NOT][era % 2]) for number in range(accounts)]
        oldest = settings.oldest_kept_era(era, START + era * HOUR)
        ledger.record_statuses(network, era, found, keep_from=oldest)


def test_the_statuses_of_the_newest_eras_are_kept_and_older_ones_deleted(ledger):
    ledger.record_statuses("another", 1, [(account(1), IS)])
    check_eras(ledger, range(100, 200))
    found = ledger.statuses_of(NAME, range(300))
    assert list(found) == list(range(199 - KEPT, 200))
    assert {len(statuses) for statuses in found.values()} == {4}
    assert ledger.statuses_of("another", range(2))


@pytest.mark.parametrize(
    ("era", "oldest"),
    [(1_000, 970), (900, 870), (KEPT, 0), (3, 0), (1_000_000, 970)],
    ids=["now", "an earlier era", "all are kept", "young", "an era that the gateway made up"],
)
def test_the_oldest_era_to_keep_follows_the_calendar(era, oldest):
    settings = network_of(statuses={"keep_eras": KEPT})
    assert settings.oldest_kept_era(era, START + 1_000 * HOUR) == oldest
