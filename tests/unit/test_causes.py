"""The causes of a network: what each blocks, its level, its action, and what disproves it."""

from dataclasses import fields, replace
from functools import partial
from itertools import product

import pytest

from staking_gateway.health.overview import page_links
from staking_gateway.health.problems import problems
from staking_gateway.health.state import OPEN, AirflowFacts, EraRun, LiveFacts, NetworkState, State
from staking_gateway.ledger.records import Copy, Payout, PayoutState, Send, TaskFailure
from staking_gateway.payout import Hold
from staking_gateway.payout.fee_limits import Spent
from staking_gateway.problem import Level, Problem, Topic, connection
from staking_gateway.types import ElectionWindow
from tests.support.alerting import HOUR, START
from tests.support.alerting import network as network_of
from tests.support.ledgers import PAYER, USER

ATTENTION, DANGER = Level.ATTENTION, Level.DANGER
ACTIVE = 200
NOW = START + ACTIVE * HOUR + HOUR / 2
BEFORE, AFTER = NOW - HOUR, NOW - HOUR / 4
"""Before and after the failure that `failed` gives; `live.at` is NOW."""
FAILED_AT = NOW - HOUR / 2
OPEN_WINDOW, CLOSED_WINDOW = ElectionWindow.OPEN, ElectionWindow.CLOSED
CATCH_UP = EraRun("staking_catch_up_net", "manual__1", "running")
ENDED = EraRun("staking_payout_net", "era-199", "failed")
SILENT = LiveFacts(problem=Problem(Topic.GATEWAY_UNREACHABLE, "no connection"), at=NOW)
ANSWERS = LiveFacts(active=ACTIVE, window=CLOSED_WINDOW, fee=10, balance=1000, at=NOW)
FEE = Problem(Topic.GATEWAY_FAILS, "fee")
NO_PART, NO_COPY = (dict.fromkeys(one.name for one in fields(record)) for record in (Payout, Copy))


settings = partial(network_of, history_depth=84)
NETWORK = settings()


def part(state, *, at=BEFORE, **columns):
    """A part of an era in the ledger."""
    payload, lists = bool(columns.keys() & {"signed_at", "status"}), {"copies": (), "sightings": ()}
    sent = (Send(1, at, "run", 1, request_id="7", status=columns.pop("status", None)),)
    copy = Copy(**{**NO_COPY, "sends": sent, "signed_at": columns.pop("signed_at", None) or at})
    lists |= {"copies": (copy,)} if payload else {}
    return Payout(
        **{**NO_PART, **lists, "id": 1, "network": "net", "part": 0, "state": state, "updated_at": at, **columns}
    )


def held(hold, **columns):
    return part(PayoutState.HELD, hold=hold.value, reason="why", **columns)


def failed(topic, *, era=199, text="a text", about="", at=FAILED_AT):
    return {era: TaskFailure(era, Problem(topic, text, about), at, "staking_payout_net/era-199")}


def evidence(*, records=None, live=ANSWERS, airflow=None, network=None, first=198, **more):
    """By default, eras 198 and 199 are unpaid, and older ones ended before the first payout."""
    network, state = network or NETWORK, object.__new__(NetworkState)
    given = {"name": "net", "network": network, "live": live, "now": NOW, "airflow": airflow or AirflowFacts()}
    active = network.active_era(NOW, live.active, unanswered=live.problem is not None, by_node=live.by_node)
    told = {"active": active, "first": first, "known": range(195, max(active.era, ACTIVE)), "records": records or {}}
    nothing = dict.fromkeys(("setup", "refused", "stopped")) | {"failures": {}}
    nothing |= dict.fromkeys(("differences", "wrong_accounts", "paid_on_chain"), ())
    vars(state).update({**given, **told, **nothing, "spent": Spent(), **more})
    return state


PAY = {"kind": "pay"}
ANCHOR = f'- {{era: 198, start: "{(START + ACTIVE * HOUR).isoformat()}"}}'
POOR = replace(ANSWERS, balance=19)


