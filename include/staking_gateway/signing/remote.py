"""A signer in another process or on another machine, which keeps the key. HTTP with JSON bodies, see `docs/connections.md`."""

import json
from typing import Any

from staking_gateway.errors import GatewayError, SigningError
from staking_gateway.http.endpoint import Endpoint, IssuedToken
from staking_gateway.http.foreign_text import ForeignTexts, read_json
from staking_gateway.http.session import Session
from staking_gateway.signing import MessageKind
from staking_gateway.types import AccountId

TIMEOUTS = (5, 20, 20)
"""Seconds to connect, between two pieces of the answer, and for the whole answer."""


class RemoteSigner:
    """Signs through a signing service, with one call per message and no retry; plain http only to this machine, unless allowed."""

    def __init__(
        self, base_url: str, token: str, account: AccountId, *, allow_http: bool = False, ca_bundle: str | None = None
    ) -> None:
        self.endpoint = Endpoint(base_url, allow_http=allow_http, ca_bundle=ca_bundle)
        self._token = IssuedToken(token)
        self.account = account

    def check(self) -> None:
        """Check that the service has the account's key."""
        self._ask("GET", f"/accounts/{self.account.hex}", None)

    def sign(self, kind: MessageKind, message: bytes) -> str:
        """The signature that the service answers with; SigningError without an answer."""
        request = {"account": self.account.hex, "kind": kind.value, "message": "0x" + message.hex()}
        return str(self._ask("POST", "/sign", request).get("signature"))

    def _ask(self, verb: str, path: str, body: dict[str, str] | None) -> dict[str, Any]:
        endpoint, token, data = self.endpoint, self._token.value(), json.dumps(body).encode() if body else b""
        with Session(endpoint.base_url, TIMEOUTS, 4096, endpoint.ca_bundle) as session:
            try:
                answered = session.ask(verb, path, data=data, token=token)
            except GatewayError as error:
                facts = f"The remote signer of {self.account} did not answer: {error.problem.facts}"
                raise SigningError(facts, remedy=error.problem.own_remedy, about=str(self.account)) from None
        try:
            answer = read_json(answered.body)
        except ValueError:
            answer = None
        answer = answer if isinstance(answer, dict) else {}
        if answered.status == 200:
            return answer
        reason = ForeignTexts([token]).clean(answer.get("reason", ""), 200) or "no reason given"
        text = f"The remote signer refused for {self.account}: HTTP {answered.status}, {reason}"
        raise SigningError(text, about=str(self.account))

    def __repr__(self) -> str:
        return f"RemoteSigner({self.account})"
