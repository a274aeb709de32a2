"""An error in words for people: the same on the page, in logs, alerts and commands; and in the ledger, why a task has failed before its era was paid."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from airflow.sdk.exceptions import AirflowSensorTimeout, TaskDeferralTimeout

from staking_gateway.errors import ConfigError, EraNotPaid, InvalidInput, LedgerError, StakingGatewayError
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.help import help_line
from staking_gateway_provider.networks import find_network, open_ledger, run_actor, run_era

if TYPE_CHECKING:
    from collections.abc import Mapping

    from staking_gateway.ledger import Ledger

log = logging.getLogger(__name__)

Method = TypeVar("Method", bound=Callable[..., Any])


def cause_lines(problem: Problem) -> tuple[str, str, str]:
    """The last lines about a problem: the cause, the help page and the remedy."""
    return f"Cause: {problem.topic.heading}", help_line(problem.topic), problem.remedy


def logs_failure(method: Method) -> Method:
    """Decorate a method of a task: it writes a known error to the log, the remedy last, and raises the error again.

    Airflow writes the traceback after these lines.
    """

    @wraps(method)
    def logged(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return method(self, *arguments, **named)
        except Exception as error:
            explained = explain(error, getattr(self, "network", None))
            if explained.topic is not Topic.UNEXPECTED or isinstance(error, StakingGatewayError):
                for line in (f"Task failed: {explained.facts}", *cause_lines(explained)):
                    self.log.error("%s", line)  # noqa: TRY400 - Airflow writes the traceback
            raise

    return cast("Method", logged)


def explain(error: BaseException, network: str | None = None) -> Problem:
    """The problem of an error. A foreign error is named by its class alone, because its text may hold a secret.

    :param network: of the task that failed: the remedy names its connections and settings.
    """
    if isinstance(error, StakingGatewayError):
        return with_object(error.problem, network)
    if isinstance(error, TaskDeferralTimeout):
        return Problem(Topic.TRIGGERER_DEAD, Topic.TRIGGERER_DEAD.heading)
    if isinstance(error, AirflowSensorTimeout):
        remedy = "Clear this task when the election window has closed, or start the catch-up"
        return Problem(Topic.HELD_WINDOW, str(error), own_remedy=remedy)
    return Problem(Topic.UNEXPECTED, type(error).__name__)


def with_object(problem: Problem, network: object) -> Problem:
    """The problem whose remedy names the network's connection, key or account.

    It stays as it was without a network, and where the settings cannot be read: that is an error of its own.
    """
    if not isinstance(network, str):
        return problem
    from staking_gateway.health.remedies import located

    try:
        config = find_network(network)
    except ConfigError:
        return problem
    return problem if config is None else located(problem, network, config)


# --- for the ledger ------------------------------------------------------------------------------------------------------

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