def offered(cause):
    """What one click does."""
    return cause.action["kind"] if cause.action else page_links(cause, NETWORK)["connection"] and "connection"


def only(causes):
    (cause,) = causes
    return cause


def silent(topic):
    """The gateway gives no answer."""
    return {"live": replace(SILENT, problem=Problem(topic, "no"))}


def fails(topic, about=""):
    """The run of era 199 has failed."""
    return {"failures": failed(topic, about=about)}


# --- before every payout --------------------------------------------------------------------------------------------------

NO_DAG, PAUSED = AirflowFacts(known=False), AirflowFacts(known=True, paused=True)
DEAD, NO_TRIGGERER = AirflowFacts(dead={Topic.SCHEDULER_DEAD: NOW}), AirflowFacts(dead={Topic.TRIGGERER_DEAD: None})
SIGNER_MISSING = connection("staking_signer_user")
STANDING = [
    (Topic.SCHEDULER_DEAD, DANGER, None, {"airflow": DEAD}),
    (Topic.TRIGGERER_DEAD, DANGER, None, {"airflow": NO_TRIGGERER}),
    (Topic.DAG_MISSING, DANGER, None, {"airflow": NO_DAG}),
    (Topic.GATEWAY_UNREACHABLE, DANGER, "connection", {"live": SILENT}),
    (Topic.NODE, DANGER, None, silent(Topic.NODE)),
    (Topic.TOKEN_REFUSED, DANGER, "connection", silent(Topic.TOKEN_REFUSED)),
    (Topic.CONNECTION_MISSING, DANGER, "connection", silent(Topic.CONNECTION_MISSING)),
    (Topic.CONNECTION_MISSING, DANGER, "connection", fails(Topic.CONNECTION_MISSING, SIGNER_MISSING)),
    (Topic.WRONG_KEY, DANGER, None, fails(Topic.WRONG_KEY)),
    (Topic.SIGNER, DANGER, None, fails(Topic.SIGNER)),
    (Topic.SIGNER, DANGER, None, {"failures": failed(Topic.SIGNER, era=None)}),
    (Topic.CONFIGURATION, DANGER, None, fails(Topic.CONFIGURATION)),
    (Topic.LIMIT_MISSING, DANGER, None, {"live": replace(ANSWERS, is_local=False)}),
    (Topic.HELD_FEE, ATTENTION, None, {"network": settings(payout={"max_fee_per_payout": 9})}),
    (Topic.PAYER_EMPTY, DANGER, None, {"live": replace(ANSWERS, balance=9)}),
    (Topic.DRIFT, DANGER, None, {"live": replace(ANSWERS, active=150)}),
    (Topic.PAUSED, ATTENTION, "unpause", {"airflow": PAUSED}),
]


@pytest.mark.parametrize(("topic", "level", "action", "given"), STANDING)
def test_a_cause_that_stands_before_every_payout_takes_the_eras_without_a_reason_of_their_own(
    topic, level, action, given
):
    records = {197: [part(PayoutState.REJECTED)], 196: [part(PayoutState.UNKNOWN)], 195: [held(Hold.UNSUPPORTED)]}
    causes = problems(evidence(**{"failures": failed(Topic.UNPAID), **given}, records=records))
    found = {cause.topic: cause for cause in causes if cause.topic is not Topic.CATCH_UP_FAILED}
    standing = found.pop(topic)
    assert (standing.eras[-2:], standing.level) == ((198, 199), level)
    assert offered(standing) == action
    own = {own: cause.eras for own, cause in found.items()}
    assert own == {Topic.REJECTED: (197,), Topic.UNKNOWN: (196,), Topic.UNSUPPORTED: (195,)}
    pays = {own for own, cause in found.items() if offered(cause) == "pay"}
    works = {Topic.UNKNOWN, Topic.UNSUPPORTED, Topic.REJECTED}
    assert pays == (works if topic is Topic.PAUSED else set()), "it would fail"


