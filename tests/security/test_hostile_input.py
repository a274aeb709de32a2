"""Hostile input for every decoder: kept cases and changes of them. Each comes to a value or to a documented error, in time.

`make fuzz` tries more changes (`CASES=n`, `SEED=n`). A kept case in `tests/data/fuzz` was a finding once, or is a sound one to change.
"""

import json
import os
import re
import signal
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from staking_gateway.chain import ChainReader
from staking_gateway.chain.node import Node
from staking_gateway.config.file import ConfigFile
from staking_gateway.errors import ChainError, GatewayError, StakingGatewayError
from staking_gateway.gateway import calls
from staking_gateway.http.session import Answer
from staking_gateway.types import MAX_ERA, ElectionWindow, RequestStatus
from tests.chain import storage
from tests.chain.metadata14 import ACTIVE_ERA, item, pallet, small_runtime
from tests.support.nodes import close_nodes
from tests.support.settings import load_config

CASES = int(os.environ.get("CASES", "120"))
"""Changed cases for each decoder."""
PATIENCE = 30
"""Seconds after which a case hangs."""
LONGEST = 256 * 1024
KEPT = Path(__file__).parents[1] / "data" / "fuzz"
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
TOKEN, SECRET = "aSecretToken.42", "T0P-s3cret-Key"
SIGNATURE = "0x" + "1a" * 64
REQUEST_ID = "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"
TOKENS = (
    "NaN", "Infinity", "-0", "-1", "1e999", "1.0", "0", "true", "null", '""', "[]", "{}", "9" * 5000, "[" * 400 + "]" * 400, '"\\ud800"',
    '"\\u0000"', '"isStaking"', '"isClosed"', '"Processed"', f'"{REQUEST_ID}"', '"0x"', "4294967296", "18446744073709551616", '"1392 "',
    '"01392"', '"+7"', '"\u0667"', '["isStaking"]', '{"isStaking": true}', "/**/1", "'1'", '"\x01"', '"<script>alert(1)</script>"',
    '"\\u001b[31m\\nERROR forged"', '"%s%n{0}"', '"{{ 7*7 }}"', '"result": 1, ', '"error": 1, ', f'"0x{"f" * 17}"', '"0x"', '"-0x5"',
    "!!python/name:os.system", "&a [*a]", "*a", "<<: *a", ".inf", "20s", "2026-01-01T00:00:00Z", "!!binary aGk=", "|\n  x", "{a: " * 60,
    ",", ";", "\r", "\n", "\u2028", "#", '"', "=1+1", "x" * 5000, "\x1b[2J", "\ufeff", "0x" + "ab" * 32, ALICE,
)  # fmt: skip
_VALUE = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9]+|[a-z0-9_]+: *[^\n]*')


@st.composite
def changed(draw, kept):
    """A kept case in which whole values or some bytes are replaced, inserted or removed."""
    case = draw(st.sampled_from(kept))
    values = st.sampled_from(TOKENS).map(lambda token: token.encode("utf-8", "surrogatepass"))
    for _ in range(draw(st.integers(0, 3))):
        spans = [found.span() for found in _VALUE.finditer(case)]
        if spans and draw(st.integers(0, 3)):
            start, end = draw(st.sampled_from(spans))
            new, end = draw(values), draw(st.sampled_from((start, end, end)))
        else:
            start = draw(st.integers(0, len(case)))
            end = start + draw(st.sampled_from((0, 1, 8, LONGEST)))
            repeated = case[start : start + 30] * draw(st.sampled_from((2, 300)))
            new = draw(st.binary(max_size=5) | st.sampled_from(kept) | st.just(repeated))
        case = case[:start] + new + case[end:]
    encoding = draw(st.sampled_from((*["utf-8"] * 9, "utf-16", "latin-1")))
    return (case if encoding == "utf-8" else case.decode("utf-8", "replace").encode(encoding, "replace"))[:LONGEST]


def judged(action, *secrets, kinds=StakingGatewayError):
    """The value of an action, or its documented error, whose text is safe and short. Neither tells a secret."""
    try:
        came = action()
    except kinds as error:
        came = error
    shown = str(came) if isinstance(came, Exception) else ""
    assert all(line.isprintable() for line in shown.split("\n"))
    assert len(shown) < 100_000
    told = f"{came} {came!r} {vars(came) if isinstance(came, Exception) else ''}".lower()
    assert not [secret for secret in secrets if secret.lower() in told]
    return came


# --- answers of a gateway: three bytes - call, status, one without meaning - and a body with the id 1

PAYOUT = {
    **dict.fromkeys(("relayer", "user", "payer"), ALICE),
    **dict.fromkeys(("proxy_signature", "fee_payment_signature"), SIGNATURE),
    "era": 7,
    "payment_nonce": 1,
}
CALLS = (
    calls.payout(**PAYOUT), calls.staking_status(ALICE), calls.active_era(), calls.election_window(), calls.nonce(ALICE, "payment"),
    calls.relayer_fee(ALICE, ALICE, "pay"), calls.request_state(REQUEST_ID), calls.chain_info(), calls.free_balance(ALICE),
)  # fmt: skip
STATUSES = (200, 200, 200, 200, 201, 206, 301, 400, 401, 404, 429, 500, 503, 599)


