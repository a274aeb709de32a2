"""`make pages` copies the files that a page shows into the page.

`<!-- shows: path -->` or `<!-- shows: path:section -->` stands before the copy, `<!-- shown -->` behind it. The copy is a code block if
there was one. A section of a file goes from a line with `[start:section]` to a line with `[end:section]`. `<!-- shows: made:name -->`
shows a table that the generator makes.
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
_NOTE = re.compile(r"\A<!-- .*? -->\n+")


def refreshed(text: str, made: Mapping[str, str] | None = None) -> str:
    """A page with new copies.

    :param made: name of a table to its text; None leaves all tables as they are.
    :raises FileNotFoundError: a file is gone.
    :raises LookupError: a section or a table is gone.
    """

    def fresh(match: re.Match[str]) -> str:
        if match["path"] != "made":
            return _fresh(match, _section((ROOT / match["path"]).read_text(), match["section"], match["path"]))
        return match[0] if made is None else _fresh(match, made[match["section"]])

    return _SHOWN.sub(fresh, text)


def named(text: str) -> list[str]:
    """The files that a page shows; `made` for a table of the generator."""
    return [match["path"] for match in _SHOWN.finditer(text)]


def without(text: str) -> str:
    """A page without its copies."""
    return _SHOWN.sub("", text)


def _fresh(match: re.Match[str], text: str) -> str:
    shown = _NOTE.sub("", text).strip("\n")
    fence = re.match(r"\s*(```[^\n]*)\n", match["body"])
    if fence:
        shown = f"{fence[1]}\n{shown}\n```"
    name = f"{match['path']}:{match['section']}" if match["section"] else match["path"]
    return textwrap.indent(f"<!-- shows: {name} -->\n\n{shown}\n\n<!-- shown -->", match["indent"])


def _section(text: str, section: str | None, path: str) -> str:
    if section is None:
        return text
    found = re.search(rf"^[^\n]*\[start:{section}\]\n(.*?)^[^\n]*\[end:{section}\]", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise LookupError(f"{path} has no section {section!r}")
    return textwrap.dedent(found[1])