def test_several_stand_at_once_the_first_to_remove_in_front():
    airflow = AirflowFacts(known=False, dead={Topic.SCHEDULER_DEAD: None})
    causes = problems(evidence(airflow=airflow, live=SILENT, failures=failed(Topic.WRONG_KEY)))
    assert [cause.topic for cause in causes] == [*(Topic.SCHEDULER_DEAD, Topic.GATEWAY_UNREACHABLE, Topic.WRONG_KEY)]
    assert {cause.eras for cause in causes} == {(198, 199)}


# --- the reason of each era -----------------------------------------------------------------------------------------------


def own(*records, **more):
    """What is known of era 199, the only unpaid one."""
    return {"records": {199: records}, **more}


INPUT_REFUSED, GATEWAY_FAILED = fails(Topic.INPUT), fails(Topic.GATEWAY_FAILS)
SOME_LIMITS = {"max_fee_per_payout": 10**18, "max_fee_per_day": 10**18}
CAPPED = part(PayoutState.CONFIRMED), part(PayoutState.PLANNED, part=1, at=NOW - HOUR / 60)
RAISED = CAPPED[0], replace(CAPPED[1], updated_at=BEFORE)
MORE_PARTS = {"parts": "until_empty", "max_parts": 2}
OWN = [
    (Topic.UNPAID, ATTENTION, PAY, own()),
    (Topic.UNPAID, ATTENTION, PAY, own(part(PayoutState.PLANNED))),
    (Topic.UNPAID, ATTENTION, PAY, own(part(PayoutState.CONFIRMED), network=settings(payout={"parts": 2}))),
    (Topic.UNPAID, ATTENTION, PAY, own(part(PayoutState.PLANNED, at=AFTER), **INPUT_REFUSED)),
    (Topic.INPUT, DANGER, PAY, own(part(PayoutState.PLANNED, at=BEFORE), **INPUT_REFUSED)),
    (Topic.INPUT, DANGER, PAY, own(**INPUT_REFUSED)),
    (Topic.UNSUPPORTED, DANGER, PAY, own(part(PayoutState.PLANNED, at=BEFORE), failures=failed(Topic.UNSUPPORTED))),
    (Topic.UNEXPECTED, DANGER, PAY, own(failures={199: TaskFailure(199, Problem(Topic.UNEXPECTED, "x"), NOW, "r")})),
    (Topic.GATEWAY_FAILS, DANGER, PAY, own(**GATEWAY_FAILED, live=LiveFacts())),
    (Topic.GATEWAY_FAILS, DANGER, PAY, own(**GATEWAY_FAILED, live=replace(ANSWERS, problem=FEE))),
    *((Topic.UNKNOWN, DANGER, PAY, own(part(PayoutState(state)))) for state in ("SIGNED", "SUBMITTED", "UNKNOWN")),
    (Topic.REJECTED, DANGER, PAY, own(part(PayoutState.REJECTED))),
    (Topic.REJECTED, DANGER, None, own(held(Hold.CHARGED, status="PayerRefused"))),
    (Topic.REJECTED, DANGER, None, own(held(Hold.CONTRADICTION))),
    (Topic.HELD_WINDOW, ATTENTION, None, own(held(Hold.WINDOW), live=replace(ANSWERS, window=OPEN_WINDOW))),
    (Topic.UNPAID, ATTENTION, PAY, own(held(Hold.WINDOW))),
    (Topic.UNPAID, ATTENTION, PAY, own(held(Hold.FEE))),
    (Topic.UNPAID, ATTENTION, PAY, own(held(Hold.LIMIT), network=settings(payout=SOME_LIMITS))),
    (Topic.HELD_FEE, ATTENTION, PAY, own(held(Hold.FEE), live=replace(ANSWERS, fee=None))),
    (Topic.UNSUPPORTED, DANGER, PAY, own(held(Hold.UNSUPPORTED))),
    (Topic.PARTIAL, ATTENTION, PAY, own(*CAPPED, network=settings(payout={"parts": "until_empty", "max_parts": 1}))),
    (Topic.UNPAID, ATTENTION, PAY, own(*RAISED, **fails(Topic.PARTIAL), network=settings(payout=MORE_PARTS))),
]