def read_gateway(case):
    """What is taken for a success says so itself: an answer to this call, with this result."""
    head, body = case[:3].ljust(3, b"\0"), case[3:]
    call, status = CALLS[head[0] % len(CALLS)], STATUSES[head[1] % len(STATUSES)]
    came = judged(
        lambda: calls.decode(call, 1, Answer(status, body), token=TOKEN), TOKEN, SIGNATURE[2:], kinds=GatewayError
    )
    is_state = call.method == "requestState"
    if isinstance(came, Exception) or (is_state and came.status in (RequestStatus.UNREADABLE, RequestStatus.NOT_FOUND)):
        return came
    told = json.loads(body.decode("utf-8-sig"))
    assert (told["jsonrpc"], type(told["id"]), told["id"], "error" in told) == ("2.0", int, 1, False)
    assert status < 300
    result = told["result"]
    if call.method == "getRelayerFees" and isinstance(result, dict):
        result = next(fee for name, fee in result.items() if name.lower() == "proxypayoutstakers")
    spelt = {ElectionWindow.OPEN: "isOpen", ElectionWindow.CLOSED: "isClosed"}.get(came, str(came))
    if call.method == "getAccountInfo":
        result = result["freeBalance"]
    if not is_state and call.method != "getChainInfo":
        assert str(result) == spelt
    return came


# --- answers of a node: a byte for the method with the wrong result, one for the second question, and the result as JSON

HASH, PARENT = "0x" + "ab" * 32, "0x" + "cd" * 32
STORED = {
    storage.ACTIVE_ERA: "0x070000000100b2ac0d8c010000",
    storage.EVENTS: "0x08" + 2 * ("0001000000" + "0801" + "ab" * 32 + "07" * 16 + "00"),
}
PALLETS = (pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional")),)
SOUND = {
    "system_chain": "somenet",
    "chain_getBlockHash": HASH,
    "chain_getHeader": {"parentHash": PARENT, "number": "0x64"},
    "state_getRuntimeVersion": {"specName": "x", "specVersion": 1},
    "state_getMetadata": small_runtime(*PALLETS),
    "state_queryStorageAt": [{"block": HASH, "changes": [[storage.ACTIVE_ERA, STORED[storage.ACTIVE_ERA]]]}],
    "chain_getFinalizedHead": HASH,
}
METHODS = list(SOUND)


def read_node(case):
    which, question = case[:2].ljust(2, b"\0")
    wrong = METHODS[which % len(METHODS)]

    def reply(request):
        call = json.loads(request)
        method, result = call["method"], json.dumps(SOUND[call["method"]]).encode()
        if method == wrong:
            result = case[2:]
        elif method == "state_queryStorageAt":
            changes = [[key, STORED.get(key)] for key in call["params"][0]]
            result = json.dumps([{"block": HASH, "changes": changes}]).encode()
        return b'{"jsonrpc": "2.0", "id": %d, "result": %s}' % (call["id"], result)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Node,
            "_connected",
            lambda _: SimpleNamespace(ask=lambda _, data: Answer(200, reply(data)), close=lambda: None),
        )
        patch.setattr("staking_gateway.chain.reader._ATTEMPTS", 1)
        reader = ChainReader(f"http://127.0.0.1:9/{SECRET}", timeout=5)
        came = judged(reader.state, SECRET, kinds=ChainError)
        if not isinstance(came, Exception):
            assert 0 <= came.active_era <= MAX_ERA
            assert isinstance(came.window, ElectionWindow)
            assert 0 <= came.block < 2**64
            assert f"{came}".isprintable()
            more = (
                lambda: reader.era_paid(6),
                lambda: reader.nonce(HASH, "staking"),
                lambda: reader.era_reward(6),
                lambda: reader.paid_rewards(0x64, 6),
            )
            judged(more[question % len(more)], SECRET, kinds=ChainError)
        close_nodes()
    return came


# --- what a person writes


def read_yaml(case):
    (Path.cwd() / "staking.yaml").write_bytes(case)
    came = judged(lambda: load_config(Path.cwd() / "staking.yaml"), SECRET)
    if isinstance(came, ConfigFile):
        for name, network in came.networks()[0].items():
            assert re.fullmatch(r"[a-z0-9_]{1,40}", name), name
            assert all((account.label or "").isprintable() for account in network.accounts)
    else:
        assert came.problem.remedy, "a mistake without what to write"
    return came


def read_accounts(case):
    listed = (KEPT / "yaml" / "sound.yaml").read_text().partition("    accounts:")[0]
    (Path.cwd() / "staking.yaml").write_text(listed + "    accounts_file: accounts.csv\n")
    (Path.cwd() / "accounts.csv").write_bytes(case)
    came = judged(lambda: load_config(Path.cwd() / "staking.yaml"))
    if isinstance(came, ConfigFile):
        (network,) = came.networks()[0].values()
        keys = [account.account for account in network.accounts]
        assert len(set(map(str, keys))) == len(keys) > 0
    return came


# --- all of them

READERS = {"gateway": read_gateway, "node": read_node, "yaml": read_yaml, "accounts": read_accounts}


@contextmanager
def patience():
    def stop(number, frame):
        raise TimeoutError(f"a case needs more than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.filterwarnings("ignore")
def test_hostile_input_comes_to_a_value_or_a_documented_error(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kept = [path.read_bytes() for path in sorted((KEPT / name).glob("*"))]
    kept += [
        bytes([METHODS.index(method), 0]) + json.dumps(SOUND[method]).encode() for method in SOUND if name == "node"
    ]
    seen = Counter()

    def examine(case):
        with patience():
            seen[isinstance(READERS[name](case), Exception)] += 1

    for case in kept:
        examine(case)
    settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck))(
        given(changed(kept))(examine)
    )()
    assert seen.keys() == {False, True}, "cases that are all refused, or all taken, would prove nothing"
