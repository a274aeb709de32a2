"""Metadata of the provider. Discovery imports no other module but the forms of the connections."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import Any

from pydantic.fields import FieldInfo

from staking_gateway_provider.connections import Extras, GatewayExtras, NodeExtras, SignerExtras

_HOOKS = "staking_gateway_provider.hooks.gateway"
_KINDS: dict[Any, str] = {bool: "boolean", float: "number", int: "integer"}


def _form(model: type[Extras]) -> dict[str, dict[str, Any]]:
    """The fields of a connection's form, as Airflow reads them. A blank field is sent as null."""
    return {name: _form_field(field) for name, field in model.model_fields.items()}


def _form_field(field: FieldInfo) -> dict[str, Any]:
    kind = next((word for known, word in _KINDS.items() if field.annotation is known), "string")
    schema = {"type": [kind, "null"], **({"default": field.default} if kind == "boolean" else {})}
    return {"label": field.title, "description": field.description, "schema": schema}


_GATEWAY: dict[str, Any] = {
    "connection-type": "staking_gateway",
    "hook-class-name": f"{_HOOKS}.StakingGatewayHook",
    "hook-name": "Staking Gateway",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "login", "port"],
        "relabeling": {},
        "placeholders": {
            "host": "the gateway's address, e.g. https://gateway.example",
            "password": "the token that the gateway's operator gave you; empty with a token signer",
        },
    },
    "conn-fields": _form(GatewayExtras),
}
_SIGNER: dict[str, Any] = {
    "connection-type": "staking_signer",
    "hook-class-name": f"{_HOOKS}.StakingSignerHook",
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
    "conn-fields": _form(SignerExtras),
}
_NODE: dict[str, Any] = {
    "connection-type": "substrate",
    "hook-class-name": f"{_HOOKS}.SubstrateHook",
    "hook-name": "Substrate Node",
    "ui-field-behaviour": {
        "hidden-fields": ["schema", "login", "password", "port"],
        "relabeling": {},
        "placeholders": {"host": "the node's address, e.g. wss://node.example or ws://127.0.0.1:9944"},
    },
    "conn-fields": _form(NodeExtras),
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
                "handler": f"{package}.dags.normalize_uri",
                "to_openlineage_converter": f"{package}.dags.asset_dataset",
            }
        ],
        "connection-types": list(_CONNECTION_TYPES),
        "hooks": [{"integration-name": name, "python-modules": [f"{package}.hooks.gateway"]}],
        "operators": [
            {
                "integration-name": name,
                "python-modules": [
                    f"{package}.operators.{module}"
                    for module in ("catch_up", "era", "export", "payout", "reconcile", "status", "watch")
                ],
            }
        ],
        "extra-links": [f"{package}.reporting.{link}Link" for link in ("Runbook", "StakingPage", "Explorer")],
        "cli": [f"{package}.cli.get_commands"],
        "config": {"staking_gateway": _SECTION},
        "sensors": [{"integration-name": name, "python-modules": [f"{package}.sensors.election"]}],
        "triggers": [{"integration-name": name, "python-modules": [f"{package}.triggers.gateway"]}],
    }
