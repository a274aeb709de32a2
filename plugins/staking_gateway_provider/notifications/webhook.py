"""Sends alerts to a webhook."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook, BaseNotifier

from staking_gateway.errors import InvalidInput
from staking_gateway_provider.connections import ConnectionFields, checked_connection_id
from staking_gateway_provider.extras import WebhookExtras

if TYPE_CHECKING:
    from staking_gateway.alerts.webhook import Webhook

CONN_TYPE = "http"


class StakingWebhookNotifier(BaseNotifier):
    """Posts alerts as JSON to a webhook, such as a chat's incoming webhook.

    The body is `{"text": ..., "staking_alert": {...}}`; `Idempotency-Key` identifies repetitions. See `staking_gateway.alerts.webhook`.

    :param http_conn_id: connection of type `http`. Host is the whole address, or Schema and Port complete it. A password alone is a
        bearer token; with Login it is basic authentication.
    :param attempts: most calls for one message.
    :param timeout: seconds of one call.
    """

    template_fields = ("http_conn_id",)

    def __init__(
        self, http_conn_id: str = "staking_alerts_default", *, attempts: int = 3, timeout: float = 10.0
    ) -> None:
        super().__init__()
        self.http_conn_id = http_conn_id
        self.attempts = attempts
        self.timeout = timeout

    def notify(self, context: Any) -> None:
        """Post `staking_alert` of the context.

        :raises InvalidConnection: a field of the connection is missing or wrong; the text names it.
        :raises InvalidInput: there is no alert in the context, or `http_conn_id` is not a connection id.
        :raises WebhookFailed: the receiver did not accept the message.
        """
        alert = context.get("staking_alert")
        if alert is None:
            raise InvalidInput("staking_alert", "is not in the context", "Use this notifier in a StakingAlertsOperator")
        open_webhook(self.http_conn_id, attempts=self.attempts, timeout=self.timeout).post(alert)

    async def async_notify(self, context: Any) -> None:
        """The same in a thread, outside of the event loop."""
        await asyncio.to_thread(self.notify, context)


def open_webhook(conn_id: str, *, attempts: int = 3, timeout: float = 10.0) -> Webhook:
    """The webhook of a connection; nothing is sent.

    :raises InvalidConnection: a field is missing or wrong; the text names it.
    :raises InvalidInput: it is not a connection id.
    """
    from staking_gateway.alerts.webhook import Webhook

    connection = BaseHook.get_connection(checked_connection_id("http_conn_id", conn_id))
    fields = ConnectionFields(connection, CONN_TYPE, WebhookExtras)
    address = fields.base_url("https://hooks.example/path", default_scheme="https")
    with fields.naming():
        return Webhook(
            address,
            login=connection.login,
            password=connection.password,
            allow_http=fields.extras.allow_http,
            ca_bundle=fields.extras.ca_bundle,
            attempts=attempts,
            timeout=timeout,
        )
