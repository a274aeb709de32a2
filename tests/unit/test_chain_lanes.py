"""One chain has one lane, also when its gateway once does not tell its name."""

from contextlib import closing

import pytest

from staking_gateway.errors import RpcMethodNotFound
from staking_gateway.ledger import Ledger
from staking_gateway.payout.lanes import chain_of
from staking_gateway.types import ChainInfo
from tests.support.ledgers import NETWORK, PAYER, RELAYER, RUN, USER, judged, planned, signed, sqlite_url

URL = "https://gateway.example"


class Gateway:
    """One that tells a name, or says that it has no such method."""

    base_url = URL

    def __init__(self, name=None):
        self.name = name

    def chain_info(self):
        if self.name is None:
            raise RpcMethodNotFound(method="getChainInfo", code=-32601, rpc_message="Method not found")
        return ChainInfo(self.name, "1")


@pytest.fixture
def ledger(tmp_path):
    with closing(Ledger(sqlite_url(tmp_path))) as ledger:
        yield ledger


def paid_on(ledger, chain, era):
    return ledger.plan(NETWORK, era, 0, user=USER, payer=PAYER, relayer=RELAYER, actor=RUN, chain=chain)


def test_the_name_that_is_told_is_the_lane_or_the_last_that_was_or_the_address(ledger):
    planned(ledger, network="another")
    assert [chain_of(Gateway(name), ledger, NETWORK) for name in (None, "")] == [URL] * 2
    paid_on(ledger, "the old name", 1392)
    assert chain_of(Gateway("the chain"), ledger, NETWORK) == "the chain"
    paid_on(ledger, "the chain", 1391)
    assert [chain_of(Gateway(name), ledger, NETWORK) for name in (None, "")] == ["the chain"] * 2


@pytest.mark.parametrize("told", ["another name", None])
def test_what_was_sent_keeps_its_lane_until_it_is_settled(ledger, told):
    payout = signed(ledger, paid_on(ledger, "the chain", 1392))
    paid_on(ledger, "a later name", 1390)
    assert chain_of(Gateway(told), ledger, NETWORK) == "the chain"
    judged(ledger, payout)
    assert chain_of(Gateway(told), ledger, NETWORK) == (told or "a later name")
