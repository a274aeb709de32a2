"""`airflow staking doctor` on the watched accounts, and on alerts that were not sent."""

from __future__ import annotations

import pytest
from names import ALICE_STASH, BOB_STASH, ERA, NETWORK

from staking_gateway.alerts.delivery import watch
from staking_gateway.health.facts import LiveFacts
from staking_gateway.ledger import Actor
from staking_gateway.types import AccountId, StakingStatus
from staking_gateway_provider.doctor.accounts import check_accounts
from staking_gateway_provider.doctor.alerts import check_alerts
from staking_gateway_provider.doctor.case import Case, SetUp
from staking_gateway_provider.doctor.findings import Level
from tests.support.notifiers import webhook
from tests.support.settings import load_config

IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
WATCHED = [
    {"account": ALICE_STASH, "label": "alice", "expect": "staking"},
    {"account": BOB_STASH, "expect": "not_staking"},
]


@pytest.fixture
def case(network, ledger):
    """Makes the case the doctor gives its checks; arguments are the network's settings."""

    def make(*, with_ledger=True, **settings):
        config = load_config(network(**settings)).network(NETWORK)
        return Case(SetUp(ledger=ledger if with_ledger else None), NETWORK, config)

    return make


def check(ledger, era, alice, bob):
    found = zip((ALICE_STASH, BOB_STASH), (alice, bob), strict=True)
    ledger.record_statuses(NETWORK, era, [(AccountId.parse(account), status) for account, status in found if status])


class TestAccounts:
    def judge(self, made):
        (finding,) = check_accounts(made)
        return finding

    def test_that_are_as_expected_are_well(self, case, ledger):
        check(ledger, ERA - 1, IS_NOT, IS)
        check(ledger, ERA, IS, IS_NOT)
        finding = self.judge(case(accounts=WATCHED))
        assert (finding.level, finding.what) == (Level.OK, f"2 in the right state, last checked in era {ERA}")

    def test_that_are_not_are_something_to_do_with_their_names(self, case, ledger):
        check(ledger, ERA - 1, None, IS)
        check(ledger, ERA, IS_NOT, None)
        finding = self.judge(case(accounts=WATCHED))
        assert finding.level is Level.WARNING
        assert finding.what == (
            f"2 of 2 in the wrong state: alice is isNotStaking and must be staking (checked in era {ERA}); "
            f"{BOB_STASH} is isStaking and must be not_staking (checked in era {ERA - 1})"
        )
        assert "`expect` in staking.yaml" in finding.remedy

    def test_that_were_not_checked_are_no_cause_for_alarm(self, case, ledger):
        made = case(accounts=WATCHED)
        assert list(check_accounts(made)) == []
        check(ledger, ERA, IS, None)
        assert self.judge(made).what == "1 of 2 in the right state; the others have no recent status"


class TestUnsentAlerts:
    @pytest.fixture
    def unsent(self, case, ledger, connect):
        """One message waits, as after a look whose receiver failed."""
        connect("pager", conn_type="http", host="pager.example")

        def make(**settings):
            made = case(accounts=WATCHED, **settings)
            check(ledger, ERA, IS_NOT, IS_NOT)
            now = made.config.calendar.start(ERA + 1)
            watch(NETWORK, made.config, ledger, LiveFacts(active=ERA + 1), actor=Actor("run"), clock=lambda: now)
            return made

        return make

    def test_are_something_to_do_where_there_is_a_receiver(self, unsent):
        findings = list(check_alerts(unsent(alerts={"notifiers": [webhook("pager")]})))
        assert [finding.level for finding in findings] == [Level.WARNING, Level.OK]
        assert findings[0].what.startswith("1 message not sent yet, the oldest made ")
        assert "correct the notifier's connection or its receiver" in findings[0].remedy

    def test_wait_for_the_next_log_where_there_is_none(self, unsent):
        (finding,) = check_alerts(unsent())
        assert (finding.level, finding.remedy) == (Level.NOTE, "The next task report writes them to its log")