@pytest.mark.parametrize(("topic", "level", "action", "given"), OWN)
def test_the_reason_of_an_era_is_its_cause(topic, level, action, given):
    cause = only(problems(evidence(**given, first=199)))
    assert (cause.topic, cause.eras, cause.level, cause.action) == (topic, (199,), level, action)
    assert cause.facts.startswith("era 199: ")
    assert cause.since == START + ACTIVE * HOUR


def test_a_payer_that_was_refused_is_topped_up_and_then_the_era_is_paid():
    refused = {199: [part(PayoutState.REJECTED, status="PayerRefused", reason="PayerRefused")]}
    at_first = evidence(records=refused, first=199, live=replace(ANSWERS, balance=5))
    unknown = evidence(records=refused, first=199, live=replace(ANSWERS, balance=None))
    topped_up = evidence(records=refused, first=199, live=POOR)
    assert (only(problems(at_first)).topic, only(problems(unknown)).topic) == (Topic.PAYER_EMPTY,) * 2
    assert only(problems(unknown)).remedy.startswith(f"{Topic.PAYER_EMPTY.remedy}. The payer is {PAYER.hex}")
    again, runs_short = problems(topped_up)
    assert (again.topic, again.action, again.facts) == (Topic.UNPAID, PAY, "era 199: PayerRefused; the cause is gone")
    assert runs_short.topic is Topic.RUNWAY


def test_eras_with_the_same_topic_are_one_cause_that_names_each_reason_and_of_many_the_newest():
    same = {era: [part(PayoutState.REJECTED, reason="bad proof")] for era in (198, 199)}
    assert only(problems(evidence(records=same))).facts == "eras 198-199: bad proof"
    other = {**same, 199: [part(PayoutState.REJECTED, reason="too late")]}
    assert only(problems(evidence(records=other))).facts == "era 198: bad proof; era 199: too late"
    many = {era: [part(PayoutState.REJECTED, reason=f"no {era}")] for era in range(196, 200)}
    assert only(problems(evidence(records=many, first=196))).facts == "eras 196-199: era 199: no 199"
    assert only(problems(evidence(records=other))).since == START + 199 * HOUR


def test_while_a_catch_up_pays_there_is_nothing_to_start():
    records = {199: [part(PayoutState.UNKNOWN)]}
    causes = problems(evidence(records=records, airflow=AirflowFacts(catch_up=CATCH_UP), urgent=frozenset({198})))
    assert {(cause.topic, cause.level, cause.action) for cause in causes} == {
        (Topic.UNPAID, ATTENTION, None),
        (Topic.UNKNOWN, ATTENTION, None),
    }
    assert all(cause.facts.endswith("; a catch-up is paying") for cause in causes)
    assert [cause.remedy.partition(".")[0] for cause in causes if cause.topic is Topic.UNPAID] == [
        "Wait for the catch-up"
    ]


@pytest.mark.parametrize("given", [{}, {"airflow": PAUSED}], ids=["unpaid", "paused"])
def test_what_may_pass_is_danger_once_an_era_is_close_to_expiry(given):
    assert only(problems(evidence(**given))).level == ATTENTION
    assert only(problems(evidence(**given, urgent=frozenset({198})))).level == DANGER


def test_an_era_whose_run_waits_long_for_the_window_is_named_and_one_that_waits_a_short_while_is_not():
    runs = {era: EraRun("staking_payout_net", "run", "running") for era in (197, 199)}
    open_window = replace(ANSWERS, window=OPEN_WINDOW)
    airflow = AirflowFacts(runs=runs)
    cause = only(problems(evidence(airflow=airflow, live=open_window, first=199)))
    assert (cause.topic, cause.eras, cause.level, cause.action) == (Topic.HELD_WINDOW, (197,), ATTENTION, None)
    both = problems(evidence(records={198: [held(Hold.WINDOW)]}, airflow=airflow, live=open_window))
    assert only(both).eras == (197, 198)
    assert problems(evidence(airflow=airflow, first=199)) == []


