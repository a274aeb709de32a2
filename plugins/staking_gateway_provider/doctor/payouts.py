"""Checks of what a payout needs (its method, nonces, fee and funds), of payouts in flight, and of unpaid eras."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from staking_gateway import errors
from staking_gateway.gateway.methods import if_supported
from staking_gateway.health.eras import RECENTLY
from staking_gateway.health.state import runway
from staking_gateway.ledger import Payout, PayoutState
from staking_gateway.payout.copies import Copies
from staking_gateway.payout.fee_limits import Spent, exceeded_limit, missing_limit, read_spent
from staking_gateway.payout.lanes import NONCES_USED_ELSEWHERE, chain_of, nonces_used_elsewhere
from staking_gateway.payout.outcomes import Outcome, hold_of
from staking_gateway.problem import Topic
from staking_gateway.text import count, duration, era_ranges
from staking_gateway.types import NonceKind
from staking_gateway_provider.doctor.case import Case
from staking_gateway_provider.doctor.findings import Finding, Level, error, failure, note, ok, warning

_TWO_DEPLOYMENTS = (
    "If that was another deployment, pause its DAGs. Then let both use one ledger, or give each a user and a payer of its own. "
    "See 'Another deployment uses the same user' in the runbook"
)
_NO_LEDGER = "not checked: the ledger does not exist yet, or cannot be used"
_GIVEN_PROOFS = "Supply ready-made proofs to PayoutStakersOperator, or use a gateway that reports them"


def _newest_payouts(case: Case) -> list[Payout]:
    """Every part of the newest eras on record, oldest first: those of a history window."""
    newest = None if case.ledger is None else case.ledger.newest_era(case.name)
    if case.ledger is None or newest is None:
        return []
    found = case.ledger.payouts_of(case.name, range(max(0, newest - case.config.history_depth), newest + 1))
    return [part for era in sorted(found) for part in found[era]]


def check_method(case: Case) -> Iterator[Finding]:
    """Whether the gateway has the payout method, by earlier payouts, because only a payout shows it."""
    name = case.payout_method
    tried = [part for part in _newest_payouts(case) if part.plans]
    accepted = [part.era for part in tried if part.accepted_at is not None]
    refused = [part for part in tried if hold_of(part) is Outcome.UNSUPPORTED]
    if refused:
        yield error(
            f"the gateway refused the method {name!r} of the payout of era {refused[-1].era}",
            f"Set the extra payout_method of connection {case.config.gateway_conn_id!r} to its spelling, "
            "e.g. proxyPayoutStakers",
        )
    elif accepted:
        yield ok(f"{name} was accepted for era {accepted[-1]}")
    else:
        yield note(f"{name} cannot be tried without paying; the first payout shows it")


def check_nonces(case: Case) -> Iterator[Finding]:
    """Both nonces can be read: no payout is signed without them."""
    nonces = {}
    for role, account, kind in (
        ("payer", case.config.payer_account, NonceKind.PAYMENT),
        ("user", case.config.user_account, NonceKind.STAKING),
    ):
        try:
            nonces[kind] = if_supported(lambda account=account, kind=kind: case.client.nonce(account, kind))  # type: ignore[misc]
        except errors.GatewayError as problem:
            if problem.code is None:
                raise
            yield failure(problem, f"Correct {role} of networks.{case.name} in staking.yaml: the gateway must know it")
            return
        if nonces[kind] is None:
            yield error(f"this gateway does not report the {kind} nonce of the {role}", _GIVEN_PROOFS)
            return
    foreign = list(_foreign_nonces(case, nonces))
    yield from foreign
    if not foreign:
        yield ok(f"staking {nonces[NonceKind.STAKING]}, payment {nonces[NonceKind.PAYMENT]}")


def _foreign_nonces(case: Case, nonces: Mapping[NonceKind, int | None]) -> Iterator[Finding]:
    """Whether another deployment or tool signs for the same user or payer: now, or in the last days."""
    if case.ledger is None:
        return
    terms = replace(case.terms(), chain=chain_of(case.client, case.ledger, case.name))
    staking, payment = nonces[NonceKind.STAKING] or 0, nonces[NonceKind.PAYMENT] or 0
    now = nonces_used_elsewhere(case.ledger, terms, staking_nonce=staking, payment_nonce=payment)
    if now:
        yield warning(f"since the last payout here, {now}", _TWO_DEPLOYMENTS)
    lately = [
        notice
        for notice in case.ledger.journal.notices(case.name, NONCES_USED_ELSEWHERE)
        if case.now - notice.at < RECENTLY
    ]
    if lately and not now:
        more = f", and so before {count(len(lately) - 1, 'other era')}" if len(lately) > 1 else ""
        yield warning(f"before era {lately[-1].era} was paid, {lately[-1].text}{more}", _TWO_DEPLOYMENTS)


def check_fee(case: Case) -> Iterator[Finding]:
    """The fee can be read, and is within the limits."""
    terms = case.terms()
    try:
        fee = if_supported(lambda: case.client.relayer_fee(terms.relayer, terms.payer))
    except errors.GatewayError as problem:
        if problem.code is None:
            raise
        yield failure(problem, f"Correct relayer or payer of networks.{case.name} in staking.yaml")
        return
    if fee is None:
        yield error("this gateway does not report the relayer's fee", _GIVEN_PROOFS)
        return
    case.fee = fee
    above = _above_limit(case, fee)
    if above:
        yield above
    elif case.config.catch_up.max_fees is not None and fee > case.config.catch_up.max_fees:
        yield warning(
            f"the fee is {fee} planck, more than catch_up.max_fees {case.config.catch_up.max_fees} planck: a catch-up pays nothing",
            f"Raise networks.{case.name}.catch_up.max_fees in staking.yaml",
        )
    elif missing := missing_limit(terms):
        yield note(f"{fee} planck a call; without {missing} a gateway on this machine may ask any fee")
    else:
        yield ok(f"{fee} planck a call, within the limits")


def _above_limit(case: Case, fee: int) -> Finding | None:
    terms, where = case.terms(), f"networks.{case.name}.payout"
    exceeded = exceeded_limit(fee, Spent(), terms)
    if exceeded:
        name, why = exceeded
        return error(f"{why}: nothing is sent", f"Raise {where}.{name} in staking.yaml, or wait until the fee falls")
    if case.ledger is not None:
        exceeded = exceeded_limit(
            fee, read_spent(case.ledger, terms, run="airflow staking doctor", now=case.now), terms
        )
        if exceeded:
            return warning(exceeded[1], f"Wait until midnight UTC, or raise {where}.{exceeded[0]} in staking.yaml")
    missing = missing_limit(terms) if case.client.is_remote else None
    if missing is None:
        return None
    return error(
        f"the fee is {fee} planck, and the settings lack {missing}: nothing is signed",
        f"Write the highest fees to accept as {missing} below {where} in staking.yaml",
        topic=Topic.LIMIT_MISSING,
    )


def check_funds(case: Case) -> Iterator[Finding]:
    """The payer's funds pay the fees of enough eras."""
    payer = case.config.payer_account
    free = case.client.free_balance(payer)
    if free is None:
        yield note("this gateway does not report the payer's balance")
        return
    unpaid = len(case.plan.unpaid) if case.plan is not None else 0
    funds = runway(case.config, balance=free, fee=case.fee, unpaid=unpaid)
    if funds.eras is None:
        yield ok(f"the payer has {free} planck; the fee is nothing")
        return
    what = f"the payer's free balance {free} planck pays the fees of {count(funds.eras, 'era')}"
    if not funds.critical and not funds.short:
        yield ok(what)
        return
    if unpaid > funds.eras:
        what = f"{what}, and {count(unpaid, 'era')} are unpaid"
    topic = Topic.RUNWAY if funds.eras else Topic.PAYER_EMPTY
    yield (error if funds.critical else warning)(what, f"Send funds to the payer {payer}", topic=topic)


