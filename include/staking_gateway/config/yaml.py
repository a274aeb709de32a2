"""YAML whose scalars are all text: pydantic gives them their types.

So an unquoted public key (0x...) is no number, `no` is not false, and 20:30 is not 1230. Only `null`, `~` and nothing without quotes are None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from staking_gateway.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C parser is part of every PyYAML wheel
_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map"))
_NOTHING = ("", "~", "null", "Null", "NULL")
_DEEPEST = 20
_MOST_VALUES = 1_000_000
"""Limit of values in a file, each alias counted as all that it repeats."""
_QUOTED = re.compile(r"['\"].{4,}['\"]", re.DOTALL)
"""What the parser quotes from the file, e.g. a password. Single characters and marks stay."""


class Plain(str):
    """A text without quotes in the file."""

    __slots__ = ()


class Unreadable(NamedTuple):
    """Stands for a value that YAML gives and this file may not hold: so its mistake gets the place of the value."""

    problem: str
    remedy: str


class _Loader(_BASE):  # type: ignore[misc]
    """Marks keys that are written twice, keys that are no text, and tags."""

    def construct_object(self, node: yaml.Node, deep: bool = True) -> Any:
        if node.tag not in _TAGS:
            return Unreadable(f"line {node.start_mark.line + 1}: a tag (!...) is not read here", "Remove it")
        return super().construct_object(node, deep)

    def construct_scalar(self, node: yaml.ScalarNode) -> Any:
        if node.style in {"'", '"', "|", ">"}:
            return node.value
        return None if node.value in _NOTHING else Plain(node.value)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = True) -> dict[str, Any]:
        built: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                built[f"key of line {line}"] = Unreadable("a key must be one word", "Write `name: value`")
            elif (key := str(key_node.value)) in built:
                problem = f"line {line}: already written on line {lines[key]}"
                built[key] = Unreadable(problem, "Keep one of the two")
            else:
                lines[key], built[key] = line, self.construct_object(value_node, deep)
        return built


def read_yaml(text: str, name: str) -> Any:
    """Mappings (with text keys), lists, texts and None of one YAML document, and an `Unreadable` in the place of a mistake.

    :param name: names the document in errors.
    :raises ConfigError: the text is not YAML, is nested too deeply, or repeats itself too often by aliases.
    """
    try:
        _check_size(_levels_of_text(text), name)  # deeper ones would overflow the stack of the parser
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 - makes texts, lists and mappings only
        _check_size(_levels(data), name)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}, line {mark.line + 1}, column {mark.column + 1}" if mark else name
        reason = _QUOTED.sub("...", ", ".join(part for part in (error.context, error.problem) if part))
        raise ConfigError(place, f"not YAML: {reason}", "Correct the line, or the one before it") from None
    except yaml.reader.ReaderError as error:
        line = text.partition(chr(error.character))[0].count("\n") + 1
        problem = f"the character #x{error.character:04x} is not allowed in YAML"
        raise ConfigError(f"{name}, line {line}", problem, "Delete it") from None
    return data


def _levels_of_text(text: str) -> Iterator[int]:
    """The level of each event of the parser; they come one by one."""
    level = 0
    for event in yaml.parse(text, Loader=_BASE):
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        yield level


def _levels(value: object, level: int = 0) -> Iterator[int]:
    """The level of each value. A repeated list or mapping counts each time."""
    yield level
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _levels(one, level + 1)


def _check_size(levels: Iterator[int], name: str) -> None:
    if any(level > _DEEPEST or number > _MOST_VALUES for number, level in enumerate(levels)):
        raise ConfigError(
            name,
            "this is nested too deeply, or too large with all that aliases (*) repeat",
            f"Write at most {_DEEPEST} levels and {_MOST_VALUES} values",
        )
