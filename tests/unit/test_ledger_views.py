"""The SQL views: their columns and types are a promise, their amounts are exact, and unknown is NULL."""

import itertools
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from staking_gateway.ledger import Ledger, Payout, PayoutState
from staking_gateway.ledger.describe import Column, Kind
from staking_gateway.ledger.records import Sight, Sighting
from staking_gateway.ledger.views import VIEWS
from staking_gateway.types import StakingStatus
from tests.support.ledgers import NETWORK, NOW, PAYER, RUN, USER, account, answered, connected, judged, planned, signed
from tests.unit.test_ledger_facts import FACTS, FOUND, MOST, REWARD

CONFIRMED, EMPTY, HELD, PLANNED, REJECTED = (
    PayoutState(name) for name in ("CONFIRMED", "EMPTY", "HELD", "PLANNED", "REJECTED")
)
SIGNED, SUBMITTED, UNKNOWN = (PayoutState(name) for name in ("SIGNED", "SUBMITTED", "UNKNOWN"))


def columns_of(connection):
    """By view, its columns with their types; SQLite declares no types, so those of stored values."""
    if connection.dialect.name == "postgresql":
        query = (
            "SELECT table_name, column_name, CASE data_type WHEN 'numeric' THEN format_type(atttypid, atttypmod) ELSE data_type END "
            "FROM information_schema.columns JOIN pg_attribute ON attname = column_name "
            "AND attrelid = to_regclass(quote_ident(table_schema) || '.' || quote_ident(table_name)) "
            "WHERE table_schema = current_schema() ORDER BY ordinal_position"
        )
        found = [row for row in connection.exec_driver_sql(query) if row[0] in VIEWS]
        return {view: [(column, kind) for of, column, kind in found if of == view] for view in VIEWS}
    found = {}
    for view in VIEWS:
        names = [row[1] for row in connection.exec_driver_sql(f"PRAGMA table_info({view})")]
        types = ", ".join(
            f"group_concat(DISTINCT CASE WHEN {name} IS NOT NULL THEN typeof({name}) END)" for name in names
        )
        found[view] = list(zip(names, connection.exec_driver_sql(f"SELECT {types} FROM {view}").one(), strict=True))
    return found


def described(kind):
    return {name: [(column.name, getattr(column.kind, kind)) for column in view] for name, view in VIEWS.items()}


def test_each_view_has_the_described_columns_and_types(url):
    with closing(Ledger(url)) as ledger:
        settle(ledger, 90, 0, REJECTED)
        settle(ledger, 91, 0, CONFIRMED, wasted=(3,))
        ledger.facts.note(replace(FACTS, era=91))
        ledger.facts.note(REWARD)
        ledger.facts.note(FOUND)
        ledger.record_statuses(NETWORK, 91, [(USER, StakingStatus.IS_STAKING)])
    with connected(url) as connection:
        found, kind = columns_of(connection), connection.dialect.name
    expected = described(kind)
    if kind == "sqlite":  # a column without a value has no type
        expected = {
            view: [(name, found_as and kind) for (name, kind), (_, found_as) in zip(columns, found[view], strict=True)]
            for view, columns in expected.items()
        }
    assert found == expected


# --- an era ------------------------------------------------------------------------------------------------------------------

_nonces = itertools.count(1)


def settle(ledger, era, part, state, *, fee=7, payment_nonce=None, wasted=(), signed_at=NOW, **changes):
    """A part in a state. `wasted` are fees that were charged for nothing before."""
    payout = planned(ledger, era, part, user=account(1000 * era + part))
    for lost in (*wasted, fee):
        if state is PLANNED:
            return
        nonces = {"staking_nonce": next(_nonces), "payment_nonce": payment_nonce or next(_nonces)}
        payout = signed(ledger, payout, fee=lost, signed_at=signed_at, **nonces)
        if len(wasted):
            wasted = wasted[1:]
            payout = judged(ledger, payout, REJECTED)
    if state is CONFIRMED:
        judged(ledger, payout, **changes)
    elif state is not SIGNED:
        ledger.transition(payout, state, "so it is", RUN)


