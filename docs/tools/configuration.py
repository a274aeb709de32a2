"""The page of the settings of `staking.yaml`, made of the models: form, default and meaning of each."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from staking_gateway.config import models

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_PLACES = {"": "The file", "networks": "`networks.<name>`"}
_LISTS = ("anchors", "accounts")


def parts() -> dict[str, str]:
    """All sections, as the part `configuration`."""
    return {"configuration": "\n\n".join(_section(path, model) for path, model in models.sections().items())}


def _section(path: str, model: type[BaseModel]) -> str:
    forms = model.model_json_schema()["properties"]
    rows = [
        f"- `{info.alias or name}` ({_form(forms[info.alias or name])}{_default(info)}): {models.meaning(info)}"
        for name, info in model.model_fields.items()
        if not isinstance(info.default, BaseModel)
    ]
    below = path.removeprefix("networks.") + ("[]" if path.endswith(_LISTS) else "")
    return "\n".join([f"## {_PLACES.get(path, f'`networks.<name>.{below}`')}\n\n{model.__doc__}\n", *rows])


def _default(info: FieldInfo) -> str:
    """Nothing for a setting that is optional and has no default."""
    value = info.default.value if isinstance(info.default, Enum) else info.default
    if info.is_required():
        return "; required"
    if value is None or value in ("", (), timedelta(0)):
        return ""
    if isinstance(value, timedelta):
        seconds = int(value.total_seconds())
        letter, unit = next(one for one in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)) if not seconds % one[1])
        return f"; `{seconds // unit}{letter}`"
    return f"; `{str(value).lower() if isinstance(value, bool) else value}`"


def _form(schema: dict[str, Any]) -> str:
    """The form of a setting by its JSON schema."""
    schema = next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), schema)
    items = schema.get("items") or schema
    if "$ref" in items and not items["$ref"].endswith(("ConfirmBy", "Expectation")):
        return "section"
    if "$ref" in schema:
        words = models.ConfirmBy if schema["$ref"].endswith("ConfirmBy") else models.Expectation
        return ", ".join(f"`{word.value}`" for word in words)
    if schema["type"] == "array":
        return f"a list; of each entry {items['format']}"
    if schema["type"] in ("integer", "number"):
        low = schema.get("minimum", f"more than {schema.get('exclusiveMinimum')}")
        return f"{low} to {schema['maximum']:.0f}"
    return {"boolean": "flag", "object": "section"}.get(schema["type"], schema.get("format", "text"))
