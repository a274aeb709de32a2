"""What really happened, as JSON: the simulator's word on it, for demos and for tests that count payouts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, TypedDict

from staking_gateway_simulator.accounts import read_account, staker
from staking_gateway_simulator.events import Dropped, Executed, Rejected
from staking_gateway_simulator.settings import iso_utc

if TYPE_CHECKING:
    from staking_gateway_simulator.chain import Chain, ChainClock, Request
    from staking_gateway_simulator.simulation import Simulation


class Truth(TypedDict):
    """What happened. Fees are texts in the smallest unit, times ISO 8601 in UTC."""

    active_era: int
    payouts: list[dict[str, Any]]
    requests: list[dict[str, Any]]
    owing: list[dict[str, int]]
    expired: list[list[int]]
    fees_charged: str
    fees_for_nothing: str
    calls: dict[str, dict[str, int]]


def tell_truth(simulation: Simulation) -> Truth:
    """Everything executed, requested, owed and lost, and how often the gateway was called; settled up to now."""
    simulation.settle()
    chain, now, tick = simulation.chain, simulation.now, simulation.tick
    owing = [era for era in chain.payable_eras(now) if chain.stakers_left(era)]
    return {
        "active_era": chain.active_era(now),
        "payouts": [_payout(chain, executed) for executed in chain.executed],
        "requests": [_request(request, tick) for request in chain.requests.values()],
        "owing": [{"era": era, "stakers_left": chain.stakers_left(era)} for era in owing],
        "expired": _expired(chain, now),
        "fees_charged": str(chain.fees_charged),
        # The part of it that was charged for requests that paid no staker.
        "fees_for_nothing": str(chain.fees_for_nothing),
        "calls": {
            "by_path": dict(simulation.traffic.calls_by_path),
            "by_method": dict(simulation.traffic.calls_by_method),
        },
    }


def tell_rewards(simulation: Simulation) -> dict[str, Any]:
    """The reward of each era, what of it was paid so far, and the share of each staker, which is the same in each era.

    Accounts are 0x public keys.
    """
    simulation.settle()
    chain = simulation.chain
    shares = [chain.share(place) for place in range(chain.born.stakers)]
    known = {*chain.stakers_paid, *chain.payable_eras(simulation.now)}
    return {
        "eras": {
            str(era): {
                "reward": str(chain.settings.era_reward),
                "paid": str(sum(shares[: chain.stakers_paid.get(era, 0)])),
            }
            for era in sorted(known)
        },
        "accounts": {staker(place): str(share) for place, share in enumerate(shares)},
    }


def tell_state(simulation: Simulation) -> dict[str, Any]:
    """Where the chain is now and what changes next. Times are the chain's."""
    simulation.settle()
    chain, now = simulation.chain, simulation.now
    era = chain.active_era(now)
    clock: ChainClock = chain.clock
    return {
        "chain_time": iso_utc(now),
        "clock": "manual" if clock.manual else "auto",
        "speed": clock.speed,
        "active_era": era,
        "era_length": chain.schedule.length / 1e6,
        "next_era_at": iso_utc(chain.schedule.start_of(era + 1)),
        "window": chain.window(now).value,
        "fee": str(chain.fee),
        "first_payable_era": chain.born.first_payable,
    }


def _payout(chain: Chain, executed: Executed) -> dict[str, Any]:
    request = chain.requests[executed.request_id]
    accepted = request.accepted
    return {
        "era": accepted.era,
        "part": executed.part,
        "request_id": executed.request_id,
        "user": read_account(accepted.user).address,
        "payer": read_account(accepted.payer).address,
        "relayer": read_account(accepted.relayer).address,
        "fee": str(executed.fee),
        "staking_nonce": executed.staking_nonce,
        "payment_nonce": accepted.payment_nonce,
        "accepted_at": iso_utc(accepted.at),
        "executed_at": iso_utc(executed.at),
        "block": executed.block,
        "index": executed.index,
        "tx_hash": request.tx_hash,
        "stakers_paid": executed.stakers_paid,
    }


def _request(request: Request, tick: int) -> dict[str, Any]:
    accepted, ended = request.accepted, request.ended
    proofs = bytes.fromhex(accepted.proxy_signature[2:] + accepted.fee_payment_signature[2:])
    return {
        "request_id": accepted.request_id,
        "status": request.status_at(tick).value,
        "era": accepted.era,
        "user": read_account(accepted.user).address,
        "payer": read_account(accepted.payer).address,
        "payment_nonce": accepted.payment_nonce,
        # The same for two requests when, and only when, they carried the same two signatures.
        "payload": hashlib.sha256(proofs).hexdigest(),
        "accepted_at": iso_utc(accepted.at),
        "ended_at": None if ended is None else iso_utc(ended.at),
        "reason": ended.reason if isinstance(ended, (Rejected, Dropped)) else None,
        "fee": str(ended.fee) if isinstance(ended, (Executed, Rejected)) and ended.fee is not None else None,
    }


def _expired(chain: Chain, now: int) -> list[list[int]]:
    """Eras that were payable, were not paid in full and are gone: first and last era of each stretch."""
    floor = chain.payable_eras(now).start
    paid = sorted(era for era in chain.stakers_paid if era < floor and chain.stakers_left(era) == 0)
    stretches, first = [], chain.born.first_payable
    for era in [*paid, floor]:
        if era > first:
            stretches.append([first, era - 1])
        first = era + 1
    return stretches
