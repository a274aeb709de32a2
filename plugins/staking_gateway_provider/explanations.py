"""An error in words for people: the same on the page, in logs, alerts and commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from airflow.sdk.exceptions import AirflowSensorTimeout, TaskDeferralTimeout

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.problem import Problem, Topic
from staking_gateway_provider.help import help_line

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
    from staking_gateway_provider.networks import find_network

    try:
        config = find_network(network)
    except ConfigError:
        return problem
    return problem if config is None else located(problem, network, config)
