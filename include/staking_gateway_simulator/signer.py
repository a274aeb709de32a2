"""An example of a remote signer: a service that holds keys, and signs what its policy allows.

What was signed is in a SQLite file before a signature leaves, so a restart forgets nothing.
"""

from __future__ import annotations

import argparse
import hmac
import logging
import os
import re
import stat
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from staking_gateway.errors import InvalidInput, SigningError, StakingGatewayError
from staking_gateway.http.endpoint import IssuedToken
from staking_gateway.signing import LocalSigner, MessageKind
from staking_gateway.types import AccountId
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, make, read_account
from staking_gateway_simulator.serving import (
    Formatter,
    RunningServer,
    Server,
    add_address,
    add_options,
    given_options,
    run,
)
from staking_gateway_simulator.signing_policy import (
    AccessTokenMessage,
    CountFile,
    FeePaymentMessage,
    Message,
    PayoutMessage,
    Role,
    SigningPolicy,
    decode_message,
)

log = logging.getLogger("staking_gateway.signer")
"""One line per decision: what was asked for whom, and why not. Never a key, a token or a signature."""
TOKEN_VARIABLE = "STAKING_SIGNER_TOKEN"
_MAX_BODY = 4096
"""Longest request body in bytes; the longest known message takes 436 of them."""
_PLAIN = re.compile(r"[0-9A-Za-z_]{1,80}\Z")
_Answer = tuple[int, dict[str, Any]]


@dataclass
class _Request:
    """The body of a request for a signature."""

    account: str
    kind: str
    message: str


_REQUEST: TypeAdapter[_Request] = TypeAdapter(_Request)

# --- from a request to its answer ----------------------------------------------------------------------------------------


class SigningService:
    """Signs what the policy allows, for the accounts whose keys it holds. Every caller must have the token.

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
        self._signers: dict[AccountId, tuple[LocalSigner, Role]] = {}
        for role, signer in ((role, signer) for role, keys in signers.items() for signer in keys):
            if self._signers.setdefault(signer.account, (signer, role))[1] is not role:
                raise SigningError(f"the key of {signer.account} is a user's and a payer's", remedy="Give it one role")
        self._policy, self._counts, self._token, self._read_clock = policy, counts, token.encode(), read_clock

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
        """Answer whether the key of an account is held."""
        known = self._known(account)
        log.info("asked for account %s: %s", _shown(account), "held" if known else "not held")
        return (200, {"account": known[0].account.hex}) if known else (404, {"reason": "the account's key is not held"})

    def sign(self, body: bytes) -> _Answer:
        """Answer a request for a signature."""
        try:
            request = _REQUEST.validate_json(body)
        except ValidationError:
            log.warning("refused a request: not a JSON object of three texts")
            return 400, {"reason": "send a JSON object with the texts account, kind and message"}
        asked = f"{_shown(request.kind)} for {_shown(request.account)}"
        try:
            signature, granted = self._sign(request)
        except SigningError as refusal:
            log.warning("refused %s: %s", asked, refusal)
            return 403, {"reason": str(refusal)}
        except StakingGatewayError as error:
            log.error("failed %s: %s", asked, error)  # noqa: TRY400 - the message says it all
            return 500, {"reason": "the count of signatures cannot be written"}
        log.info("signed %s: %s", asked, granted)
        return 200, {"signature": signature}

    def _sign(self, request: _Request) -> tuple[str, str]:
        known, kind, message = self._known(request.account), request.kind, request.message
        if known is None:
            raise SigningError("the account's key is not held")
        signer, role = known
        try:
            content = bytes.fromhex(message.removeprefix("0x")) if message.startswith("0x") else b""
            known_kind = MessageKind(kind)
            decoded = decode_message(known_kind, content)
        except InvalidInput as error:
            raise SigningError(error.fault) from None
        except ValueError:
            kinds = ", ".join(each.value for each in MessageKind)
            raise SigningError(f"{_shown(kind)} is no known kind of message in 0x hex; {kinds} are") from None
        now = self._read_clock()
        self._policy.judge(signer.account, role, decoded, now)
        if not isinstance(decoded, AccessTokenMessage):
            day = f"{datetime.fromtimestamp(now, timezone.utc):%Y-%m-%d}"
            nonce, subject = _subject(decoded)
            limit = self._policy.daily_count
            refusal = self._counts.take(day, signer.account.hex, kind, limit, nonce=nonce, subject=subject)
            if refusal is not None:
                raise SigningError(refusal)
        return signer.sign(known_kind, content), _describe(decoded)

    def _known(self, account: str) -> tuple[LocalSigner, Role] | None:
        try:
            return self._signers.get(AccountId.parse(account)) if account.startswith("0x") else None
        except StakingGatewayError:
            return None


def _shown(text: str) -> str:
    """A stranger's text, fit for one line of a log."""
    return text if _PLAIN.match(text) else ascii(text[:80])


