"""Writes the failure of a task to its log: the error, whether Airflow retries the task, the cause, the help page, and last the remedy.

Airflow writes each failure with a traceback. A processor of Airflow's log replaces the line and the traceback of errors with a known
remedy. All other errors keep their traceback. The lines come before the group `Post Execute`, which Airflow's UI shows collapsed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import structlog
from airflow.sdk import ExceptionRetryPolicy, RetryAction
from airflow.sdk.exceptions import AirflowSensorTimeout

from staking_gateway.errors import StakingGatewayError
from staking_gateway.topics import Topic
from staking_gateway_provider.explanations import Explanation, explain
from staking_gateway_provider.help import help_line

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

_FAILED = "Task failed with exception"
_DECIDED = "Retry policy decision"
"""Lines of Airflow 3.3. If another Airflow writes other lines, its lines and tracebacks stay in the log."""


def report_failure_of(task: BaseOperator, context: Any) -> None:
    """Report a failure of this task in plain lines. Called in the task's process, before the task executes."""
    _REPORTER.watch(task, context)


def cause_lines(explained: Explanation) -> tuple[str, str, str]:
    """The last lines about an error: the cause, the help page and the remedy."""
    return f"Cause: {explained.topic.heading}", help_line(explained.topic), explained.advice


class FailureReporter:
    """A processor of the log that Airflow's task runner writes."""

    def __init__(self) -> None:
        self._task: BaseOperator | None = None
        self._try: tuple[int, int] = (1, 1)
        self._told_decision = False

    def watch(self, task: BaseOperator, context: Any) -> None:
        """Report failures that leave a method of `task`."""
        instance = context["ti"]
        self._task, self._try = task, (instance.try_number, instance.max_tries + 1)
        self._told_decision = False
        # Loggers in use hold this list itself, so the processor is added in place.
        processors = structlog.get_config()["processors"]
        if isinstance(processors, list) and self not in processors:
            processors.insert(0, self)

    def __call__(self, logger: Any, method: str, event: Any) -> Any:
        """The lines of a known error instead of Airflow's; any other event unchanged."""
        del logger, method
        if event.get("event") == _DECIDED and self._told_decision:
            raise structlog.DropEvent
        error = sys.exc_info()[1]
        if event.get("event") != _FAILED or error is None or not self._left_task(error):
            return event
        lines = self._lines(error)
        if not lines:
            return event
        log = structlog.get_logger(logger_name="task")
        for line in lines[:-1]:
            log.error(line)
        del event["exc_info"]
        return {**event, "event": lines[-1]}

    def _lines(self, error: BaseException) -> list[str]:
        """The lines about an error, the remedy last. None for an unknown error, and if they cannot be made: Airflow's traceback stays."""
        try:
            explained = explain(error, getattr(self._task, "network", None))
            if explained.topic is Topic.UNEXPECTED and not isinstance(error, StakingGatewayError):
                return []
            return [f"Task failed: {explained.what}", *self._retry_line(error), *cause_lines(explained)]
        except Exception:  # noqa: BLE001 - an error here would hide the failure of the task
            return []

    def _left_task(self, error: BaseException) -> bool:
        return any(frame.f_locals.get("self") is self._task for frame, _ in walk_tb(error.__traceback__))

    def _retry_line(self, error: BaseException) -> Iterator[str]:
        """Whether Airflow retries the task. No line for a policy that is code: Airflow writes its decision."""
        policy, (attempt, tries) = getattr(self._task, "retry_policy", None), self._try
        if policy is not None and not isinstance(policy, ExceptionRetryPolicy):
            return
        self._told_decision = True
        decision = policy and policy.evaluate(exception=error, try_number=attempt, max_tries=tries - 1)
        reason = f": {decision.reason}" if decision and decision.reason else ""
        if isinstance(error, AirflowSensorTimeout):
            yield "Airflow does not retry a sensor that has timed out"
        elif decision and decision.action is RetryAction.FAIL:
            yield f"Airflow does not retry this task{reason}"
        elif attempt < tries:
            yield f"Airflow retries this task after try {attempt} of {tries}{reason}"
        else:
            yield f"Airflow does not retry this task: try {attempt} was the last of {tries}"


_REPORTER = FailureReporter()
