"""The judge of a soak finds nothing in what went well, and names whatever did not happen as Airflow, the ledger or an alert says."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from benchmarks.soak.evidence import AirflowEvidence, Idle, NetworkEvidence, Run
from benchmarks.soak.judge import violations, why_red
from staking_gateway.eras.calendar import EraAnchor, EraCalendar
from staking_gateway.ledger import PayoutState
from staking_gateway.types import AccountId, StakingStatus
from tests.support.world import ERA_LENGTH, NETWORK, World

LENGTH = timedelta(seconds=ERA_LENGTH)
CALENDAR = EraCalendar((EraAnchor(0, datetime(2026, 1, 1, tzinfo=timezone.utc), LENGTH),))
LATE, HELD = 6 * LENGTH, 12 * LENGTH
STAKER, IDLER = (AccountId.parse(f"0x{number:064x}") for number in (10, 11))
IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
PAYOUTS, CATCH_UPS = f"staking_payout_{NETWORK}", f"staking_catch_up_{NETWORK}"


class Paid:
    """Three eras, all paid by a run each, on a chain that would pay each of them four times."""

    def __init__(self, folder):
        self.world = World(folder, unpaid_eras=3, stakers=1000)
        self.last = self.world.era
        self.eras = range(self.last - 2, self.last + 1)
        for era in self.eras:
            self.pay(era)
            self.world.ledger.record_statuses(NETWORK, era, [(STAKER, IS), (IDLER, IS_NOT)])

    def pay(self, era):
        self.world.drive(era, self.world.engine(f"{PAYOUTS}/{era}"))

    def evidence(self, **changes):
        world, ledger = self.world, self.world.ledger
        payouts = ledger.payouts_of(NETWORK, self.eras)
        evidence = NetworkEvidence(
            name=NETWORK,
            eras=self.eras,
            calendar=CALENDAR,
            ends={era: CALENDAR.end(era) for era in self.eras},
            paid_within=LATE,
            held_after=HELD,
            accounts=(STAKER.hex, IDLER.hex),
            staking=frozenset({STAKER.hex}),
            truth=world.truth(),
            payouts=payouts,
            history={one.id: ledger.events(one) for records in payouts.values() for one in records},
            statuses={era: ledger.statuses(NETWORK, era) for era in self.eras},
            runs=[self.run(era) for era in self.eras],
            messages=[],
        )
        return replace(evidence, **changes)

    def run(self, era, **changes):
        report = {"outcome": "PAID", "unexpected": {}}
        run = Run(PAYOUTS, f"scheduled__era-{era}", "scheduled", "success", era, self.world.now(), report)
        return replace(run, **changes)


@pytest.fixture
def paid(tmp_path):
    paid = Paid(tmp_path)
    with closing(paid.world):
        yield paid


def found(evidence, airflow=None):
    return violations([evidence], airflow or AirflowEvidence())


def only(evidence):
    (line,) = found(evidence)
    return line


def test_nothing_is_wrong_with_eras_that_were_paid_once(paid):
    assert found(paid.evidence()) == []


# --- payouts -------------------------------------------------------------------------------------------------------------


def test_an_era_paid_twice_is_found(paid):
    truth = paid.world.truth()
    again = {**truth["payouts"][0], "tx_hash": "0x" + "ee" * 32}
    fees = str(int(truth["fees_charged"]) + int(again["fee"]))
    evidence = paid.evidence(truth={**truth, "payouts": [*truth["payouts"], again], "fees_charged": fees})
    assert only(evidence) == f"{NETWORK}: era {paid.eras[0]} was paid 2 times"


def test_the_chain_itself_would_have_paid_an_era_again(paid):
    assert {era["era"]: era["parts_left"] for era in paid.world.truth()["owing"]} == dict.fromkeys(paid.eras, 3)


def test_an_era_nobody_paid_is_found_and_so_is_the_green_run_that_calls_it_paid(paid):
    paid.world.elapse(ERA_LENGTH)
    unpaid = paid.last + 1
    eras = range(paid.eras.start, unpaid + 1)
    statuses = {unpaid: paid.world.ledger.statuses(NETWORK, paid.last), **paid.evidence().statuses}
    runs = [*paid.evidence().runs, paid.run(unpaid)]
    told = "\n".join(found(paid.evidence(eras=eras, runs=runs, statuses=statuses)))
    assert f"era {unpaid} is not paid; the ledger says nothing" in told
    assert f"is green, but era {unpaid} was not paid by its end" in told


def test_a_run_that_ended_green_before_its_era_was_paid_is_found(paid):
    early = CALENDAR.start(paid.last)
    runs = [paid.run(era, ended_at=early if era == paid.last else paid.world.now()) for era in paid.eras]
    assert f"green, but era {paid.last} was not paid by its end" in only(paid.evidence(runs=runs))


def test_a_catch_up_that_promises_too_much_is_found(paid):
    report = {"outcomes": {str(paid.last): {"outcome": "PAID"}, str(paid.eras[0]): {"outcome": "UNKNOWN"}}}
    early = Run(CATCH_UPS, "early", "scheduled", "success", None, CALENDAR.start(paid.last), report)
    assert f"run early of {CATCH_UPS} is green, but era {paid.last}" in only(
        paid.evidence(runs=[*paid.evidence().runs, early])
    )


def test_a_paid_era_the_ledger_does_not_know_is_paid_is_found(paid):
    evidence = paid.evidence()
    records = {**evidence.payouts, paid.last: [replace(evidence.payouts[paid.last][0], state=PayoutState.UNKNOWN)]}
    assert f"era {paid.last} is paid, but the ledger says UNKNOWN" in only(replace(evidence, payouts=records))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fee": 1}, "the ledger has fee and nonces"),
        ({"staking_nonce": 99}, "the ledger has fee and nonces"),
        ({"tx_hash": "0x" + "ee" * 32}, "the ledger has transaction 0xee"),
        ({"chain": "another"}, "one chain has several lanes"),
    ],
)
def test_a_record_that_is_not_what_was_executed_is_found(paid, change, told):
    evidence = paid.evidence()
    records = {**evidence.payouts, paid.last: [replace(evidence.payouts[paid.last][0], **change)]}
    assert told in only(replace(evidence, payouts=records))


def test_fees_that_do_not_add_up_are_found(paid):
    truth = paid.world.truth()
    assert "was charged" in only(paid.evidence(truth={**truth, "fees_charged": "1"}))


# --- runs ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("report", "failed", "why"),
    [
        ({"outcome": "UNKNOWN", "unexpected": {}}, ["payout", "report"], "UNKNOWN"),
        ({"outcome": "PAID", "unexpected": {"5abc": "not checked"}}, ["report"], "accounts not checked"),
        ({"outcome": "PAID", "unexpected": {"5abc": "isNotStaking, expected staking"}}, [], "account not staking"),
        ({"unpaid": {"7": "UNKNOWN"}}, ["report"], "eras owed"),
        (None, ["previous_era"], "previous_era failed"),
    ],
)
def test_a_red_run_says_why(paid, report, failed, why):
    run = paid.run(paid.last, state="failed", report=report, failed=tuple(failed))
    assert why_red(run) == why
    assert found(paid.evidence(runs=[run])) == []


@pytest.mark.parametrize("state", ["failed", "running"])
def test_a_run_that_is_red_for_no_reason_or_never_ends_is_found(paid, state):
    runs = [*paid.evidence().runs[:-1], paid.run(paid.last, state=state)]
    assert f"run scheduled__era-{paid.last} of {PAYOUTS} is" in only(paid.evidence(runs=runs))


def test_a_run_of_a_later_era_may_be_under_way(paid):
    later = paid.run(paid.last + 1, state="running", report=None)
    assert found(paid.evidence(runs=[*paid.evidence().runs, later])) == []


def test_triggers_nobody_waits_for_are_found(paid):
    assert found(paid.evidence(), AirflowEvidence(forgotten=2)) == [
        "Airflow: 2 triggers are left that nobody waits for"
    ]


# --- statuses ------------------------------------------------------------------------------------------------------------


def test_a_missing_status_is_found_where_the_era_had_a_run(paid):
    evidence = paid.evidence()
    evidence = replace(evidence, statuses={**evidence.statuses, paid.last: evidence.statuses[paid.last][:1]})
    assert f"era {paid.last}: 1 accounts have no status, and its run is green" in only(evidence)
    # An era the catch-up has paid was not looked at; nobody says it was.
    assert found(replace(evidence, runs=evidence.runs[:-1])) == []


def test_a_wrong_status_is_found_unless_the_account_changed_at_that_time(paid):
    paid.world.ledger.record_statuses(NETWORK, paid.last, [(STAKER, IS_NOT)])
    now = paid.world.now()
    assert f"era {paid.last}: account {STAKER.hex} was found isNotStaking, which it was not" in found(paid.evidence())[
        0
    ].removeprefix(f"{NETWORK}: ")
    idle = [Idle(STAKER.hex, now - LENGTH, now + LENGTH)]
    assert not [line for line in found(paid.evidence(idle=idle)) if "was found" in line]


# --- alerts --------------------------------------------------------------------------------------------------------------


class Late(Paid):
    """Era `last` is paid long after its end."""

    def __init__(self, folder):
        super().__init__(folder)
        self.world.elapse(ERA_LENGTH)
        self.last += 1
        self.eras = range(self.eras.start, self.last + 1)
        self.end = CALENDAR.end(self.last)
        self.world.ledger.record_statuses(NETWORK, self.last, [(STAKER, IS), (IDLER, IS_NOT)])
        self.world.elapse(1000)
        self.pay(self.last)
        self.paid_at = self.world.now()

    def told(self, *words):
        """Evidence with messages about the late era: phase, kind and time of each."""
        messages = [message(f"m{number}", f"era:{self.last}", *word) for number, word in enumerate(words)]
        return self.evidence(messages=messages)


def message(name, topic, phase, kind, at):
    return {
        "id": name,
        "key": name,
        "network": NETWORK,
        "phase": phase,
        "kind": kind,
        "at": at.isoformat(),
        "conditions": [{"topic": topic, "kind": kind}],
    }


@pytest.fixture
def late(tmp_path):
    late = Late(tmp_path)
    with closing(late.world):
        yield late


def test_a_late_era_is_told_of_once_and_its_end_too(late):
    minute = timedelta(minutes=1)
    raised = ("raised", "not_paid", late.end + LATE + minute)
    cleared = ("cleared", "not_paid", late.paid_at + minute)
    assert found(late.told(raised, cleared)) == []
    assert "nobody was told that it was late" in only(late.told())
    assert "told 0 times that it is over" in only(late.told(raised))
    assert "told 2 times that it is over" in only(late.told(raised, cleared, cleared))
    assert "told 2 times that it is not_paid" in only(late.told(raised, raised, cleared))
    assert found(late.told(cleared)) == [], "its receiver could not be reached before"


@pytest.mark.parametrize(
    ("kind", "after"),
    [("not_paid", LATE / 2), ("held", LATE + LENGTH), ("rejected", LATE + LENGTH), ("expired", LATE + LENGTH)],
)
def test_an_alert_without_reason_is_found(late, kind, after):
    words = ("raised", kind, late.end + after), ("cleared", kind, late.paid_at)
    assert f"that it is {kind}, which it was not" in only(late.told(*words))


@pytest.mark.parametrize(("states", "found_wrong"), [(["REJECTED", "HELD"], False), (["HELD"], True)])
def test_what_is_held_for_a_person_was_rejected_before(late, states, found_wrong):
    at = late.end + LATE
    raised, cleared = ("raised", "rejected", at), ("cleared", "rejected", late.paid_at)
    evidence = late.told(raised, cleared)
    (record,) = evidence.payouts[late.last]
    first, *_, last = evidence.history[record.id]
    between = [replace(first, to_state=PayoutState(state), at=at - timedelta(minutes=1)) for state in states]
    history = {**evidence.history, record.id: [replace(first, at=late.end), *between, last]}
    told = found(replace(evidence, history=history))
    assert bool([line for line in told if "that it is rejected, which it was not" in line]) is found_wrong


def test_an_era_that_is_known_to_be_late_may_be_told_to_be_held_back_at_once(late):
    raised, held = ("raised", "not_paid", late.end + LATE), ("raised", "held", late.end + LATE + LENGTH)
    assert found(late.told(raised, held, ("cleared", "held", late.paid_at))) == []


def test_an_alert_about_an_era_that_is_paid_is_found(late):
    after = late.paid_at + timedelta(minutes=1)
    told = found(late.told(("raised", "not_paid", after), ("cleared", "not_paid", after)))
    assert [line for line in told if "that it is not_paid, which it was not" in line]


def test_an_end_told_too_early_is_found(late):
    raised = ("raised", "not_paid", late.end + LATE)
    assert "that it is paid, which it was not" in only(late.told(raised, ("cleared", "not_paid", late.end + HELD)))


def test_a_message_sent_again_under_its_id_is_one_message(late):
    words = ("raised", "not_paid", late.end + LATE), ("cleared", "not_paid", late.paid_at)
    evidence = late.told(*words)
    assert found(replace(evidence, messages=[*evidence.messages, evidence.messages[0]])) == []
    other = {**evidence.messages[0], "key": "another"}
    assert "came under the key another" in only(replace(evidence, messages=[*evidence.messages, other]))


def test_an_account_that_stopped_staking_is_told_of_once_and_no_other_is(paid):
    paid.world.ledger.record_statuses(NETWORK, paid.last, [(STAKER, IS_NOT)])
    now, topic = paid.world.now(), f"account:{STAKER.hex}"
    idle = [Idle(STAKER.hex, now - LENGTH, now + LENGTH)]
    raised, cleared = (message(phase, topic, phase, "not_staking", now) for phase in ("raised", "cleared"))
    assert found(paid.evidence(idle=idle, messages=[raised, cleared])) == []
    assert "told nothing; right would be raised, cleared" in only(paid.evidence(idle=idle))
    assert "told raised; right would be raised, cleared" in only(paid.evidence(idle=idle, messages=[raised]))
    other = message("other", f"account:{IDLER.hex}", "raised", "not_staking", now)
    assert f"account {IDLER.hex}: told raised; right would be nothing" in only(
        paid.evidence(idle=idle, messages=[raised, cleared, other])
    )


@pytest.mark.parametrize(("seconds", "due"), [(59, False), (60, True)])
def test_an_account_found_idle_for_a_moment_only_may_be_told_of_and_need_not(paid, seconds, due):
    first, last = paid.eras.start, paid.last
    statuses = dict(paid.evidence().statuses)
    (idle_at,) = (one.checked_at for one in statuses[first] if one.account_key == STAKER.hex)
    for era, status, later in ((first, IS_NOT, 0), (last, IS, seconds)):
        statuses[era] = [
            replace(one, status=status, checked_at=idle_at + timedelta(seconds=later))
            if one.account_key == STAKER.hex
            else one
            for one in statuses[era]
        ]
    statuses.pop(first + 1)
    idle = [Idle(STAKER.hex, idle_at, idle_at + timedelta(seconds=1))]
    told = [message(phase, f"account:{STAKER.hex}", phase, "not_staking", idle_at) for phase in ("raised", "cleared")]
    quiet, warned = (
        [line for line in found(paid.evidence(idle=idle, statuses=statuses, messages=messages)) if "told" in line]
        for messages in ([], told)
    )
    assert warned == []
    right = f"{NETWORK}: account {STAKER.hex}: told nothing; right would be raised, cleared"
    assert quiet == ([right] if due else [])


def test_an_alert_about_funds_that_suffice_is_found(paid):
    told = message("m", "runway", "raised", "runway", paid.world.now())
    assert only(paid.evidence(messages=[told])) == f"{NETWORK}: alert about runway, which was in order"


def test_a_chain_behind_its_calendar_is_told_of_once_until_it_has_caught_up(paid):
    ends = {era: CALENDAR.end(era) + 3 * LENGTH for era in paid.eras}
    at = CALENDAR.end(paid.eras[0]) + LENGTH * 1.5
    raised, cleared = (message(phase, "calendar", phase, "drift", at) for phase in ("raised", "cleared"))
    again = message("again", "calendar", "raised", "drift", at)
    assert found(paid.evidence(ends=ends, messages=[raised, cleared])) == []
    assert "told of the calendar: raised, raised" in found(paid.evidence(ends=ends, messages=[raised, again]))[0]
    told = only(paid.evidence(messages=[raised]))
    assert told == f"{NETWORK}: told at {at.isoformat()} that the calendar does not agree with the chain, which it did"
    early = message("early", "calendar", "raised", "drift", CALENDAR.end(paid.eras[0]) - LENGTH / 2)
    assert found(paid.evidence(messages=[early])) == []
