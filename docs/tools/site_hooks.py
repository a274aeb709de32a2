"""Changes that MkDocs makes to the site: the version behind its name, and diagrams in the page's colours."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def on_config(config: Any) -> Any:
    """Put the version behind the site's name."""
    config.site_name += f" {tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['version']}"
    return config


def on_page_content(html: str, **_: Any) -> str:
    """Put each diagram into its page: an image file cannot know which colours the reader has chosen."""
    image = r'<img [^>]*src="[^"]*assets/(\w+)\.svg"[^>]*>'
    return re.sub(image, lambda found: (ROOT / "docs" / "assets" / f"{found[1]}.svg").read_text().strip(), html)
