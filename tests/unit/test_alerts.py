"""What is told of, when, and in which words."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.health.state import AirflowFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.payout.outcomes import WINDOW_REASON, Hold
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import ElectionWindow
from tests.support.alerting import ACCOUNTS, HOUR, IS, IS_NOT, MINUTE, NAME, START, network, watched


def told(net, *names):
    """Some fields of the first message."""
    return {name: net.said[0][name] for name in names or ("kind", "severity", "era", "phase", "runbook")}


@pytest.fixture
def net(tmp_path):
    """Era 100 has just begun, and era 99 is the first one that should be paid."""
    with watched(tmp_path, paid=[98]) as watching:
        yield watching


class TestNotPaid:
    def test_is_told_of_once_when_the_time_is_up_and_once_when_it_is_paid(self, net):
        assert net.look() == []
        assert net.look(after=29 * MINUTE) == []
        assert net.look(after=MINUTE) == ["Era 99: not paid in time"]
        assert told(net) == {
            "kind": "not_paid",
            "severity": "warning",
            "era": 99,
            "phase": "raised",
            "runbook": "unpaid",
        }
        assert "Cause: Eras are unpaid: never attempted." in net.said[0]["text"]
        assert "The DAG is staking_catch_up_testnet." in net.said[0]["text"]
        assert net.said[0]["next_step"].startswith(Topic.UNPAID.remedy)
        assert [net.look(after=MINUTE) for _ in range(5)] == [[]] * 5
        net.pay(99)
        assert net.look() == ["Era 99: paid"]
        assert (net.said[-1]["phase"], net.said[-1]["severity"]) == ("cleared", "info")
        assert net.look() == []

    def test_a_fresh_installation_is_silent_until_an_era_that_it_pays_is_late(self, tmp_path):
        with watched(tmp_path) as net:
            assert net.look(era=100, after=59 * MINUTE) == [], "era 100 has not ended"
        with watched(tmp_path) as net:
            assert net.look(after=31 * MINUTE) == []
            assert net.look(era=99) == ["Era 99: not paid in time"]
            assert net.look() == [], "it is remembered"
            net.pay(99)
            assert net.look() == ["Era 99: paid"]

    def test_many_at_once_are_one_message_and_one_when_they_are_paid(self, net):
        assert net.look(after=5 * HOUR + 31 * MINUTE) == ["6 eras (99-104): not paid in time"]
        (raised,) = net.said
        assert (raised["era"], raised["eras"]) == (99, [99, 100, 101, 102, 103, 104])
        assert "Cause (Era 99): Eras are unpaid: never attempted" in raised["text"]
        net.pay(*range(99, 105))
        assert net.look() == ["6 eras (99-104): paid"]


DOWN = "The gateway does not answer: nothing is paid"
SILENT = {"problem": Problem(Topic.GATEWAY_UNREACHABLE, "could not get active era: refused")}


WHERE = (
    "The accounts are in networks.testnet.accounts, or in the file that accounts_file names, "
    "and `expect` is staking, not_staking or any"
)
"""The object of the remedy of wrong accounts."""


class TestBlocked:
    """A cause that stands before every payout has one alert of its own, instead of one for each era."""

    def answering(self, net, **facts):
        net.live = {"active": net.active, "at": net.now, **facts}

    def fail(self, net, topic, text, era=99):
        net.ledger.journal.note_failure(NAME, era, Problem(topic, text), Actor("staking_payout_testnet/run"))

    @pytest.mark.parametrize("topic", [Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID])
    def test_what_needs_a_person_for_certain_is_reported_before_an_era_is_late_with_the_remedy_of_the_runbook(
        self, net, topic
    ):
        net.pay(99)
        net.live = {"problem": Problem(topic, "the facts")}
        assert net.look() == [f"{topic.heading}: nothing is paid"]
        assert told(net, "kind", "severity", "era") == {"kind": "blocked", "severity": "critical", "era": None}
        assert told(net, "cause", "runbook") == {"cause": "the facts", "runbook": topic.anchor}
        remedy = net.said[0]["next_step"]
        assert remedy.startswith(f"{topic.remedy}. ")
        assert "`staking_gateway_default`" in remedy
        assert net.said[0]["text"].splitlines()[1:] == ["Cause: the facts.", f"Next: {remedy}."]
        assert net.look(after=MINUTE) == []

    @pytest.mark.parametrize(
        "topic", [Topic.GATEWAY_UNREACHABLE, Topic.TOKEN_REFUSED, Topic.GATEWAY_WRONG, Topic.SIGNER]
    )
    def test_what_one_answer_cannot_prove_is_reported_once_an_era_that_it_blocks_is_late(self, net, topic):
        net.pay(99)
        net.live = {"problem": Problem(topic, "the facts")}
        assert net.look(after=89 * MINUTE) == []
        assert net.look(after=2 * MINUTE) == [f"{topic.heading}: nothing is paid"]

    def test_the_eras_that_it_blocks_send_no_alert_of_their_own_until_they_are_close_to_expiry(self, net):
        net.live = dict(SILENT)
        titles = [title for _ in range(12) for title in net.look(after=HOUR)]
        assert titles[:3] == [DOWN, "Era 99: unpaid, and will expire", "Era 100: unpaid, and will expire"]
        expiring = net.said[1]
        assert expiring["cause"].startswith(f"The gateway does not answer: {SILENT['problem'].facts}; it expires")
        assert expiring["next_step"].startswith(f"{Topic.GATEWAY_UNREACHABLE.remedy}. ")
        assert expiring["runbook"] == "gateway-unreachable"

    def test_a_dead_program_is_over_when_airflow_tells_so_and_nothing_else_does(self, net):
        dead, title = (
            AirflowFacts(dead={Topic.SCHEDULER_DEAD: None}),
            f"{Topic.SCHEDULER_DEAD.heading}: nothing is paid",
        )
        assert net.look(after=31 * MINUTE, airflow=dead) == [title]
        net.pay(99, 100)
        assert [net.look(after=HOUR), net.look(airflow=AirflowFacts())] == [[], []]
        assert net.look(after=HOUR, airflow=AirflowFacts())[0] == f"{title}: over"

    def test_a_gateway_that_comes_and_goes_is_one_alert(self, net):
        titles = []
        for turn in range(14):
            net.live = {"active": net.active, "at": net.now} if turn % 2 else dict(SILENT)
            titles += net.look(after=7 * MINUTE)
        assert titles.count(DOWN) == 1
        assert not any(": over" in title for title in titles)

    def test_no_answer_of_the_gateway_ends_no_alert_about_what_only_the_gateway_knows(self, net):
        net.pay(99)
        self.answering(net, fee=100, balance=5)
        assert net.look() == ["The payer cannot pay the fee: nothing is paid"]
        net.live = {"problem": Problem(Topic.CONNECTION_MISSING, "no")}
        assert net.look(after=MINUTE) == ["A connection is missing: nothing is paid"]
        for era in range(100, 108):
            net.now += HOUR
            net.pay(era)
            assert net.look() == []
        self.answering(net, fee=100, balance=100_000)
        assert net.look() == []
        net.pay(108)
        assert net.look(after=HOUR) == ["The payer cannot pay the fee, A connection is missing: nothing is paid: over"]


AGAIN = "--network testnet --eras 99 --again"
STOPPED = {
    "signed": (PayoutState.SIGNED, {}, 30, "not paid in time", "sent", Topic.UNKNOWN.remedy),
    "window": (
        *(PayoutState.HELD, {"hold": "window", "reason": WINDOW_REASON}, 60, "held back"),
        *(Topic.HELD_WINDOW.heading, ""),
    ),
    "fee": (
        *(PayoutState.HELD, {"hold": "fee", "reason": "the fee is 7"}, 60, "held back"),
        *("the fee is 7", "Raise the limit in staking.yaml"),
    ),
    "no method": (
        *(PayoutState.HELD, {"hold": Hold.UNSUPPORTED.value, "reason": "method not found"}, 60, "held back"),
        *("", "Set payout_method in the extras of the gateway connection"),
    ),
    "fees for nothing": (
        *(PayoutState.HELD, {"hold": Hold.CHARGED.value, "reason": "2 fees may be charged"}, 0, "rejected"),
        *(f"{Topic.REJECTED.heading}: 2 fees may be charged", AGAIN),
    ),
    "rejected": (
        *(PayoutState.REJECTED, {"reason": "bad proof"}, 0, "rejected"),
        *("The payout was rejected: bad proof", AGAIN),
    ),
}


@pytest.mark.parametrize(("state", "columns", "minutes", "title", "cause", "step"), STOPPED.values(), ids=STOPPED)
def test_an_era_that_was_stopped_is_told_of_at_its_time_with_cause_and_next_step(
    net, *, state, columns, minutes, title, cause, step
):
    net.pay(99, state=state, **columns)
    if minutes:
        assert net.look(after=(minutes - 1) * MINUTE) == []
    assert net.look(after=MINUTE) == [f"Era 99: {title}"]
    assert cause in net.said[0]["cause"]
    assert step in net.said[0]["next_step"]
    assert f"Cause: {net.said[0]['cause']}." in net.said[0]["text"]
    if title == "rejected":
        assert net.said[0]["severity"] == "critical"
        assert Topic.REJECTED.remedy in net.said[0]["next_step"] or state is PayoutState.REJECTED
    net.pay(99)
    assert net.look() == ["Era 99: paid"]


class TestHeld:
    def test_an_open_window_does_not_hold_eras_that_have_no_run(self, net):
        """Airflow was off for seven eras: nobody waits for the window to close."""
        net.live = {"window": ElectionWindow.OPEN}
        net.now += 7 * HOUR + MINUTE
        assert net.look(era=106) == ["7 eras (99-105): not paid in time"]
        assert "The DAG is staking_catch_up_testnet" in net.said[0]["next_step"]
        assert [net.look(era=106), net.look()] == [[], []]


def test_a_calendar_that_is_wrong_is_told_of_once_and_when_it_is_mended(net):
    net.pay(99)
    wrong = {97: ["The calendar: calendar and chain disagree"]}
    for active in (99, 97, 96, 103):
        net.live = {"active": active}
        assert net.look() == wrong.get(active, [])
    assert told(net, "kind", "severity", "era") == {"kind": "drift", "severity": "warning", "era": None}
    assert net.said[0]["cause"] == f"{Topic.DRIFT.heading}: era 100 from calendar, era 97 from chain"
    assert "then append `- {era: 97, start: " in net.said[0]["next_step"]
    net.live = {"active": 100}
    assert net.look() == []
    net.live = {}
    net.pay(100)
    assert net.look(after=HOUR) == [], "who cannot be asked says nothing"
    net.live = {"active": 101}
    assert net.look() == ["The calendar: calendar and chain disagree: over"]


class TestExpiry:
    def test_each_step_is_told_of_once_and_the_loss_at_last(self, net):
        titles = []
        for _ in range(22):
            for era in range(100, net.active):
                net.pay(era)
            titles += net.look(after=HOUR)
            net.pay(net.active - 1)
        assert [title for title in titles if "99" in title] == [
            "Era 99: not paid in time",
            "Era 99: unpaid, and will expire",
            "Era 99: unpaid, and will expire",
            "Era 99: unpaid, and will expire",
            "Era 99: expired unpaid",
        ]
        about = [message for message in net.said if message["era"] == 99]
        assert [message["severity"] for message in about] == ["warning", "warning", "critical", "critical", "critical"]
        assert "it expires in 10 eras, when era 119 begins" in about[1]["cause"]
        assert "it expires in 1 era" in about[3]["cause"]
        net.pay(99)
        assert [title for title in net.look(after=HOUR) if "99" in title] == []

    def test_an_era_that_is_lost_by_the_calendar_alone_is_told_of_as_about_to(self, net):
        net.pay(*range(100, 125))
        net.live = {"problem": Problem(Topic.GATEWAY_FAILS, "refused (401)")}
        assert net.look(after=25 * HOUR) == [
            "The gateway answers with errors: nothing is paid",
            "Era 99: unpaid, and will expire",
        ]
        _, raised = net.said
        assert raised["severity"] == "critical"
        assert "it expires now, when era 119 begins" in raised["cause"]
        assert min(net.watch().state.owed) == 99
        net.live = {"active": 125}
        assert net.look() == ["Era 99: expired unpaid"]

    def test_a_gateway_that_tells_of_eras_to_come_loses_none(self, net):
        net.live = {"active": 121}
        assert net.look(after=MINUTE) == ["The calendar: calendar and chain disagree"]
        assert net.said[-1]["severity"] == "critical"
        assert "then append `- {era: 121, start: " in net.said[-1]["next_step"]
        assert f"Cause: {Topic.DRIFT.heading}: era 1" in net.said[-1]["text"]

    @pytest.mark.parametrize(("days", "said"), [(0, ["Era 79: expired unpaid"]), (8, [])])
    def test_a_loss_is_told_of_unless_it_was_long_ago(self, net, days, said):
        net.pay(78, *range(80, 98), 99)
        net.pay(79, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
        net.now += timedelta(days=days)
        net.pay(*range(100, net.active))
        assert [net.look(), net.look(after=HOUR / 4)] == [said, []]


class TestCalendar:
    """While the calendar is refused, or apart from the chain, that comes first, and alerts that rest on it pause."""

    def edit(self, net):
        wrong = {"era_length": "2h", "anchors": [{"era": 0, "start": START.isoformat()}]}
        net.ledger.journal.agree_on_calendar(NAME, net.network.calendar)
        right, net.network = net.network, network(calendar=wrong, start_date=(START + 90 * HOUR).isoformat())
        return right

    def test_a_refused_calendar_is_the_only_alert_and_leaves_nothing_behind(self, net):
        right = self.edit(net)
        net.live = {"active": 101}
        assert net.look(after=HOUR) == ["staking.yaml has a mistake: nothing is paid"]
        assert "eras with runs must keep their start" in net.said[0]["next_step"]
        assert net.look(after=20 * HOUR) == []
        assert {notice.kind for notice in net.ledger.journal.notices(NAME)} == set()
        states = {row.era: row.state for row in net.ledger.views.rows("staking_eras", NAME, range(200))}
        assert states == {98: "PAID"}
        net.network, net.live = right, {}
        net.pay(*range(99, 121))
        assert net.look() == ["staking.yaml has a mistake: nothing is paid: over"]

    def test_a_rejection_and_an_expiry_by_the_observed_era_are_sent_all_the_same(self, net):
        net.pay(99, state=PayoutState.HELD, hold="fee", reason="the fee is 7")
        net.pay(*range(100, 118))
        net.pay(118, state=PayoutState.REJECTED, reason="bad proof")
        self.edit(net)
        net.live = {"active": 120}
        assert [title for title in net.look(after=20 * HOUR) if title.startswith("Era")] == [
            "Era 99: expired unpaid",
            "Era 118: rejected",
        ]

    def test_eras_that_are_late_by_a_calendar_that_is_apart_from_the_chain_send_nothing(self, net):
        net.live = {"active": 102}
        assert net.look(after=5 * HOUR) == ["The calendar: calendar and chain disagree"]
        net.live = {"active": 105}
        assert net.look() == ["5 eras (99-103): not paid in time"]


@pytest.fixture
def staked(tmp_path):
    """Three accounts: one must stake, one is watched, one must not stake. All eras are paid."""
    accounts = [
        {"account": ACCOUNTS[0].hex, "expect": "staking", "label": "must"},
        (ACCOUNTS[1], "any"),
        (ACCOUNTS[2], "not_staking"),
    ]
    with watched(tmp_path, paid=range(90, 160), accounts=accounts) as net:
        yield net


class TestAccounts:
    def test_one_that_stops_staking_is_told_of_once_and_once_when_it_recovers(self, staked):
        staked.check(98, _0=IS, _1=IS, _2=IS_NOT)
        assert staked.look() == []
        for era in range(99, 109):
            staked.check(era, _0=IS, _1=IS_NOT, _2=IS_NOT)
            assert staked.look(after=HOUR) == ([f"{ACCOUNTS[1].hex}: not staking"] if era == 99 else [])
        staked.check(109, _0=IS, _1=IS, _2=IS_NOT)
        recovery = [f"{ACCOUNTS[1].hex}: not staking: over"]
        assert [staked.look(after=HOUR) for _ in range(3)] == [[], recovery, []]

    def test_one_that_must_stake_need_not_have_been_seen_staking_and_stays_as_it_was_while_it_is_not_checked(
        self, staked
    ):
        staked.check(99, _0=IS_NOT, _1=IS_NOT, _2=IS_NOT)
        assert staked.look() == [f"must ({ACCOUNTS[0].hex}): not staking"]
        assert told(staked, "cause", "next_step", "runbook") == {
            "cause": f"{Topic.ACCOUNTS.heading}: isNotStaking in era 99, expected staking",
            "next_step": f"{Topic.ACCOUNTS.remedy}. {WHERE}",
            "runbook": "accounts",
        }
        assert f"Cause: {Topic.ACCOUNTS.heading}: isNotStaking in era 99" in staked.said[0]["text"]
        assert [staked.look(after=HOUR) for _ in range(10)] == [[]] * 10, "eight eras later nobody knows any more"

    def test_one_that_must_not_stake_and_does_is_told_of_by_a_kind_of_its_own(self, staked):
        staked.check(98, _2=IS_NOT)
        assert staked.look() == []
        staked.check(99, _2=IS)
        assert staked.look() == [f"{ACCOUNTS[2].hex}: staking, and must not be"]
        assert told(staked, "kind", "severity") == {"kind": "staking", "severity": "warning"}
        assert staked.said[0]["next_step"] == f"{Topic.ACCOUNTS.remedy}. {WHERE}"
        staked.check(100, _2=IS_NOT)
        over = [f"{ACCOUNTS[2].hex}: staking, and must not be: over"]
        assert [staked.look(after=HOUR) for _ in range(2)] == [[], over]

    @settings(deadline=None, max_examples=8)
    @given(st.lists(st.booleans(), min_size=1, max_size=12))
    def test_flapping_is_one_alert_and_one_recovery(self, tmp_path_factory, up):
        """Whatever it does from era to era: messages alternate, and between two of them lies an era of calm."""
        folder = tmp_path_factory.mktemp("flapping")
        with watched(folder, paid=range(99, 128), accounts=[(ACCOUNTS[0], "staking")]) as net:
            for era, staking in enumerate(up, 99):
                net.check(era, _0=IS if staking else IS_NOT)
                net.look(after=HOUR)
                net.look()
            phases = [message["phase"] for message in net.said]
        calm = "".join("u" if now else "d" for now in up).count("uud")
        assert phases == (["raised", "cleared"] * len(phases))[: len(phases)]
        assert len(phases) <= 2 * (1 + calm)
        assert bool(phases) == (not all(up))


class TestRunway:
    def funds(self, net, eras):
        net.live = {"fee": 100, "balance": 100 * eras + 99, "at": net.now}
        return net.look(after=HOUR)

    def test_short_is_told_of_once_for_each_step_and_once_when_it_is_over(self, staked):
        assert self.funds(staked, 7) == []
        (title,) = self.funds(staked, 6)
        assert title.startswith("The funds of the payer 0x")
        assert title.endswith(": too little for the next eras")
        assert staked.said[-1]["severity"] == "warning"
        assert staked.said[-1]["next_step"].startswith(f"{Topic.RUNWAY.remedy}. The payer is 0x")
        assert "the balance pays 6 more eras" in staked.said[-1]["cause"]
        assert self.funds(staked, 3) == []
        assert self.funds(staked, 0) == ["The payer cannot pay the fee: nothing is paid"]
        assert (staked.said[-1]["severity"], staked.said[-1]["runbook"]) == ("critical", "payer-empty")
        assert self.funds(staked, 3) == []
        assert self.funds(staked, 50) == ["The payer cannot pay the fee: nothing is paid: over"]
        assert self.funds(staked, 50)[0].endswith(": too little for the next eras: over")
