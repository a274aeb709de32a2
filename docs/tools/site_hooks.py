"""A change that MkDocs makes to the site: diagrams in the page's colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).resolve().parents[1] / "assets"


def on_page_content(html: str, **_: Any) -> str:
    """Put each diagram into its page: an image file cannot know which colours the reader has chosen."""
    image = r'<img [^>]*src="[^"]*assets/(\w+)\.svg"[^>]*>'
    return re.sub(image, lambda found: (ASSETS / f"{found[1]}.svg").read_text().strip(), html)
