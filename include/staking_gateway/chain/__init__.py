"""Era, election window, paid eras, rewards and nonces, from a node of the chain instead of the gateway."""

from staking_gateway.chain.block import ChainState
from staking_gateway.chain.node import ChainIdentity
from staking_gateway.chain.reader import ChainReader
from staking_gateway.chain.rewards import EraReward

__all__ = ["ChainIdentity", "ChainReader", "ChainState", "EraReward"]
