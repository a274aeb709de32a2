"""CSV for the page and for exports. A spreadsheet runs no cell of it as a formula."""

from __future__ import annotations

import csv
import re
from datetime import datetime
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNSEEN = r"\s\x00-\x20\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\"'"
"""Blanks, control and format characters, and quotation marks: a spreadsheet may skip them."""
_ENDS = r";|\t\n\x0b\x0c\r\x1c-\x1f\x85\u2028\u2029"
"""Characters that some spreadsheets take for the end of a cell or of a line. A comma is none: cells with commas are quoted."""
_FORMULA = re.compile(rf"(^|[{_ENDS}])(?=[{_UNSEEN}]*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])")
"""Where a formula may begin. The last four characters are the wide forms of the first four."""


def write_rows(stream: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Write rows to a file or a text in memory."""
    csv.writer(stream, lineterminator="\n").writerows([cell(value) for value in row] for row in rows)


def cell(value: object) -> str:
    """A value as text. An apostrophe before a formula makes the formula a text (OWASP, CSV injection)."""
    return _FORMULA.sub(r"\1'", spelt(value))


def spelt(value: object) -> str:
    """A value as text, the same in every export: nothing for None, ISO 8601 for a time."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(getattr(value, "value", value))
