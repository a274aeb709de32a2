"""The leanest DAG that does the four tasks of an era: no ledger, no retries, no report, no alerts, no asset events.

The wait starts and ends in the triggerer, which loads `Trigger` from this module. The payout needs no worker until its confirmation.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

from airflow.sdk import DAG, BaseOperator, BaseSensorOperator, task
from airflow.triggers.base import BaseTrigger, StartTriggerArgs, TaskSuccessEvent, TriggerEvent

from staking_gateway import AsyncGatewayClient, GatewayClient
from staking_gateway.signing import LocalSigner, ProofMaker
from staking_gateway.types import ElectionWindow, NonceKind, RequestStatus

TRIGGER = "benchmarks.leanest.Trigger"
GATEWAY, ACCOUNTS = "LEANEST_GATEWAY", "LEANEST_ACCOUNTS"  # environment variables: an address, and accounts with commas
TOKEN = "simulator-token"
USER, PAYER, RELAYER = "//Alice", "//Charlie", "//Bob"


def client() -> GatewayClient:
    return GatewayClient(os.environ[GATEWAY], TOKEN)


class Trigger(BaseTrigger):
    """Waits until the window is closed, or until a request was executed."""

    def __init__(self, request_id: str | None = None) -> None:
        super().__init__()
        self.request_id = request_id

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return TRIGGER, {"request_id": self.request_id}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        async with AsyncGatewayClient(os.environ[GATEWAY], TOKEN) as gateway:
            while not await self.is_over(gateway):  # noqa: ASYNC110 - polls
                await asyncio.sleep(1)
        yield TriggerEvent(self.request_id) if self.request_id else TaskSuccessEvent()

    async def is_over(self, gateway: AsyncGatewayClient) -> bool:
        if self.request_id:
            return (await gateway.request_state(self.request_id)).status is RequestStatus.PROCESSED
        return await gateway.election_window() is ElectionWindow.CLOSED


class WindowSensor(BaseSensorOperator):
    """Waits in the triggerer alone."""

    start_trigger_args = StartTriggerArgs(TRIGGER, "execute", {})
    start_from_trigger = True


class PayoutOperator(BaseOperator):
    """Signs, sends, and waits deferred for the confirmation."""

    template_fields = ("era",)

    def __init__(self, *, era: Any, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.era = era

    def execute(self, context: Any) -> None:
        signers = ProofMaker(LocalSigner(USER), LocalSigner(PAYER))
        relayer, era = LocalSigner(RELAYER).account, int(self.era)
        accounts = {"relayer": relayer, "user": signers.user.account, "payer": signers.payer.account}
        with client() as gateway:
            proofs = signers.make(
                relayer=relayer,
                era=era,
                relayer_fee=gateway.relayer_fee(relayer, accounts["payer"]),
                staking_nonce=gateway.nonce(accounts["user"], NonceKind.STAKING),
                payment_nonce=gateway.nonce(accounts["payer"], NonceKind.PAYMENT),
            )
            request_id = gateway.payout_stakers(
                **accounts,
                era=era,
                proxy_signature=proofs.proxy_signature,
                fee_payment_signature=proofs.fee_payment_signature,
                payment_nonce=proofs.payment_nonce,
            )
        self.defer(trigger=Trigger(request_id), method_name="executed")

    def executed(self, context: Any, event: Any) -> str:
        return str(event)


@task
def previous_era() -> int:
    with client() as gateway:
        return int(gateway.active_era()) - 1


@task(multiple_outputs=False)  # one row for all accounts
def staking_status() -> dict[str, str]:
    with client() as gateway:
        return {account: gateway.staking_status(account).value for account in os.environ[ACCOUNTS].split(",")}


with DAG("leanest", schedule=None):
    wait, found = WindowSensor(task_id="wait_for_window"), previous_era()
    wait >> found >> PayoutOperator(task_id="payout", era=found) >> staking_status()
