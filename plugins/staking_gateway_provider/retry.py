"""Which failures a task is tried again for: by exception class, in one place."""

from __future__ import annotations

from datetime import timedelta

from airflow.sdk import ExceptionRetryPolicy, RetryAction, RetryRule

_ERRORS = "staking_gateway.errors."

RETRY_POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            exception=[f"{_ERRORS}InvalidInput", f"{_ERRORS}KeyMismatch"],
            action=RetryAction.FAIL,
            reason="the input has to be corrected first",
        ),
        RetryRule(
            exception=[f"{_ERRORS}EraNotPaid", f"{_ERRORS}ErasNotPaid", f"{_ERRORS}AccountsNotStaking"],
            action=RetryAction.FAIL,
            reason="the engine has come to an outcome; the next run goes on from the ledger",
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
            reason="the access token may be renewed meanwhile",
        ),
        RetryRule(
            exception=[f"{_ERRORS}GatewayError", f"{_ERRORS}LedgerError", f"{_ERRORS}SigningError"],
            action=RetryAction.RETRY,
            reason="nothing is lost: the ledger knows what was sent",
        ),
    ]
)
"""Default of every operator here. A retry never sends a payout twice: the ledger decides what is sent."""

STATUS_RETRY_POLICY = ExceptionRetryPolicy(
    rules=[
        RetryRule(
            exception=f"{_ERRORS}AccountsNotStaking",
            action=RetryAction.RETRY,
            reason="what could not be asked may be answered the next time",
        ),
        *RETRY_POLICY.rules,
    ]
)
"""Default of the task that asks for statuses, where the error stands for accounts nobody told about."""
