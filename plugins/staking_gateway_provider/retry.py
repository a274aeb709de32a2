"""The exceptions after which a task is retried, and a note of each failure in the ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryDecision, RetryRule

from staking_gateway.errors import EraNotPaid
from staking_gateway_provider.failure_notes import note_failure

if TYPE_CHECKING:
    from airflow.sdk import Context

_ERRORS = "staking_gateway.errors."


class StakingRetryPolicy(ExceptionRetryPolicy):
    """Decides by the class of the error, and on an unpaid era by its outcome. Before the decision it notes the failure in the ledger."""

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: Context | None = None
    ) -> RetryDecision:
        """Decide on a failure; without a context nothing is noted."""
        if context is not None:
            note_failure(context, exception)
        if isinstance(exception, EraNotPaid) and exception.may_change:
            return RetryDecision.retry(reason="the outcome may change by itself")
        return super().evaluate(exception, try_number, max_tries, context)


RETRY_POLICY = StakingRetryPolicy(
    rules=[
        RetryRule(
            exception=f"{_ERRORS}EraNotEnded",
            action=RetryAction.RETRY,
            reason="the chain may reach the end of the era by then",
        ),
        RetryRule(
            exception=[
                f"{_ERRORS}InvalidInput",
                f"{_ERRORS}KeyMismatch",
                f"{_ERRORS}ActiveEraDoubtful",
                f"{_ERRORS}LedgerMismatch",
            ],
            action=RetryAction.FAIL,
            reason="the input has to be corrected first",
        ),
        RetryRule(
            exception=[
                f"{_ERRORS}EraNotPaid",
                f"{_ERRORS}ErasNotPaid",
                f"{_ERRORS}AccountsNotStaking",
                f"{_ERRORS}BooksDiffer",
            ],
            action=RetryAction.FAIL,
            reason="the engine has reached an outcome; the next run continues from the ledger",
        ),
        RetryRule(
            exception=[f"{_ERRORS}WrongChain", f"{_ERRORS}ChainUnsupported"],
            action=RetryAction.FAIL,
            reason="the connection to the node has to be corrected first",
        ),
        RetryRule(
            exception=[f"{_ERRORS}Unauthorized", f"{_ERRORS}Forbidden"],
            action=RetryAction.RETRY,
            retry_delay=timedelta(minutes=1),
            reason="the access token may be renewed by then",
        ),
        RetryRule(
            exception=[
                f"{_ERRORS}GatewayError",
                f"{_ERRORS}ConnectionMissing",
                f"{_ERRORS}LedgerError",
                f"{_ERRORS}SigningError",
                f"{_ERRORS}ExportError",
            ],
            action=RetryAction.RETRY,
            reason="the ledger stores what was sent, so a retry is safe",
        ),
    ]
)
"""Default of all operators. A retry never sends a payout twice: the ledger decides what is sent."""

STATUS_RETRY_POLICY = StakingRetryPolicy(
    rules=[
        RetryRule(
            exception=f"{_ERRORS}AccountsNotStaking",
            action=RetryAction.RETRY,
            reason="the request may succeed next time",
        ),
        *RETRY_POLICY.rules,
    ]
)
"""Default of `StakingStatusOperator`, where AccountsNotStaking means that accounts could not be checked."""
