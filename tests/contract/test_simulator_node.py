"""The simulator as a node: a reader of the chain reads from it what the gateway tells and what truly happened."""

from datetime import datetime, timedelta, timezone

import pytest

from staking_gateway.chain import ChainReader, EraReward, NodeEndpoint, close_nodes
from staking_gateway.gateway.client import GatewayClient
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.text import Token
from staking_gateway.types import ElectionWindow, NonceKind
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import DEFAULT_ERA_REWARD, SimulatorSettings

ALICE, BOB, CHARLIE, EVE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Charlie", "//Eve"))
START = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
ACTIVE, ERA, HEAD = 30, 29, 601
FEE = 10**17


@pytest.fixture
def simulator(request):
    """A chain of 20 s eras that stands at the beginning of era 30; 100 stakers, paid in parts of 60."""
    options = getattr(request, "param", {})
    settings = SimulatorSettings(manual_clock=True, start_time=START, unpaid_eras=3, batch=60, **options)
    with RunningSimulator(settings) as running:
        yield running
        close_nodes()


@pytest.fixture
def control(simulator):
    return simulator.control


@pytest.fixture
def node(simulator):
    return ChainReader(NodeEndpoint(simulator.url + "/node", timeout=10))


@pytest.fixture
def gateway(simulator):
    with GatewayClient(simulator.url, simulator.token) as client:
        yield client


def pay(gateway, control, era=ERA):
    """Pay a part of an era as Alice, with Charlie's money; the state of the request."""
    nonces = {
        "staking_nonce": gateway.nonce(ALICE.account, NonceKind.STAKING),
        "payment_nonce": gateway.nonce(CHARLIE.account, NonceKind.PAYMENT),
    }
    proofs = ProofMaker(ALICE, CHARLIE).make(relayer=BOB.account, era=era, relayer_fee=FEE, **nonces)
    request = gateway.payout_stakers(
        relayer=BOB.account,
        user=ALICE.account,
        payer=CHARLIE.account,
        era=era,
        proxy_signature=proofs.proxy_signature,
        fee_payment_signature=proofs.fee_payment_signature,
        payment_nonce=proofs.payment_nonce,
    )
    control.advance(seconds=1)
    return gateway.request_state(request)


def nonces(node):
    kinds = ((ALICE, NonceKind.STAKING), (CHARLIE, NonceKind.PAYMENT), (EVE, NonceKind.PAYMENT))
    return [node.nonce(signer.account, kind) for signer, kind in kinds]


def test_era_window_reward_and_token_are_those_of_the_gateway(node, gateway, control):
    for change in ({"seconds": 14}, {"seconds": 1}, {"eras": 1}):
        control.advance(**change)
        state = node.state()
        assert (state.active_era, state.window) == (gateway.active_era(), gateway.election_window())
    assert state.window is ElectionWindow.OPEN
    assert state.block == HEAD + 15 + 20
    assert state.started_at == START + timedelta(seconds=20)
    assert [node.era_reward(era) for era in (26, 31, 32)] == [None] * 3
    assert node.era_reward(27) == EraReward(DEFAULT_ERA_REWARD, state.block)
    assert node.token() == Token("SIM", 18)


def test_an_era_is_paid_when_all_its_parts_are(node, gateway, control):
    told = [(node.era_paid(ERA), nonces(node))]
    for _ in range(2):
        pay(gateway, control)
        told.append((node.era_paid(ERA), nonces(node)))
    assert told == [(False, [0, 0, 0]), (False, [1, 1, 0]), (True, [2, 2, 0])]
    truth = control.rewards()
    assert truth["eras"][str(ERA)] == {"reward": str(DEFAULT_ERA_REWARD), "paid": str(DEFAULT_ERA_REWARD)}
    assert sum(map(int, truth["accounts"].values())) == DEFAULT_ERA_REWARD
    assert len(truth["accounts"]) == 100


def test_what_accounts_got_is_what_truly_happened(node, gateway, control):
    """Two payouts of Alice, and others in the same block as the second."""
    states = [pay(gateway, control), pay(gateway, control)]
    control.pay_elsewhere(28)
    control.pay_elsewhere(28)
    told = [node.paid_rewards(state.block_number) for state in states]
    assert [one.reason for one in told] == ["", ""]
    parts = [one.amounts(ERA) for one in told]
    assert [{paid.transaction for paid in one.rewards if paid.era == ERA} for one in told] == [
        {state.transaction_index} for state in states
    ]
    truth = {account: int(share) for account, share in control.rewards()["accounts"].items()}
    assert parts[0] | parts[1] == truth
    assert [len(part) for part in parts] == [60, 40]
    assert told[1].amounts(28) == truth
    assert node.paid_rewards(HEAD - 1).rewards == ()
    unknown = node.paid_rewards(10**9)
    assert (unknown.rewards, unknown.amounts(ERA)) == (None, None)
    assert unknown.reason == "the node has no block 1000000000. Use a node that has all blocks"
