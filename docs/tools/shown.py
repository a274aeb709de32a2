"""What a page shows of a file stands on the page itself, so that it can be read anywhere; `make pages` puts it there anew.

Between `<!-- shows: path -->` or `<!-- shows: path:section -->` and `<!-- shown -->` stands the file, in a code block if there is one.
A section of a file goes from a line with `[start:section]` to one with `[end:section]`.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_SHOWN = re.compile(
    r"^(?P<indent> *)<!-- shows: (?P<path>[^:\s]+)(?::(?P<section>\w+))? -->\n(?P<body>.*?)^(?P=indent)<!-- shown -->$",
    re.DOTALL | re.MULTILINE,
)
_NOTE = re.compile(r"\A<!-- .*? -->\n+")


def refreshed(text: str) -> str:
    """A page with what it shows as the files are now.

    :raises FileNotFoundError: a file is gone.
    :raises LookupError: a section is.
    """
    return _SHOWN.sub(_fresh, text)


def named(text: str) -> list[str]:
    """The files a page shows."""
    return [match["path"] for match in _SHOWN.finditer(text)]


def without(text: str) -> str:
    """A page less what it shows."""
    return _SHOWN.sub("", text)


def _fresh(match: re.Match[str]) -> str:
    shown = _NOTE.sub("", _section((ROOT / match["path"]).read_text(), match["section"], match["path"])).strip("\n")
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
