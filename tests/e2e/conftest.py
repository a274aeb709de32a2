"""One live Airflow and one simulator for all end-to-end tests, with keys nobody has ever seen."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import pytest
from substrateinterface import Keypair

from demo.devnet import Devnet, connections
from demo.stack import AirflowStack, free_port
from staking_gateway.config.loader import load_config
from staking_gateway.signing import LocalSigner

NETWORK = "testnet"
WINDOW_SECONDS = 3

CONFIG = """
networks:
  {network}:
    relayer: 5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty
    user: {user}
    payer: {payer}
    calendar:
      era_length: 12s
      anchors:
        - {{era: 0, start: 2026-01-01T00:00:00Z}}
    timing:
      poll_interval: 1s
    statuses:
      chunk_size: 2
    accounts:
      - {{account: 5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY, label: alice-stash, expect: staking}}
      - {{account: 5DAAnrj7VHTznn2AWBemMuyBwZWs6FNFjdyVXUeYum3PTXFy, label: dave, expect: staking}}
      - {{account: "{idle}", label: idle, expect: not_staking}}
"""
IDLE = "0x02" + "01" * 31
"""A public key whose account does not stake, by the simulator's rule: its second byte is odd."""


@dataclass(frozen=True)
class Keys:
    """The secrets of this test run."""

    user: str
    payer: str

    def needles(self) -> list[bytes]:
        """Every spelling of a key or of an access token that must not be found anywhere."""
        phrase = self.user.partition("//")[0]
        seed = self.payer.removeprefix("0x")
        private_keys = [Keypair.create_from_mnemonic(phrase), Keypair.create_from_seed(self.payer)]
        spellings = [phrase, seed, *(key.private_key.hex() for key in private_keys), "eyJwayI6"]
        return [spelling.encode() for spelling in spellings]


@pytest.fixture(scope="module")
def keys():
    """A mnemonic with a path for the user, a seed for the payer."""
    return Keys(f"{Keypair.generate_mnemonic()}//e2e", "0x" + secrets.token_hex(32))


@pytest.fixture(scope="module")
def devnet(keys, tmp_path_factory):
    """Airflow and the simulator, paying era after era. Not for the whole session: it keeps a processor busy."""
    folder = tmp_path_factory.mktemp("stack")
    user, payer = (LocalSigner(key).account.address for key in (keys.user, keys.payer))
    config = folder / "staking.yaml"
    config.write_text(CONFIG.format(network=NETWORK, user=user, payer=payer, idle=IDLE))
    port = free_port()
    given = connections(f"http://127.0.0.1:{port}", keys.user, user, keys.payer, payer)
    with AirflowStack(folder / "home", config=config, connections=given) as stack:
        network = load_config(config).network(NETWORK)
        devnet = Devnet(stack, NETWORK, network, port=port, window_seconds=WINDOW_SECONDS)
        devnet.bring_up()
        yield devnet
