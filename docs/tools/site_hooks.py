"""Changes that MkDocs makes to the site: the version beside its name, diagrams in the page's colours, decisions last in the search."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_DIAGRAM = re.compile(r'<img [^>]*src="[^"]*assets/(\w+)\.svg"[^>]*>')


def on_config(config: Any) -> Any:
    """Put the version of `pyproject.toml` behind the site's name, and at the foot of each page: a phone cuts the name."""
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if version is None:
        raise LookupError("pyproject.toml has no version")
    config.site_name += f" {version[1]}"
    config.copyright = f"Version {version[1]}"
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rank the records of decisions below all other pages."""
    if page.file.src_uri.startswith("decisions/"):
        page.meta["search"] = {"boost": 0.1}
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """Put each diagram into its page: an image file cannot know which colours the reader has chosen."""
    return _DIAGRAM.sub(lambda match: (ROOT / "docs" / "assets" / f"{match[1]}.svg").read_text().strip(), html)