def _subject(message: PayoutMessage | FeePaymentMessage) -> tuple[int, str]:
    """The nonce of a message, and what it is signed for."""
    if isinstance(message, PayoutMessage):
        return message.nonce, f"era {message.era}"
    return message.payment_nonce, f"fee {message.relayer_fee}"


def _describe(message: Message) -> str:
    if isinstance(message, AccessTokenMessage):
        return f"issued {message.issued_at}"
    (nonce, subject), user = _subject(message), ""
    if isinstance(message, FeePaymentMessage):
        user = f"user {message.user}, "
    return f"{user}relayer {message.relayer}, {subject}, nonce {nonce}"


# --- over HTTP -----------------------------------------------------------------------------------------------------------


class SignerServer(Server):
    """Serves one signing service until it is stopped.

    :param counts: closed together with the server.
    """

    def __init__(self, service: SigningService, counts: CountFile) -> None:
        self._service, self._counts = service, counts
        app = web.Application(client_max_size=_MAX_BODY)
        app.router.add_get("/accounts/{account}", self._serve)
        app.router.add_post("/sign", self._serve)
        super().__init__(app)

    async def stop(self) -> None:
        """Stop listening and close the count file."""
        await super().stop()
        self._counts.close()

    async def _serve(self, request: web.Request) -> web.Response:
        account = request.match_info.get("account")
        if not self._service.admits(request.headers.get("Authorization", "")):
            status, value = 403, {"reason": "the bearer token is missing or wrong"}
        elif account is not None:
            status, value = self._service.holds(account)
        else:
            status, value = self._service.sign(await request.read())
        return web.json_response(value, status=status)


class RunningSigner(RunningServer):
    """A signer on 127.0.0.1 for as long as the context lasts. What it signed is kept in memory.

    :param users: mnemonics, 0x seeds or key URIs of users; `payers` likewise.
    """

    def __init__(
        self,
        policy: SigningPolicy,
        *,
        users: Sequence[str] = ("//Alice",),
        payers: Sequence[str] = ("//Charlie",),
        token: str,
    ) -> None:
        super().__init__()
        self._policy, self.token = policy, token
        self._keys = {Role.USER: list(map(LocalSigner, users)), Role.PAYER: list(map(LocalSigner, payers))}

    def _make_server(self) -> SignerServer:
        counts = CountFile(None)
        return SignerServer(SigningService(self._keys, self._policy, counts, self.token, time.time), counts)


# --- the command line ----------------------------------------------------------------------------------------------------

_DESCRIPTION = """\
A signing service: it holds the keys, so that nobody else needs to, and signs what its policy allows and nothing else.

Only the three known messages are signed, byte for byte as the gateway wants them: a payout with a user's key, a fee payment
with a payer's key, an access token with either. Everything else is refused with 403 and a reason. Every decision is a line of
the log, which never holds a key, a token or a signature.

What was signed is written to the count file before the signature leaves: how many a day, and what each nonce was signed for.
A staking nonce is signed for one era only, a payment nonce for one fee only. The first start makes the file, with
--new-counts; a later start without the file is refused. Nonces belong to one chain: run one signer and file for each network.
"""

_EPILOG = f"""\
calling it (the token is that of {TOKEN_VARIABLE}):
  curl -H "Authorization: bearer ${TOKEN_VARIABLE}" http://127.0.0.1:8651/accounts/0xd43593c715fd...
  curl -H "Authorization: bearer ${TOKEN_VARIABLE}" -H 'Content-Type: application/json' \\
       -d '{{"account": "0xd43593c715fd...", "kind": "payout", "message": "0xc461757468..."}}' http://127.0.0.1:8651/sign

from Airflow: a connection of type staking_signer with this service's address as Host, the token as Password and the account
as Login.

with the simulator, and keys that everybody knows:
  {TOKEN_VARIABLE}=secret python -m staking_gateway_simulator.signer --dev-key user=//Alice --dev-key payer=//Charlie \\
       --user {read_account(DEV_ACCOUNTS["//Alice"]).address} --relayer {read_account(DEV_ACCOUNTS["//Bob"]).address} \\
       --max-fee 100000000000000000 --new-counts
"""


