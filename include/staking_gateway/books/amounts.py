"""The amounts of paid eras, from a node of the chain into the ledger. What the node does not tell stays unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from staking_gateway.eras.calendar import utc_now
from staking_gateway.errors import ChainError
from staking_gateway.ledger import EraFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from staking_gateway.chain import ChainReader
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Actor, Ledger

T = TypeVar("T")


class NodeReads:
    """Reads a node until the first failure, so that a dead node costs one time-out.

    :ivar problem: why nothing more is read; empty while the node answers.
    """

    def __init__(self, node: ChainReader | None) -> None:
        self._node = node
        self.problem = "" if node is not None else "no node of the chain is configured"

    def ask(self, read: Callable[[ChainReader], T]) -> T | None:
        """The answer; None after a failure."""
        if self._node is None or self.problem:
            return None
        try:
            return read(self._node)
        except ChainError as error:
            self.problem = error.what
            return None


def note_amounts(
    name: str,
    network: NetworkConfig,
    eras: Iterable[int],
    *,
    ledger: Ledger,
    node: ChainReader | NodeReads | None,
    actor: Actor,
    clock: Callable[[], datetime] = utc_now,
) -> str:
    """Store end, reward and token of paid eras. A known reward is not read again.

    :param node: None: without a node, the reward stays unknown.
    :returns: why a configured node told nothing; empty without such a problem.
    """
    reads = node if isinstance(node, NodeReads) else NodeReads(node)
    configured, chain, token = not reads.problem, ledger.known_chain(name), network.token
    for era in eras:
        known = ledger.facts.era(name, era)
        reward = None
        if known is None or known.reward is None:
            reward = reads.ask(lambda reader, era=era: reader.era_reward(era))  # type: ignore[misc]
        token = token or reads.ask(lambda reader: reader.token())
        ledger.facts.note_era(
            EraFacts(
                network=name,
                era=era,
                chain=chain,
                ended_at=network.calendar.end(era),
                reward=None if reward is None else reward.amount,
                reward_source="storage" if reward is not None else None,
                reward_block=None if reward is None else reward.block,
                symbol=token.symbol if token is not None else None,
                decimals=token.decimals if token is not None else None,
                noted_at=clock(),
                run=str(actor),
            )
        )
    return reads.problem if configured else ""
