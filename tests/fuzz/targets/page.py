"""Queries of the Staking page: a case is a method, a path and a query, as a browser sends them."""

import asyncio
import os
import tempfile
from copy import deepcopy
from types import SimpleNamespace
from unittest.mock import patch

from tests.fuzz.runner import Target

SITE = b"fuzz.example"
NAMES = (
    "somenet", "devnet", "", "..", "%2e%2e", "%00", "page.html", "states.js", "x" * 300 + ".js", "a%2fb.js", "%ff", "<b>", "=1+1",
    "\\..\\x.js", "page.html%00",
)  # fmt: skip
PATHS = (
    *("/", "/static/{}", "/static/../{}", "/{}", "//{}", "/docs", "/help", "/api/networks", "/api/strips"),
    *("/api/networks/{}/" + rest for rest in ("overview", "eras/7", "export.csv", "plan")),
    "/api/networks/somenet/eras/{}",
)
QUERIES = ("", "eras=1", "eras=0", "eras=-1", "eras=9999999999999999999999", "eras=1&eras=2", "eras=%00", "eras=1.0", "known=x", "dag_id=staking_payout_somenet&run_id=",
    "dag_id=staking_payout_somenet&run_id=%ff%00", "dag_id=" + "x" * 3000, "&&&", "=", "eras", "eras=\u0661", "run_id=scheduled__2026-99-99")  # fmt: skip
EXPECTED = {200, 304, 307, 403, 404, 405, 409, 415, 422, 502, 503}


class Service:
    """One network with a small overview."""

    def overview(self, name, eras):
        assert name == "somenet"
        assert 1 <= eras <= 1000, "more eras than a page shows"
        data = {"network": name, "grid": {"version": "v1", "cells": []}}
        told = {**data, "grid": {**data["grid"], "accounts": []}}
        return SimpleNamespace(
            data=data, rows=SimpleNamespace(all=lambda: iter(())), as_dict=lambda page: deepcopy(told)
        )

    def strips(self, names):
        return [{"network": name} for name in names]

    def era(self, name, era):
        assert name == "somenet"
        return {"era": era} if era == 7 else None

    def plan(self, name, viewer, from_era, to_era, eras):
        assert name == "somenet"
        return {"plan": viewer, "from": from_era, "to": to_era, "eras": eras}


class User:
    def get_name(self):
        return "viewer"


def target(stack):
    ask = []

    def run(case):
        if not ask:
            ask.append(_page(stack))
        return ask[0](case)

    tokens = tuple(text.encode() for text in (*NAMES, *QUERIES, "/", "?", "&", "%", "#"))
    return Target("page", grow, run, tokens=tokens)


def grow(chance):
    method = chance.choice(("GET", "GET", "GET", "HEAD", "POST", "PUT", "OPTIONS"))
    path = chance.choice(PATHS).format(chance.choice(NAMES))
    query = "&".join(chance.choice(QUERIES) for _ in range(chance.choice((0, 1, 1, 2))))
    return f"{method} {path}?{query}".encode()


def _era_of_run(dag_id, run_id):
    """What a database accepts."""
    assert dag_id == "staking_payout_somenet"
    assert "\0" not in run_id
    assert len(run_id) <= 250
    return 7


def _page(stack):
    os.environ.setdefault("AIRFLOW_HOME", tempfile.mkdtemp(prefix="staking-gateway-fuzz-"))
    from staking_gateway_provider.ui import access
    from staking_gateway_provider.ui import app as page
    from staking_gateway_provider.ui.access import get_user

    rights = [name for name in access.__all__ if name.startswith("may_")]
    stack.enter_context(
        patch.multiple(
            page,
            **{name: lambda *arguments: True for name in rights},
            enabled_names=lambda: ("somenet",),
            era_of_run=_era_of_run,
        )
    )
    app = page.build_app(Service())
    app.dependency_overrides[get_user] = User
    loop = asyncio.new_event_loop()
    stack.callback(loop.close)
    stack.callback(lambda: loop.run_until_complete(loop.shutdown_default_executor()))

    def ask(case):
        from urllib.parse import unquote

        # Servers refuse other characters in a request's first line.
        method, _, rest = bytes(one for one in case if 0x20 <= one < 0x7F).partition(b" ")
        rest = rest.replace(b" ", b"+")
        path, _, query = rest.partition(b"?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method.decode("latin-1")[:20] or "GET",
            "scheme": "http",
            "path": unquote(path.decode("latin-1")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": [(b"host", SITE), (b"content-type", b"application/json"), (b"x-staking-page", b"1")],
            "client": ("127.0.0.1", 1),
            "server": ("fuzz.example", 80),
        }
        sent = []

        async def receive():
            if not sent:
                return {"type": "http.request", "body": b"{}", "more_body": False}
            await asyncio.sleep(3600)
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)

        loop.run_until_complete(app(scope, receive, send))
        status, headers = sent[0]["status"], dict(sent[0]["headers"])
        assert status in EXPECTED, f"status {status}"
        assert headers[b"x-content-type-options"] == b"nosniff"
        body = b"".join(message.get("body", b"") for message in sent)
        assert b"Traceback" not in body
        return f"{status} {headers.get(b'content-type', b'').decode()}"

    return ask
