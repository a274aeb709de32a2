"""Command line of the signer."""

from __future__ import annotations

import argparse
import logging
import os
import stat
import sys
import time
from collections import defaultdict
from pathlib import Path

from staking_gateway.errors import InvalidInput, SigningError
from staking_gateway.http.token import IssuedToken
from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.accounts import DEV_ACCOUNTS, read_account
from staking_gateway_simulator.limits import make
from staking_gateway_simulator.serving import Formatter, add_address, add_options, given_options, run
from staking_gateway_simulator.signer.counts import CountFile
from staking_gateway_simulator.signer.policy import Role, SigningPolicy
from staking_gateway_simulator.signer.server import SignerServer
from staking_gateway_simulator.signer.service import SigningService

TOKEN_VARIABLE = "STAKING_SIGNER_TOKEN"

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
calling it (the token is read from --token-file, or else from {TOKEN_VARIABLE}):
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
    """The command line."""
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
    secrets = parser.add_argument_group("keys and token")
    secrets.add_argument(
        "--key-file",
        action="append",
        default=[],
        type=_key_file,
        metavar="ROLE=FILE",
        help="keys of a role, user or payer: one mnemonic, 0x seed or key URI per line; the file's mode must be 600; "
        "repeatable (default: none)",
    )
    secrets.add_argument(
        "--dev-key",
        action="append",
        default=[],
        type=_dev_key,
        metavar="ROLE=URI",
        help="a development key such as user=//Alice; repeatable (default: none)",
    )
    secrets.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"access token (default: ${TOKEN_VARIABLE}); its mode must be 600",
    )
    add_options(parser.add_argument_group("policy"), SigningPolicy, {"relayers": "relayer", "users": "user"})
    return parser


def _role(text: str) -> tuple[Role, str]:
    role, equals, value = text.partition("=")
    if not equals or role not in tuple(Role):
        # Not quoted: somebody may have put a secret where everybody can see it.
        raise argparse.ArgumentTypeError("no role; begin with user= or payer=")
    return Role(role), value


def _key_file(text: str) -> tuple[Role, Path]:
    role, path = _role(text)
    return role, Path(path)


def _dev_key(text: str) -> tuple[Role, str]:
    role, uri = _role(text)
    if uri not in DEV_ACCOUNTS:  # not quoted, likewise
        raise argparse.ArgumentTypeError("not a development key; use //Alice to //Ferdie, and --key-file for others")
    return role, uri


def read_private_file(path: Path) -> str:
    """The text of a file that is its owner's alone.

    :raises SigningError: it cannot be read, or others can read or write it too.
    """
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            if mode & 0o077:
                raise SigningError(
                    f"{path} has mode {stat.S_IMODE(mode):o}: others can use it", remedy=f"Run chmod 600 {path}"
                )
            return file.read()
    except OSError as error:
        raise SigningError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        # Not from the foreign error: that one quotes what it could not read.
        raise SigningError(f"{path} is not a text") from None


def read_keys(path: Path) -> list[LocalSigner]:
    """Read a key file: one mnemonic, 0x seed or key URI per line; empty lines and lines that begin with # are left out.

    :raises SigningError: the file is not private, holds no key, or a line is none; the line is named, never quoted.
    """
    lines = [line.strip() for line in read_private_file(path).splitlines()]
    signers = [
        LocalSigner(line, field=f"{path}, line {number}")
        for number, line in enumerate(lines, 1)
        if line and not line.startswith("#")
    ]
    if not signers:
        raise SigningError(f"{path} holds no key", remedy="Write one mnemonic, 0x seed or key URI per line")
    return signers


def read_signers(options: argparse.Namespace) -> dict[Role, list[LocalSigner]]:
    """The keys of parsed options, by role.

    :raises SigningError: there is none, or one cannot be read.
    """
    signers = defaultdict(list)
    for role, uri in options.dev_key:
        signers[role].append(LocalSigner(uri))
    for role, path in options.key_file:
        signers[role] += read_keys(path)
    if not signers:
        raise SigningError("there is no key to sign with", remedy="Give --key-file or --dev-key")
    return signers


def read_token(options: argparse.Namespace) -> str:
    """The token of parsed options, or of the environment.

    :raises SigningError: there is none, or it is not private.
    """
    text = read_private_file(options.token_file) if options.token_file else os.environ.get(TOKEN_VARIABLE, "")
    try:
        return IssuedToken(text.strip()).value()
    except InvalidInput as error:
        raise SigningError(f"the token {error.fault}", remedy=f"Give --token-file or set {TOKEN_VARIABLE}") from None


def make_server(options: argparse.Namespace) -> tuple[SignerServer, str]:
    """The server of parsed options, and what is told of it when it is ready.

    :raises StakingGatewayError: it cannot start; the text says why.
    """
    policy = make(SigningPolicy, given_options(options, SigningPolicy))
    signers, token = read_signers(options), read_token(options)
    counts = CountFile(options.counts, new=options.new_counts)
    service = SigningService(signers, policy, counts, token, time.time)
    told = f"for {', '.join(map(str, service.accounts))} (count file {options.counts})"
    return SignerServer(service, counts), told


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
