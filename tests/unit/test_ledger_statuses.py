"""Statuses are stored many at a time, letter for letter, in one statement."""

from __future__ import annotations

from contextlib import closing

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staking_gateway.ledger import Ledger
from staking_gateway.types import AccountId, StakingStatus
from tests.support.ledgers import KINDS, NETWORK, NOW, account, fresh_url

IS, IS_NOT = StakingStatus.IS_STAKING, StakingStatus.IS_NOT_STAKING
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    with fresh_url(request.param, tmp_path) as fresh:
        yield fresh


@pytest.fixture
def ledger(url):
    with closing(Ledger(url, clock=lambda: NOW)) as opened:
        yield opened


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    network=st.text(LETTERS, min_size=1, max_size=30),
    era=st.integers(0, 2**32 - 1),
    found=st.dictionaries(
        st.integers(1, 99),
        st.tuples(st.text(LETTERS, max_size=66), st.sampled_from(StakingStatus)),
        min_size=1,
        max_size=4,
    ),
)
def test_what_is_stored_is_what_is_read_whatever_the_letters(ledger, network, era, found):
    statuses = [(AccountId(account(key).public_key, address), status) for key, (address, status) in found.items()]
    assert ledger.record_statuses(network, era, statuses) == len(found)
    stored = {one.account_key: (one.address, one.status, one.checked_at) for one in ledger.statuses(network, era)}
    for key, (address, status) in found.items():
        assert stored[account(key).hex] == (address, status, NOW)


def test_of_one_account_in_two_spellings_the_last_counts(ledger):
    key = account(1).public_key
    assert ledger.record_statuses(NETWORK, 7, [(AccountId(key, "first"), IS), (AccountId(key, "second"), IS_NOT)]) == 1
    (stored,) = ledger.statuses(NETWORK, 7)
    assert (stored.address, stored.status) == ("second", IS_NOT)


def test_a_batch_is_one_statement(ledger):
    statements = []
    sa.event.listen(
        ledger._database._engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, parameters, _context, many: statements.append((statement, many)),
    )
    ledger.record_statuses(NETWORK, 7, [(account(number), IS) for number in range(1000)])
    assert [many for statement, many in statements if statement.startswith("INSERT")] == [False]
    assert len(ledger.statuses(NETWORK, 7)) == 1000
