"""What a person writes: `staking.yaml`, lists of accounts, tokens."""

import re
from functools import partial

from staking_gateway.config.file import ConfigFile
from staking_gateway.errors import InvalidConnection
from staking_gateway.http.token import IssuedToken
from tests.fuzz.runner import SEEDS, Target, judged, said
from tests.support.settings import load_config

ALICE, BOB = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
SECRET = "T0P-s3cret-Key"
VALUES = (
    ALICE, BOB, "null", "[]", "{}", "yes", "0x" + "ab" * 32, "9" * 400, "-1", "1e9", ".inf", "20s", "1d", "2026-01-01T00:00:00Z", "!!python/name:os.system",
    "&a [*a]", "*a", "<<: *a", '"\\u001b[31m"', "'=1+1'", '"a\\nb"', "https://x.example/{tx_hash}", "!!binary aGk=", "? x", "|\n  x", "2001-01-01",
    "[" * 60 + "]" * 60, "{a: " * 60, '"\\ud800"', "0x1F", "0o7", "1:30", "~", "- - - -", "&b {<<: *b}",
)  # fmt: skip
CONFIG = (SEEDS / "yaml" / "sound.yaml").read_text()
LISTED = CONFIG.partition("    accounts:")[0] + "    accounts_file: accounts.csv\n"


def targets(folder):
    tokens = tuple(value.encode() for value in VALUES)
    return [
        Target("yaml", grow_yaml, partial(load, folder), tokens=tokens),
        Target(
            "accounts",
            grow_accounts,
            partial(load_accounts, folder),
            tokens=(*tokens, b",", b"\n", b"\r", b";", b"\0"),
        ),
        Target("token", grow_token, check_token, tokens=(b"//", b"0x", b"///", b"\r\n", b" ", b"\xc3\xa4")),
    ]


def grow_yaml(chance):
    lines = CONFIG.splitlines()
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        at = chance.randrange(len(lines))
        key, colon, _ = lines[at].partition(":")
        kind = chance.randrange(4)
        if kind == 0 and colon:
            lines[at] = f"{key}: {chance.choice(VALUES)}"
        elif kind == 1:
            del lines[at]
        elif kind == 2:
            lines.insert(at, lines[chance.randrange(len(lines))])
        else:
            lines[at] = " " * chance.randrange(9) + lines[at].lstrip()
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def load(folder, case):
    path = folder / "staking.yaml"
    path.write_bytes(case)
    outcome = judged(lambda: load_config(path), SECRET)
    if isinstance(outcome, ConfigFile):
        for name, network in outcome.networks().items():
            assert re.fullmatch(r"[a-z0-9_]{1,40}", name), name
            assert all((account.label or "").isprintable() for account in network.accounts)
    return said(outcome)


def grow_accounts(chance):
    words = ("staking", "not_staking", "label", "=1+1", '"', '""', "\x1b[31m", "", " ", "\ud800", "#", "x" * 5000)
    cells = (ALICE, BOB, ALICE[:-1], "0x" + "ab" * 32, *words)
    ends = ("\n", "\r\n", "\r", "\n\n", "\u2028")
    begin = chance.choice(("", "account,expect,label\n", "\ufeff", "label\n", "account\n"))
    rows = (
        ",".join(chance.choice(cells) for _ in range(chance.choice((1, 1, 2, 3, 9))))
        for _ in range(chance.choice((0, 1, 3, 50)))
    )
    return (begin + "".join(row + chance.choice(ends) for row in rows)).encode("utf-8", "surrogatepass")


def load_accounts(folder, case):
    (folder / "staking.yaml").write_text(LISTED)
    (folder / "accounts.csv").write_bytes(case)
    outcome = judged(lambda: load_config(folder / "staking.yaml"))
    if isinstance(outcome, ConfigFile):
        (network,) = outcome.networks().values()
        keys = [account.account for account in network.accounts]
        assert len(set(map(str, keys))) == len(keys) > 0
    return said(outcome)


def grow_token(chance):
    pieces = ("eyJhbGciOi", ".", "//Alice", "0x" + "ab" * 32, "///pw", "/", " ", "bottom drive obey", "\n", "\u00e4")
    pieces += ("a" * 3000, "", "\x00", "Bearer ")
    return "".join(chance.choice(pieces) for _ in range(chance.choice((1, 1, 2, 4)))).encode()


def check_token(case):
    """A token fits into a header, and is no key; an error does not quote it."""
    text = case.decode("utf-8", "surrogateescape")
    secrets = [text] if len(text) > 8 and text.strip() else []
    outcome = judged(lambda: IssuedToken(text), *secrets, kinds=InvalidConnection)
    assert len(text) <= 12 or text not in repr(outcome)
    if isinstance(outcome, IssuedToken):
        assert outcome.value() == text
        assert re.fullmatch(r"[!-~]+", text)
        assert not re.match(r"0x[0-9a-fA-F]{64}(/|\Z)|//Alice\Z", text)
    return said(outcome)
