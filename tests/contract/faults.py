"""What the tests of the clients share: a payout, how a server answers, and everything that can go wrong with an answer."""

import gzip
import json

from staking_gateway.errors import Failed
from staking_gateway.http.endpoint import Endpoint, ReadRetry
from tests.contract.broken_server import Exchange

TOKEN = "aSecretToken.42"
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
STASH = "5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY"
REQUEST_ID = "c9b1c6f6-4c3a-4a55-9d2e-0f6b1a2c3d4e"
PAYOUT = {
    "relayer": BOB,
    "user": ALICE,
    "payer": STASH,
    "era": 1391,
    "proxy_signature": "0x" + "1a" * 64,
    "fee_payment_signature": "0x" + "2b" * 64,
    "payment_nonce": 2**53 + 1,
}
QUICK_RETRY = ReadRetry(attempts=3, total=20, max_wait=0.01)
SHORT = (5, 0.4, 0.6)


def endpoint(server, **options):
    options = {"retry": QUICK_RETRY, "timeouts": (5, 10, 20), **options}
    return Endpoint(server.url, **options)


def envelope(line="200 OK", **members):
    """A JSON-RPC answer to the very request, unless a member says otherwise."""

    def behave(exchange):
        body = {"jsonrpc": "2.0", "id": exchange.request.json["id"], **members}
        exchange.answer(json.dumps(body).encode(), line)
        return True

    return behave


def result(value):
    return envelope(result=value)


def status(line, body=b"", *headers):
    """A complete answer. It keeps the connection: a client may well use it before it sees that it was closed."""

    def behave(exchange):
        exchange.answer(body, line, headers)
        return True

    return behave


def raw(data, *, keep=False):
    def behave(exchange):
        exchange.send(data)
        return keep

    return behave


def endless(start, again, every=0.0):
    def behave(exchange):
        exchange.send(start)
        exchange.repeat(again, every=every)

    return behave


def reset_after(data):
    def behave(exchange):
        exchange.send(data)
        exchange.reset()

    return behave


HTML = b"<html><body>upstream connect error</body></html>"
BOMB = gzip.compress(b"\0" * 50_000_000, 9)
HALF = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"jsonrpc":"2.0","result":'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LONG = b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"
OPEN_WINDOW = {
    "code": -32600,
    "message": "Invalid Request",
    "data": {"gatewayError": "election window is open", "request": "{}"},
}


no_such_method = envelope(error={"code": -32601, "message": "Method not found"})

MALFORMED = Failed.MALFORMED
LOST = Failed.BROKEN
TOO_LARGE = Failed.TOO_LONG


def wrapped(packing):
    """A success, packed as no HTTP packs it."""

    def behave(exchange):
        sound = json.dumps({"jsonrpc": "2.0", "result": REQUEST_ID, "id": exchange.request.json["id"]}).encode()
        exchange.send(packing % sound.ljust(100))

    return behave


TWO_LENGTHS = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n"

FAULTS = {
    "401": (status("401 Unauthorized", b'{"message":"x"}'), Failed.NO_TOKEN),
    "404": (status("404 Not Found", HTML), Failed.NO_PATH),
    "429": (status("429 Slow Down", b"", "Retry-After: 0"), Failed.TOO_MANY),
    "502": (status("502 Bad Gateway", HTML), Failed.FAILED),
    "redirect without a target": (status("302 Found"), Failed.REDIRECTED),
    "redirect to nonsense": (status("307 Temporary Redirect", b"", "Location: http://[\xff"), Failed.MOVED),
    "redirect with an endless body": (endless(REDIRECT, b"x" * 4096), TOO_LARGE),
    "window open": (envelope(error=OPEN_WINDOW), Failed.WINDOW),
    "method not found": (no_such_method, Failed.NO_METHOD),
    "answer to another request": (envelope(result=REQUEST_ID, id=-1), Failed.OTHER_ID),
    "html with status 200": (status("200 OK", HTML), MALFORMED),
    "empty body": (status("200 OK"), MALFORMED),
    "no content": (raw(b"HTTP/1.1 204 No Content\r\n\r\n", keep=True), MALFORMED),
    "not gzip": (status("200 OK", HTML, "Content-Encoding: gzip"), LOST),
    "closed before the answer": (raw(b""), LOST),
    "reset before the answer": (reset_after(b""), LOST),
    "closed in the body": (raw(HALF), LOST),
    "reset in the body": (reset_after(HALF), LOST),
    "closed in a chunk": (raw(CHUNKED + b'20\r\n{"jsonrpc"'), LOST),
    "chunked garbage": (raw(CHUNKED + b"zzz\r\n\r\n\r\n"), LOST),
    "not HTTP": (raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), LOST),
    "a header without end": (endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 4096), LOST),
    "headers without end": (endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n" * 99), LOST),
    "two lengths": (raw(TWO_LENGTHS), LOST),
    "a chunk smaller than nothing": (wrapped(CHUNKED + b"-1\r\n%s\r\n0\r\n\r\n"), LOST),
    "a chunk that never ends": (wrapped(CHUNKED + b"-ffff\r\n%s"), LOST),
    "a status of no kind": (wrapped(b"HTTP/1.1 -200 OK\r\n\r\n%s"), LOST),
    "declared too long": (endless(LONG, b" " * 4096), TOO_LARGE),
    "chunks without end": (endless(CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"), TOO_LARGE),
    "gzip bomb": (status("200 OK", BOMB, "Content-Encoding: gzip"), TOO_LARGE),
}
DENIALS = ("404", "method not found")
"""The faults that look as if the gateway had no such method."""
# the same for gateways which take their time; these are called with short timeouts
SLOW_FAULTS = {
    "no answer": Exchange.hold,
    "body drips": endless(LONG, b" ", 0.05),
    "chunks drip": endless(CHUNKED, b"1\r\n \r\n", 0.05),
}
