"""`python -m docs.tools.generate`: write the generated parts of the documentation anew. A test fails while one is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from docs.tools import configuration, offline, parts, registry, shown

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent


def pages() -> dict[Path, str]:
    """Every page and its text, with new parts and new copies of files."""
    made = {**parts.parts(), **configuration.parts()}
    found = {page: shown.refreshed(page.read_text(), made) for page in DOCS.rglob("*.md")}
    runbook = found[DOCS / "runbook.md"] = parts.with_topics(found[DOCS / "runbook.md"])
    found[ROOT / "plugins" / "staking_gateway_provider" / "ui" / "static" / "help.html"] = offline.page(runbook)
    found[ROOT / ".airflow-registry.yaml"] = registry.text()
    return found


def main() -> int:
    """Write the stale files, and print their names."""
    for path, text in pages().items():
        if path.read_text() != text:
            path.write_text(text)
            sys.stdout.write(f"written: {path.relative_to(ROOT)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
