"""YAML whose scalars are all text, to which pydantic gives types: an unquoted public key (0x...) is no number, `no` is not false, and 20:30 is not
1230. Only `null`, `~` and nothing without quotes are None.
"""

import re
from functools import cache
from typing import Any

import yaml

from staking_gateway.errors import ConfigError

Place = tuple[str | int, ...]
"""Keys and indexes that lead to a value."""
Mistakes = dict[Place, tuple[str, str]]
"""Problem and remedy of what may not stand at a place."""

_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # the C parser is part of every PyYAML wheel
_TAGS = tuple(f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map"))
_NOTHING = ("", "~", "null", "Null", "NULL")
_DEEPEST = 20
_MOST_PARTS = 2_000_000
_QUOTED = re.compile(r"['\"].{4,}['\"]")
"""What the parser quotes from the file, e.g. a password. Single characters and marks stay."""


class Plain(str):
    """A text without quotes in the file."""

    __slots__ = ()


def read_yaml(text: str, name: str) -> tuple[Any, Mistakes]:
    """Mappings (with text keys), lists, texts and None of one YAML document, and its mistakes, each with None in its place. ConfigError about its name:
    the text is not YAML, is nested too deeply, or repeats itself too often by aliases.
    """
    reader, depth = _Reader(), 0
    try:
        for event in yaml.parse(text, Loader=_BASE):  # `compose` would overflow its stack, and not notice
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            reader.count(event, depth)
        root = yaml.compose(text, Loader=_BASE)
        return None if root is None else reader.value(root, ()), reader.mistakes
    except yaml.YAMLError as error:
        problem = f"not YAML: {_QUOTED.sub('...', _reason(error))}"
        raise ConfigError(name, problem, "Correct a line that is named here, or the one before it") from None


def _reason(error: yaml.YAMLError) -> str:
    """Where the part began that the parser could not end, and where it stopped; without the line that its text may quote."""
    if not isinstance(error, yaml.MarkedYAMLError):
        return str(error).partition("\n")[0]
    told = ((error.context, error.context_mark), (error.problem, error.problem_mark))
    return ", ".join(f"{words} at line {at.line + 1}, column {at.column + 1}" for words, at in told if words and at)


class _Reader:
    """Makes values of nodes, each alias anew. Notes keys that are written twice, keys that are no text, and tags."""

    def __init__(self) -> None:
        self.mistakes: Mistakes = {}
        self._parts = 0
        self._plain = cache(Plain)  # each text once: aliases may repeat a long one very often

    def count(self, part: Any, depth: int) -> None:
        self._parts += 1
        if depth > _DEEPEST or self._parts > _MOST_PARTS:
            problem = f"nested too deeply, more than {_DEEPEST} times, or too large with all that aliases (*) repeat"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=part.start_mark)

    def value(self, node: Any, place: Place) -> Any:
        self.count(node, len(place))
        if node.tag not in _TAGS:
            self.mistakes[place] = (f"line {node.start_mark.line + 1}: a tag (!...) is not read here", "Remove it")
            return None
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(inner, (*place, index)) for index, inner in enumerate(node.value)]
        if node.style:  # quotes, or a block of text
            return node.value
        return None if node.value in _NOTHING else self._plain(node.value)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        built: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            line, key = key_node.start_mark.line + 1, key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                key = f"key of line {line}"
                self.mistakes[*place, key] = ("a key must be one word", "Write `name: value`")
                built[key] = None
            elif key in lines:
                problem = f"line {line}: this key is written already on line {lines[key]}"
                self.mistakes[*place, key] = (problem, "Keep one of the two")
                built[key] = None
            else:
                lines[key], built[key] = line, self.value(value_node, (*place, key))
        return built
