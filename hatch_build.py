"""What a package says about where it is published: its project URLs, and the README with whole addresses.

PACKAGE_REPOSITORY       the repository, e.g. https://github.com/owner/name
PACKAGE_DOCUMENTATION    the site that `make docs` builds

Without them the package names no address, and the README shows its links to files as plain text: on a package index those links
would lead nowhere, and an invented address could belong to anybody.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hatchling.metadata.plugin.interface import MetadataHookInterface

REPOSITORY, DOCUMENTATION = "PACKAGE_REPOSITORY", "PACKAGE_DOCUMENTATION"
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_PICTURE = re.compile(r"<picture>.*?</picture>\n*", re.DOTALL)
_IMAGE = re.compile(r'\b(src|srcset)="([^"]+)"')


class PublishedMetadata(MetadataHookInterface):
    """Fills `readme` and `urls` of `[project]`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both, unless this is an unpacked source distribution: its PKG-INFO already has them."""
        root = Path(self.root)
        if (root / "PKG-INFO").is_file():
            metadata.setdefault("urls", {})
            return
        repository, site = address(REPOSITORY), address(DOCUMENTATION)
        text = (root / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_whole_addresses(text, repository, metadata["version"]),
        }
        metadata["urls"] = project_urls(repository, site)


def address(variable: str) -> str | None:
    """The address in an environment variable, without a slash at its end; None when it is empty or not set.

    :raises ValueError: it is not https, or has more than a host and a path.
    """
    given = os.environ.get(variable, "").rstrip("/")
    if not given:
        return None
    parts = urlsplit(given)
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"{variable} is no plain https address. Write one such as https://github.com/owner/name")
    return given


def project_urls(repository: str | None, site: str | None) -> dict[str, str]:
    """The project URLs that an index shows beside the description."""
    urls = {"Documentation": site} if site else {}
    if repository:
        urls |= {
            "Repository": repository,
            "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            "Issues": f"{repository}/issues",
        }
    return urls


def with_whole_addresses(text: str, repository: str | None, version: str) -> str:
    """The README for a page that has none of the repository's files beside it.

    :param repository: where the links to files lead, at the tag of the version; None turns them into plain text.
    """

    def link(found: re.Match[str]) -> str:
        words, target = found.groups()
        if "://" in target:
            return found[0]
        return words if repository is None else f"[{words}]({repository}/blob/v{version}/{target})"

    images = _PICTURE.sub("", text) if repository is None else _IMAGE.sub(rf'\1="{repository}/raw/v{version}/\2"', text)
    return _LINK.sub(link, images)
