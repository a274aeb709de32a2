"""Links of the published package, made of two addresses: PACKAGE_REPOSITORY and PACKAGE_DOCUMENTATION.

Without PACKAGE_REPOSITORY the README shows its links to files as plain text: a package index has none of these files.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface


class PublishedMetadata(MetadataHookInterface):
    """Fills `readme` and `urls` of `[project]`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both. In an unpacked source distribution, PKG-INFO already has them."""
        root = Path(self.root)
        if (root / "PKG-INFO").is_file():
            metadata.setdefault("urls", {})
            return
        repository, site = address("PACKAGE_REPOSITORY"), address("PACKAGE_DOCUMENTATION")
        text = with_whole_addresses((root / "README.md").read_text(encoding="utf-8"), repository, metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = project_urls(repository, site)


def address(variable: str) -> str | None:
    """The https address in an environment variable, without a slash at its end; None when the variable is empty or not set.

    :raises ValueError: the address has another scheme, or more than a host and a path.
    """
    given = os.environ.get(variable, "").rstrip("/")
    parts = urlsplit(given)
    if given and (
        parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment
    ):
        raise ValueError(f"{variable} is no plain https address. Write one such as https://github.com/owner/name")
    return given or None


def project_urls(repository: str | None, site: str | None) -> dict[str, str]:
    """The project URLs that an index shows beside the description."""
    urls = {"Documentation": site} if site else {}
    if repository:
        changes = f"{repository}/blob/main/CHANGELOG.md"
        urls |= {"Repository": repository, "Changelog": changes, "Issues": f"{repository}/issues"}
    return urls


def with_whole_addresses(text: str, repository: str | None, version: str) -> str:
    """The README with links to the files at the tag of a version; without a repository, with plain text instead."""
    link = re.compile(r"\[([^\]]+)\]\((?!\w+://)([^)\s]+)\)")
    if repository is None:
        return link.sub(r"\1", re.sub(r"<picture>.*?</picture>\n*", "", text, flags=re.DOTALL))
    text = re.sub(r'\b(src|srcset)="([^"]+)"', rf'\1="{repository}/raw/v{version}/\2"', text)
    return link.sub(rf"[\1]({repository}/blob/v{version}/\2)", text)