def note(kind):
    return lambda ledger, era: ledger.journal.note_once(NETWORK, era, kind, "text")


def parts(*states, **options):
    def make(ledger, era):
        for number, state in enumerate(states):
            settle(ledger, era, number, state, **options)

    return make


def all_of(*steps):
    return lambda ledger, era: [step(ledger, era) for step in steps]


def compare(**changes):
    seen = replace(FOUND, subject="execution", chain_says="paid", **changes)
    return lambda ledger, era: ledger.facts.note(replace(seen, era=era))


ERAS = {
    "executed": (parts(CONFIRMED), "PAID", 7),
    "executed in two calls": (parts(CONFIRMED, CONFIRMED), "PAID", 14),
    "executed until nothing was left": (parts(CONFIRMED, EMPTY), "PAID", 7),
    "executed after two fees for nothing": (parts(CONFIRMED, wasted=(1, 2)), "PAID", 10),
    "paid by others": (parts(EMPTY), "ALREADY_PAID", 0),
    "executed for an unknown fee": (parts(CONFIRMED, fee=None), "PAID", None),
    "signed": (parts(SIGNED), "IN_FLIGHT", None),
    "sent": (parts(CONFIRMED, SUBMITTED), "IN_FLIGHT", None),
    "sent, result unknown": (parts(UNKNOWN), "IN_FLIGHT", None),
    "held": (parts(CONFIRMED, HELD), "HELD", 7),
    "rejected after a fee": (parts(REJECTED, wasted=(3,)), "UNPAID", 3),
    "rejected after an unknown fee": (parts(REJECTED, wasted=(3, None)), "UNPAID", None),
    "planned": (parts(PLANNED), "UNPAID", 0),
    "never attempted, expires soon": (note("expiry_50_of_84"), "UNPAID", None),
    "never attempted, seen paid on the chain": (compare(), "ALREADY_PAID", None),
    "rejected, seen paid on the chain": (all_of(parts(REJECTED), compare(agrees=False)), "ALREADY_PAID", 0),
    "in flight, seen paid on the chain": (all_of(parts(UNKNOWN), compare()), "IN_FLIGHT", None),
    "executed, seen paid on the chain": (all_of(parts(CONFIRMED), compare()), "PAID", 7),
    "only a fact": (lambda ledger, era: ledger.facts.note(replace(FACTS, era=era)), "UNKNOWN", None),
}
NO_ERAS = ("watched_from", "reported_of_84", "nonces_used_elsewhere")
"""Notices that do not tell of an era's payment."""


def of(url, view, where="true", order="era"):
    with connected(url) as connection:
        return [
            row._mapping for row in connection.exec_driver_sql(f"SELECT * FROM {view} WHERE {where} ORDER BY {order}")
        ]


def number(value):
    return None if value is None else int(value)


def test_state_and_fee_of_an_era_follow_from_its_records_and_notices(url):
    with closing(Ledger(url)) as ledger:
        for era, (make, *_) in enumerate(ERAS.values(), 1):
            make(ledger, era)
        for era, kind in enumerate(NO_ERAS, 500):
            note(kind)(ledger, era)
    found = {row["era"]: (row["state"], number(row["fee"])) for row in of(url, "staking_eras")}
    assert dict(zip(ERAS, found.values(), strict=True)) == {name: tuple(told) for name, (_, *told) in ERAS.items()}
    sums = {}
    for row in of(url, "staking_fees", "fee IS NOT NULL"):
        sums[row["era"]] = sums.get(row["era"], 0) + int(row["fee"])
    known = {era: fee for era, (_, fee) in found.items() if fee}
    assert {era: fee for era, fee in sums.items() if era in known} == known


