"""Era, election window, paid eras, rewards and nonces, from a node of the chain instead of the gateway.

`ChainReader` reads, at the newest finalized block. Every storage key is made from the metadata of the block's runtime.
"""

from staking_gateway.chain.block import ChainState
from staking_gateway.chain.node import ChainIdentity
from staking_gateway.chain.reader import ChainReader
from staking_gateway.chain.rewards import EraReward

__all__ = ["ChainIdentity", "ChainReader", "ChainState", "EraReward"]
