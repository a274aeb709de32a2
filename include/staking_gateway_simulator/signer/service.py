"""The signing service without HTTP: from what was asked to the answer, one decision at a time, each of them logged."""

from __future__ import annotations

import hmac
import json
import logging
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from staking_gateway.errors import InvalidInput, SigningError, StakingGatewayError
from staking_gateway.signing import MessageKind
from staking_gateway.types import AccountId
from staking_gateway_simulator.signer.policy import (
    AccessTokenMessage,
    FeePaymentMessage,
    Message,
    PayoutMessage,
    decode_message,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from staking_gateway.signing import LocalSigner
    from staking_gateway_simulator.signer.counts import CountFile
    from staking_gateway_simulator.signer.policy import Role, SigningPolicy

log = logging.getLogger("staking_gateway.signer")
"""One line per decision: what was asked for whom, and why not. Never a key, a token or a signature."""
_PLAIN = re.compile(r"[0-9A-Za-z_]{1,80}\Z")
_Answer = tuple[int, dict[str, Any]]


class SigningService:
    """Signs what the policy allows, for the accounts whose keys it holds.

    :param signers: the keys of each role.
    :param policy: what may be signed.
    :param counts: what was signed before.
    :param token: access token every caller must have.
    :param read_clock: seconds since 1970.
    :raises SigningError: a key has two roles.
    """

    def __init__(
        self,
        signers: Mapping[Role, Iterable[LocalSigner]],
        policy: SigningPolicy,
        counts: CountFile,
        token: str,
        read_clock: Callable[[], float],
    ) -> None:
        self._signers = {signer.account: signer for keys in signers.values() for signer in keys}
        self._roles: dict[AccountId, Role] = {}
        for role, keys in signers.items():
            for signer in keys:
                if self._roles.setdefault(signer.account, role) is not role:
                    raise SigningError(
                        f"the key of {signer.account} is a user's and a payer's", remedy="Give it one role"
                    )
        self._policy = policy
        self._counts = counts
        self._token = token.encode()
        self._read_clock = read_clock

    @property
    def accounts(self) -> tuple[AccountId, ...]:
        """The accounts whose keys it holds."""
        return tuple(self._signers)

    def admits(self, authorization: str) -> bool:
        """Whether an `Authorization` header carries the token. How long that takes tells nothing about the token."""
        scheme, _, token = authorization.partition(" ")
        given = token.strip().encode("utf-8", "surrogateescape")
        admitted = hmac.compare_digest(given, self._token) and scheme.lower() == "bearer"
        if not admitted:
            log.warning("refused a caller: the bearer token is %s", "wrong" if given else "missing")
        return admitted

    def holds(self, account: str) -> _Answer:
        """Answer whether the key of an account is held.

        :param account: 0x public key.
        """
        known = _known(account, self._signers)
        log.info("asked for account %s: %s", _shown(account), "held" if known else "not held")
        return (200, {"account": known.account.hex}) if known else (404, {"reason": "the account's key is not held"})

    def sign(self, body: bytes) -> _Answer:
        """Answer a request for a signature."""
        try:
            request = _read(body)
        except ValueError:
            log.warning("refused a request: not a JSON object of three texts")
            return 400, {"reason": "send a JSON object with the texts account, kind and message"}
        asked = f"{_shown(request['kind'])} for {_shown(request['account'])}"
        try:
            signature, granted = self._sign(**request)
        except SigningError as refusal:
            log.warning("refused %s: %s", asked, refusal)
            return 403, {"reason": str(refusal)}
        except StakingGatewayError as error:
            log.error("failed %s: %s", asked, error)  # noqa: TRY400 - the message says it all
            return 500, {"reason": "the count of signatures cannot be written"}
        log.info("signed %s: %s", asked, granted)
        return 200, {"signature": signature}

    def _sign(self, account: str, kind: str, message: str) -> tuple[str, str]:
        signer = _known(account, self._signers)
        if signer is None:
            raise SigningError("the account's key is not held")
        try:
            known_kind = MessageKind(kind)
            content = _bytes(message)
            decoded = decode_message(known_kind, content)
        except InvalidInput as error:
            raise SigningError(error.fault) from None
        except ValueError:
            kinds = ", ".join(each.value for each in MessageKind)
            raise SigningError(f"{_shown(kind)} is no known kind of message; {kinds} are") from None
        now = self._read_clock()
        self._policy.judge(signer.account, self._roles[signer.account], decoded, now)
        if not isinstance(decoded, AccessTokenMessage):
            day = f"{datetime.fromtimestamp(now, timezone.utc):%Y-%m-%d}"
            counted = (day, signer.account.hex, kind, self._policy.daily_count)
            if isinstance(decoded, PayoutMessage):
                refusal = self._counts.take(*counted, nonce=decoded.nonce, subject=f"era {decoded.era}")
            else:
                refusal = self._counts.take(*counted, nonce=decoded.payment_nonce, subject=f"fee {decoded.relayer_fee}")
            if refusal is not None:
                raise SigningError(refusal)
        return signer.sign(known_kind, content), _describe(decoded)


def _known(account: str, signers: dict[AccountId, LocalSigner]) -> LocalSigner | None:
    try:
        return signers.get(AccountId.parse(account)) if account.startswith("0x") else None
    except StakingGatewayError:
        return None


def _read(body: bytes) -> dict[str, str]:
    """The three texts of a request.

    :raises ValueError: something else.
    """
    try:
        fields = json.loads(body)
    except RecursionError:
        raise ValueError from None
    if not isinstance(fields, dict):
        raise ValueError("not an object")
    found = {name: fields[name] for name in ("account", "kind", "message") if isinstance(fields.get(name), str)}
    if len(found) < 3:
        raise ValueError("not three texts")
    return found


def _bytes(message: str) -> bytes:
    try:
        if not message.startswith("0x"):
            raise ValueError
        return bytes.fromhex(message[2:])
    except ValueError:
        raise InvalidInput("message", "the message is not 0x and hex digits", "Write the bytes in hex") from None


def _shown(text: str) -> str:
    """A stranger's text, fit for one line of a log."""
    return text if _PLAIN.match(text) else ascii(text[:80])


def _describe(message: Message) -> str:
    if isinstance(message, PayoutMessage):
        return f"relayer {message.relayer}, era {message.era}, staking nonce {message.nonce}"
    if isinstance(message, FeePaymentMessage):
        return (
            f"user {message.user}, relayer {message.relayer}, fee {message.relayer_fee}, "
            f"payment nonce {message.payment_nonce}"
        )
    return f"issued {message.issued_at}"