AFTER_ITS_HISTORY = {
    "in flight": (parts(UNKNOWN), "IN_FLIGHT"),
    "held": (parts(HELD), "EXPIRED"),
    "rejected": (parts(REJECTED), "EXPIRED"),
    "confirmed": (parts(CONFIRMED), "PAID"),
    "never attempted, and a warning was given": (note("expiry_50_of_84"), "EXPIRED"),
    "never attempted, seen paid on the chain": (compare(), "ALREADY_PAID"),
    "only a fact": (lambda ledger, era: ledger.facts.note(replace(FACTS, era=era)), "UNKNOWN"),
}


def test_an_era_has_expired_by_the_newest_observed_active_era_and_depth_and_nothing_is_stored_of_it(url):
    def states():
        return {row["era"]: row["state"] for row in of(url, "staking_eras")}

    with closing(Ledger(url)) as ledger:
        for era, (make, _) in enumerate(AFTER_ITS_HISTORY.values(), 1):
            make(ledger, era)
        unjudged = states()
        ledger.journal.note_active_era(NETWORK, len(AFTER_ITS_HISTORY) + 6, 5)
        assert list(states().values()) == [told for _, told in AFTER_ITS_HISTORY.values()]
        note("watched_from")(ledger, 1)
        assert states()[len(AFTER_ITS_HISTORY)] == "EXPIRED", "this installation should have paid it"
        ledger.journal.note_active_era(NETWORK, len(AFTER_ITS_HISTORY) + 6, 84)
        assert states() == unjudged, "another look judges it again"


def test_a_payment_nonce_is_charged_once(url):
    """A fee that another payload with the same payment nonce may have cost counts until that payload has executed."""
    with closing(Ledger(url)) as ledger:
        settle(ledger, 1, 0, REJECTED, fee=4, wasted=(5,), payment_nonce=900)
        assert [(row["era"], row["purpose"], number(row["fee"])) for row in of(url, "staking_fees")] == [
            (1, "wasted", 5)
        ]
        settle(ledger, 2, 0, CONFIRMED, fee=6, payment_nonce=900)
        assert [(row["era"], row["purpose"], number(row["fee"])) for row in of(url, "staking_fees")] == [
            (2, "payout", 6)
        ]
        assert [number(row["fee"]) for row in of(url, "staking_eras")] == [0, 6]


def test_a_part_shows_its_executed_copy_or_else_its_newest_as_its_record_does(url):
    """`Payout` computes the same values from the copies."""
    names = {column.name for column in VIEWS["staking_payouts"]} & {*dir(Payout)}
    read = {"status": "Processed", "read_at": NOW, "block_number": 44, "tx_hash": "0xab"}
    with closing(Ledger(url)) as ledger:
        planned(ledger, 1)
        payout = answered(ledger, signed(ledger, planned(ledger, 2), fee=5, payment_nonce=9))
        payout = ledger.count_send(payout, payout.last.id, "again", RUN)
        payout = answered(ledger, payout, request_id="another")
        first = payout.last.id
        payout = ledger.transition(payout, UNKNOWN, "", RUN, reads=[(first, replace(payout.last.sends[0], **read))])
        payout = answered(
            ledger, signed(ledger, payout, fee=11, payment_nonce=9), UNKNOWN, answer="lost", request_id=None
        )
        payout = signed(ledger, payout, fee=12, payment_nonce=10)
        charged = [Sighting(Sight.CHARGED, NOW, nonce, PAYER.hex) for nonce in (9, 10, 11)]
        payout = ledger.transition(payout, UNKNOWN, "", RUN, sightings=charged)
        states = [payout, judged(ledger, payout, executed=first)]
        assert [(one.fee, len(one.copies), one.request_id) for one in states] == [
            (12, 3, None),
            (11, 3, f"request {first}"),
        ]
        for era in (1, 2):
            (row,), record = (
                ledger.views.rows("staking_payouts", NETWORK, range(era, era + 1)),
                ledger.payout(NETWORK, era, 0),
            )
            assert {name: getattr(row, name) for name in names - {"fee", "state"}} == {
                name: getattr(record, name) for name in names - {"fee", "state"}
            }
            assert row.signed_fee == record.fee
            assert (row.plans, row.staking_nonce) == (len(record.copies), record.last and record.last.staking_nonce)
            assert row.unanswered == 0


