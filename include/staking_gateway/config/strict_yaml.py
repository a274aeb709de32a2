"""Strict YAML: each mistake is a problem with its place.

The only implicit types are null, true/false and decimal integers; all other values are text. So an unquoted public key (0x...) is no number,
`no` is not false, and 20:30 is not 1230. Tags and duplicate keys are problems.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from staking_gateway.errors import ConfigError
from staking_gateway.text import shown_key

_NULL, _BOOL, _INT, _TEXT, _LIST, _MAPPING = (
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "str", "seq", "map")
)
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,39})\Z")
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS |= {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DEEPEST = 20
_QUOTED = re.compile(r"['\"].{4,}['\"]", re.DOTALL)
"""What the parser quotes from the file, e.g. a password that begins with `*`. Single characters and marks stay."""
_MOST_OPEN = 500
"""Limit of open brackets, and of indicators in a row. The C parser needs quadratic time for thousands, and its stack overflows."""
_BRACKETS = re.compile(r"[\[\]{}]")
_INDICATORS = re.compile(rf"(?:[-?:][ \t]+){{{_MOST_OPEN}}}")

# The C parser is ten times faster, and part of every PyYAML wheel.
_Loader: Any = type("_Loader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {"yaml_implicit_resolvers": {}})
_Loader.add_implicit_resolver(_NULL, re.compile(r"(~|null|Null|NULL|)\Z"), ["", *"~nN"])
_Loader.add_implicit_resolver(_BOOL, re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), [*"tTfF"])
_Loader.add_implicit_resolver(_INT, _INTEGER, [*"-0123456789"])


class Problem(NamedTuple):
    """One mistake in a file.

    :param path: e.g. `networks.devnet.accounts[3].account`.
    :param problem: the mistake; never quotes a secret.
    :param remedy: the correction.
    """

    path: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}. {self.remedy}"


def read_yaml(text: str, name: str) -> tuple[object, list[Problem]]:
    """Read one YAML document; `name` names it in errors.

    :returns: mappings (with text keys), lists, texts, integers, booleans and None; and the problems.
    :raises ConfigError: the text is not YAML; the error names line and column.
    """
    if _is_nested_deeply(text):
        raise ConfigError(name, "lists and mappings are nested too deeply", f"Use at most {_DEEPEST} levels")
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}, line {mark.line + 1}, column {mark.column + 1}" if mark else name
        reason = _QUOTED.sub("...", ", ".join(part for part in (error.context, error.problem) if part))
        raise ConfigError(place, f"not YAML: {reason}", "Correct the line, or the one before it") from None
    except yaml.reader.ReaderError as error:
        line = text.partition(chr(error.character))[0].count("\n") + 1
        problem = f"the character #x{error.character:04x} is not allowed in YAML"
        raise ConfigError(f"{name}, line {line}", problem, "Delete it") from None
    finally:
        loader.dispose()
    builder = _Builder()
    return (None if root is None else builder.build(root, "", 0)), builder.problems


def _is_nested_deeply(text: str) -> bool:
    """Whether the parser must not see a text. Block styles need more spaces for each level, except indicators in a row."""
    depth = 0
    for bracket in _BRACKETS.findall(text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        if depth > _MOST_OPEN:
            return True
    return _INDICATORS.search(text) is not None


class _Builder:
    """Converts nodes to values. An aliased node is converted once, so aliases cannot multiply the file's size."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._built: dict[yaml.Node, object] = {}
        self._mistaken: set[yaml.Node] = set()

    def build(self, node: yaml.Node, path: str, depth: int) -> object:
        """The value of a node. A mistake counts at each path that repeats the node."""
        if node not in self._built:
            self._built[node] = None
            known = len(self.problems)
            self._build(node, path, depth)
            if len(self.problems) > known:
                self._mistaken.add(node)
        elif node in self._mistaken:
            self._problem(node, path, "the part that is repeated here has a mistake", "Correct that part")
        return self._built[node]

    def _build(self, node: yaml.Node, path: str, depth: int) -> None:
        if depth > _DEEPEST:
            self._problem(node, path, "nested too deeply", f"Use at most {_DEEPEST} levels")
        elif isinstance(node, yaml.MappingNode) and node.tag == _MAPPING:
            self._built[node] = self._mapping(node, path, depth)
        elif isinstance(node, yaml.SequenceNode) and node.tag == _LIST:
            self._built[node] = [
                self.build(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(node.value)
            ]
        elif node.tag == _TEXT:
            self._built[node] = node.value
        elif node.tag in (_NULL, _BOOL) and node.value in _WORDS:
            self._built[node] = _WORDS[node.value]
        elif node.tag == _INT and _INTEGER.match(node.value):
            self._built[node] = int(node.value)
        else:
            self._problem(node, path, "a tag (!...) is not read here", "Remove it, or write the value in quotes")

    def _mapping(self, node: yaml.MappingNode, path: str, depth: int) -> dict[str, object]:
        built: dict[str, object] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._problem(key_node, path, "a key must be one word", "Write `name: value`")
                continue
            key = key_node.value
            place = f"{path}.{shown_key(key)}" if path else shown_key(key)
            if key in built:
                self._problem(key_node, place, f"already written on line {lines[key]}", "Keep one of the two")
                continue
            lines[key] = key_node.start_mark.line + 1
            built[key] = self.build(value_node, place, depth + 1)
        return built

    def _problem(self, node: yaml.Node, path: str, problem: str, remedy: str) -> None:
        self.problems.append(Problem(path or "the file", f"line {node.start_mark.line + 1}: {problem}", remedy))
