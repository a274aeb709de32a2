"""Metadata of the provider: plain data, so that discovery imports no other module."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import Any

_TEXT = {"type": ["string", "null"]}
_SECONDS = {"type": ["number", "null"]}
_FLAG = {"type": ["boolean", "null"], "default": False}


def _field(label: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"label": label, "description": description, "schema": schema}


_CA_BUNDLE = _field(
    "CA bundle",
    "File with the certificate authorities to trust, e.g. /etc/ssl/certs/gateway-ca.pem; empty: those of the system",
    _TEXT,
)
_GATEWAY: dict[str, Any] = {
    "connection-type": "staking_gateway",
    "hook-class-name": "staking_gateway_provider.hooks.gateway.StakingGatewayHook",
    "hook-name": "Staking Gateway",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "login", "port"],
        "relabeling": {},
        "placeholders": {
            "host": "the gateway's address, e.g. https://gateway.example",
            "password": "the token that the gateway's operator gave you; empty with a token signer",
        },
    },
    "conn-fields": {
        "bearer_signer_conn_id": _field(
            "Token signer",
            "Id of a Staking Signer connection, e.g. staking_signer_user. Its key signs the access tokens; Password stays empty",
            _TEXT,
        ),
        "bearer_payer": _field(
            "Token payer",
            "Account that pays the fees of the token's owner, e.g. 5FLSigC9...; only with a token signer. Empty: none",
            _TEXT,
        ),
        "allow_http": _field(
            "Allow plain http",
            "Accept a Host with http:// on another machine, e.g. http://10.0.0.5:8080. Token and payouts then travel unencrypted",
            _FLAG,
        ),
        "ca_bundle": _CA_BUNDLE,
        "connect_timeout": _field(
            "Connect timeout", "Seconds to wait for the connection, e.g. 5, the default", _SECONDS
        ),
        "read_timeout": _field(
            "Read timeout", "Seconds to wait for the next piece of an answer, e.g. 35, the default", _SECONDS
        ),
        "total_timeout": _field("Total timeout", "Seconds to wait for a whole answer, e.g. 60, the default", _SECONDS),
        "read_attempts": _field(
            "Read attempts",
            "How often a failed read is sent at most, e.g. 4, the default. A payout is never repeated by this",
            {"type": ["integer", "null"]},
        ),
        "payout_method": _field(
            "Payout method",
            "The gateway's name of the payout call: proxyPayoutstakers, the default, or e.g. proxyPayoutStakers",
            _TEXT,
        ),
        "send_path": _field("Send path", "Path of the payout call below Host, e.g. /send, the default", _TEXT),
        "query_path": _field("Query path", "Path of the reads below Host, e.g. /query, the default", _TEXT),
        "poll_path": _field("Poll path", "Path of the states of requests below Host, e.g. /poll, the default", _TEXT),
        "node_conn_id": _field(
            "Node connection",
            "Id of the Substrate Node connection of a node of the chain, e.g. substrate_default. Empty: no node",
            _TEXT,
        ),
    },
}

_SIGNER: dict[str, Any] = {
    "connection-type": "staking_signer",
    "hook-class-name": "staking_gateway_provider.hooks.signer.StakingSignerHook",
    "hook-name": "Staking Signer",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "port"],
        "relabeling": {},
        "placeholders": {
            "login": "address of the account, e.g. 5GrwvaEF...; another account's key is refused",
            "password": "the key: twelve or more words, 0x seed or key URI; or the token of the remote signer",
            "host": "empty for a key in Airflow; or the remote signer's address, e.g. https://signer.example",
        },
    },
    "conn-fields": {
        "allow_http": _field(
            "Allow plain http",
            "Accept a Host with http:// on another machine. Its token then travels unencrypted",
            _FLAG,
        ),
        "ca_bundle": _CA_BUNDLE,
        "gateways": _field(
            "Gateways of access tokens",
            "Gateways for which this key may sign access tokens, with commas, e.g. https://gateway.example. Those on this machine need no entry",
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
        "relabeling": {},
        "placeholders": {"host": "the node's address, e.g. wss://node.example or ws://127.0.0.1:9944"},
    },
    "conn-fields": {
        "timeout": _field(
            "Timeout", "Seconds to wait for the connection, and for each answer, e.g. 10, the default", _SECONDS
        ),
        "genesis_hash": _field(
            "Genesis hash",
            "Hash of the chain's first block, e.g. 0x91b171bb...; a node of another chain is refused. Empty: any chain",
            _TEXT,
        ),
        "chain_name": _field(
            "Chain name",
            "Name of the chain as the node reports it, e.g. Polkadot; a node of another chain is refused. Empty: any chain",
            _TEXT,
        ),
        "allow_ws": _field(
            "Allow plain ws",
            "Accept a Node URL with ws:// or http:// on another machine. Other computers on the network path could then change answers",
            _FLAG,
        ),
        "ca_bundle": _CA_BUNDLE,
    },
}
_CONNECTION_TYPES = (_GATEWAY, _SIGNER, _NODE)


def _option(description: str, example: str) -> dict[str, Any]:
    return {"description": description, "version_added": "0.2.0", "type": "string", "example": example, "default": None}


_SECTION = {
    "description": "Where the staking provider finds its settings and its ledger",
    "options": {
        "config_file": _option(
            "Path of staking.yaml. Empty: STAKING_GATEWAY_CONFIG, include/staking.yaml, or staking.yaml in AIRFLOW_HOME",
            "/opt/airflow/include/staking.yaml",
        ),
        "ledger_conn_id": _option(
            "Connection of the ledger, when neither staking.yaml nor STAKING_GATEWAY_LEDGER_CONN_ID names one. "
            "Empty: the SQLite file staking_ledger.db in AIRFLOW_HOME",
            "staking_ledger",
        ),
    },
}


def get_provider_info() -> dict[str, Any]:
    """Provider metadata as `airflow providers` and the connection form read it."""
    package, distribution = "staking_gateway_provider", "airflow-provider-staking-gateway"
    name, about = "Staking Gateway", metadata(distribution)
    urls = dict(url.split(", ", 1) for url in about.get_all("Project-URL", ()))
    site = urls.get("Documentation")
    address = site or urls.get("Repository")
    return {
        "package-name": distribution,
        "name": name,
        "description": "Pays every staking era exactly once through a JSON-RPC staking gateway.",
        "versions": [about["Version"]],
        "integrations": [
            {
                "integration-name": name,
                **({"external-doc-url": address} if address else {}),
                "how-to-guide": [f"{site}/own-dags.html" if site else "/docs/own-dags.md"],
                "tags": ["service"],
            }
        ],
        "asset-uris": [
            {
                "schemes": ["staking"],
                "handler": f"{package}.lineage.normalize_uri",
                "to_openlineage_converter": f"{package}.lineage.asset_dataset",
            }
        ],
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
                    f"{package}.operators.{module}"
                    for module in ("alerts", "catch_up", "era", "export", "payout", "reconcile", "status", "watch")
                ],
            }
        ],
        "extra-links": [f"{package}.links.{link}Link" for link in ("Runbook", "StakingPage", "Explorer")],
        "cli": [f"{package}.cli.get_commands"],
        "config": {"staking_gateway": _SECTION},
        "sensors": [{"integration-name": name, "python-modules": [f"{package}.sensors.election"]}],
        "triggers": [
            {
                "integration-name": name,
                "python-modules": [f"{package}.triggers.{module}" for module in ("gateway", "era")],
            }
        ],
    }