def check_in_flight(case: Case) -> Iterator[Finding]:
    """No payload has been in flight for too long."""
    if case.ledger is None:
        yield note(_NO_LEDGER)
        return
    in_flight = case.ledger.in_flight_of(case.name)
    stuck = [found for part in in_flight if (found := _judge_payload(case, part))]
    yield from stuck
    if not stuck:
        yield ok(f"{count(len(in_flight), 'payload')} under way, none stuck" if in_flight else "nothing is under way")


def _judge_payload(case: Case, part: Payout) -> Finding | None:
    if part.state in (PayoutState.HELD, PayoutState.REJECTED):
        return None  # it has a reason, which other checks name
    since = part.accepted_at if part.state is PayoutState.SUBMITTED else Copies(part).open[0].signed_at
    age = case.now - (since or part.updated_at)
    what = f"era {part.era} part {part.part} is {part.state.value} for {duration(age)}"
    options = f"--network {case.name} --era {part.era}"
    remedy = f"Settle it: airflow staking pay {options}; what happened: airflow staking ledger history {options}"
    if part.state is PayoutState.SUBMITTED:
        late = age > case.config.timing.confirmation_timeout
        return warning(f"{what}: sent, and not confirmed", remedy) if late else None
    if age <= case.terms().settle_within:
        return None
    return error(f"{what}: sent; result unknown. Other eras of the same user wait for it", remedy)


def check_owed(case: Case) -> Iterator[Finding]:
    """The unpaid eras, and how soon they expire."""
    plan = case.plan
    if plan is None:
        yield note(_NO_LEDGER)
        return
    if plan.expired:
        yield error(
            f"{_eras(plan.expired)} expired unpaid; the rewards are gone",
            f"Find out why: airflow staking ledger history --network {case.name} --era {plan.expired[-1]}",
            topic=Topic.EXPIRED,
        )
    if not plan.unpaid:
        yield ok(f"nothing; {count(len(plan.paid), 'era')} paid")
        return
    first = plan.unpaid[0]
    if [unpaid.era for unpaid in plan.unpaid] == [plan.active - 1]:
        yield note(f"only era {first.era}, which has just ended ({first.why})")
        return
    left = first.countdown
    level = Level.ERROR if (left.warning or 0) >= 95 and not plan.doubtful else Level.WARNING
    eras = _eras(sorted(unpaid.era for unpaid in plan.unpaid))
    yield Finding(
        level,
        f"{eras} unpaid; era {first.era} expires first, {left.when} ({first.why})",
        f"Pay: airflow staking catch-up --network {case.name}; and see that the DAG staking_catch_up_{case.name} runs",
    )


def _eras(eras: Sequence[int]) -> str:
    """E.g. `3 eras (5, 7-8)`."""
    return f"{count(len(eras), 'era')} ({era_ranges(eras)})"