# --- runs in progress -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "run", "catch_up", "unpaid"),
    [
        (part(PayoutState.SUBMITTED, at=NOW), None, None, False),
        (part(PayoutState.SUBMITTED, at=NOW), ENDED, None, True),
        (part(PayoutState.SUBMITTED, at=NOW), ENDED, CATCH_UP, False),
        (part(PayoutState.UNKNOWN, at=NOW), ENDED, None, True),
        (part(PayoutState.REJECTED, at=NOW), None, None, True),
        (part(PayoutState.REJECTED, at=NOW), replace(ENDED, state="running"), None, True),
        (held(Hold.CHARGED, at=NOW), replace(ENDED, state="running"), None, True),
        (held(Hold.FEE, at=NOW), None, None, True),
        (held(Hold.WINDOW, at=NOW), replace(ENDED, state="running"), None, False),
    ],
)
def test_neither_an_ended_run_nor_a_rejected_part_is_in_progress(record, run, catch_up, unpaid):
    airflow = AirflowFacts(runs={} if run is None else {199: run}, catch_up=catch_up)
    assert (199 in evidence(records={199: [record]}, airflow=airflow).unpaid) == unpaid


# --- what disproves a failure ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "about", "given", "gone"),
    [
        (Topic.WRONG_KEY, "x", {}, False),
        (Topic.WRONG_KEY, "x", {"signed_at": BEFORE}, False),
        (Topic.WRONG_KEY, "x", {"signed_at": AFTER}, True),
        (Topic.CONFIGURATION, "x", {"signed_at": AFTER}, True),
        (Topic.GATEWAY_UNREACHABLE, "x", {}, True),
        (Topic.TOKEN_REFUSED, "x", {}, True),
        (Topic.GATEWAY_UNREACHABLE, "x", {"live": replace(ANSWERS, at=BEFORE)}, False),
        (Topic.GATEWAY_UNREACHABLE, "x", {"live": replace(ANSWERS, problem=FEE)}, True),
        (Topic.GATEWAY_FAILS, "x", {"live": replace(ANSWERS, problem=FEE)}, False),
        (Topic.CONNECTION_MISSING, connection("staking_gateway_default"), {}, True),
        (Topic.CONNECTION_MISSING, connection("staking_gateway_default2"), {}, False),
        (Topic.CONNECTION_MISSING, connection("staking_signer_user"), {}, False),
        (Topic.CONNECTION_MISSING, connection("staking_signer_user"), {"signed_at": AFTER}, True),
        (Topic.CONNECTION_MISSING, connection("staking_signer_user"), {"setup": []}, True),
        (Topic.CONNECTION_MISSING, connection("another"), {"setup": []}, False),
        (Topic.WRONG_KEY, "x", {"setup": []}, False),
        (Topic.WRONG_KEY, "x", {"held_at": BEFORE}, False),
        (Topic.WRONG_KEY, "x", {"held_at": AFTER}, True),
    ],
)  # fmt: skip
def test_a_later_look_answer_signature_or_hold_disproves_a_failure(topic, about, given, gone):
    records = {198: [part(PayoutState.CONFIRMED, signed_at=given.get("signed_at"))]}
    records |= {197: [held(Hold.UNSUPPORTED, at=given["held_at"])]} if "held_at" in given else {}
    live, failures, setup = given.get("live", ANSWERS), failed(topic, about=about), given.get("setup")
    found = problems(evidence(records=records, live=live, failures=failures, setup=setup))
    causes = {cause.topic: cause for cause in found}
    found = causes[Topic.UNPAID if gone else topic]
    assert (found.eras, "a text" in found.facts) == ((199,), True)
    if gone:
        assert (topic in causes, found.action) == (False, PAY)


