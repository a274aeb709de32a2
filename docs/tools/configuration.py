"""The page of `staking.yaml`: every setting with its default, its form and its meaning.

Names, defaults and forms come from the models: the column "Write" is the remedy of the error about a wrong value. `meanings.yaml` has the
meanings; a setting without a meaning is an error.
"""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from docs.tools.tables import table
from staking_gateway.config import models as settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

MEANINGS = Path(__file__).with_name("meanings.yaml")
_UNUSABLE = "\x00"
"""A value that every model refuses."""
_IT = {"it with": "a time with", "it in": "an amount in", "its SS58 address or its": "an SS58 address or a"}
"""The beginnings of remedies that name the value as "it", and their replacement."""

_WORDS = {
    "e.g. 20s, 90m, 6h, 1d, or a number of seconds": "duration",
    "a time with its time zone, e.g. 2026-01-01T00:00:00Z": "time",
    "an amount in the smallest unit, in plain digits, or null for no limit": "amount",
    "an SS58 address or a 0x public key": "account",
    "the id of an Airflow connection: letters, digits and _ . -": "connection",
    "its settings, or its entries, have a section below": "section",
}
"""A form to its word on the page."""


@cache
def meanings() -> dict[str, dict[str, str]]:
    """Title of a section to the meanings of its settings."""
    read: dict[str, dict[str, str]] = yaml.safe_load(MEANINGS.read_text())
    return read


def sections() -> Iterator[tuple[str, type[BaseModel]]]:
    """Path of a section in the file and its model, in the order of the file."""
    yield "", settings.Config
    yield from _below("networks.<name>", settings.NetworkConfig)


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


def page() -> str:
    lines = [
        "# Configuration",
        "",
        "`staking.yaml` is the one file to edit: networks, accounts, limits. Secrets are in [connections](connections.md). "
        "`airflow staking init` writes a first file. `include/staking.yaml` is a complete example.",
        "",
        "The environment variable `STAKING_GATEWAY_CONFIG` names the file, or else Airflow's setting `[staking_gateway] config_file`. Without "
        "both it is the first of these: `include/staking.yaml` in the checkout of the package, the same or `staking.yaml` in AIRFLOW_HOME, "
        "`include/staking.yaml` in the working directory.",
        "",
        "`airflow staking doctor` lists mistakes, each with its remedy.",
        "",
        "Words of the column *Write*:",
        "",
        table(["Word", "Write"], [(word, form) for form, word in _WORDS.items()]),
        "",
    ]
    for path, model in sections():
        title = f"`{path}`" if path else "The file"
        about = meanings()[path or "file"]
        rows = []
        for name, info in model.model_fields.items():
            shown = info.alias or name
            if isinstance(info.default, BaseModel):
                continue  # its section stands below
            rows.append((f"`{shown}`", _default(info), _write(model, name, info), about[shown]))
        lines += [f"## {title}", "", " ".join(about["about"].split()), ""]
        lines += [table(["Setting", "Default", "Write", "Meaning"], rows), ""]
    return "\n".join(lines)


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "required"
    value = info.default
    if isinstance(value, Enum):
        value = value.value
    if value is None:
        return "`null`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, timedelta):
        return f"`{_duration(value)}`"
    if isinstance(value, tuple):
        value = list(value)
    return f"`{value}`" if value != "" else "empty"


def _duration(value: timedelta) -> str:
    for letter, unit in (("d", 86400), ("h", 3600), ("m", 60)):
        seconds = value.total_seconds()
        if seconds and not seconds % unit:
            return f"{seconds / unit:g}{letter}"
    return f"{value.total_seconds():g}s"


def _write(model: type[BaseModel], name: str, info: FieldInfo) -> str:
    if _model_of(info.annotation) is not None:
        return "section"
    if isinstance(info.annotation, type) and issubclass(info.annotation, Enum):
        return ", ".join(f"`{member.value}`" for member in info.annotation)
    if info.annotation is bool:
        return "`true` or `false`"
    is_list = "tuple" in str(info.annotation)
    try:
        unusable = [_UNUSABLE] if is_list else _UNUSABLE
        model.__pydantic_validator__.validate_assignment(model.model_construct(), name, unusable)
    except ValidationError as error:
        remedy = str(_first(error, name).get("remedy", "")).removeprefix("Write ")
        if is_list:
            return f"a list; of each entry {remedy}"
        form = next((words + remedy.removeprefix(it) for it, words in _IT.items() if remedy.startswith(it)), remedy)
        return _WORDS.get(form, form)
    return "text"


def _first(error: ValidationError, name: str) -> dict[str, Any]:
    mine = [found for found in error.errors(include_url=False) if found["loc"][:1] == (name,)]
    return dict(mine[0].get("ctx", {})) if mine else {}
