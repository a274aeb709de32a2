"""Docstrings as Markdown. They are written as such already: only their fields (`:param x:`) have to be read."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from typing import Any

_FIELD = re.compile(r":(param|returns|raises|ivar)(?: ([\w.]+))?:\s*(.*)")


@dataclass
class Docstring:
    """A docstring in its parts.

    :param text: all before the first field, paragraphs apart.
    :param params: name to meaning; attributes (`:ivar`) too.
    :param raises: exception to when it is raised.
    """

    text: str
    params: dict[str, str] = field(default_factory=dict)
    raises: dict[str, str] = field(default_factory=dict)
    returns: str = ""

    @property
    def summary(self) -> str:
        """The first paragraph, on one line."""
        return " ".join(self.text.partition("\n\n")[0].split())


def read(thing: Any) -> Docstring:
    """The docstring of a class or a function; its own, not an inherited one."""
    raw = thing.__doc__ or ""
    if inspect.isclass(thing) and "__doc__" not in vars(thing):
        raw = ""
    found = Docstring("")
    text: list[str] = []
    kind, name = "", ""
    for line in inspect.cleandoc(raw).splitlines():
        match = _FIELD.match(line)
        if match:
            kind, name = match[1], match[2] or ""
            _add(found, kind, name, match[3])
        elif kind and line.startswith(" "):
            _add(found, kind, name, line.strip())
        else:
            kind = ""
            text.append(line)
    found.text = "\n".join(text).strip()
    return found


def _add(found: Docstring, kind: str, name: str, text: str) -> None:
    if kind == "returns":
        found.returns = f"{found.returns} {text}".strip()
        return
    place = found.raises if kind == "raises" else found.params
    place[name] = f"{place.get(name, '')} {text}".strip()


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def sentence(text: str) -> str:
    """With a capital at its beginning and a full stop at its end."""
    text = text.strip()
    if not text:
        return text
    beginning = text if text[0] == "`" else text[0].upper() + text[1:]
    return beginning if beginning[-1] in ".!?:" else f"{beginning}."
