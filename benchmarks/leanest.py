"""What the leanest hand-written DAG needs that does the four tasks of an era: no ledger, no retries, no report, no alerts, no asset events.

It takes what Airflow offers: the wait starts and ends in the triggerer, and the payout needs no worker until its confirmation.
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator, BaseSensorOperator
from airflow.triggers.base import BaseTrigger, StartTriggerArgs, TaskSuccessEvent, TriggerEvent

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import AccountId, ElectionWindow, NonceKind, RequestStatus

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

VARIABLE = "LEANEST_CHAIN"
"""Environment variable with the chain: `url`, `token`, `relayer`, the keys of `user` and `payer`, and `accounts`."""


def chain() -> dict[str, Any]:
    """The chain to pay on."""
    return dict(json.loads(os.environ[VARIABLE]))


def client() -> GatewayClient:
    return GatewayClient(chain()["url"], chain()["token"])


class WindowTrigger(BaseTrigger):
    """Ends its task when the window is closed."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.WindowTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        async with AsyncGatewayClient(chain()["url"], chain()["token"]) as gateway:
            while await gateway.election_window() is not ElectionWindow.CLOSED:  # noqa: ASYNC110 - polls
                await asyncio.sleep(1)
        yield TaskSuccessEvent()


class WindowSensor(BaseSensorOperator):
    """Waits in the triggerer alone."""

    start_trigger_args = StartTriggerArgs(f"{__name__}.WindowTrigger", "execute", {})
    start_from_trigger = True


class ConfirmationTrigger(BaseTrigger):
    """Fires when a request was executed."""

    def __init__(self, request_id: str) -> None:
        super().__init__()
        self.request_id = request_id

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.ConfirmationTrigger", {"request_id": self.request_id}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        async with AsyncGatewayClient(chain()["url"], chain()["token"]) as gateway:
            while (await gateway.request_state(self.request_id)).status is not RequestStatus.PROCESSED:  # noqa: ASYNC110 - polls
                await asyncio.sleep(1)
        yield TriggerEvent(self.request_id)


class PayoutOperator(BaseOperator):
    """Signs, sends, and waits deferred for the confirmation."""

    template_fields = ("era",)

    def __init__(self, *, era: Any, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.era = era

    def execute(self, context: Any) -> None:
        del context
        known = chain()
        signers = ProofMaker(LocalSigner(known["user"]), LocalSigner(known["payer"]))
        user, payer, relayer = signers.user.account, signers.payer.account, AccountId.parse(known["relayer"])
        with client() as gateway:
            proofs = signers.make(
                relayer=relayer,
                era=int(self.era),
                relayer_fee=gateway.relayer_fee(relayer, payer),
                staking_nonce=gateway.nonce(user, NonceKind.STAKING),
                payment_nonce=gateway.nonce(payer, NonceKind.PAYMENT),
            )
            request_id = gateway.payout_stakers(
                relayer=relayer,
                user=user,
                payer=payer,
                era=int(self.era),
                proxy_signature=proofs.proxy_signature,
                fee_payment_signature=proofs.fee_payment_signature,
                payment_nonce=proofs.payment_nonce,
            )
        self.defer(trigger=ConfirmationTrigger(request_id), method_name="executed")

    def executed(self, context: Any, event: Any) -> str:
        del context
        return str(event)
