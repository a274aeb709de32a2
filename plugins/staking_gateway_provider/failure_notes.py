"""Why a task has failed before its era was paid, for the ledger: page, alerts and commands show it."""

from __future__ import annotations

import logging
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import EraNotPaid, InvalidInput, LedgerError, StakingGatewayError
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.networks import open_ledger, run_actor, run_era

if TYPE_CHECKING:
    from collections.abc import Mapping

    from staking_gateway.ledger import Ledger

log = logging.getLogger(__name__)

ERA, CATCH_UP = "era", "catch_up"
"""Values of an operator's attribute `stops`: whether its failure stops an era's payout or a catch-up."""


def note_failure(context: Mapping[str, Any], error: BaseException) -> None:
    """Store why a task has failed, if the task keeps an era, or the catch-up, from being paid.

    The record of a payout does not hold every outcome: an unsupported gateway leaves it as planned. So outcomes are noted too, and where the
    record has a reason, that counts first. A ledger that cannot be written is logged: the task's own error matters more.
    """
    task = context["task"]
    stops, network = getattr(task, "stops", None), getattr(task, "network", None)
    if stops is None or not network or isinstance(error, LedgerError):
        return
    problem = explain(error)
    if isinstance(error, EraNotPaid):
        problem = replace(problem, facts=error.reason)
    try:
        era = None if stops == CATCH_UP else _era(context, task)
        if era is None and stops == ERA:
            return
        with closing(open_ledger()) as ledger:
            ledger.journal.note_failure(network, era, problem, run_actor(context))
    except StakingGatewayError as failed:
        log.warning("The ledger has no note of this failure: %s", failed)


def forget_failure(ledger: Ledger, network: str, era: int | None) -> None:
    """Delete the note of an era's run, or of the catch-up, because a later try came further. An error of the ledger is logged."""
    try:
        ledger.journal.forget_failure(network, era)
    except LedgerError as problem:
        log.warning("The ledger keeps an old note of a failure: %s", problem)


def _era(context: Mapping[str, Any], task: Any) -> int | None:
    try:
        return run_era(context, getattr(task, "era", None))
    except InvalidInput:
        return None
