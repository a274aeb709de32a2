"""Whether the chain's nonces agree with the ledger's payloads and fees.

An executed payload uses a staking nonce of the user, and a charged fee a payment nonce of the payer. So the chain's next nonce tells how
many payloads were executed and how many fees were charged. A nonce below it that no record has was used by something else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from staking_gateway.books.execution import executed, is_fresh
from staking_gateway.books.verdict import Judgement, Verdict, agreed, unknown
from staking_gateway.text import count
from staking_gateway.types import NonceKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from staking_gateway.books.amounts import NodeReads
    from staking_gateway.config.models import NetworkConfig
    from staking_gateway.ledger import Ledger, Payout


class Elsewhere(NamedTuple):
    """How many calls something else has made for eras of this installation: each uses a staking nonce.

    :param known: those for eras that the ledger itself knows as paid by something else; the least number, unless it is exact.
    :param all: those and the calls for other eras that the chain has told; None: unknown, because an era was not compared, or no number is exact.
    :param exact: whether the number of calls per era is known.
    """

    known: int
    all: int | None
    exact: bool = True


@dataclass(frozen=True)
class Nonces:
    """The nonces of one account.

    :param told: the chain's next nonce; None: unknown. `why` says why it is unknown.
    :param foreign: era to the used nonces that no record has: those before its own nonce, or after the last nonce on record.
    """

    told: int | None
    why: str = ""
    foreign: Mapping[int, Sequence[range]] = field(default_factory=dict)

    @property
    def number_foreign(self) -> int:
        return sum(len(some) for ranges in self.foreign.values() for some in ranges)

    @property
    def chain_says(self) -> str | None:
        return None if self.told is None else f"the next nonce is {self.told}"


def read_nonces(name: str, network: NetworkConfig, ledger: Ledger, node: NodeReads) -> tuple[Nonces, Nonces]:
    """The nonces of a network's user, for payloads, and of its payer, for fees.

    The chain's nonce is read first: a payload is in the ledger before it is sent.
    """
    accounts = ((network.user_account, NonceKind.STAKING), (network.payer_account, NonceKind.PAYMENT))
    told = [node.ask(lambda reader, key=key, kind=kind: reader.nonce(key, kind)) for key, kind in accounts]  # type: ignore[misc]
    why = node.problem or "the runtime keeps no such nonces"
    chain = ledger.known_chain(name) or name
    user, payer = (
        Nonces(None, why)
        if nonce is None
        else Nonces(nonce, foreign=_foreign(name, nonce, ledger.nonces_on_record(chain, account, kind)))
        for nonce, (account, kind) in zip(told, accounts, strict=True)
    )
    return user, payer


def _foreign(name: str, told: int, on_record: Sequence[tuple[int, str, int]]) -> dict[int, list[range]]:
    """The used nonces that no record has, by the era of the record after them, or of the last record.

    Nonces before the first record are older than this installation.
    """
    found: dict[int, list[range]] = defaultdict(list)
    for (before, _, _), (nonce, network, era) in pairwise(on_record):
        if nonce > before + 1 and nonce <= told and network == name:
            found[era].append(range(before + 1, nonce))
    if on_record:
        last, network, era = on_record[-1]
        if told > last + 1 and network == name:
            found[era].append(range(last + 1, told))
    return dict(found)


def nonces(era: int, records: Sequence[Payout], user: Nonces, *, elsewhere: Elsewhere, now: datetime) -> list[Verdict]:
    """Compare the staking nonces of an era; nothing for an era without an executed payload."""
    foreign = user.foreign.get(era, ())
    own = [part.staking_nonce for part in executed(records) if part.staking_nonce is not None]
    if not own and not foreign:
        return []
    if user.told is None:
        judged = unknown(f"the user's nonce on the chain is unknown: {user.why}")
    else:
        judged = _of_own(own, user.told, "unpaid_green", "executed the payout", fresh=is_fresh(records, now))
        of_foreign = _of_foreign(_words(foreign, "staking"), user.number_foreign, elsewhere) if foreign else judged
        judged = min(of_foreign, judged, key=lambda one: (False, None, True).index(one.agrees))
    return [Verdict("nonces", judged, ledger=_listed(own), chain=user.chain_says)]


def _of_foreign(which: str, number: int, elsewhere: Elsewhere) -> Judgement:
    used = f"the chain has used {which} of the user, and no record of the ledger has it"
    if number <= elsewhere.known:
        return Judgement(True, "paid_elsewhere", f"{used}: something else pays with this user, as the ledger says")
    if elsewhere.known and not elsewhere.exact:
        return unknown(f"{used}; how many calls the eras need that something else has paid is unknown")
    if elsewhere.all is None or number <= elsewhere.all:
        return Judgement(False, "paid_elsewhere", f"{used}: something else pays with this user")
    others = f"something else has used {count(number, 'nonce')}, and the eras that it has paid need {count(elsewhere.all, 'call')}"
    return Judgement(
        False, "paid_twice", f"{used}; {others}. So a paid era was paid again, or the user signed something else"
    )


def fees(era: int, records: Sequence[Payout], payer: Nonces, *, now: datetime) -> list[Verdict]:
    """Compare the number of charged fees of an era; nothing for an era without a fee. No side stores what a fee amounted to."""
    foreign, paid = payer.foreign.get(era, ()), executed(records)
    own = [part.payment_nonce for part in paid if part.payment_nonce is not None]
    if not own and not foreign:
        return []
    if payer.told is None:
        judged = unknown(f"the payer's nonce on the chain is unknown: {payer.why}")
    elif foreign:
        text = f"the chain has charged {_words(foreign, 'payment')} of the payer, and no record of the ledger has it"
        judged = Judgement(False, "fee_differs", text)
    else:
        judged = _of_own(own, payer.told, "fee_differs", "charged the fee", fresh=is_fresh(records, now))
    fee = None if any(part.fee is None for part in paid) else str(sum(part.fee or 0 for part in paid))
    says = None if fee is None or not paid else f"{fee} for {_listed(own)}"
    return [Verdict("fee", judged, ledger=says, chain=payer.chain_says)]


def _of_own(own: Sequence[int], told: int, finding: str, did: str, *, fresh: bool) -> Judgement:
    unused = [nonce for nonce in own if nonce >= told]
    if not unused:
        return agreed("the chain has used the nonces of the ledger, and no other")
    if fresh:
        return unknown("paid a moment ago, and the node may not have the block yet")
    text = f"the ledger says that the chain has {did} with {_listed(unused)}, and the chain's next nonce is {told}"
    return Judgement(False, finding, text)


def _listed(own: Sequence[int]) -> str | None:
    return f"nonce {', '.join(map(str, own))}" if own else None


def _words(ranges: Sequence[range], kind: str) -> str:
    listed = ", ".join(f"{some[0]}" if len(some) == 1 else f"{some[0]} to {some[-1]}" for some in ranges)
    return f"the {kind} nonce{'s' if sum(map(len, ranges)) > 1 else ''} {listed}"
