"""The reader of a chain."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from staking_gateway import text
from staking_gateway.chain import paid, rewards
from staking_gateway.chain.block import Block, ChainState, finalized, in_block
from staking_gateway.chain.node import ChainIdentity, Node
from staking_gateway.errors import Failed, InvalidConnection
from staking_gateway.http.endpoint import ReadRetry, check_address, name_of, way_to
from staking_gateway.http.foreign_text import QUOTED_CHARACTERS
from staking_gateway.types import MAX_NONCE, AccountId, NonceKind, StakingStatus, is_hash, parse_era, parse_unsigned

T = TypeVar("T")
_ATTEMPTS = 3
_nodes: dict[tuple[int, ChainReader], Node] = {}
"""Those of a process by settings; also by process, because in a forked one the connections belong to the parent."""


@dataclass(frozen=True)
class ChainReader:
    """Reads the chain of a node at the newest finalized block, for any number of threads. Methods block.

    All equal readers in a process share the connection. Transient errors are repeated within `timeout`. Every method raises a ChainError, whose
    `how` is OTHER_CHAIN, NODE_UNSUPPORTED, or one that may pass; and InvalidInput for an argument that is none.

    :param url: `ws`, `wss`, `http` or `https`; path and query are kept. Unencrypted only to this machine.
    :param allow_ws: accept `ws` and `http` to other machines too.
    :param timeout: seconds to connect, and again for each answer.
    :param genesis_hash: hash of the chain's first block; nodes of other chains are refused.
    :raises InvalidConnection: a field cannot be used; `field` names it.
    """

    url: str = field(repr=False)
    allow_ws: bool = False
    timeout: float = 10.0
    ca_bundle: str | None = None
    genesis_hash: str | None = None

    def __post_init__(self) -> None:
        schemes = ("http", "https", "ws", "wss")
        check_address("url", self.url, schemes, plain_by="allow_ws", allow_plain=self.allow_ws, query=True)
        if self.genesis_hash is not None:
            if not is_hash(self.genesis_hash):
                remedy = "Write 0x and 64 hex digits, or leave it out"
                raise InvalidConnection("genesis_hash", "is not the hash of a block", remedy)
            object.__setattr__(self, "genesis_hash", self.genesis_hash.lower())
        way_to(self.url, self.ca_bundle)

    @property
    def name(self) -> str:
        """The address without path and query, which may hold an access key."""
        return name_of(self.url)

    def identity(self) -> ChainIdentity:
        return self._ask(Node.identity)

    def token(self) -> text.Token | None:
        """The chain's token, the first one of several; None when the node names none."""
        properties = self._ask(lambda node: node.ask("system_properties", expect=(dict,)))
        found = [properties.get(name) for name in ("tokenSymbol", "tokenDecimals")]
        symbol, decimals = (value[0] if isinstance(value, list) and value else value for value in found)
        is_name = isinstance(symbol, str) and text.SYMBOL.match(symbol)
        is_number = type(decimals) is int and 0 <= decimals <= text.MAX_DECIMALS
        return text.Token(symbol, decimals) if is_name and is_number else None

    def state(self) -> ChainState:
        """Active era and election window."""
        return self._newest(Block.state)

    def era_paid(self, era: int | str) -> bool | None:
        """Whether each validator with reward points that can claim the rewards of an era has claimed them. None when the storage does not show it: the era
        has not ended or is too old, nobody earned points, or the runtime keeps other records.
        """
        return self._newest(paid.era_paid, parse_era(era))

    def era_reward(self, era: int | str) -> rewards.EraReward | None:
        """The total reward of an era; None when the chain does not keep it."""
        return self._newest(rewards.era_reward, parse_era(era))

    def paid_rewards(self, block: int, era: int | str) -> dict[str, int] | str:
        """What accounts got of an era in a block, from its events, in the smallest unit by 0x public key; or why it is unknown, and what to do."""
        number = parse_unsigned(block, MAX_NONCE, field="block")
        return self._in_block(number, rewards.paid_rewards, parse_era(era))

    def staking_at_end_of(self, era: int | str, accounts: Sequence[str | AccountId]) -> dict[str, StakingStatus] | str:
        """Staking statuses in the last block of a past era. Needs an archive node, which is asked about 25 blocks.

        :returns: by 0x public key whether the account nominates, which is staking for the gateway too; or why it is unknown, and what to do.
        """
        index, parsed = parse_era(era), [AccountId.parse(account) for account in accounts]
        head = self.state()
        if index >= head.active_era:
            return f"era {index} has not ended. Ask again after its end"
        number = last_block(index, head.block, lambda number: self._in_block(number, Block.active_era))
        return self._in_block(max(number, 0), _statuses_in, index, parsed)

    def nonce(self, account: str | AccountId, kind: NonceKind | str) -> int | None:
        """Next unused nonce of an account for proxied payouts; None when the runtime keeps none of the kind."""
        return self._newest(Block.nonce, AccountId.parse(account).public_key, NonceKind(kind))

    def block_of_nonce(self, account: str | AccountId, kind: NonceKind | str, nonce: int) -> int | None:
        """The block in which an account used a nonce; about 25 blocks are read. None when it is unused, or the node does not have it."""
        key, which = AccountId.parse(account).public_key, NonceKind(kind)
        used = parse_unsigned(nonce, MAX_NONCE, field="nonce")
        newest, next_nonce = self._newest(lambda block: (block.number, block.nonce(key, which)))
        if (next_nonce or 0) <= used:
            return None

        def nonce_in(number: int) -> int | str | None:
            return self._in_block(number, Block.nonce, key, which)

        before = last_block(used, newest, nonce_in)
        return before + 1 if before >= 0 and isinstance(nonce_in(before), int) else None

    def _newest(self, read: Callable[..., T], *arguments: Any) -> T:
        return self._ask(lambda node: read(finalized(node), *arguments))

    def _in_block(self, number: int, read: Callable[..., T], *arguments: Any) -> T | str:
        return self._ask(lambda node: in_block(node, number, read, *arguments))

    def _ask(self, question: Callable[[Node], T]) -> T:
        return ReadRetry(_ATTEMPTS, total=self.timeout).call(lambda: self._ask_once(question))

    def _ask_once(self, question: Callable[[Node], T]) -> T:
        node = _nodes.setdefault((os.getpid(), self), Node(self.url, self.timeout, self.ca_bundle))
        if not node.lock.acquire(timeout=self.timeout):
            raise node.fail(Failed.NODE_UNREACHABLE, f"other threads have used the node for {self.timeout:g} s")
        try:
            found = node.identity().genesis_hash
            if self.genesis_hash not in (None, found):
                problem = f"it belongs to a chain whose genesis_hash is {found}, not {self.genesis_hash}"
                raise node.fail(Failed.OTHER_CHAIN, problem)
            return question(node)
        except ValueError as error:
            problem = f"a block cannot be read as its runtime describes it: {str(error)[:QUOTED_CHARACTERS]}"
            raise node.fail(Failed.NODE_ANSWER, problem) from None
        finally:
            node.lock.release()


def last_block(limit: int, newest: int, value_of: Callable[[int], int | str | None]) -> int:
    """The last block before `newest` whose value, which never falls, is at most `limit` or unknown (no number); -1 when there is none."""

    def known(block: int) -> int:
        return found if isinstance(found := value_of(block), int) else -1

    return bisect_right(range(newest), limit, key=known) - 1


def _statuses_in(block: Block, era: int, accounts: Sequence[AccountId]) -> dict[str, StakingStatus] | str:
    """The statuses in the state of a block; unknown when the block is not of the era, or its runtime keeps no nominators."""
    if block.active_era() != era:
        return f"the node has no block of era {era}. Use an archive node of the chain"
    entry = ("ParachainStaking", "NominatorState") if block.pays_by_itself else ("Staking", "Nominators")
    try:
        found = block.entries(*entry, [account.public_key for account in accounts])
    except ValueError as error:
        return f"the statuses in block {block.number} are unknown: {error}"
    kinds = {True: StakingStatus.IS_STAKING, False: StakingStatus.IS_NOT_STAKING}
    return {account.hex: kinds[found[account.public_key] is not None] for account in accounts}
