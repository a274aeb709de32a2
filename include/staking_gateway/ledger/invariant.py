"""What every part and its copies obey, in every ledger. Each write of a part is checked before it is committed."""

from collections.abc import Iterator

from staking_gateway.errors import LedgerError, SendAnswer
from staking_gateway.ledger.records import Payout, PayoutState, Sight, Slot
from staking_gateway.types import ConfirmBy

ACCEPTED = SendAnswer.ACCEPTED.value


class InvariantBroken(LedgerError):
    """The record of a part contradicts itself. Nothing was written, so nothing is signed or sent."""

    def __init__(self, payout: Payout, rule: str) -> None:
        copies = ", ".join(str(copy.id) for copy in payout.copies) or "none"
        super().__init__(
            f"{payout.network} era {payout.era} part {payout.part} (copies: {copies}): {rule}; nothing was signed",
            remedy="If the next try says so too, stop the ledger, and compare the part with the chain: another program or a restore changed the ledger, or this version has a fault",
        )


def check(before: Payout, after: Payout) -> None:
    """Refuse with InvariantBroken a write that breaks a rule, and every write to a part that breaks one already."""
    for payout in (before, after):
        for rule in _broken(payout):
            raise InvariantBroken(payout, rule)
    if before.state.settled and len(after.copies) > len(before.copies):
        raise InvariantBroken(before, f"a payload was to be signed, and the part is {before.state.value}")


def _broken(payout: Payout) -> Iterator[str]:
    yield from _broken_by_nonces(payout)
    numbers = sorted(send.number for copy in payout.copies for send in copy.sends)
    if numbers != list(range(1, len(numbers) + 1)):
        yield "its sends are not numbered from 1"
    for copy in payout.copies:
        if not copy.sends:
            yield f"copy {copy.id} has no send"
        if any(send.request_id is not None and send.answer != ACCEPTED for send in copy.sends):
            yield f"a send of copy {copy.id} has a request, and was not accepted"
    if payout.executed is not None and all(copy.id != payout.executed for copy in payout.copies):
        yield f"its executed copy {payout.executed} is missing"
    if (
        payout.state is PayoutState.CONFIRMED
        and payout.executed is None
        and payout.confirmed_by != ConfirmBy.NONE.value
    ):
        yield "it is CONFIRMED without an executed copy"


def _broken_by_nonces(payout: Payout) -> Iterator[str]:
    mine, foreign, waived = (_slots(payout, kind) for kind in (Sight.MINE, Sight.NOT_MINE, Sight.WAIVED))
    if mine & foreign:
        yield f"staking nonce {min(mine & foreign)[1]} is called its own and another's"
    if len(mine) > 1:
        yield f"more than one of its staking nonces was executed ({', '.join(str(nonce) for _, nonce in sorted(mine))})"
    signed: set[tuple[str, Slot]] = set()
    for copy in payout.copies:
        if copy.staking_nonce is None:
            continue
        for _, slot in signed - {(copy.chain, copy.slot)}:
            if slot == copy.slot or slot not in foreign | waived:
                yield f"staking nonce {copy.staking_nonce} was signed while {slot[1]} may be its own"
        signed.add((copy.chain, copy.slot))


def _slots(payout: Payout, kind: Sight) -> set[Slot]:
    return {seen.slot for seen in payout.sightings if seen.kind is kind and seen.nonce is not None}