def build_parser() -> argparse.ArgumentParser:
    """The command line; the options of the policy are the fields of `SigningPolicy`."""
    parser = argparse.ArgumentParser(
        prog="python -m staking_gateway_simulator.signer",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=Formatter,
    )
    where = parser.add_argument_group("where")
    add_address(where, 8651)
    where.add_argument(
        "--counts", type=Path, default=Path("signer.db"), metavar="FILE", help="file of what was signed; keep a backup"
    )
    where.add_argument("--new-counts", action="store_true", help="first start: make the count file")
    keys: dict[str, Any] = {"action": "append", "default": [], "type": _of_role}
    secrets = parser.add_argument_group("keys")
    secrets.add_argument(
        "--key-file",
        metavar="ROLE=FILE",
        help="keys of a role, user or payer: one mnemonic, 0x seed or key URI per line; the file's mode must be 600; "
        "repeatable (default: none)",
        **keys,
    )
    secrets.add_argument(
        "--dev-key",
        metavar="ROLE=URI",
        help="a development key such as user=//Alice; repeatable (default: none)",
        **keys,
    )
    add_options(parser.add_argument_group("policy"), SigningPolicy, {"relayers": "relayer", "users": "user"})
    return parser


def _of_role(text: str) -> tuple[Role, str]:
    role, equals, value = text.partition("=")
    if not equals or role not in tuple(Role):
        # Not quoted: somebody may have put a secret where everybody can see it.
        raise argparse.ArgumentTypeError("no role; begin with user= or payer=")
    return Role(role), value


def read_keys(path: Path) -> list[LocalSigner]:
    """Read a key file: one mnemonic, 0x seed or key URI per line; empty lines and lines that begin with # are left out.

    :raises SigningError: others can use the file, it holds no key, or a line is none; the line is named, never quoted.
    """
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if mode & 0o077:
                raise SigningError(f"{path} has mode {mode:o}: others can use it", remedy=f"Run chmod 600 {path}")
            lines = [line.strip() for line in file]
    except (OSError, UnicodeDecodeError) as error:  # the latter quotes what it could not read
        raise SigningError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}") from None
    named = [(f"{path}, line {number}", line) for number, line in enumerate(lines, 1) if line and line[0] != "#"]
    if not named:
        raise SigningError(f"{path} holds no key", remedy="Write one mnemonic, 0x seed or key URI per line")
    return [LocalSigner(line, field=field) for field, line in named]


def make_server(options: argparse.Namespace) -> tuple[SignerServer, str]:
    """The server of parsed options, and what is told of it when it is ready.

    :raises StakingGatewayError: it cannot start; the text says why.
    """
    policy = make(SigningPolicy, given_options(options, SigningPolicy))
    keys: dict[Role, list[LocalSigner]] = defaultdict(list)
    for role, uri in options.dev_key:
        if uri not in DEV_ACCOUNTS:  # not quoted: it may be a secret
            raise SigningError("--dev-key is not a development key", remedy="Use //Alice to //Ferdie, or --key-file")
        keys[role].append(LocalSigner(uri))
    for role, path in options.key_file:
        keys[role] += read_keys(Path(path))
    if not keys:
        raise SigningError("there is no key to sign with", remedy="Give --key-file or --dev-key")
    try:
        token = IssuedToken(os.environ.get(TOKEN_VARIABLE, "").strip()).value()
    except InvalidInput as error:
        raise SigningError(f"the token {error.fault}", remedy=f"Set {TOKEN_VARIABLE}") from None
    counts = CountFile(options.counts, new=options.new_counts)
    service = SigningService(keys, policy, counts, token, time.time)
    return SignerServer(service, counts), f"for {', '.join(map(str, service.accounts))} (count file {options.counts})"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    :returns: 0 after a clean stop, 2 when it could not start.
    """
    options = build_parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    exposed = " without TLS. Put a TLS proxy in front of it."
    return run(lambda: make_server(options), options.host, options.port, name="Signer", exposed=exposed)


if __name__ == "__main__":
    sys.exit(main())
