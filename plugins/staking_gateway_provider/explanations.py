"""An error in words for people: the same on the page, in logs, alerts and commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from airflow.sdk.exceptions import AirflowSensorTimeout, TaskDeferralTimeout

from staking_gateway.errors import ConfigError, StakingGatewayError
from staking_gateway.problem import Topic
from staking_gateway_provider.help import help_line

Method = TypeVar("Method", bound=Callable[..., Any])


class Explanation(NamedTuple):
    """An error in words.

    :param what: the error without its remedy.
    :param advice: the remedy.
    """

    topic: Topic
    what: str
    advice: str

    @property
    def text(self) -> str:
        return f"{self.what}. {self.advice}"


def cause_lines(explained: Explanation) -> tuple[str, str, str]:
    """The last lines about an error: the cause, the help page and the remedy."""
    return f"Cause: {explained.topic.heading}", help_line(explained.topic), explained.advice


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
                for line in (f"Task failed: {explained.what}", *cause_lines(explained)):
                    self.log.error("%s", line)  # noqa: TRY400 - Airflow writes the traceback
            raise

    return cast("Method", logged)


def explain(error: BaseException, network: str | None = None) -> Explanation:
    """Explain an error. A foreign error is named by its class alone, because its text may hold a secret.

    :param network: of the task that failed: the remedy names its connections and settings.
    """
    return with_object(_explained(error), network)


def with_object(explained: Explanation, network: object) -> Explanation:
    """The explanation whose remedy names the network's connection, key or account.

    It stays as it was without a network, and where the settings cannot be read: that is an error of its own.
    """
    if not isinstance(network, str):
        return explained
    from staking_gateway.health.remedies import object_of
    from staking_gateway_provider.networks import find_network

    try:
        config = find_network(network)
    except ConfigError:
        return explained
    where = "" if config is None else object_of(explained.topic, explained.what, network, config)
    return explained._replace(advice=f"{explained.advice}. {where}") if where else explained


def _explained(error: BaseException) -> Explanation:
    if isinstance(error, StakingGatewayError):
        return Explanation(error.topic, error.what, error.advice)
    if isinstance(error, TaskDeferralTimeout):
        dead = Topic.TRIGGERER_DEAD
        return Explanation(dead, dead.heading, dead.remedy)
    if isinstance(error, AirflowSensorTimeout):
        remedy = "Clear this task when the election window has closed, or start the catch-up"
        return Explanation(Topic.HELD_WINDOW, str(error), remedy)
    return Explanation(Topic.UNEXPECTED, type(error).__name__, Topic.UNEXPECTED.remedy)
