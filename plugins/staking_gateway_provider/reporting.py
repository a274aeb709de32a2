"""What a task tells people: errors in words, addresses of help, links; whether it is tried again; and in the ledger, why an era is unpaid."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from functools import wraps
from typing import Any, TypeVar, cast
from urllib.parse import quote, urlencode

from airflow.sdk import BaseOperator, Context, RetryDecision, RetryPolicy, conf
from airflow.sdk.bases.operatorlink import BaseOperatorLink
from airflow.sdk.exceptions import AirflowSensorTimeout, TaskDeferralTimeout
from airflow.sdk.execution_time.xcom import XCom
from airflow.sdk.types import TaskInstanceKey

from staking_gateway.errors import (
    ConfigError,
    EraNotPaid,
    Failed,
    GatewayError,
    InvalidInput,
    LedgerError,
    SigningError,
    StakingGatewayError,
)
from staking_gateway.health.problems import located
from staking_gateway.ledger import Ledger
from staking_gateway.problem import Problem, Topic
from staking_gateway.types import is_hash
from staking_gateway_provider.connections import ConnectionMissing
from staking_gateway_provider.ledger_identity import LedgerMismatch
from staking_gateway_provider.networks import find_network, open_ledger, run_actor, run_era
from staking_gateway_provider.ui import URL_PREFIX

log = logging.getLogger(__name__)

Method = TypeVar("Method", bound=Callable[..., Any])

# --- addresses of help ---------------------------------------------------------------------------------------------------


def help_address(topic: Topic | None = None) -> str:
    """Address of a topic's section in the runbook that the API server shows: below `api.base_url`, or as Airflow assumes, on this machine."""
    link = help_link(topic)
    return link if "://" in link else f"http://localhost:{conf.get('api', 'port', fallback='8080')}{link}"


def help_link(topic: Topic | None = None) -> str:
    """The same for a link on a page of Airflow, where a path is enough."""
    return f"{_api_server()}{URL_PREFIX}/help{'' if topic is None else f'#{topic.anchor}'}"


def help_line(topic: Topic) -> str:
    """One line for the end of an error, an alert or a finding."""
    return f"Help: {help_address(topic)}"


def _api_server() -> str:
    return (conf.get("api", "base_url", fallback="") or "").rstrip("/")


# --- words ---------------------------------------------------------------------------------------------------------------


def cause_lines(problem: Problem) -> tuple[str, str, str]:
    """The last lines about a problem: the cause, the help page and the remedy."""
    return f"Cause: {problem.topic.heading}", help_line(problem.topic), problem.remedy


def logs_failure(method: Method) -> Method:
    """Decorate a method of a task: a known error is written to the log, the remedy last, before Airflow writes the traceback."""

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
    """The problem whose remedy names the network's connection, key or account, if its settings can be read."""
    try:
        config = find_network(network) if isinstance(network, str) else None
    except ConfigError:
        return problem
    return problem if config is None else located(problem, str(network), config)


# --- links on a task's page: Airflow stores their addresses at the end of the task, those of help only when it did not succeed ---


class RunbookLink(BaseOperatorLink):
    """Opens the section of the runbook about the task's failure."""

    name = "Runbook"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        """The address, at the end of a task: Airflow then gives the running task instance, whose context has the error."""
        del operator
        error = ti_key.get_template_context().get("exception")  # type: ignore[attr-defined]
        return help_link(explain(error).topic if error else None)


class StakingPageLink(BaseOperatorLink):
    """Opens the Staking page at the network and the era of the run."""

    name = "Staking page"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        del operator
        return f"{_api_server()}{URL_PREFIX}/?{urlencode({'dag_id': ti_key.dag_id, 'run_id': ti_key.run_id})}"


LINKS: tuple[BaseOperatorLink, ...] = (RunbookLink(), StakingPageLink())
"""The links of every task of this provider that did not succeed."""


