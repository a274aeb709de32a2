"""The settings of `staking.yaml`: defaults and forms come from the models, meanings from `meanings.yaml`.

The form is the remedy of the error about a wrong value. A setting without a meaning is an error.
"""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from staking_gateway.config import models as settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

MEANINGS = Path(__file__).with_name("meanings.yaml")
_UNUSABLE = "\x00"
"""A value that every model refuses."""
_FORMS = {
    "it with its time zone, e.g. 2026-01-01T00:00:00Z": "time",
    "it in the smallest unit, in plain digits, or null for no limit": "amount",
    "its SS58 address or its 0x public key": "account",
    "e.g. 20s, 90m, 6h, 1d, or a number of seconds": "duration",
    "the id of an Airflow connection: letters, digits and _ . -": "connection",
}
"""The remedy of a wrong value, to the word for its form. The page explains the words."""


def parts() -> dict[str, str]:
    """All sections, as the part `configuration`."""
    meanings: dict[str, dict[str, str]] = yaml.safe_load(MEANINGS.read_text())
    sections = []
    for path, model in [("file", settings.Config), *_below("networks.<name>", settings.NetworkConfig)]:
        about = meanings[path]
        rows = [
            f"- `{info.alias or name}` ({_write(model, name, info)}{_default(info)}): {about[info.alias or name]}"
            for name, info in model.model_fields.items()
            if not isinstance(info.default, BaseModel)
        ]
        title = "The file" if path == "file" else f"`{path}`"
        sections.append("\n".join([f"## {title}\n\n{about['about']}\n", *rows]))
    return {"configuration": "\n\n".join(sections)}


def _below(path: str, model: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    yield path, model
    for name, info in model.model_fields.items():
        inner = _model_of(info.annotation)
        if inner is not None:
            suffix = "[]" if "tuple" in str(info.annotation) else ""
            yield from _below(f"{path}.{info.alias or name}{suffix}", inner)


def _model_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_of(part)) is not None), None)


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


def _write(model: type[BaseModel], name: str, info: FieldInfo) -> str:
    if _model_of(info.annotation) is not None:
        return "section"
    if isinstance(info.annotation, type) and issubclass(info.annotation, Enum):
        return ", ".join(f"`{member.value}`" for member in info.annotation)
    if info.annotation is bool:
        return "flag"
    is_list = "tuple" in str(info.annotation)
    try:
        unusable = [_UNUSABLE] if is_list else _UNUSABLE
        model.__pydantic_validator__.validate_assignment(model.model_construct(), name, unusable)
    except ValidationError as error:
        found = next((one for one in error.errors(include_url=False) if one["loc"][:1] == (name,)), None)
        remedy = str(found.get("ctx", {}).get("remedy", "")).removeprefix("Write ") if found else ""
        return f"a list; of each entry {remedy}" if is_list else _FORMS.get(remedy, remedy)
    return "text"
