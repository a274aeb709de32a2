"""What is told of, when, and in which words."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staking_gateway.alerts.conditions import find_conditions
from staking_gateway.alerts.delivery import deliver, watch_mistake
from staking_gateway.alerts.facts import AlertFacts
from staking_gateway.eras.expiry import ActiveEra
from staking_gateway.errors import ConfigError
from staking_gateway.health.eras import Situation
from staking_gateway.health.facts import AirflowFacts
from staking_gateway.ledger import Actor, PayoutState
from staking_gateway.ledger.conditions import AlertKind, Findings, Severity
from staking_gateway.payout.outcomes import WINDOW_REASON, Hold
from staking_gateway.text import era_ranges
from staking_gateway.topics import Topic
from staking_gateway.types import ElectionWindow
from tests.support.alerting import ACCOUNTS, HOUR, IS, IS_NOT, MINUTE, NAME, START, network, watched

TX = "0x" + "12" * 32


def situation(network, now, active):
    return Situation(network.calendar, now, ActiveEra(None, active, network.history_depth), None)


@pytest.fixture
def net(tmp_path):
    """Era 100 has just begun, and era 99 is the first one that should be paid."""
    with watched(tmp_path, paid=[98]) as watching:
        yield watching


class TestNotPaid:
    def test_is_told_of_once_when_the_time_is_up_and_once_when_it_is_paid(self, net):
        assert net.look() == []
        assert net.look(after=29 * MINUTE) == []
        assert net.look(after=MINUTE) == ["Era 99 is not paid in time"]
        (raised,) = net.said
        assert (raised["kind"], raised["severity"], raised["era"], raised["phase"]) == (
            "not_paid",
            "warning",
            99,
            "raised",
        )
        assert "Cause: Eras are unpaid: never attempted." in raised["text"]
        assert "Command: airflow dags trigger staking_catch_up_testnet." in raised["text"]
        assert raised["next_step"].startswith(Topic.UNPAID.remedy)
        assert raised["runbook"] == "unpaid"
        assert [net.look(after=MINUTE) for _ in range(5)] == [[]] * 5
        net.pay(99)
        assert net.look() == [f"Era 99 is paid, transaction {TX}"]
        assert (net.said[-1]["phase"], net.said[-1]["severity"]) == ("cleared", "info")
        assert net.look() == []

    def test_eras_before_the_first_that_was_ever_tried_are_nobodys_business(self, net):
        assert net.look(after=31 * MINUTE) == ["Era 99 is not paid in time"]

    def test_eras_before_the_start_date_are_nobodys_business(self, tmp_path):
        with watched(tmp_path, start_date=(START + 97 * HOUR).isoformat()) as net:
            net.pay(90)
            assert net.look() == ["2 eras (97-98) are not paid in time"]

    def test_a_fresh_installation_is_silent_until_it_begins_to_pay(self, tmp_path):
        with watched(tmp_path) as net:
            assert net.look(after=31 * MINUTE) == []
            assert net.look(era=99) == ["Era 99 is not paid in time"]
            assert net.look() == [], "it is remembered"
            net.pay(99)
            assert net.look() == [f"Era 99 is paid, transaction {TX}"]

    def test_the_era_of_a_run_that_has_not_ended_is_not_told_of(self, tmp_path):
        with watched(tmp_path) as net:
            assert net.look(era=100, after=59 * MINUTE) == []

    def test_many_at_once_are_one_message_and_one_when_they_are_paid(self, net):
        assert net.look(after=5 * HOUR + 31 * MINUTE) == ["6 eras (99-104) are not paid in time"]
        (raised,) = net.said
        assert (raised["era"], raised["eras"]) == (99, [99, 100, 101, 102, 103, 104])
        assert "Cause for era 99: Eras are unpaid: never attempted" in raised["text"]
        net.pay(*range(99, 105))
        assert net.look() == ["6 eras (99-104) are paid"]

    def test_a_chain_that_pays_by_itself_owes_nothing(self, net):
        net.live = {"automatic": True}
        assert net.look(after=40 * MINUTE) == []
        net.live = {}
        assert net.look() == ["Era 99 is not paid in time"]
        net.live = {"automatic": True}
        assert "is ignored" in net.look()[0]

    def test_the_chain_decides_which_era_is_active(self, net):
        net.live = {"active": 99}
        assert net.look(after=50 * MINUTE) == []

    @pytest.mark.parametrize("state", [PayoutState.SIGNED, PayoutState.SUBMITTED, PayoutState.UNKNOWN])
    def test_what_was_sent_is_not_to_be_paid_by_other_means(self, net, state):
        net.pay(99, state=state)
        net.look(after=31 * MINUTE)
        assert "sent" in net.said[0]["cause"]
        assert net.said[0]["next_step"] == Topic.UNKNOWN.remedy

    def test_of_several_parts_all_must_be_paid(self, tmp_path):
        with watched(tmp_path, payout={"parts": 2}) as net:
            net.pay(99)
            assert net.look(after=31 * MINUTE) == ["Era 99 is not paid in time"]
            assert "1 parts are paid, more may be unpaid" in net.said[0]["text"]


SILENT = {"problem": "could not get active era: refused", "topic": Topic.GATEWAY_UNREACHABLE}


class TestBlocked:
    """A cause that stands before every payout has one alert of its own, instead of one for each era."""

    def answering(self, net, **facts):
        net.live = {"active": net.active, "at": net.now, **facts}

    def fail(self, net, topic, text, era=99):
        net.ledger.journal.note_failure(NAME, era, topic.anchor, text, Actor("staking_payout_testnet/run"))

    @pytest.mark.parametrize("topic", [Topic.CONNECTION_MISSING, Topic.CONNECTION_INVALID])
    def test_what_needs_a_person_for_certain_is_reported_before_an_era_is_late_with_the_remedy_of_the_runbook(
        self, net, topic
    ):
        net.pay(99)
        net.live = {"problem": "the facts", "topic": topic}
        assert net.look() == [f"{topic.heading}: nothing is paid"]
        (raised,) = net.said
        assert (raised["kind"], raised["severity"], raised["era"]) == ("blocked", "critical", None)
        assert (raised["cause"], raised["next_step"], raised["runbook"]) == ("the facts", topic.remedy, topic.anchor)
        assert raised["text"].splitlines()[1:] == ["Cause: the facts.", f"Next: {topic.remedy}."]
        assert net.look(after=MINUTE) == []

    @pytest.mark.parametrize("topic", [Topic.GATEWAY_UNREACHABLE, Topic.TOKEN_REFUSED, Topic.GATEWAY_WRONG])
    def test_what_one_answer_cannot_prove_is_reported_once_an_era_that_it_blocks_is_late(self, net, topic):
        net.pay(99)
        net.live = {"problem": "the facts", "topic": topic}
        assert net.look(after=89 * MINUTE) == []
        assert net.look(after=2 * MINUTE) == [f"{topic.heading}: nothing is paid"]

    def test_the_eras_that_it_blocks_send_no_alert_of_their_own_until_they_are_close_to_expiry(self, net):
        net.live = dict(SILENT)
        titles = [title for _ in range(12) for title in net.look(after=HOUR)]
        assert titles[0] == "The gateway does not answer: nothing is paid"
        assert titles[1:3] == ["Era 99 is unpaid and will expire", "Era 100 is unpaid and will expire"]
        expiring = net.said[1]
        assert expiring["cause"].startswith(
            "The gateway does not answer: could not get active era: refused; it expires"
        )
        assert (expiring["next_step"], expiring["runbook"]) == (Topic.GATEWAY_UNREACHABLE.remedy, "gateway-unreachable")

    def test_the_eras_that_are_still_unpaid_after_it_are_reported_together(self, net):
        net.live = dict(SILENT)
        assert net.look(after=90 * MINUTE) == ["The gateway does not answer: nothing is paid"]
        self.answering(net)
        assert net.look(after=MINUTE) == ["2 eras (99-100) are not paid in time"]

    def test_its_end_is_reported_once_when_it_has_lasted(self, net):
        net.live = dict(SILENT)
        assert net.look(after=30 * MINUTE) == ["The gateway does not answer: nothing is paid"]
        net.pay(99)
        titles = []
        for _ in range(5):
            self.answering(net)
            titles += net.look(after=15 * MINUTE)
            net.pay(100)
        assert titles == ["The gateway does not answer: this is over"]
        assert (net.said[-1]["phase"], net.said[-1]["runbook"]) == ("cleared", "gateway-unreachable")

    def test_a_gateway_that_comes_and_goes_is_one_alert(self, net):
        titles = []
        for turn in range(20):
            net.live = {"active": net.active, "at": net.now} if turn % 2 else dict(SILENT)
            titles += net.look(after=5 * MINUTE)
        assert titles.count("The gateway does not answer: nothing is paid") == 1
        assert not any("is over" in title for title in titles)

    def test_an_alert_of_an_era_that_came_before_it_stays_open_and_ends_with_the_payment(self, net):
        assert net.look(after=31 * MINUTE) == ["Era 99 is not paid in time"]
        net.live = {"problem": "no such connection", "topic": Topic.CONNECTION_MISSING}
        assert net.look(after=MINUTE) == ["A connection is missing: nothing is paid"]
        net.pay(99)
        assert net.look(after=MINUTE) == [f"Era 99 is paid, transaction {TX}"]

    @pytest.mark.parametrize("topic", [Topic.WRONG_KEY, Topic.CONNECTION_MISSING])
    def test_what_stopped_the_last_run_is_reported_until_a_run_has_signed(self, net, topic):
        self.fail(net, topic, "the key of staking_signer_user is of another account")
        self.answering(net)
        assert net.look(after=MINUTE) == [f"{topic.heading}: nothing is paid"]
        net.now += MINUTE
        net.pay(99, signed_at=net.now)
        assert net.look() == []
        self.answering(net)
        assert net.look(after=HOUR) == [f"{topic.heading}: this is over"]

    def test_no_answer_of_the_gateway_ends_no_alert_about_what_only_the_gateway_knows(self, net):
        net.pay(99)
        self.answering(net, fee=100, balance=5)
        assert net.look() == ["The payer cannot pay the fee: nothing is paid"]
        net.live = {"problem": "no", "topic": Topic.CONNECTION_MISSING}
        assert net.look(after=MINUTE) == ["A connection is missing: nothing is paid"]
        for era in range(100, 108):
            net.now += HOUR
            net.pay(era)
            assert net.look() == []
        self.answering(net, fee=100, balance=100_000)
        assert net.look() == []
        net.pay(108)
        assert net.look(after=HOUR) == ["A connection is missing; The payer cannot pay the fee: this is over"]

    def test_a_missing_limit_is_reported_for_a_gateway_on_another_machine(self, net):
        net.pay(99)
        self.answering(net, is_local=False, fee=100)
        assert net.look() == ["A fee limit is not set, so nothing is signed: nothing is paid"]
        assert net.said[0]["cause"] == "max_fee_per_payout of testnet"

    def test_a_dead_triggerer_is_reported_once_an_era_is_late(self, net):
        net.pay(99)
        dead = AirflowFacts(dead={Topic.TRIGGERER_DEAD: START})
        self.answering(net)
        assert net.look(airflow=dead, after=MINUTE) == []
        net.now += HOUR + 31 * MINUTE
        self.answering(net)
        assert net.look(airflow=dead) == ["Airflow's triggerer is not running: nothing is paid"]
        assert net.said[0]["next_step"] == "Start it: airflow triggerer"
        net.pay(100)
        net.live = {}
        net.now += 2 * HOUR
        net.pay(101, 102)
        assert net.look() == [], "nothing is known of the triggerer"
        assert net.look(airflow=AirflowFacts()) == []
        net.pay(103)
        assert net.look(airflow=AirflowFacts(), after=HOUR) == ["Airflow's triggerer is not running: this is over"]

    def test_two_causes_are_one_message_with_both_remedies(self, net):
        self.fail(net, Topic.WRONG_KEY, "the key is of another account")
        self.answering(net, fee=100, balance=5)
        (title,) = net.look()
        assert title.endswith(": nothing is paid")
        for topic in (Topic.WRONG_KEY, Topic.PAYER_EMPTY):
            assert topic.heading in title
            assert f"Next: {topic.remedy}." in net.said[0]["text"]


class TestMistakes:
    """A network whose settings have a mistake is reported by what `staking.yaml` says of it."""

    def test_are_reported_once_with_path_and_remedy_and_end_when_the_network_is_read_again(self, net):
        book = net.ledger.journal.alerts
        error = ConfigError("networks.testnet.payot", "unknown key", "Did you mean payout?")
        for _ in range(3):
            watch_mistake(NAME, error, book, actor=Actor("watch"))
        deliver(NAME, book, net.receivers)
        (raised,) = net.said
        assert raised["title"] == "[testnet] staking.yaml has a mistake: nothing is paid"
        assert raised["cause"] == "networks.testnet.payot: unknown key"
        assert (raised["next_step"], raised["runbook"]) == ("Did you mean payout?", "configuration")
        net.pay(99)
        assert net.look() == ["staking.yaml has a mistake: this is over"]


class TestHeld:
    def test_by_the_window_is_told_of_after_its_own_time(self, net):
        net.pay(99, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
        assert net.look(after=59 * MINUTE) == []
        assert net.look(after=MINUTE) == ["Era 99 is held back"]
        assert f"Cause: {Topic.HELD_WINDOW.heading}." in net.said[0]["text"]
        net.pay(99)
        assert len(net.look()) == 1

    def test_an_open_window_holds_the_era_of_the_run_that_looks(self, net):
        net.live = {"window": ElectionWindow.OPEN}
        assert net.look(era=99, after=59 * MINUTE) == []
        assert net.look(era=99, after=MINUTE) == ["Era 99 is held back"]
        assert (net.said[0]["next_step"], net.said[0]["runbook"]) == (Topic.HELD_WINDOW.remedy, "held_window")

    def test_an_open_window_does_not_hold_eras_that_have_no_run(self, net):
        """Airflow was off for seven eras: nobody waits for the window to close."""
        net.live = {"window": ElectionWindow.OPEN}
        net.now += 7 * HOUR + MINUTE
        assert net.look(era=106) == ["7 eras (99-105) are not paid in time"]
        assert "trigger staking_catch_up_testnet" in net.said[0]["next_step"]
        assert net.look(era=106) == []
        assert net.look() == []

    def test_by_the_fee_says_which_limit_to_raise(self, net):
        net.pay(99, state=PayoutState.HELD, hold="fee", reason="the fee is 7, more than max_fee_per_payout 5")
        assert net.look(after=61 * MINUTE)[0] == "Era 99 is held back"
        held = net.said[0]
        assert "the fee is 7, more than max_fee_per_payout 5" in held["cause"]
        assert "Raise the limit in staking.yaml" in held["next_step"]

    def test_follows_a_message_that_it_is_late_once_and_is_not_followed_by_one(self, net):
        assert net.look(after=31 * MINUTE) == ["Era 99 is not paid in time"]
        net.pay(99, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
        assert net.look() == ["Era 99 is held back"]
        for state in (PayoutState.PLANNED, PayoutState.HELD, PayoutState.UNKNOWN):
            net.pay(99, state=state, hold="window", reason=WINDOW_REASON)
            assert net.look(after=MINUTE) == []
        net.pay(99)
        assert net.look() == [f"Era 99 is paid, transaction {TX}"]

    def test_an_era_that_was_told_of_is_not_over_while_it_is_unpaid(self, tmp_path):
        with watched(tmp_path, alerts={"held_after": "9h", "clear_after": "0s"}) as net:
            net.pay(98)
            assert net.look(after=31 * MINUTE) == ["Era 99 is not paid in time"]
            net.pay(99, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
            assert net.look(after=MINUTE) == ["Era 99 is held back"]
            net.pay(99, state=PayoutState.PLANNED, reason=None)
            assert [net.look(after=MINUTE) for _ in range(3)] == [[]] * 3


class TestHeldForAPerson:
    @pytest.mark.parametrize(
        ("hold", "wasted", "cause"),
        [
            (Hold.CHARGED, 2, "2 fees charged, and nothing was paid: request 7 is Rejected"),
            (Hold.CONTRADICTION, 0, "the witnesses disagree: request 7 is Rejected"),
        ],
    )
    def test_is_told_of_at_once_with_the_command_that_goes_on(self, net, hold, wasted, cause):
        net.pay(99, state=PayoutState.HELD, hold=hold.value, wasted=wasted, reason="request 7 is Rejected")
        assert net.look() == ["Era 99 was rejected"]
        (told,) = net.said
        assert (told["severity"], told["cause"]) == ("critical", f"{Topic.REJECTED.heading}: {cause}")
        assert told["next_step"].startswith(f"{Topic.REJECTED.remedy}. Command: airflow staking pay")
        assert told["next_step"].endswith("--network testnet --era 99 --again")

    def test_a_payout_method_the_gateway_lacks_is_told_of_with_its_setting(self, net):
        net.pay(99, state=PayoutState.HELD, hold=Hold.UNSUPPORTED.value, reason="method not found")
        assert net.look(after=61 * MINUTE) == ["Era 99 is held back"]
        assert "Set payout_method in the extras of the gateway connection" in net.said[0]["next_step"]

    def test_a_hold_this_version_does_not_know_is_an_era_that_is_held_back(self, net):
        net.pay(99, state=PayoutState.HELD, hold="another", reason="something else")
        assert net.look(after=61 * MINUTE) == ["Era 99 is held back"]
        assert net.said[0]["cause"].endswith(": something else")


class TestRejected:
    def test_is_told_of_at_once(self, net):
        net.pay(99, state=PayoutState.REJECTED, reason="bad proof")
        assert net.look() == ["Era 99 was rejected"]
        (rejected,) = net.said
        assert (rejected["severity"], rejected["cause"]) == ("critical", "The payout was rejected: bad proof")
        assert rejected["next_step"].endswith("airflow staking pay --network testnet --era 99 --again")


class TestCalendar:
    def test_that_is_wrong_is_told_of_once_and_when_it_is_mended(self, net):
        net.pay(99)
        for told, said in [
            (101, []),
            (99, []),
            (97, ["The calendar does not agree with the chain"]),
            (96, []),
            (103, []),
        ]:
            net.live = {"active": told}
            assert net.look() == said
        (message,) = net.said
        assert (message["kind"], message["severity"], message["era"]) == ("drift", "warning", None)
        assert message["cause"] == "active era: 100 from calendar, 97 from chain"
        assert message["next_step"] == Topic.DRIFT.remedy
        net.live = {"active": 100}
        assert net.look() == []
        net.live = {}
        net.pay(100)
        assert net.look(after=HOUR) == [], "who cannot be asked says nothing"
        net.live = {"active": 101}
        assert net.look() == ["The calendar agrees with the chain again"]


class TestExpiry:
    def test_each_step_is_told_of_once_and_the_loss_at_last(self, net):
        titles = []
        for _ in range(22):
            for era in range(100, net.active):
                net.pay(era)
            titles += net.look(after=HOUR)
            net.pay(net.active - 1)
        assert [title for title in titles if "99" in title] == [
            "Era 99 is not paid in time",
            "Era 99 is unpaid and will expire",
            "Era 99 is unpaid and will expire",
            "Era 99 is unpaid and will expire",
            "Era 99 has expired unpaid",
        ]
        about = [message for message in net.said if message["era"] == 99]
        assert [message["severity"] for message in about] == ["warning", "warning", "critical", "critical", "critical"]
        assert "it expires in 11 eras, when era 120 begins" in about[1]["cause"]
        assert "it expires in 2 eras" in about[3]["cause"]
        net.pay(99)
        assert [title for title in net.look(after=HOUR) if "99" in title] == []

    @pytest.mark.parametrize(
        "told",
        [
            pytest.param({"problem": "refused (401)"}, id="no-word-of-the-chain"),
            pytest.param({"active": 101}, id="a-chain-far-behind-its-calendar"),
        ],
    )
    def test_no_loss_is_told_of_by_the_calendar_while_the_chain_may_know_better(self, net, told):
        net.pay(*range(100, 120))
        net.live = told
        said = net.look(after=20 * HOUR)
        assert net.active == 120
        assert [title for title in said if "expired" in title] == []
        net.live = {"active": 119}
        net.look()
        net.pay(99)
        assert net.look()[-1] == f"Era 99 is paid, transaction {TX}", "what was told of an era can still end well"

    def test_an_era_that_is_lost_by_the_calendar_alone_is_told_of_as_about_to(self, net):
        net.pay(*range(100, 125))
        net.live = {"problem": "refused (401)"}
        assert net.look(after=25 * HOUR) == [
            "The gateway answers with errors: nothing is paid",
            "Era 99 is unpaid and will expire",
        ]
        _, raised = net.said
        assert raised["severity"] == "critical"
        assert "it expires now, if the calendar is right, when era 120 begins" in raised["cause"]
        assert net.watch().oldest_unpaid_age == 25 * HOUR
        net.live = {"active": 125}
        assert net.look() == ["Era 99 has expired unpaid"]

    @pytest.mark.parametrize(
        ("told", "said"),
        [
            (
                {"problem": "no answer"},
                ["The gateway answers with errors: nothing is paid", "Era 99 is unpaid and will expire"],
            ),
            ({}, [f"Era 99 is paid, transaction {TX}"]),
        ],
    )
    def test_an_era_that_now_takes_more_calls_is_not_over_before_it_is_old_for_certain(self, tmp_path, told, said):
        with watched(tmp_path, payout={"parts": 2}) as net:
            net.pay(99)
            assert net.look(after=HOUR) == ["Era 99 is not paid in time"]
            for era in range(100, 125):
                net.pay(era, part=0)
                net.pay(era, part=1)
            net.live = told
            assert net.look(after=24 * HOUR) == said

    def test_a_gateway_that_tells_of_eras_to_come_loses_none(self, net):
        net.live = {"active": 121}
        assert net.look(after=MINUTE) == ["The calendar does not agree with the chain"]
        assert net.said[-1]["severity"] == "critical"
        assert net.said[-1]["next_step"] == Topic.DRIFT.remedy
        assert f"Cause: {Topic.DRIFT.heading}: active era: 1" in net.said[-1]["text"]

    def test_a_node_ahead_of_the_calendar_is_believed(self, net):
        net.live = {"active": 118, "by_node": True}
        assert set(net.look()) == {
            "The calendar does not agree with the chain",
            "6 eras (103-108) are unpaid and will expire",
            "3 eras (100-102) are unpaid and will expire",
            "Era 99 is unpaid and will expire",
        }
        net.live = {"active": 120, "by_node": True}
        assert "Era 99 has expired unpaid" in net.look()

    def test_what_was_lost_while_the_chain_was_not_believed_is_told_of_after_it(self, net):
        for told in range(101, 141):
            net.live = {"active": told}
            net.look()
        net.now += 40 * HOUR
        net.look()
        lost = {
            condition["era"]
            for message in net.said
            if message["kind"] == "expired"
            for condition in message["conditions"]
        }
        assert lost == set(range(99, 120))

    def test_a_question_that_fails_does_not_hide_the_chains_word(self, net):
        net.pay(*range(100, 125))
        net.live = {"active": 125, "problem": "could not get relayer fee"}
        assert net.look(after=25 * HOUR) == ["Era 99 has expired unpaid"]

    def test_a_gateway_that_never_tells_the_era_leaves_it_to_the_calendar(self, net):
        net.pay(*range(100, 120))
        net.live = {"active": None}
        assert net.look(after=20 * HOUR) == ["Era 99 has expired unpaid"]

    def test_a_loss_that_was_told_of_long_before_there_were_alerts_is_not_told_of_again(self, net):
        net.pay(79, 81)
        net.pay(80, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
        net.pay(*range(82, 98))
        net.ledger.journal.note_once(NAME, 80, "expired", "gone", Actor("catch-up"))
        net.now += timedelta(days=8)
        for era in range(99, net.active):
            net.pay(era)
        assert net.look() == []

    def test_a_loss_of_a_moment_ago_is_told_of_even_after_the_catch_up_said_it(self, net):
        net.pay(*range(80, 98))
        net.pay(79, state=PayoutState.HELD, hold="window", reason=WINDOW_REASON)
        net.pay(99)
        net.ledger.journal.note_once(NAME, 79, "expired", "gone", Actor("catch-up"))
        assert net.look() == ["Era 79 has expired unpaid"]
        assert net.look(after=HOUR / 4) == []

    def test_an_account_with_less_time_makes_its_eras_urgent(self, tmp_path):
        account = {"account": ACCOUNTS[0].hex, "history_depth": 4}
        with watched(tmp_path, accounts=[account]) as net:
            net.pay(97, 99)
            assert net.look(after=MINUTE) == ["Era 98 is unpaid and will expire"]
            assert "it expires in 3 eras, when era 103 begins" in net.said[0]["cause"]


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
        staked.check(99, _0=IS, _1=IS_NOT, _2=IS_NOT)
        assert staked.look() == [f"{ACCOUNTS[1].hex} is not staking"]
        for era in range(100, 120):
            staked.check(era, _0=IS, _1=IS_NOT, _2=IS_NOT)
            assert staked.look(after=HOUR) == []
        staked.check(120, _0=IS, _1=IS, _2=IS_NOT)
        assert staked.look(after=HOUR) == []
        assert staked.look(after=HOUR) == [f"{ACCOUNTS[1].hex} is staking again"]
        assert staked.look(after=HOUR) == []

    def test_one_that_must_stake_need_not_have_been_seen_staking(self, staked):
        staked.check(99, _0=IS_NOT, _1=IS_NOT, _2=IS_NOT)
        assert staked.look() == [f"must ({ACCOUNTS[0].hex}) is not staking"]
        assert (
            staked.said[0]["cause"] == "staking.yaml expects that it is staking, but it is not; last checked in era 99"
        )
        assert staked.said[0]["next_step"] == Topic.ACCOUNTS.remedy
        assert f"Cause: {Topic.ACCOUNTS.heading}: staking.yaml expects" in staked.said[0]["text"]
        assert staked.said[0]["runbook"] == "accounts"

    def test_one_that_was_not_checked_stays_as_it_was(self, staked):
        staked.check(99, _0=IS_NOT)
        assert len(staked.look()) == 1
        assert [staked.look(after=HOUR) for _ in range(15)] == [[]] * 15, "eight eras later nobody knows any more"

    def test_many_at_once_are_one_message(self, tmp_path):
        with watched(tmp_path, accounts=[(account, "staking") for account in ACCOUNTS]) as net:
            net.check(99, **{f"_{index}": IS_NOT for index in range(6)})
            (title,) = net.look()
            assert title.startswith("6 accounts (0x")
            assert title.endswith(") are not staking")
            net.check(100, **{f"_{index}": IS for index in range(6)})
            assert net.look(after=HOUR) == []
            (title,) = net.look(after=HOUR)
            assert title.endswith(") are staking again")

    def test_one_that_is_no_longer_watched_is_over(self, staked):
        staked.check(99, _0=IS_NOT, _1=IS)
        staked.look()
        staked.network = network(accounts=[(ACCOUNTS[1], "any")])
        assert staked.look() == [f"must ({ACCOUNTS[0].hex}) is no longer watched"]

    def test_one_that_need_no_longer_stake_is_over(self, staked):
        staked.check(99, _0=IS_NOT)
        staked.look()
        staked.network = network(accounts=[(ACCOUNTS[0], "not_staking")], alerts={"clear_after": "0s"})
        assert staked.look() == []
        assert staked.look() == [f"must ({ACCOUNTS[0].hex}) need not be staking"]

    def test_one_that_must_not_stake_and_does_is_told_of_by_a_kind_of_its_own(self, staked):
        staked.check(98, _2=IS_NOT)
        assert staked.look() == []
        staked.check(99, _2=IS)
        assert staked.look() == [f"{ACCOUNTS[2].hex} is staking and must not be"]
        (raised,) = staked.said
        assert (raised["kind"], raised["severity"]) == ("staking", "warning")
        assert raised["next_step"] == Topic.ACCOUNTS.remedy
        staked.check(100, _2=IS_NOT)
        assert staked.look(after=HOUR) == []
        assert staked.look(after=HOUR) == [f"{ACCOUNTS[2].hex} is not staking any more"]

    def test_one_that_may_stake_by_now_is_over(self, staked):
        staked.check(99, _2=IS)
        staked.look()
        staked.network = network(accounts=[(ACCOUNTS[2], "any")], alerts={"clear_after": "0s"})
        assert staked.look() == []
        assert staked.look() == [f"{ACCOUNTS[2].hex} may be staking"]

    def test_the_era_of_its_own_last_check_is_told(self, staked):
        staked.check(97, _0=IS, _1=IS)
        staked.check(98, _1=IS_NOT)
        staked.check(99, _0=IS)
        staked.look()
        assert staked.said[0]["cause"] == "it has stopped staking; last checked in era 98"

    def test_those_that_are_not_as_expected_are_counted_and_no_others(self, staked):
        def count():
            return staked.watch().findings.unexpected

        staked.check(98, _0=IS, _1=IS_NOT, _2=IS_NOT)
        assert count() == 0, "idle accounts that may be, or must be"
        staked.check(99, _0=IS_NOT, _1=IS, _2=IS)
        assert count() == 2
        staked.check(100, _0=IS, _1=IS_NOT, _2=IS_NOT)
        assert count() == 1, "one that was staking until now"
        for era in range(101, 115):
            staked.check(era, _0=IS, _1=IS_NOT, _2=IS_NOT)
        staked.now += 15 * HOUR
        assert count() == 1, "as long as its alert is open"
        staked.check(115, _0=IS, _1=IS, _2=IS_NOT)
        assert count() == 0

    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.booleans(), min_size=1, max_size=25))
    def test_flapping_is_one_alert_and_one_recovery(self, tmp_path_factory, up):
        """Whatever it does from era to era: messages alternate, and between two of them lies an era of calm."""
        folder = tmp_path_factory.mktemp("flapping")
        with watched(folder, paid=range(99, 128), accounts=[(ACCOUNTS[0], "staking")]) as net:
            for era, staking in enumerate(up, 99):
                net.check(era, _0=IS if staking else IS_NOT)
                net.look(after=HOUR)
                net.look(after=timedelta(0))
            phases = [message["phase"] for message in net.said]
            assert phases == (["raised", "cleared"] * len(phases))[: len(phases)]
            drops = sum(not now for now in up)
            calm = "".join("u" if now else "d" for now in up)
            assert len(phases) <= 2 * (1 + calm.count("uud"))
            assert bool(phases) == bool(drops)

    def test_a_hundred_flaps_are_one_alert_and_one_recovery(self, tmp_path):
        with watched(tmp_path, accounts=[(ACCOUNTS[0], "staking")]) as net:
            book = net.ledger.journal.alerts
            there = find_conditions(
                NAME,
                net.network,
                AlertFacts(situation(net.network, net.now, 100), statuses={99: {ACCOUNTS[0].hex: IS_NOT}}),
            )
            gone = find_conditions(
                NAME,
                net.network,
                AlertFacts(situation(net.network, net.now, 100), statuses={99: {ACCOUNTS[0].hex: IS}}),
            )
            for turn in range(100):
                net.now += timedelta(minutes=20)
                book.update(NAME, gone if turn % 2 else there, clear_after=HOUR, actor=Actor("test"))
            for _ in range(5):
                net.now += timedelta(minutes=20)
                book.update(NAME, gone, clear_after=HOUR, actor=Actor("test"))
            assert [message.phase for message in book.unsent(NAME)] == ["raised", "cleared"]


class TestRunway:
    def funds(self, net, eras):
        net.live = {"fee": 100, "balance": 100 * eras + 99, "at": net.now}
        return net.look(after=HOUR)

    def test_short_is_told_of_once_for_each_step_and_once_when_it_is_over(self, staked):
        assert self.funds(staked, 7) == []
        (title,) = self.funds(staked, 6)
        assert title.startswith("The funds of the payer 0x")
        assert title.endswith(" run short")
        assert (staked.said[-1]["severity"], staked.said[-1]["next_step"]) == ("warning", Topic.RUNWAY.remedy)
        assert "they last for 6 more eras" in staked.said[-1]["cause"]
        assert self.funds(staked, 3) == []
        assert self.funds(staked, 0) == ["The payer cannot pay the fee: nothing is paid"]
        assert (staked.said[-1]["severity"], staked.said[-1]["runbook"]) == ("critical", "payer-empty")
        assert self.funds(staked, 3) == []
        assert self.funds(staked, 50) == ["The payer cannot pay the fee: this is over"]
        assert self.funds(staked, 50)[0].endswith(" last for 50 eras again")

    def test_a_gateway_that_does_not_tell_changes_nothing(self, staked):
        self.funds(staked, 0)
        staked.live = {"fee": 100}
        assert [staked.look(after=HOUR) for _ in range(3)] == [[]] * 3

    def test_an_era_of_several_calls_costs_as_many_fees(self, tmp_path):
        with watched(tmp_path, payout={"parts": 3}) as net:
            net.live = {"fee": 100, "balance": 6 * 300 + 299}
            assert len(net.look()) == 1
            assert "6 more eras" in net.said[0]["cause"]

    def test_its_limits_are_settings(self, tmp_path):
        with watched(tmp_path, alerts={"runway_warning": 2, "runway_critical": 2}) as net:
            assert self.funds(net, 2) == []
            self.funds(net, 1)
            assert net.said[0]["severity"] == "critical"


class TestWatch:
    def test_tells_what_the_metrics_need(self, staked):
        staked.pay(99, state=PayoutState.UNKNOWN)
        staked.check(99, _0=IS_NOT, _1=IS, _2=IS_NOT)
        staked.live = {"fee": 7, "balance": 70}
        staked.now += 30 * MINUTE
        seen = staked.watch()
        assert (seen.findings.unpaid, seen.oldest_unpaid_age) == ([99], 30 * MINUTE)
        assert (seen.findings.unexpected, seen.findings.checked, seen.findings.runway) == (1, True, 10)
        assert [line.partition(": ")[2].split(",")[0] for line in seen.open] == ["not_staking", "not_paid"]
        staked.pay(99)
        assert staked.watch().oldest_unpaid_age is None


def test_a_condition_is_plain_json_and_names_its_kind(tmp_path):
    with watched(tmp_path) as net:
        net.pay(99, state=PayoutState.REJECTED, reason="bad")
        (condition,) = net.watch().findings.present.values()
    told = condition.as_dict()
    assert (told["topic"], told["kind"], told["severity"], told["era"]) == ("era:99", "rejected", "critical", 99)
    assert AlertKind(told["kind"]) is condition.kind
    assert Severity(told["severity"]) is condition.severity


def test_nothing_that_is_known_is_no_finding():
    found = find_conditions(NAME, network(), AlertFacts(situation(network(), START, 0)))
    assert found == Findings()


@pytest.mark.parametrize(("numbers", "text"), [([], ""), ([3], "3"), ([3, 4, 5, 9], "3-5, 9"), ([1, 3, 4], "1, 3-4")])
def test_eras_are_named_shortly(numbers, text):
    assert era_ranges(numbers) == text
