"""`python -m docs.tools.generate`: write the generated pages of the documentation anew. A test fails while one is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.tools import assumptions, configuration, connections, offline, rights, shown, views

DOCS = Path(__file__).resolve().parents[1]
NOTE = "<!-- Made by: make pages -->\n\n"
"""First line of a generated page."""


def pages() -> dict[Path, str]:
    """Every page and its text, with new tables and new copies of files."""
    made = _made()
    by_hand = [page for page in DOCS.rglob("*.md") if page not in made and "tools" not in page.relative_to(DOCS).parts]
    tables = {**connections.parts(), **views.parts(), "rights": rights.part()}
    return {**made, **{page: shown.refreshed(page.read_text(), tables) for page in by_hand}}


def _made() -> dict[Path, str]:
    made = {
        DOCS / "configuration.md": configuration.page(),
        DOCS / "assumptions.md": assumptions.page(),
        DOCS.parent / "plugins" / "staking_gateway_provider" / "ui" / "static" / "help.html": offline.page(),
    }
    return {path: NOTE + text.rstrip() + "\n" for path, text in made.items()}


def main() -> int:
    """Write the stale pages, and print their names."""
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            sys.stdout.write(f"written: {path.relative_to(DOCS.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