def test_the_times_of_an_era_are_those_of_its_first_signature_and_last_confirmation(url):
    later = NOW + timedelta(seconds=90, milliseconds=250)
    ended = {1: NOW, 2: NOW, 3: later + timedelta(seconds=1), 4: None}
    with closing(Ledger(url)) as ledger:
        for era, end in ended.items():
            settle(ledger, era, 0, CONFIRMED, signed_at=NOW - era * timedelta(days=1))
            settle(ledger, era, 1, HELD if era == 2 else CONFIRMED, confirmed_at=later)
            ledger.facts.note(replace(FACTS, era=era, ended_at=end))
    found = of(url, "staking_eras")
    assert [row["lag_seconds"] for row in found] == [90.25, None, None, None]
    assert [str(row["first_signed_at"])[:10] for row in found] == [
        "2026-05-31",
        "2026-05-30",
        "2026-05-29",
        "2026-05-28",
    ]
    assert [str(row["confirmed_at"])[11:19] for row in found] == ["12:31:45", "12:30:15", "12:31:45", "12:31:45"]
    assert {row["chain"] for row in found} == {NETWORK}


# --- amounts -----------------------------------------------------------------------------------------------------------------


def test_amounts_of_39_digits_are_exact(url):
    fees = (MOST, 10**13 - 1, 10**26 - 1, 1)
    with closing(Ledger(url)) as ledger:
        for era, some in ((7, fees), (8, fees[1:]), (9, (0,))):
            settle(ledger, era, 0, CONFIRMED, fee=some[0], wasted=some[1:])
        ledger.facts.note(FACTS)
        ledger.facts.note(REWARD)
        with_decimals, without, nothing = of(url, "staking_eras")
        exact = Decimal if url.startswith("postgresql") else str
        assert [row["fee"] for row in (with_decimals, without, nothing)] == [
            exact(sum(fees)),
            exact(sum(fees[1:])),
            exact(0),
        ]
        assert (without["fee_scaled"], without["reward"], without["reward_scaled"]) == (None, None, None)
        scaled = Decimal(f"{MOST}e-12")
        rows = [with_decimals, *of(url, "staking_rewards", order="account_key")]
        for row, name in zip(rows, ("reward", "amount", "amount"), strict=True):
            assert row[name] == exact(MOST)
            assert row[f"{name}_scaled"] == (scaled if exact is Decimal else float(scaled))
        (payout,) = of(url, "staking_payouts", "era = 7")
        assert payout["fee"] == payout["signed_fee"] == exact(MOST)


def test_the_rewards_of_an_era_have_a_row_for_the_total_when_it_is_known(url):
    with closing(Ledger(url)) as ledger:
        ledger.facts.note(REWARD, replace(REWARD, account_key=PAYER.hex))
        assert {row["account_key"] for row in of(url, "staking_rewards")} == {USER.hex, PAYER.hex}
        ledger.facts.note(FACTS)
        ledger.facts.note(replace(FACTS, era=8, reward=None))
        ledger.record_statuses(NETWORK, 7, [(USER, StakingStatus.IS_STAKING), (PAYER, StakingStatus.IS_NOT_STAKING)])
    total = [row for row in of(url, "staking_rewards") if row["account_key"] is None]
    assert [(row["era"], row["source"], number(row["block_number"])) for row in total] == [(7, "storage", 123)]


def test_a_column_is_described_and_cast_where_its_database_needs_it():
    number = Column("fee", Kind.NUMBER, "what it cost")
    assert (number.expression("postgresql"), number.expression("sqlite")) == (
        "CAST(v.fee AS numeric(39,0))",
        "CAST(v.fee AS text)",
    )
    assert Column("fee", Kind.TEXT, "", "h.fee").expression("sqlite") == "h.fee"