def test_a_connection_that_was_repaired_does_not_lead_over_the_next_mistake():
    missing = {"failures": failed(Topic.CONNECTION_MISSING, about=SIGNER_MISSING)}
    second = Problem(Topic.CONNECTION_MISSING, "payer", connection("staking_signer_payer"))
    assert problems(evidence(**missing, setup=[second]))[0].facts == "payer"
    assert (
        problems(evidence(**{**missing, "live": replace(ANSWERS, balance=9)}, setup=[]))[0].topic is Topic.PAYER_EMPTY
    )


def test_a_failed_try_of_a_paid_or_unknown_era_stops_nothing():
    paid = {199: [part(PayoutState.CONFIRMED)]}
    assert only(problems(evidence(records=paid, failures=failed(Topic.WRONG_KEY)))).topic is Topic.UNPAID
    typo = failed(Topic.WRONG_KEY, era=999_999)
    assert only(problems(evidence(failures=typo))).topic is Topic.UNPAID


# --- what blocks no era ----------------------------------------------------------------------------------------------------

LAST = EraRun("staking_catch_up_net", "scheduled__1", "failed")
OF_CATCH_UP = {"failures": failed(Topic.GATEWAY_FAILS, era=None), "airflow": AirflowFacts(last_catch_up=LAST)}
WRONG_ACCOUNTS = {"wrong_accounts": ["alice is not staking", "bob is staking", "x", "y", "z"]}
BESIDE = [
    (Topic.CATCH_UP_FAILED, ATTENTION, None, "a text", OF_CATCH_UP),
    (Topic.CATCH_UP_FAILED, ATTENTION, None, "a text", {"failures": failed(Topic.PLAN_CHANGED, era=None)}),
    (Topic.EXPIRED, DANGER, None, "eras 110-111; the rewards are gone", {"expired": [110, 111]}),
    (Topic.ACCOUNTS, DANGER, None, "5 accounts: alice is not staking, bob is staking, x, and 2 more", WRONG_ACCOUNTS),
    (Topic.RUNWAY, ATTENTION, None, "the balance pays 6 more eras", {"live": replace(ANSWERS, balance=60)}),
    (Topic.GATEWAY_FAILS, ATTENTION, None, "fee", {"live": replace(ANSWERS, fee=None, balance=None, problem=FEE)}),
    (Topic.DRIFT, ATTENTION, None, "era 200 from calendar, era 198 from chain", {"live": replace(ANSWERS, active=198)}),
]


@pytest.mark.parametrize(("topic", "level", "action", "detail", "given"), BESIDE)
def test_what_blocks_no_era_is_shown_beside(topic, level, action, detail, given):
    cause = only(problems(evidence(**given, first=None)))
    assert (cause.topic, cause.level, cause.action, cause.facts) == (topic, level, action, detail)
    assert cause.eras == tuple(given.get("expired", ()))


def test_the_remedy_of_a_calendar_apart_from_the_chain_has_the_line_to_append():
    cause = only(problems(evidence(live=replace(ANSWERS, active=198), first=None)))
    assert f"`{ANCHOR}` to networks.net.calendar.anchors" in cause.remedy


def test_funds_for_less_than_the_unpaid_eras_are_danger_and_an_empty_payer_is_told_once():
    short, unpaid = problems(evidence(live=replace(ANSWERS, balance=15)))
    assert (short.topic, short.level, unpaid.topic) == (Topic.RUNWAY, DANGER, Topic.UNPAID)
    assert only(problems(evidence(live=replace(ANSWERS, balance=5)))).topic is Topic.PAYER_EMPTY


# --- always ----------------------------------------------------------------------------------------------------------------

