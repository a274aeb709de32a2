"""A connection that does not exist: the error names the field that asks for it, and what to do. The task is tried again."""

import asyncio
import re

import pytest
from names import NETWORK

from staking_gateway.errors import ConnectionMissing, InvalidInput
from staking_gateway.problem import Topic
from staking_gateway_provider.explanations import explain
from staking_gateway_provider.hooks.gateway import StakingGatewayHook
from staking_gateway_provider.hooks.signer import StakingSignerHook
from staking_gateway_provider.hooks.substrate import SubstrateHook

REMEDY = Topic.CONNECTION_MISSING.remedy
HOOKS = [StakingGatewayHook, StakingSignerHook, SubstrateHook]


async def opened(hook):
    await hook.aget_conn()


def ways_to_open(hook):
    yield hook.get_conn
    yield lambda: asyncio.run(opened(hook))
    if isinstance(hook, StakingGatewayHook):
        yield hook.get_async_conn


def check_told(hook, text):
    for way in ways_to_open(hook):
        with pytest.raises(ConnectionMissing, match=f"^{re.escape(text)}$"):
            way()
    assert hook.test_connection() == (False, text)


@pytest.mark.parametrize("kind", HOOKS)
def test_a_hooks_own_connection_is_told_with_the_argument_that_names_it(kind):
    check_told(kind("nope"), f"{kind.conn_name_attr}: The conn_id `nope` isn't defined. {REMEDY}")


def test_a_name_of_the_dag_is_not_blamed_on_staking_yaml(network):
    network()
    words = {}
    for conn_id in ("nope", "staking_gateway_default"):
        with pytest.raises(ConnectionMissing) as missing:
            StakingGatewayHook(conn_id).get_conn()
        words[conn_id] = explain(missing.value, NETWORK).remedy
    assert words["nope"] == REMEDY
    assert f"networks.{NETWORK}.gateway_conn_id in " in words["staking_gateway_default"]


@pytest.mark.parametrize("kind", [StakingSignerHook, SubstrateHook])
def test_whoever_makes_a_hook_may_say_what_names_its_connection(kind):
    hook = kind("nope", field="user_signer_conn_id")
    check_told(hook, f"user_signer_conn_id: The conn_id `nope` isn't defined. {REMEDY}")
    with pytest.raises(InvalidInput) as refused:
        kind("https://user:pass@host", field="user_signer_conn_id")
    assert refused.value.field == "user_signer_conn_id"


@pytest.mark.parametrize(
    ("extra", "name", "missing"),
    [
        ({"node_conn_id": "nope"}, "node_conn_id", "nope"),
        ({"bearer_signer_conn_id": "nope"}, "bearer_signer_conn_id", "nope"),
    ],
)
def test_a_connection_that_an_extra_names_is_told_with_the_extra(connect, extra, name, missing):
    password = None if "bearer_signer_conn_id" in extra else "a-token"
    connect("gw", conn_type="staking_gateway", host="https://gateway.example", password=password, extra=extra)
    told = f"Connection 'gw', extra {name!r}: The conn_id `{missing}` isn't defined. {REMEDY}"
    check_told(StakingGatewayHook("gw"), told)
