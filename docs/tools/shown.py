"""Copies of files and generated parts within a page.

`<!-- path -->` or `<!-- path:section -->` stands before a code block that is a copy of a file, or of its lines between `[start:section]`
and `[end:section]`. `<!-- made: name -->` and `<!-- end -->` stand around a part that the generator makes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FILE = re.compile(
    r"^(?P<head>(?P<indent> *)<!-- (?P<path>[\w./-]+/[\w.-]+)(?::(?P<section>\w+))? -->\n\s*```\w+\n)(?P<body>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_MADE = re.compile(r"^<!-- made: (?P<name>\w+) -->\n.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)


def refreshed(text: str, made: Mapping[str, str]) -> str:
    """A page with new copies.

    :param made: name of a generated part to its text.
    """
    text = _MADE.sub(lambda found: f"<!-- made: {found['name']} -->\n\n{made[found['name']]}\n\n<!-- end -->", text)
    return _FILE.sub(
        lambda found: found["head"] + textwrap.indent(_body(found), found["indent"]) + f"\n{found['indent']}```", text
    )


def named(text: str) -> list[str]:
    """The files that a page shows."""
    return [found["path"] for found in _FILE.finditer(text)]


def without(text: str) -> str:
    """A page without its copies."""
    return _FILE.sub("", text)


def _body(found: re.Match[str]) -> str:
    text = (ROOT / found["path"]).read_text()
    if found["section"]:
        lines = text.partition(f"[start:{found['section']}]\n")[2].partition(f"[end:{found['section']}]")[0]
        text = textwrap.dedent(lines.rpartition("\n")[0])
    return text.strip("\n")
