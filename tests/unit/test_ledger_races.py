"""However many write at once: one wins, the others are told, and the record stays whole."""

import select
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from staking_gateway.errors import LedgerConflict
from staking_gateway.ledger import Ledger, PayoutState
from staking_gateway.ledger.standing import LedgerStopped
from tests.support.ledgers import (
    KINDS,
    NETWORK,
    RUN,
    Processes,
    account,
    assert_consistent,
    first_use,
    fresh_url,
    judged,
    planned,
    sign,
    signed,
    together,
)

ROOT = Path(__file__).parents[2]


PLACES = [(kind, ()) for kind in KINDS] + [
    (kind, ("default_transaction_isolation=serializable",)) for kind in KINDS if kind == "postgresql"
]


@pytest.fixture(params=PLACES, ids=str)
def url(request, tmp_path):
    kind, options = request.param
    with fresh_url(kind, tmp_path, *options) as fresh:
        yield fresh


@pytest.fixture
def ledger(url):
    with closing(Ledger(url)) as opened:
        yield opened
        assert_consistent(opened, url)


@pytest.fixture(scope="module")
def processes():
    with closing(Processes()) as made:
        yield made


def kinds_of(results):
    return Counter(type(result) for result in results)


def test_processes_may_be_the_first_to_use_a_ledger(url, processes):
    assert processes.race(first_use, url, range(4)) == ["PLANNED"] * 4
    with closing(Ledger(url)) as ledger:
        assert assert_consistent(ledger, url) == 2
        assert [len(ledger.events(ledger.payout(NETWORK, era, 0))) for era in (0, 1)] == [1, 1]


def test_of_processes_that_sign_the_same_part_one_does(url, ledger, processes):
    planned(ledger, 1)
    assert Counter(processes.race(sign, url, [1] * 4)) == {"SIGNED": 1, "LedgerConflict": 3}
    (copy,) = ledger.payout(NETWORK, 1, 0).copies
    assert [send.number for send in copy.sends] == [1]


@pytest.mark.parametrize("shared", ["user", "payer", "network"])
def test_of_parts_that_are_signed_at_once_for_the_same_user_payer_or_network_one_is(ledger, shared):
    def own(era):
        given = {"network": f"network {era}", "user": account(era), "payer": account(20 + era)}
        return {**given, shared: {"network": NETWORK, "user": account(50), "payer": account(51)}[shared]}

    parts = [planned(ledger, era, **own(era)) for era in range(8)]
    parts = [replace(part, chain=f"lane {part.era % 2}") for part in parts]
    known = ledger.newest_copy()
    assert known == 0
    results = together(lambda era: signed(ledger, parts[era], known=known), range(8))
    assert kinds_of(results) == {type(parts[0]): 1, LedgerConflict: 7}
    (first,) = (result for result in results if not isinstance(result, LedgerConflict))
    one, other = [part for part in parts if part.era != first.era][:2]
    assert ledger.newest_copy() == first.copies[0].id
    assert signed(ledger, one, known=first.copies[0].id).copies, "by one who knows the other's copy"
    with pytest.raises(LedgerConflict):  # and by nobody who has not read the newest copy, and what it costs
        signed(ledger, other, known=first.copies[0].id)
    stranger = planned(ledger, network="elsewhere", user=account(99), payer=account(98))
    assert signed(ledger, stranger, known=known).copies, "by one who shares none of them"


def test_nothing_is_signed_after_a_stop_has_returned(ledger):
    """Threads sign until the ledger refuses; the stop waits for those that have begun."""
    eras = iter(range(10_000))

    def work(number):
        if number == 0:
            for _ in range(20):
                signed(ledger, planned(ledger, next(eras)))
            return ledger.stop("maintenance", RUN) and copies(ledger)
        while True:
            signed(ledger, planned(ledger, next(eras)))

    stopped, *refused = together(work, range(4))
    assert kinds_of(refused) == {LedgerStopped: 3}
    assert copies(ledger) == stopped >= 20


def copies(ledger):
    return sum(
        len(payout.copies) for payouts in ledger.payouts_of(NETWORK, range(10_000)).values() for payout in payouts
    )


def test_a_process_killed_while_it_writes_leaves_a_whole_ledger(url):
    """What it was told is kept, it is kept; nothing is kept by half."""
    told = {}
    for victim in range(2):
        code = f"from tests.support.ledgers import write_until_killed; write_until_killed({url!r}, 3)"
        process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        try:
            for _ in range(20 + 17 * victim):
                assert select.select([process.stdout], [], [], 60)[0], "it wrote nothing"
                era, version = map(int, process.stdout.readline().split())
                told[era] = version
        finally:
            process.kill()
            rest, _ = process.communicate()
        told.update(tuple(map(int, line.split())) for line in rest.splitlines()[:-1])
        with closing(Ledger(url)) as ledger:
            assert assert_consistent(ledger, url) == 3
            for era, version in told.items():
                assert ledger.payout(NETWORK, era, 0).version >= version
            for payouts in ledger.payouts_of(NETWORK, range(10_000)).values():
                for payout in payouts:
                    if payout.copies and not payout.state.settled:
                        judged(ledger, payout, PayoutState.REJECTED)