LIVE = [
    *(LiveFacts(), ANSWERS, SILENT, LiveFacts(problem=Problem(Topic.CONNECTION_MISSING, "x"))),
    *(replace(ANSWERS, problem=FEE, window=OPEN_WINDOW), replace(ANSWERS, balance=5), replace(ANSWERS, active=150)),
]
RUNNING = replace(ENDED, state="running")
AIRFLOW = [
    replace(airflow, catch_up=catch_up, runs=runs)
    for airflow in (AirflowFacts(), PAUSED, NO_DAG, replace(DEAD, known=True, paused=True))
    for catch_up, runs in ((None, None), (CATCH_UP, None), (None, {199: ENDED}), (CATCH_UP, {199: RUNNING}))
]
PARTS = [
    *([part(state)] for state in PayoutState),
    *([held(hold, at=NOW)] for hold in Hold),
    *([part(PayoutState.REJECTED, status="PayerRefused")], [part(PayoutState.SUBMITTED, at=NOW)], []),
]
FAILURES = [{}, *map(failed, (Topic.WRONG_KEY, Topic.CONNECTION_MISSING, Topic.GATEWAY_UNREACHABLE))]
FAILURES += [{**failed(Topic.INPUT), **failed(Topic.WRONG_KEY, era=None)}]


@pytest.mark.parametrize("live", LIVE, ids=range(len(LIVE)))
def test_each_unpaid_era_has_a_cause_no_cause_comes_twice_and_danger_comes_first(live):
    seen = set()
    for case in product(AIRFLOW, PARTS, FAILURES):
        airflow, records, failures = case
        given = evidence(live=live, airflow=airflow, records={199: records}, failures=failures)
        causes = problems(given)
        topics, levels = [cause.topic for cause in causes], [cause.level for cause in causes]
        eras = {era for cause in causes for era in cause.eras}
        unpaid = {era for era, cell in given.cells.items() if cell.state in OPEN}
        seen.update(topics)
        assert set(given.unpaid) <= eras <= unpaid, case
        assert len(set(topics)) == len(topics), case
        assert levels == sorted(levels, reverse=True), case
        assert set(levels) <= {ATTENTION, DANGER}, case
        assert all(cause.eras == tuple(sorted(cause.eras)) for cause in causes), case
        works = not airflow.dead and airflow.known is not False and live is not SILENT
        assert works or PAY not in [cause.action for cause in causes], case
    assert {Topic.SCHEDULER_DEAD, Topic.DAG_MISSING, Topic.PAUSED, Topic.WRONG_KEY, Topic.REJECTED} <= seen


def test_a_perfect_fresh_installation_has_no_cause():
    for live, runs in product((LiveFacts(), ANSWERS), (None, {})):
        given = evidence(live=live, airflow=AirflowFacts(known=True, runs=runs), first=None)
        assert {cell.state for cell in given.cells.values()} == {State.EARLIER}
        assert problems(given) == []


# --- the object of a remedy, and what becomes of the eras ------------------------------------------------------------------

GATEWAY, USER_KEY, PAYER_KEY = "staking_gateway_default", "staking_signer_user", "staking_signer_payer"
GATEWAY_MISSING = {
    "live": LiveFacts(problem=Problem(Topic.CONNECTION_MISSING, f"The conn_id `{GATEWAY}` isn't defined"))
}
PAYER_FAILS = failed(Topic.WRONG_KEY, about=str(PAYER))
NO_METHOD = {"failures": failed(Topic.UNSUPPORTED, text="no")}
NO_SIGNER = fails(Topic.CONNECTION_MISSING, SIGNER_MISSING)
PAYER_INVALID = fails(Topic.CONNECTION_INVALID, connection(PAYER_KEY))
OBJECTS = [
    (Topic.GATEWAY_UNREACHABLE, GATEWAY, f"Host of connection `{GATEWAY}`", {"live": SILENT}),
    (Topic.TOKEN_REFUSED, GATEWAY, "Password of", silent(Topic.TOKEN_REFUSED)),
    (Topic.NODE, None, "node_conn_id", silent(Topic.NODE)),
    (Topic.CONNECTION_MISSING, GATEWAY, "needs the type Staking Gateway (stakinggateway)", GATEWAY_MISSING),
    (Topic.CONNECTION_MISSING, USER_KEY, f"the user's account {USER.hex}", NO_SIGNER),
    (Topic.CONNECTION_INVALID, PAYER_KEY, f"of connection `{PAYER_KEY}`", PAYER_INVALID),
    (Topic.WRONG_KEY, PAYER_KEY, "networks.net.payer_signer_conn_id in staking.yaml", {"failures": PAYER_FAILS}),
    (Topic.SIGNER, USER_KEY, f"`{USER_KEY}` is that of the user {USER.hex}", fails(Topic.SIGNER, str(USER))),
    (Topic.UNSUPPORTED, GATEWAY, '"payout_method": "proxyPayoutstakers"', NO_METHOD),
    (Topic.CONFIGURATION, None, "The file is staking.yaml", fails(Topic.CONFIGURATION)),
    (Topic.PAYER_EMPTY, None, f"The payer is {PAYER.hex}", {"live": replace(ANSWERS, balance=9)}),
]


