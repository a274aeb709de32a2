"""YAML whose scalars are all text: pydantic gives them their types.

So an unquoted public key (0x...) is no number, `no` is not false, and 20:30 is not 1230. Only `null`, `~` and nothing without quotes are None.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from staking_gateway.errors import ConfigError

_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C parser is part of every PyYAML wheel
_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map"))
_NOTHING = ("", "~", "null", "Null", "NULL")
_DEEPEST = 20
_MOST_VALUES = 1_000_000
"""Limit of values and ends of collections in a file, each alias counted as all that it repeats."""
_QUOTED = re.compile(r"['\"].{4,}['\"]")
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
        _check_size(text, name)
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - makes texts, lists and mappings only
    except yaml.YAMLError as error:
        problem = f"not YAML: {_QUOTED.sub('...', _reason(error))}"
        raise ConfigError(name, problem, "Correct the line, or the one before it") from None


def _reason(error: yaml.YAMLError) -> str:
    """The words of an error, without the line that its text may quote."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).replace('in "<unicode string>",', "at").split())
    told = ((error.context, error.context_mark), (error.problem, error.problem_mark))
    return " ".join(f"{words} at line {at.line + 1}, column {at.column + 1}" for words, at in told if words and at)


def _check_size(text: str, name: str) -> None:
    """Refuse what is nested so deeply that it would overflow the stack of the parser, or is too large with all that aliases repeat."""
    number, begun = 0, list[tuple[str | None, int, int]]([(None, 0, 0)])
    known: dict[str | None, tuple[int, int]] = {}  # the values and levels of an anchor
    for event in yaml.parse(text, Loader=_BASE):
        size, levels = known.get(event.anchor, (1, 0)) if isinstance(event, yaml.AliasEvent) else (1, 0)
        number += size
        if isinstance(event, yaml.CollectionStartEvent):
            begun.append((event.anchor, number, 0))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before, below = begun.pop()
            levels = below + 1
            known[anchor] = number - before, levels
        anchor, before, below = begun.pop()
        begun.append((anchor, before, max(below, levels)))
        if len(begun) + levels > _DEEPEST + 1 or number > _MOST_VALUES:
            raise ConfigError(
                name,
                "this is nested too deeply, or too large with all that aliases (*) repeat",
                f"Write at most {_DEEPEST} levels and {_MOST_VALUES} values",
            )
