"""What a person writes: `staking.yaml`, lists of accounts, addresses and signatures."""

import re
from functools import partial

from scalecodec.utils.ss58 import ss58_decode

from staking_gateway.config.file import ConfigFile
from staking_gateway.errors import InvalidInput
from staking_gateway.signing import LocalSigner, MessageKind, payout_message, verify
from staking_gateway.types import AccountId, parse_signature
from tests.fuzz.grammar import changed_bytes
from tests.fuzz.runner import SEEDS, Target, judged, said
from tests.support.settings import load_config

ALICE, BOB = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
MESSAGE = payout_message(ALICE, 1391, 7)
SIGNATURES = [LocalSigner(key).sign(MessageKind.PAYOUT, MESSAGE) for key in ("//Alice", "//Bob")]
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
        Target("text", grow_text, check_text, tokens=(b"0x", b" ", b"\n", b"\xc3\xa4")),
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
    else:
        assert outcome.problem.remedy, "a mistake without what to write"
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


def grow_text(chance):
    text = chance.choice((*SIGNATURES, ALICE, BOB, AccountId.parse(ALICE).hex))
    return changed_bytes(chance, text.encode()) if chance.random() < 0.7 else text.encode()


def check_text(case):
    """Only the very bytes of a signature are one, and only the very characters of an address name its account."""
    text = case.decode("utf-8", "replace")
    assert verify(MESSAGE, text, ALICE) is (text.lower() in SIGNATURES[:1])
    signature = judged(lambda: parse_signature(text, field="signature"), kinds=InvalidInput)
    account = judged(lambda: AccountId.parse(text), kinds=InvalidInput)
    assert isinstance(signature, Exception) or isinstance(account, Exception)
    if isinstance(account, AccountId):
        assert account.public_key.hex() == (re.sub("^0x", "", text.lower()) if account.given else ss58_decode(text))
    return said(signature if isinstance(account, Exception) else account)
