"""Fails a build that has installed something requirements.lock does not name, or in another version.

`python only_locked.py LOCK PROJECT` looks at the environment it runs in; PROJECT is the distribution that is built here.
"""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path


def canonical(name: str) -> str:
    """A distribution's name, as PEP 503 spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(text: str) -> set[tuple[str, str]]:
    """Names and versions a lock file allows; a name may have several, for several Pythons."""
    found = re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", text, re.M)
    return {(canonical(name), version) for name, version in found}


def strangers(lock: str, project: str) -> list[str]:
    """What is installed and not locked, as `name==version`."""
    installed = {(canonical(found.metadata["Name"]), found.version) for found in metadata.distributions()}
    foreign = {one for one in installed - locked(lock) if one[0] != canonical(project)}
    return sorted(f"{name}=={version}" for name, version in foreign)


if __name__ == "__main__":
    found = strangers(Path(sys.argv[1]).read_text(), sys.argv[2])
    if found:
        sys.exit(f"Not in {sys.argv[1]}: {', '.join(found)}. Run: make lock")