class ExplorerLink(BaseOperatorLink):
    """Opens the payout's transaction in the network's explorer: `explorer_url` in `staking.yaml`, with the hash for `{tx_hash}`."""

    name = "Explorer"

    def get_link(self, operator: BaseOperator, *, ti_key: TaskInstanceKey) -> str:
        """The address, at the end of a task."""
        del operator
        return explorer_link(XCom.get_value(ti_key=ti_key, key="outcome"))


def explorer_link(outcome: Any) -> str:
    """The address of a payout's newest transaction in the explorer of its network, or an empty text: then Airflow shows no button."""
    if not isinstance(outcome, dict):
        return ""
    try:
        config = find_network(str(outcome.get("network")))
    except ConfigError:
        return ""
    return explorer_address(config.explorer_url, outcome) if config and config.explorer_url else ""


def explorer_address(template: str, outcome: Any) -> str:
    """The address of the newest transaction of an `EraOutcome.as_dict`, or an empty text. Only a valid hash becomes a part of the `explorer_url`."""
    parts = outcome.get("parts", ()) if isinstance(outcome, dict) else ()
    hashes = [part.get("tx_hash") for part in parts if isinstance(part, dict)]
    known = [str(tx_hash) for tx_hash in hashes if is_hash(tx_hash)]
    return template.replace("{tx_hash}", quote(known[-1], safe="")) if known else ""


# --- notes in the ledger -------------------------------------------------------------------------------------------------

ERA, CATCH_UP = "era", "catch_up"
"""Values of an operator's attribute `stops`: whether its failure stops an era's payout or a catch-up."""


def note_failure(context: Mapping[str, Any], error: BaseException) -> None:
    """Store why a task has failed, if the task keeps an era, or the catch-up, from being paid.

    Outcomes are noted too, because the record of a payout does not hold every one; a reason in the record counts first. A failure to note is logged.
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


# --- tries ---------------------------------------------------------------------------------------------------------------

_TOKEN = (Failed.NO_TOKEN, Failed.BAD_TOKEN)
_LASTS = (Failed.DOUBTFUL_ERA, Failed.OTHER_CHAIN, Failed.NODE_UNSUPPORTED)
_OUTCOMES = (Topic.UNPAID, Topic.BOOKS, Topic.ACCOUNTS)


class StakingRetryPolicy(RetryPolicy):
    """Decides by the error, and on an unpaid era by its outcome. Before the decision it notes the failure in the ledger.

    A retry never sends a payout twice: the ledger decides what is sent.
    """

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        """Decide on a failure; without a context nothing is noted."""
        del try_number, max_tries
        if context is not None:
            note_failure(context, exception)
        return _decide(exception)


def _decide(error: BaseException) -> RetryDecision:
    if isinstance(error, StakingGatewayError) and error.may_change:
        return RetryDecision.retry(reason="it may change by itself")
    topic = error.problem.topic if isinstance(error, StakingGatewayError) else None
    if isinstance(error, EraNotPaid) or topic in _OUTCOMES:
        return RetryDecision.fail(reason="the engine has reached an outcome; the next run continues from the ledger")
    if isinstance(error, (InvalidInput, LedgerMismatch)) or topic is Topic.WRONG_KEY:
        return RetryDecision.fail(reason="the input has to be corrected first")
    if isinstance(error, GatewayError) and error.how in _LASTS:
        return RetryDecision.fail(reason="the connection or the calendar has to be corrected first")
    if isinstance(error, GatewayError) and error.how in _TOKEN:
        return RetryDecision.retry(delay=timedelta(minutes=1), reason="the access token may be renewed by then")
    if isinstance(error, (GatewayError, ConnectionMissing, LedgerError, SigningError)) or topic is Topic.EXPORT:
        return RetryDecision.retry(reason="the ledger stores what was sent, so a retry is safe")
    return RetryDecision.default()


RETRY_POLICY = StakingRetryPolicy()
"""Default of all operators."""
