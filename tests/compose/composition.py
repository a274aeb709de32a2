"""docker-compose.yml as data, with the defaults of .env in place."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"\$\{(\w+)(?::(-|\?)([^}]*))?\}")
TEXT = (ROOT / "docker-compose.yml").read_text()


def composition():
    """The file, its anchors and variables resolved; SECRETS_FOLDER is ./secrets."""

    def value(match):
        return "./secrets" if match[1] == "SECRETS_FOLDER" else match[3]

    return yaml.safe_load(VARIABLE.sub(value, TEXT))


SERVICES = composition()["services"]
LASTING = {name: service for name, service in SERVICES.items() if service["restart"] != "no"}
"""Services that run until they are stopped; the others do something and end."""


def secrets_of(service):
    """Names of the secrets a service is given."""
    return {secret if isinstance(secret, str) else secret["source"] for secret in service.get("secrets", [])}


def ancestors(name):
    """Every service that has started, ended well or become healthy before this one starts."""
    found = set()
    for parent in SERVICES[name].get("depends_on", {}):
        found |= {parent} | ancestors(parent)
    return found


def variables():
    """Settings of the file and the default of each; None where there is none."""
    return {match[1]: match[3] if match[2] == "-" else None for match in VARIABLE.finditer(TEXT) if match[2]}


def example():
    """Settings of .env.example and their values, and the comment each has in front of it."""
    settings, comment = {}, []
    for line in (ROOT / ".env.example").read_text().splitlines():
        if line.startswith("#"):
            comment.append(line[1:].strip())
        elif "=" in line:
            name, _, value = line.partition("=")
            settings[name] = (value, " ".join(comment))
        else:
            comment = []
    return settings
