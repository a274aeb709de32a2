"""Webhook: HTTP POST of a message with a JSON body, with a few attempts in limited time.

The body is `{"text": the text, "staking_alert": the whole message}`; webhooks of chats show `text`. `Idempotency-Key` is the message's id, the
same in every attempt and repetition, so that a receiver can detect repetitions.
"""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import urlsplit

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from staking_gateway.errors import InvalidConnection, StakingGatewayError
from staking_gateway.http.endpoint import Endpoint
from staking_gateway.http.foreign_text import ForeignTexts, secrets_of_address
from staking_gateway.http.meanings import meaning_of_status, seconds_to_wait
from staking_gateway.http.no_answer import CallFailed, redirect_target
from staking_gateway.http.transport import StrictSession
from staking_gateway.topics import Topic

_LONGEST_ANSWER = 4096
_TOTAL_SECONDS = 60.0
_LONGEST_PAUSE = 20.0


class WebhookFailed(StakingGatewayError):
    """The receiver did not accept a message. The text does not name the address, which may be a secret.

    :param status: HTTP status; None without an answer.
    :param retry_after: seconds from the receiver's Retry-After.
    """

    topic = Topic.ALERTS_NOT_SENT

    def __init__(self, text: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.retry_after = retry_after

    @property
    def may_pass(self) -> bool:
        """Whether another attempt may succeed."""
        return self.status is None or meaning_of_status(self.status).transient


class Webhook:
    """An address for messages.

    :param url: `https://host/path`, with or without a query; http only to this machine, unless allowed.
    :param login: with `password`: basic authentication. A password alone is a bearer token.
    :param attempts: most calls for one message.
    :param timeout: seconds of a call.
    :raises InvalidConnection: the address is not valid.
    """

    def __init__(
        self,
        url: str,
        *,
        login: str | None = None,
        password: str | None = None,
        allow_http: bool = False,
        ca_bundle: str | None = None,
        attempts: int = 3,
        timeout: float = 10.0,
    ) -> None:
        base, question, query = url.partition("?")
        if not query.isascii() or not query.isprintable() or " " in query or "#" in query:
            raise InvalidConnection("base_url", "has a query with invalid characters", "Copy the address again")
        self._endpoint = Endpoint(base, allow_http=allow_http, ca_bundle=ca_bundle)
        # The end of a path stays as it is: `/hook/` may differ from `/hook`.
        self._url = base + question + query if urlsplit(base).path else self._endpoint.base_url + "/" + question + query
        self._authorization = _authorization(login, password)
        self._texts = ForeignTexts((*secrets_of_address(self._url), password or "", *self._authorization.values()))
        self._attempts = attempts
        self._timeout = timeout

    def post(self, message: dict[str, Any]) -> None:
        """Send a message.

        :param message: as `announcement.announcement` gives it.
        :raises WebhookFailed: every attempt was refused or got no answer.
        """
        retrying = Retrying(
            stop=stop_after_attempt(self._attempts) | stop_before_delay(_TOTAL_SECONDS),
            wait=_pause,
            retry=retry_if_exception(lambda error: isinstance(error, WebhookFailed) and error.may_pass),
            reraise=True,
        )
        retrying(self._post, {"text": message["text"], "staking_alert": message}, str(message["id"]))

    def _post(self, body: dict[str, Any], key: str) -> None:
        with StrictSession(self._url, self._timeout, self._endpoint.ca_bundle) as session:
            try:
                answered = session.ask(
                    "POST",
                    self._url,
                    limit=_LONGEST_ANSWER,
                    json=body,
                    headers={"Idempotency-Key": key, **self._authorization},
                    timeout=self._timeout,
                )
            except CallFailed as error:
                raise WebhookFailed(f"The receiver did not answer: {error}") from None
        if not 200 <= answered.status < 300:
            reason = self._texts.clean(answered.body.decode(errors="replace"), 200) or "no reason given"
            if 300 <= answered.status < 400:
                reason = f"it redirects to {redirect_target(answered.headers.get('Location'), self._texts)}"
            raise WebhookFailed(
                f"The receiver refused: HTTP {answered.status}, {reason}",
                answered.status,
                seconds_to_wait(answered.headers.get("Retry-After")),
            )

    def __repr__(self) -> str:
        return f"Webhook({urlsplit(self._url).hostname})"


def _authorization(login: str | None, password: str | None) -> dict[str, str]:
    """The header `Authorization`; none without a password."""
    if not password:
        return {}
    basic = base64.b64encode(f"{login}:{password}".encode()).decode()
    return {"Authorization": f"Basic {basic}" if login else f"Bearer {password}"}


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, WebhookFailed) else None
    return min(_LONGEST_PAUSE, max(wait_random_exponential(multiplier=0.3, max=5.0)(state), asked or 0.0))
