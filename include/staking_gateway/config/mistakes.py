"""Mistakes in `staking.yaml`, in the names of the file: the path of a setting, what is wrong, and the remedy."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel

from staking_gateway.config.models import Config
from staking_gateway.config.strict_yaml import Problem
from staking_gateway.errors import ConfigError
from staking_gateway.text import shown, shown_key

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pydantic import ValidationError
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

_MOST_PROBLEMS = 100
_SECRET = re.compile(
    r"pass(word|wd|phrase)|token|secret|seed|mnemonic|phrase|suri|credential|private|(?<!public)[_-]key|^keys?$", re.I
)
_SIMPLE_PROBLEMS = {
    "model_type": ("a mapping", "Write its settings below it, indented, or remove it"),
    "dict_type": ("a mapping", "Write one name per line below it, indented, each followed by a colon"),
    "tuple_type": ("a list", "Write one item per line below it, each after a dash"),
    "bool_type": ("true or false", "Write true or false, without quotes"),
    "string_type": ("a text", "Write it in quotes"),
}


def all_in_one(path: Path, problems: Sequence[Problem]) -> ConfigError:
    """One error of all mistakes: `field`, `problem` and `remedy` describe the first one, the text lists them."""
    error = ConfigError(*problems[0])
    lines = [str(problem) for problem in problems[:_MOST_PROBLEMS]]
    if len(problems) > len(lines):
        lines.append(f"... and {len(problems) - len(lines)} more")
    if len(problems) > 1:
        lines.insert(0, f"{path} holds {len(problems)} mistakes:")
    error.args = ("\n".join(lines),)
    return error


def translate(error: ValidationError, *, above: tuple[int | str, ...] = (), path: str = "") -> list[Problem]:
    """Translate pydantic's errors to the names in the file.

    :param above: the place in `Config` of what was validated.
    :param path: the path of every problem; left out, the path of each setting.
    """
    return [_translated(details, above, path) for details in error.errors(include_url=False)]


def may_be_ledger(problem: Problem, setting: str) -> bool:
    """Whether a problem may be about this setting, misspelt or in the wrong place."""
    key = problem.path.rpartition(".")[2].lower()
    return "ledger" in key or bool(difflib.get_close_matches(key, [setting], 1, 0.75))


def _translated(details: ErrorDetails, above: tuple[int | str, ...], path: str) -> Problem:
    kind, loc, context = details["type"], (*above, *details["loc"]), details.get("ctx", {})
    path = path or _path(loc)
    if kind == "extra_forbidden":
        return _unknown_key(path, loc)
    if kind == "missing":
        return Problem(path, "is missing", f"Write {_fields(loc[:-1])[str(loc[-1])].description}")
    if kind == "enum":
        return Problem(path, f"{shown(details['input'])} is refused", f"Write {context['expected']}")
    if kind in _SIMPLE_PROBLEMS:
        expected, remedy = _SIMPLE_PROBLEMS[kind]
        return Problem(path, f"this is {shown(details['input'])}, not {expected}", remedy)
    return Problem(path, str(context["problem"]), str(context["remedy"]))


def _path(loc: tuple[int | str, ...]) -> str:
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part != "[key]":
            word = shown_key(part)
            path += f".{word}" if path else word
    return path


def _unknown_key(path: str, loc: tuple[int | str, ...]) -> Problem:
    key = str(loc[-1])
    if _SECRET.search(key):
        return Problem(
            path, "secrets do not belong in this file", "Put it into the Airflow connection, and delete it here"
        )
    known = list(_fields(loc[:-1]))
    near = difflib.get_close_matches(key.lower(), known, 1)
    remedy = f"Did you mean {near[0]}?" if near else f"Known here: {', '.join(known)}"
    return Problem(path, "unknown key", remedy)


def _fields(loc: tuple[int | str, ...]) -> dict[str, FieldInfo]:
    """The fields of the section at a path, by their names in the file."""
    annotation: Any = Config
    for part in loc:
        is_section = _is_section(annotation)
        annotation = _by_alias(annotation)[str(part)].annotation if is_section else _section_in(annotation)
    return _by_alias(_section_in(annotation))


def _section_in(annotation: Any) -> Any:
    """A section, or the one in a list, a mapping or an optional."""
    return next(one for one in (annotation, *get_args(annotation)) if _is_section(one))


def _by_alias(section: type[BaseModel]) -> dict[str, FieldInfo]:
    return {field.alias or name: field for name, field in section.model_fields.items()}


def _is_section(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
