"""Copies of files and generated parts within a page.

`<!-- shows: path -->` or `<!-- shows: path:section -->` stands before the copy of a file, `<!-- shown -->` behind it. The copy is a code
block if there was one. A section goes from a line with `[start:section]` to one with `[end:section]`. `<!-- shows: made:name -->` stands
before a part that the generator makes.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
_SHOWN = re.compile(
    r"^(?P<indent> *)<!-- shows: (?P<path>[^:\s]+)(?::(?P<section>\w+))? -->\n(?P<body>.*?)^(?P=indent)<!-- shown -->$",
    re.DOTALL | re.MULTILINE,
)


def refreshed(text: str, made: Mapping[str, str]) -> str:
    """A page with new copies.

    :param made: name of a generated part to its text.
    """

    def fresh(match: re.Match[str]) -> str:
        path, section = match["path"], match["section"]
        new = made[section] if path == "made" else _section((ROOT / path).read_text(), section)
        fence = re.match(r"\s*(```[^\n]*)\n", match["body"])
        if fence:
            new = f"{fence[1]}\n{new.strip()}\n```"
        first = match[0].partition("\n")[0].strip()
        return textwrap.indent(f"{first}\n\n{new.strip()}\n\n<!-- shown -->", match["indent"])

    return _SHOWN.sub(fresh, text)


def named(text: str) -> list[str]:
    """The files that a page shows; `made` for a generated part."""
    return [match["path"] for match in _SHOWN.finditer(text)]


def without(text: str) -> str:
    """A page without its copies."""
    return _SHOWN.sub("", text)


def _section(text: str, section: str | None) -> str:
    if section is None:
        return text
    lines = text.partition(f"[start:{section}]\n")[2].partition(f"[end:{section}]")[0]
    return textwrap.dedent(lines.rpartition("\n")[0])
