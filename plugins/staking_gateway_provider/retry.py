"""The exceptions after which a task is retried, and a note of each failure in the ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from airflow.sdk import RetryDecision, RetryPolicy

from staking_gateway.errors import (
    ConnectionMissing,
    EraNotEnded,
    EraNotPaid,
    Failed,
    GatewayError,
    InvalidInput,
    LedgerError,
    LedgerMismatch,
    SigningError,
    StakingGatewayError,
)
from staking_gateway.problem import Topic
from staking_gateway_provider.explanations import note_failure

if TYPE_CHECKING:
    from airflow.sdk import Context

_TOKEN = (Failed.NO_TOKEN, Failed.BAD_TOKEN)
_LASTS = (Failed.DOUBTFUL_ERA, Failed.OTHER_CHAIN, Failed.NODE_UNSUPPORTED)
_OUTCOMES = (Topic.UNPAID, Topic.BOOKS, Topic.ACCOUNTS)


class StakingRetryPolicy(RetryPolicy):
    """Decides by the error, and on an unpaid era by its outcome. Before the decision it notes the failure in the ledger.

    A retry never sends a payout twice: the ledger decides what is sent.

    :param unchecked: accounts that could not be checked are checked again.
    """

    def __init__(self, *, unchecked: bool = False) -> None:
        self.unchecked = unchecked

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        """Decide on a failure; without a context nothing is noted."""
        del try_number, max_tries
        if context is not None:
            note_failure(context, exception)
        return _decide(exception, unchecked=self.unchecked)


def _decide(error: BaseException, *, unchecked: bool) -> RetryDecision:
    if isinstance(error, EraNotEnded) or (isinstance(error, EraNotPaid) and error.may_change):
        return RetryDecision.retry(reason="it may change by itself")
    topic = error.problem.topic if isinstance(error, StakingGatewayError) else None
    if topic is Topic.ACCOUNTS and unchecked:
        return RetryDecision.retry(reason="the request may succeed next time")
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
STATUS_RETRY_POLICY = StakingRetryPolicy(unchecked=True)
"""Default of `StakingStatusOperator`."""
