"""The rules of the chain: who may pay which era, and what one executed payout changes.

Pure: no disk, no network, no clock of its own. `accept` judges a request, `settle` executes what is due, and both speak in
events; `apply` is the only place where state changes, so a chain read back from its events is the same chain.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from staking_gateway.types import ElectionWindow, NonceKind, RequestStatus
from staking_gateway_simulator import events as ev
from staking_gateway_simulator.accounts import stakes_by_default
from staking_gateway_simulator.payout_rules import Refusal, problems
from staking_gateway_simulator.settings import DEFAULT_FEE, SimulatorSettings, to_micros

BLOCK_TIME = 1_000_000
"""Microseconds of chain time per block; short, so that a payout is in a block of its own more often than not."""


@dataclass(frozen=True)
class ChainClock:
    """Chain time as a function of real time: it was `chain` at `real` and runs from there with `speed`, or stands still.

    Confirmations are timed in ticks: real time, or chain time when the clock is manual, so that a test decides when a
    request is executed and a fast chain does not outrun its clients.
    """

    manual: bool
    speed: float
    real: int
    chain: int

    def chain_at(self, real: int) -> int:
        return self.chain if self.manual else self.chain + round((real - self.real) * self.speed)

    def tick_at(self, real: int) -> int:
        return self.chain if self.manual else real

    def chain_at_tick(self, tick: int) -> int:
        return tick if self.manual else self.chain_at(tick)

    def advanced(self, real: int, by: int) -> ChainClock:
        """The same clock put forward."""
        return replace(self, real=real, chain=self.chain_at(real) + by)

    def switched(self, real: int, *, manual: bool, speed: float) -> ChainClock:
        """A clock that goes on from here in another way."""
        return ChainClock(manual, speed, real, self.chain_at(real))


@dataclass(frozen=True)
class EraSchedule:
    """Which era a moment of chain time lies in, and whether its election window is open by the calendar."""

    anchor_era: int
    anchor: int
    length: int
    window: int

    def era_at(self, chain: int) -> int:
        return self.anchor_era + (chain - self.anchor) // self.length

    def start_of(self, era: int) -> int:
        """Chain time at which an era becomes active."""
        return self.anchor + (era - self.anchor_era) * self.length

    def window_opens(self, chain: int) -> int:
        """Chain time at which the window of the active era opens."""
        return self.start_of(self.era_at(chain) + 1) - self.window

    def is_window_open(self, chain: int) -> bool:
        """Whether the window is open: the last `window` microseconds of every era."""
        return chain >= self.window_opens(chain)


@dataclass
class Account:
    """What the chain keeps of an account. `moved` is what fees brought or took, `staking` what was said of it, and when."""

    staking_nonce: int = 0
    payment_nonce: int = 0
    moved: int = 0
    staking: list[tuple[int, bool]] = field(default_factory=list)


@dataclass
class Request:
    """An accepted request and what became of it."""

    accepted: ev.Accepted
    sent: int
    due: int
    doom: ev.Doomed | None = None
    ended: ev.End | None = None
    told: str | None = None
    true_before_due: int = 0

    @property
    def tx_hash(self) -> str:
        """0x hash of the transaction, the same however often the state file is read back."""
        return "0x" + hashlib.blake2b(self.accepted.request_id.encode(), digest_size=32).hexdigest()

    def told_at(self, tick: int) -> str:
        """The status that the gateway tells at a tick; it differs from the true one for a while after a lie."""
        return self.told if self.told and tick < self.due - self.true_before_due else self.status_at(tick).value

    def status_at(self, tick: int) -> RequestStatus:
        """Where the request stands at a tick, settled up to it."""
        if isinstance(self.ended, ev.Executed):
            return RequestStatus.PROCESSED
        if isinstance(self.ended, ev.Rejected):
            return RequestStatus.REJECTED
        if isinstance(self.ended, ev.Dropped):
            return RequestStatus(self.ended.status)
        never_sent = self.doom is not None and self.doom.status != RequestStatus.REJECTED
        return RequestStatus.AWAITING_TO_SEND if never_sent or tick < self.sent else RequestStatus.PENDING


class Chain:
    """State of the chain and the rules it obeys. Every `real` is real time in microseconds since 1970.

    :param history: the events so far, the first one being `Born`.
    """

    def __init__(self, settings: SimulatorSettings, history: Iterable[ev.Event]) -> None:
        self.settings = settings
        self.accounts: dict[str, Account] = {}
        self.requests: dict[str, Request] = {}
        self.executed: list[ev.Executed] = []
        self.stakers_paid: dict[int, int] = {}
        self.paid_at: dict[int, int] = {}
        self.fee = DEFAULT_FEE
        self.forced_window: ElectionWindow | None = None
        self.window_open_until = 0
        self.queue_blocked_until = 0
        self.fees_charged = 0
        self.fees_for_nothing = 0
        self.next_unpaid = 0
        self._charged: list[ev.Executed | ev.Rejected] = []
        self._parts: dict[int, int] = {}
        self._pending: list[tuple[int, int, str]] = []
        self._last_block = (0, -1)
        self.born: ev.Born
        self.clock: ChainClock
        self.schedule: EraSchedule
        for event in history:
            self.apply(event)

    # -- what can be read ---------------------------------------------------------------------------------------------

    def active_era(self, chain: int) -> int:
        """Active era at a chain time."""
        return self.schedule.era_at(chain)

    def window(self, chain: int) -> ElectionWindow:
        """Election window at a chain time: open out of its time, or the forced state, or the calendar's."""
        if chain < self.window_open_until:
            return ElectionWindow.OPEN
        if self.forced_window is not None:
            return self.forced_window
        return ElectionWindow.OPEN if self.schedule.is_window_open(chain) else ElectionWindow.CLOSED

    def payable_eras(self, chain: int) -> range:
        """Eras whose rewards exist and are not gone, whether or not they have been paid."""
        active = self.active_era(chain)
        return range(max(self.born.first_payable, active - self.settings.history_depth), active)

    def stakers_left(self, era: int) -> int:
        """Unpaid stakers of an era; eras before the first payable one never had any."""
        return 0 if era < self.born.first_payable else self.born.stakers - self.stakers_paid.get(era, 0)

    def account(self, key: str) -> Account:
        """State of an account; a blank one when the chain never heard of it."""
        return self.accounts.get(key) or Account()

    def nonces_used_since(self, key: str, kind: NonceKind, since: int) -> int:
        """How many nonces of an account requests have used after a chain time."""
        used = 0
        for event in reversed(self._charged):
            if event.at <= since:
                break
            call = self.requests[event.request_id].accepted
            if kind is NonceKind.PAYMENT:
                used += key == call.payer
            else:
                used += key == call.user and isinstance(event, ev.Executed)
        return used

    def is_nonce_awaited(self, key: str, kind: NonceKind, since: int) -> bool:
        """Whether a pending request, accepted after a chain time, is to use a nonce of an account."""
        calls = (self.requests[request_id].accepted for _, _, request_id in self._pending)
        return any(
            call.at > since and key == (call.payer if kind is NonceKind.PAYMENT else call.user) for call in calls
        )

    def is_staking(self, key: str, chain: int | None = None) -> bool:
        """Whether an account stakes, now or at a chain time."""
        said = [staking for at, staking in self.account(key).staking if chain is None or at <= chain]
        return said[-1] if said else stakes_by_default(bytes.fromhex(key[2:]))

    # -- rewards ------------------------------------------------------------------------------------------------------

    def share(self, place: int) -> int:
        """What the staker at a place gets of the reward of an era. All shares together are the reward."""
        share, rest = divmod(self.settings.era_reward, self.born.stakers)
        return share + (place < rest)

    def places_paid(self, event: ev.Executed) -> range:
        """The places of the stakers whom an execution has paid."""
        era, first = self.requests[event.request_id].accepted.era, 0
        for earlier in self.executed:
            if earlier is event:
                break
            first += earlier.stakers_paid * (self.requests[earlier.request_id].accepted.era == era)
        return range(first, first + event.stakers_paid)

    # -- blocks -------------------------------------------------------------------------------------------------------

    def block_at(self, chain: int) -> int:
        """Number of the block that is built at a chain time."""
        return 1 + (chain - self.schedule.anchor) // BLOCK_TIME

    def end_of(self, block: int) -> int:
        """The last chain time of a block."""
        return self.schedule.anchor + block * BLOCK_TIME - 1

    def balance(self, key: str) -> int:
        """What an account owns."""
        return self.settings.balance + self.account(key).moved

    # -- what can be done ---------------------------------------------------------------------------------------------

    def accept(self, call: ev.PayoutCall, request_id: str, real: int) -> ev.Accepted:
        """Judge a request as the gateway does, settled up to `real`. Without door checks every request is accepted.

        :returns: the event that makes it accepted once it is applied.
        :raises Refusal: the first rule that the request breaks.
        """
        chain, tick = self.clock.chain_at(real), self.clock.tick_at(real)
        if self.settings.door_checks:
            problem = next(problems(self, call, chain, with_window=True), None)
            if problem is not None:
                raise problem
        wait = to_micros(self.settings.confirm_seconds)
        tick = max(tick, self.queue_blocked_until)
        return ev.Accepted(request_id=request_id, at=chain, sent=tick + wait // 2, due=tick + wait, **vars(call))

    def settle(self, real: int) -> list[ev.Event]:
        """Execute or reject every request that is due, in the order of its due time; the events are already applied."""
        happened: list[ev.Event] = []
        now = self.clock.tick_at(real)
        while self._pending and self._pending[0][0] <= now:
            due, _, request_id = self._pending[0]
            event = self._execute(self.requests[request_id], self.clock.chain_at_tick(due))
            self.apply(event)
            happened.append(event)
        return happened

    def _execute(self, request: Request, chain: int) -> ev.End:
        """Judge a request as the chain does, and say what happens.

        The chain judges the election window only when the gateway did not.
        """
        accepted, doom = request.accepted, request.doom
        if doom is not None and doom.status != RequestStatus.REJECTED:
            return ev.Dropped(accepted.request_id, chain, doom.status, doom.reason)
        block, index = self._next_place(chain)
        found = list(problems(self, accepted, chain, with_window=not self.settings.door_checks))
        if doom is not None:
            found.append(Refusal(doom.reason))
        if found:
            inner = all(problem.inner for problem in found)
            fee = self.fee if inner and self.settings.fee_on_failure else None
            return ev.Rejected(accepted.request_id, chain, block, index, str(found[0]), fee)
        return self._executed(accepted, chain, 0 if self.next_unpaid else self.settings.batch)

    def execute_payout(self, call: ev.PayoutCall, request_id: str, real: int) -> tuple[ev.Accepted, ev.Executed]:
        """A payout that somebody else executes at once, settled up to `real`. It pays a whole era, or nobody of a paid era."""
        chain, tick = self.clock.chain_at(real), self.clock.tick_at(real)
        accepted = ev.Accepted(request_id=request_id, at=chain, sent=tick, due=tick, **vars(call))
        return accepted, self._executed(accepted, chain, self.born.stakers)

    def _executed(self, accepted: ev.Accepted, chain: int, most: int) -> ev.Executed:
        block, index = self._next_place(chain)
        return ev.Executed(
            request_id=accepted.request_id,
            at=chain,
            block=block,
            index=index,
            part=self._parts.get(accepted.era, 0),
            stakers_paid=min(most, self.stakers_left(accepted.era)),
            fee=self.fee,
            staking_nonce=self.account(accepted.user).staking_nonce,
        )

    def _next_place(self, chain: int) -> tuple[int, int]:
        """Block and index of the next execution."""
        block = max(self.block_at(chain), self._last_block[0])
        return block, self._last_block[1] + 1 if block == self._last_block[0] else 0

    # -- what happened ------------------------------------------------------------------------------------------------

    def apply(self, event: ev.Event) -> None:
        """Let an event take effect. Nothing else changes the state."""
        if isinstance(event, ev.Accepted):
            self.requests[event.request_id] = Request(event, event.sent, event.due)
            heapq.heappush(self._pending, (event.due, len(self.requests), event.request_id))
        elif isinstance(event, ev.End):
            self._end(event)
        elif isinstance(event, (ev.Doomed, ev.Delayed)):
            self._bend(event)
        elif isinstance(event, ev.QueueBlocked):
            self._block_queue(event)
        elif isinstance(event, ev.Born):
            self.born = event
            window = to_micros(self.settings.window)
            self.schedule = EraSchedule(event.anchor_era, event.anchor, event.era_length, window)
        elif isinstance(event, ev.ClockSet):
            self._set_clock(event)
        elif isinstance(event, ev.FeeSet):
            self.fee = event.amount
        elif isinstance(event, ev.NextUnpaid):
            self.next_unpaid = event.payouts
        elif isinstance(event, (ev.WindowForced, ev.WindowOpened)):
            self._set_window(event)
        else:
            self._set_account(event)

    def _set_window(self, event: ev.WindowForced | ev.WindowOpened) -> None:
        if isinstance(event, ev.WindowOpened):
            self.window_open_until = event.until
        else:
            self.forced_window = None if event.state == "auto" else ElectionWindow(event.state)
            self.window_open_until = 0

    def _set_account(self, event: ev.StakingSet | ev.NonceUsed) -> None:
        account = self.accounts.setdefault(event.account, Account())
        if isinstance(event, ev.StakingSet):
            account.staking.append((event.at, event.staking))
        elif event.kind == NonceKind.STAKING:
            account.staking_nonce += event.by
        else:
            account.payment_nonce += event.by

    def _bend(self, event: ev.Doomed | ev.Delayed) -> None:
        request = self.requests[event.request_id]
        if isinstance(event, ev.Doomed):
            request.doom = event
            return
        request.due += event.by
        request.told, request.true_before_due = event.told, event.by // 2
        self._sort_pending()

    def _block_queue(self, event: ev.QueueBlocked) -> None:
        self.queue_blocked_until = max(self.queue_blocked_until, event.at) + event.by
        for _, _, request_id in self._pending:
            request = self.requests[request_id]
            if request.sent > event.at:
                request.sent += event.by
                request.due += event.by
        self._sort_pending()

    def _sort_pending(self) -> None:
        self._pending = [(self.requests[request_id].due, order, request_id) for _, order, request_id in self._pending]
        heapq.heapify(self._pending)

    def _end(self, event: ev.End) -> None:
        request = self.requests[event.request_id]
        request.ended = event
        # Requests end in due order, so the one that ends is always the first that is pending.
        heapq.heappop(self._pending)
        if isinstance(event, ev.Dropped):
            return
        self._last_block = (event.block, event.index)
        call = request.accepted
        if event.fee is not None:
            payer = self.accounts.setdefault(call.payer, Account())
            payer.payment_nonce += 1
            payer.moved -= event.fee
            self.accounts.setdefault(call.relayer, Account()).moved += event.fee
            self.fees_charged += event.fee
            self._charged.append(event)
        if isinstance(event, ev.Rejected):
            self.fees_for_nothing += event.fee or 0
            return
        self.accounts.setdefault(call.user, Account()).staking_nonce += 1
        self.executed.append(event)
        if event.stakers_paid == 0:
            self.fees_for_nothing += event.fee
            self.next_unpaid -= self.stakers_left(call.era) > 0
            return
        self.stakers_paid[call.era] = self.stakers_paid.get(call.era, 0) + event.stakers_paid
        self._parts[call.era] = event.part + 1
        if self.stakers_left(call.era) == 0:
            self.paid_at[call.era] = event.at

    def _set_clock(self, event: ev.ClockSet) -> None:
        self.clock = ChainClock(event.manual, event.speed, event.real, event.chain)
        if event.shift:
            for request in self.requests.values():
                if request.ended is None:
                    request.sent += event.shift
                    request.due += event.shift
            self.queue_blocked_until += event.shift
            self._sort_pending()
