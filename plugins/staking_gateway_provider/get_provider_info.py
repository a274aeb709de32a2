"""Metadata of the provider: plain data, so that discovery imports no other module."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

_TEXT = {"type": ["string", "null"]}
_SECONDS = {"type": ["number", "null"]}
_FLAG = {"type": ["boolean", "null"], "default": False}


def _field(label: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"label": label, "description": description, "schema": schema}


_CA_BUNDLE = _field("CA bundle", "File with the certificate authorities to trust", _TEXT)
_GATEWAY: dict[str, Any] = {
    "connection-type": "staking_gateway",
    "hook-class-name": "staking_gateway_provider.hooks.gateway.StakingGatewayHook",
    "hook-name": "Staking Gateway",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "login", "port"],
        "relabeling": {"host": "Base URL", "password": "Access token"},
        "placeholders": {"host": "https://gateway.example", "password": "the token issued to you"},
    },
    "conn-fields": {
        "bearer_signer_conn_id": _field(
            "Token signer",
            "Connection (staking_signer) whose key makes the access tokens, instead of an issued one",
            _TEXT,
        ),
        "bearer_payer": _field(
            "Token payer", "Account that pays the token owner's fees, if any; part of a self-made token", _TEXT
        ),
        "allow_http": _field(
            "Allow plain http", "Accept plain http to another machine; only for a trusted network", _FLAG
        ),
        "ca_bundle": _CA_BUNDLE,
        "connect_timeout": _field("Connect timeout", "Seconds to connect, 5 by default", _SECONDS),
        "read_timeout": _field("Read timeout", "Seconds between two pieces of an answer, 35 by default", _SECONDS),
        "total_timeout": _field("Total timeout", "Seconds for a whole answer, 60 by default", _SECONDS),
        "read_attempts": _field(
            "Read attempts", "Most attempts of a read, 4 by default", {"type": ["integer", "null"]}
        ),
        "payout_method": _field("Payout method", "JSON-RPC name of the payout, proxyPayoutstakers by default", _TEXT),
        "send_path": _field("Send path", "Path of the payout call, /send by default", _TEXT),
        "query_path": _field("Query path", "Path of the reads, /query by default", _TEXT),
        "poll_path": _field("Poll path", "Path of the request states, /poll by default", _TEXT),
        "era_source": _field(
            "Era source",
            "Source of the active era and the election window: the gateway, or a node of the chain (chain)",
            {"type": ["string", "null"], "enum": ["gateway", "chain", None], "default": "gateway"},
        ),
        "node_conn_id": _field(
            "Node connection", "Connection (substrate) of that node, substrate_default by default", _TEXT
        ),
    },
}

_SIGNER: dict[str, Any] = {
    "connection-type": "staking_signer",
    "hook-class-name": "staking_gateway_provider.hooks.signer.StakingSignerHook",
    "hook-name": "Staking Signer",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "port"],
        "relabeling": {"login": "Account address", "password": "Key phrase or token", "host": "Remote signer URL"},
        "placeholders": {
            "login": "SS58 address the key must belong to",
            "password": "mnemonic, 0x seed or key URI; for a remote signer its token",
            "host": "empty for a local key",
        },
    },
    "conn-fields": {
        "allow_http": _field(
            "Allow plain http",
            "Accept plain http to a remote signer on another machine; only for a trusted network",
            _FLAG,
        ),
        "ca_bundle": _CA_BUNDLE,
        "gateways": _field(
            "Gateways of access tokens",
            "Addresses of the gateways for which this key may sign access tokens, with commas; empty for none",
            _TEXT,
        ),
    },
}

_NODE: dict[str, Any] = {
    "connection-type": "substrate",
    "hook-class-name": "staking_gateway_provider.hooks.substrate.SubstrateHook",
    "hook-name": "Substrate Node",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "login", "password", "port"],
        "relabeling": {"host": "Node URL"},
        "placeholders": {"host": "ws://127.0.0.1:9944"},
    },
    "conn-fields": {
        "timeout": _field("Timeout", "Seconds to connect, and again for each answer; 10 by default", _SECONDS),
        "genesis_hash": _field(
            "Genesis hash", "Hash of the chain's first block; a node of another chain is refused", _TEXT
        ),
        "chain_name": _field(
            "Chain name", "Name of the chain as the node reports it; a node of another chain is refused", _TEXT
        ),
        "allow_ws": _field(
            "Allow plain ws", "Accept plain ws or http to another machine; only for a trusted network", _FLAG
        ),
        "ca_bundle": _CA_BUNDLE,
    },
}
_CONNECTION_TYPES = (_GATEWAY, _SIGNER, _NODE)


def extras_of(conn_type: str) -> dict[str, str]:
    """All extras of a connection type, with their meanings; hooks refuse others."""
    (form,) = (form for form in _CONNECTION_TYPES if form["connection-type"] == conn_type)
    return {name: field["description"] for name, field in form["conn-fields"].items()}


def get_provider_info() -> dict[str, Any]:
    """Provider metadata as `airflow providers` and the connection form read it."""
    package, distribution = "staking_gateway_provider", "airflow-provider-staking-gateway"
    name = "Staking Gateway"
    return {
        "package-name": distribution,
        "name": name,
        "description": "Pays every staking era exactly once through a JSON-RPC staking gateway.",
        "versions": [version(distribution)],
        "integrations": [{"integration-name": name, "external-doc-url": "https://json-rpc.org", "tags": ["service"]}],
        "connection-types": list(_CONNECTION_TYPES),
        "hooks": [
            {
                "integration-name": name,
                "python-modules": [f"{package}.hooks.{module}" for module in ("gateway", "signer", "substrate")],
            }
        ],
        "operators": [
            {
                "integration-name": name,
                "python-modules": [
                    f"{package}.operators.{module}" for module in ("alerts", "catch_up", "era", "payout", "status")
                ],
            }
        ],
        "notifications": [f"{package}.notifications.webhook.StakingWebhookNotifier"],
        "extra-links": [f"{package}.links.{link}Link" for link in ("Runbook", "StakingPage", "Explorer")],
        "cli": [f"{package}.cli.get_commands"],
        "sensors": [{"integration-name": name, "python-modules": [f"{package}.sensors.election"]}],
        "triggers": [
            {
                "integration-name": name,
                "python-modules": [f"{package}.triggers.{module}" for module in ("election", "era", "payout")],
            }
        ],
    }
