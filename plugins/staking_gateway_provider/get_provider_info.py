"""Metadata of the provider. Discovery imports no other module but the forms of the connections."""

from __future__ import annotations

from importlib.metadata import metadata
from typing import Any

from pydantic.fields import FieldInfo

from staking_gateway_provider.connections import Extras, GatewayExtras, NodeExtras, SignerExtras

_PACKAGE, _NAME = "staking_gateway_provider", "Staking Gateway"
_DISTRIBUTION = "airflow-provider-staking-gateway"
_KINDS: dict[Any, str] = {bool: "boolean", float: "number", int: "integer"}


def _form(model: type[Extras]) -> dict[str, dict[str, Any]]:
    """The fields of a connection's form, as Airflow reads them. A blank field is sent as null."""
    return {name: _form_field(field) for name, field in model.model_fields.items()}


def _form_field(field: FieldInfo) -> dict[str, Any]:
    kind = next((word for known, word in _KINDS.items() if field.annotation is known), "string")
    schema = {"type": [kind, "null"], **({"default": field.default} if kind == "boolean" else {})}
    return {"label": field.title, "description": field.description, "schema": schema}


def _connection(
    hook: str, name: str, kind: str, model: type[Extras], hidden: str, **placeholders: str
) -> dict[str, Any]:
    """A connection type; `hidden` are fields of Airflow's form that it does not use."""
    behaviour = {"hidden-fields": hidden.split(), "relabeling": {}, "placeholders": placeholders}
    names = {"connection-type": kind, "hook-class-name": f"{_PACKAGE}.hooks.gateway.{hook}", "hook-name": name}
    return {**names, "ui-field-behaviour": behaviour, "conn-fields": _form(model)}


_CONNECTION_TYPES = [
    _connection(
        *("StakingGatewayHook", "Staking Gateway", "stakinggateway", GatewayExtras, "schema login port"),
        host="the gateway's address, e.g. https://gateway.example",
        password="the token that the gateway's operator gave you; empty with a token signer",  # noqa: S106 - a hint
    ),
    _connection(
        *("StakingSignerHook", "Staking Signer", "stakingsigner", SignerExtras, "schema port"),
        login="address of the account, e.g. 5GrwvaEF...; another account's key is refused",
        password="the key: twelve or more words, 0x seed or key URI; or the token of the remote signer",  # noqa: S106
        host="empty for a key in Airflow; or the remote signer's address, e.g. https://signer.example",
    ),
    _connection(
        *("SubstrateHook", "Substrate Node", "substrate", NodeExtras, "schema login password port"),
        host="the node's address, e.g. wss://node.example or ws://127.0.0.1:9944",
    ),
]


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


def _modules(folder: str, *names: str) -> list[dict[str, Any]]:
    return [{"integration-name": _NAME, "python-modules": [f"{_PACKAGE}.{folder}.{name}" for name in names]}]


def get_provider_info() -> dict[str, Any]:
    """Provider metadata as `airflow providers` and the connection form read it."""
    about = metadata(_DISTRIBUTION)
    urls = dict(url.split(", ", 1) for url in about.get_all("Project-URL", ()))
    site = urls.get("Documentation")
    address = site or urls.get("Repository")
    guide = f"{site}/own-dags.html" if site else "/docs/own-dags.md"
    known = {"external-doc-url": address} if address else {}
    uris = {"handler": f"{_PACKAGE}.dags.normalize_uri", "to_openlineage_converter": f"{_PACKAGE}.dags.asset_dataset"}
    return {
        "package-name": _DISTRIBUTION,
        "name": _NAME,
        "description": "Pays every staking era exactly once through a JSON-RPC staking gateway.",
        "versions": [about["Version"]],
        "integrations": [{"integration-name": _NAME, **known, "how-to-guide": [guide], "tags": ["service"]}],
        "asset-uris": [{"schemes": ["staking"], **uris}],
        "connection-types": _CONNECTION_TYPES,
        "hooks": _modules("hooks", "gateway"),
        "operators": _modules("operators", "catch_up", "era", "export", "payout", "reconcile", "status", "watch"),
        "extra-links": [f"{_PACKAGE}.reporting.{link}Link" for link in ("Runbook", "StakingPage", "Explorer")],
        "cli": [f"{_PACKAGE}.cli.get_commands"],
        "config": {"staking_gateway": _SECTION},
        "sensors": _modules("sensors", "election"),
        "triggers": _modules("triggers", "gateway"),
    }