@pytest.mark.parametrize(("topic", "conn_id", "words", "given"), OBJECTS)
def test_a_remedy_names_its_object_and_has_its_connection(topic, conn_id, words, given):
    cause = next(cause for cause in problems(evidence(**given)) if cause.topic is topic)
    assert words in cause.more
    assert page_links(cause, given.get("network", NETWORK))["connection"] == conn_id


MANUAL = settings(catch_up={"scheduled": False})
PAUSED_CATCH_UP = AirflowFacts(runs={}, catch_up=CATCH_UP, catch_up_paused=True)
NO_RUNS, WAITS = AirflowFacts(runs={}), AirflowFacts(runs={199: replace(ENDED, state="running")})


@pytest.mark.parametrize(
    ("given", "then"),
    [
        ({"airflow": NO_RUNS}, "The next scheduled catch-up then pays eras 198-199 by itself"),
        (
            {"airflow": replace(NO_RUNS, catch_up_due=START.replace(year=2099))},
            f"The next scheduled catch-up, at 2099{START:-%m-%d %H:%M:%S} UTC, then pays eras 198-199 by itself",
        ),
        ({"airflow": NO_RUNS, "network": MANUAL}, "Then start the catch-up: no run pays eras 198-199 by itself"),
        ({"airflow": WAITS, "first": 199}, "Scheduled runs then pay era 199 by themselves"),
        ({"airflow": PAUSED_CATCH_UP}, "Then unpause the DAG staking_catch_up_net, which pays eras 198-199"),
        ({"airflow": replace(NO_RUNS, catch_up=CATCH_UP)}, "The catch-up then pays eras 198-199 by itself"),
    ],
)
def test_one_sentence_says_whether_the_waiting_eras_are_paid_without_a_person(given, then):
    cause = only(problems(evidence(live=SILENT, **given)))
    assert cause.remedy.endswith(f" {then}")


def test_a_run_that_waits_for_a_program_pays_when_that_is_back_and_no_catch_up():
    dead = replace(WAITS, dead={Topic.TRIGGERER_DEAD: NOW})
    remedy = only(problems(evidence(airflow=dead, first=199))).remedy
    assert remedy.endswith(". Scheduled runs then pay era 199 by themselves")


def test_a_rejected_era_says_what_paying_it_again_costs_and_whether_a_run_does_it():
    rejected = only(problems(evidence(first=199, records={199: [part(PayoutState.REJECTED)]}, airflow=NO_RUNS)))
    command = "`airflow staking pay --network net --eras 199 --again` pays era 199, and costs the fee again"
    assert rejected.remedy.endswith(f". {command}. The next scheduled catch-up then pays era 199 by itself")
    charged = only(problems(evidence(first=199, records={199: [held(Hold.CHARGED)]}, live=LiveFacts(at=NOW))))
    assert charged.remedy.endswith(f"{command}. No run pays era 199 by itself")
