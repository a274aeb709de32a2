"""RESULTS.md: several programs write it, each its own section, and leave the others as they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COSTS, ERA, GROWTH, SOAK = "costs", "era", "growth", "soak"
_WRITERS = {COSTS: "make bench", ERA: "make bench", GROWTH: "make bench", SOAK: "make soak"}
"""The sections, in their order, and who writes them."""
_SECTION = re.compile(r"<!-- begin (\w+), .*? -->\n(.*?)<!-- end \1 -->\n", re.DOTALL)


def put(path: Path, section: str, text: str) -> None:
    """Write a section into the file, which is made when it is missing.

    :param section: COSTS, ERA, GROWTH or SOAK.
    :param text: Markdown.
    """
    path.write_text(merged(path.read_text() if path.exists() else "", section, text))


def merged(whole: str, section: str, text: str) -> str:
    """The file with one section replaced, or added.

    :param whole: as it is now; what stands outside of all sections was written before there were any, and belongs to COSTS.
    :param section: COSTS, ERA, GROWTH or SOAK.
    """
    found = {match[1]: match[2].strip() for match in _SECTION.finditer(whole)}
    outside = _SECTION.sub("", whole).strip()
    if outside:
        found.setdefault(COSTS, outside)
    found[section] = text.strip()
    return "\n".join(
        f"<!-- begin {name}, written by {writer} -->\n\n{found[name]}\n\n<!-- end {name} -->\n"
        for name, writer in _WRITERS.items()
        if name in found
    )
