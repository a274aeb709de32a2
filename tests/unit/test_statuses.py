"""Checking many accounts: the list is read strictly, the calls are bounded, one bad account does not lose the others."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from staking_gateway.errors import GatewayTimeout, InvalidAccount, InvalidInput, SigningError
from staking_gateway.statuses import check_statuses, parse_accounts
from staking_gateway.types import AccountId, StakingStatus

ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"


def account(number):
    return AccountId(number.to_bytes(32, "big"), str(number))


class Gateway:
    """Answers when it is let; counts the calls in flight."""

    def __init__(self, errors=None, *, silent=()):
        self.errors = errors or {}
        self.silent = silent
        self.asked = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.cancelled = 0

    async def staking_status(self, account):
        self.asked.append(account)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await (asyncio.Event().wait() if account in self.silent else asyncio.sleep(0))
            if account in self.errors:
                raise self.errors[account]
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.in_flight -= 1
        return StakingStatus.IS_STAKING


def check(gateway, accounts, **options):
    async def collected():
        return [pair async for pair in check_statuses(gateway, accounts, **options)]

    return asyncio.run(collected())


class TestAccounts:
    def test_are_addresses_or_public_keys_and_keep_their_order(self):
        read = parse_accounts([BOB, AccountId.parse(ALICE).hex])
        assert [found.address for found in read] == [BOB, ALICE]

    @pytest.mark.parametrize("bad", ["", "abc", ALICE[:-1], "0x12", None, 7, b"0x"])
    def test_that_are_none_are_refused_by_their_place(self, bad):
        with pytest.raises(InvalidAccount) as refused:
            parse_accounts([ALICE, bad])
        assert refused.value.field == "accounts[1]"

    @pytest.mark.parametrize("empty", [[], (), iter([])])
    def test_must_not_be_none_at_all(self, empty):
        with pytest.raises(InvalidInput, match="accounts: the list is empty"):
            parse_accounts(empty)

    def test_must_be_a_list_and_not_one_text(self):
        with pytest.raises(InvalidInput, match="accounts: is one text"):
            parse_accounts(ALICE)

    @pytest.mark.parametrize(
        "again", [ALICE, AccountId.parse(ALICE).hex, AccountId.parse(ALICE).hex.upper().replace("X", "x")]
    )
    def test_must_not_name_one_twice_in_whatever_spelling(self, again):
        with pytest.raises(InvalidInput, match=r"accounts\[2\]: is the account of accounts\[0\] again"):
            parse_accounts([ALICE, BOB, again])


class TestChecking:
    @given(count=st.integers(0, 40), concurrency=st.integers(1, 50))
    def test_asks_once_for_each_account_and_never_more_at_a_time_than_allowed(self, count, concurrency):
        gateway = Gateway()
        accounts = [account(number) for number in range(count)]
        answers = check(gateway, accounts, concurrency=concurrency)
        assert sorted(found.address for found, _ in answers) == sorted(wanted.address for wanted in accounts)
        assert gateway.asked == accounts
        assert gateway.most_in_flight <= concurrency
        assert gateway.most_in_flight == min(count, concurrency)

    @given(failing=st.sets(st.integers(0, 19)))
    def test_gives_the_error_of_each_account_that_failed_and_the_status_of_all_others(self, failing):
        errors = {account(number): GatewayTimeout("late", method="getStakingStatus") for number in failing}
        answers = dict(check(Gateway(errors), [account(number) for number in range(20)], concurrency=3))
        for number in range(20):
            assert answers[account(number)] == errors.get(account(number), StakingStatus.IS_STAKING)

    def test_a_token_that_could_not_be_made_loses_one_answer_only(self):
        refused = SigningError("the signer is away")
        assert dict(check(Gateway({account(1): refused}), [account(0), account(1)])) == {
            account(0): StakingStatus.IS_STAKING,
            account(1): refused,
        }

    def test_any_other_exception_is_a_mistake_and_ends_the_check(self):
        with pytest.raises(ZeroDivisionError):
            check(Gateway({account(1): ZeroDivisionError()}), [account(0), account(1)])

    @pytest.mark.parametrize("concurrency", [0, -1])
    def test_needs_room_for_a_call(self, concurrency):
        gateway = Gateway()
        with pytest.raises(InvalidInput, match=f"concurrency: {concurrency} is less than one. Write 1 or more"):
            check(gateway, [account(1)], concurrency=concurrency)
        assert gateway.asked == []

    def test_that_is_given_up_cancels_what_is_in_flight(self):
        gateway = Gateway(silent=[account(1), account(2), account(3)])

        async def take_one():
            answers = check_statuses(gateway, [account(number) for number in range(9)], concurrency=4)
            first = await anext(answers)
            await answers.aclose()
            await asyncio.sleep(0)
            return first, gateway.cancelled

        assert asyncio.run(take_one()) == ((account(0), StakingStatus.IS_STAKING), 3)
