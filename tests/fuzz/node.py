"""Answers of a node over HTTP. A case is a byte for the wrong answer's method, one for the packing, and the wrong result as JSON."""

import json
from contextlib import ExitStack
from datetime import datetime
from types import SimpleNamespace
from unittest.mock import patch

from staking_gateway.chain import ChainReader, NodeEndpoint, close_nodes, node
from staking_gateway.errors import ChainError
from staking_gateway.http.endpoint import ReadRetry
from staking_gateway.types import MAX_ERA, ElectionWindow
from staking_gateway_simulator.node import runtime_metadata
from tests.chain import storage
from tests.chain.metadata14 import ACTIVE_ERA, PHASE, item, old_runtime, pallet, small_runtime
from tests.fuzz.grammar import TOKENS, changed_bytes, changed_text
from tests.fuzz.runner import Target, judged, said

HASH, PARENT = "0x" + "ab" * 32, "0x" + "cd" * 32
KEY = "T0P-s3cret-Key"
ERA_7 = "0x070000000100b2ac0d8c010000"
PALLETS = (
    pallet("Staking", item("ActiveEra", ACTIVE_ERA, "00", "Optional")),
    pallet("Elections", item("CurrentPhase", PHASE, "00")),
)
METADATA = small_runtime(*PALLETS)
EVENTFUL = runtime_metadata()
EVENTS = "0x08" + 2 * ("0001000000" + "0801" + "ab" * 32 + "07" * 16 + "00")
STORED = {storage.ACTIVE_ERA: ERA_7, storage.EVENTS: EVENTS}
SOUND = {
    "system_chain": "somenet",
    "chain_getBlockHash": HASH,
    "chain_getHeader": {"parentHash": PARENT, "number": "0x64"},
    "state_getRuntimeVersion": {"specName": "x", "specVersion": 1},
    "state_getMetadata": METADATA,
    "state_queryStorageAt": [{"block": HASH, "changes": [["0x00", None]]}],
    "chain_getFinalizedHead": HASH,
}
METHODS = list(SOUND)
NUMBERS = [f'"0x{digits}"' for digits in ("f" * 5000, "f" * 17, "", "zz", "00" * 9000)]
NUMBERS += ['"-0x5"', "-1", "true", "1.5", "[]"]


def target():
    tokens = tuple(token.encode("utf-8", "surrogatepass")[:5000] for token in [*TOKENS, *NUMBERS])
    return Target("node", grow, read, tokens=tokens)


def grow(chance):
    which = chance.randrange(len(METHODS))
    method = METHODS[which]
    result = SOUND[method]
    if method == "state_getMetadata" and chance.random() < 0.6:
        result = chance.choice([old_runtime(*PALLETS), EVENTFUL])
    if method == "state_queryStorageAt":
        result = chance.choice([None, ERA_7, "0x00", "0x0109000000", "0x" + "07" * chance.randrange(60), EVENTS])
        result = [{"block": HASH, "changes": [[chance.choice([storage.ACTIVE_ERA, storage.EVENTS]), result]]}]
    text = json.dumps(result)
    kind = chance.randrange(4)
    if kind == 0:
        text = chance.choice([*TOKENS, *NUMBERS])
    if kind == 1 and isinstance(result, dict):
        text = json.dumps({**result, chance.choice(list(result)): "@"}).replace(
            '"@"', chance.choice([*TOKENS, *NUMBERS])
        )
    if kind == 2:
        text = changed_text(chance, {"result": result})
    case = text.encode("utf-8", "surrogatepass")
    if kind == 3:
        case = changed_bytes(chance, case)
    return bytes([which, chance.randrange(256)]) + case


def read(case):
    which, question = case[:2].ljust(2, b"\0")
    wrong, text = METHODS[which % len(METHODS)], case[2:]

    def reply(request):
        call = json.loads(request)
        method = call["method"]
        result = json.dumps(SOUND[method]).encode()
        if method == wrong:
            result = text
        elif method == "state_queryStorageAt":
            changes = [[key, STORED.get(key)] for key in call["params"][0]]
            result = json.dumps([{"block": HASH, "changes": changes}]).encode()
        return b'{"jsonrpc": "2.0", "id": %d, "result": %s}' % (call["id"], result)

    wire = SimpleNamespace(ask=reply, close=lambda: None)
    reader = ChainReader(Once(f"http://127.0.0.1:9/{KEY}", timeout=5))

    def paid():
        found = reader.paid_rewards(0x64)
        assert (found.rewards is None) is bool(found.reason)
        assert found.reason.isprintable()
        assert all(len(one.account_key) == 66 and 0 <= one.amount < 2**128 for one in found.rewards or ())
        return found.reason

    with ExitStack() as stack:
        stack.enter_context(patch.object(node, "_connected", lambda endpoint, fail: wire))
        stack.callback(close_nodes)
        outcome = judged(reader.state, KEY, kinds=ChainError)
        if isinstance(outcome, Exception):
            return said(outcome)
        assert 0 <= outcome.active_era <= MAX_ERA
        assert isinstance(outcome.window, ElectionWindow)
        assert outcome.started_at is None or isinstance(outcome.started_at, datetime)
        assert 0 <= outcome.block < 2**64
        assert f"{outcome}".isprintable()
        more = (lambda: reader.era_paid(6), lambda: reader.nonce(HASH, "staking"), lambda: reader.era_reward(6), paid)
        second = judged(more[question % len(more)], KEY, kinds=ChainError)
        return f"{said(outcome)} {outcome.window} {said(second)}"


class Once(NodeEndpoint):
    """Each read is tried once."""

    @property
    def retry(self):
        return ReadRetry(attempts=1)
