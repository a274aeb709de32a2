"""docker-compose.yml as data, with the defaults of .env in place."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"\$\{(\w+)(?::(-|\?)([^}]*))?\}")
TEXT = (ROOT / "docker-compose.yml").read_text()
DEFAULTS = {match[1]: match[3] if match[2] == "-" else "" for match in VARIABLE.finditer(TEXT) if match[2]}
"""Settings of .env and the default of each."""
COMPOSITION = yaml.safe_load(VARIABLE.sub(lambda match: {**DEFAULTS, "SECRETS_FOLDER": "./secrets"}[match[1]], TEXT))
SERVICES = COMPOSITION["services"]
LASTING = {name: service for name, service in SERVICES.items() if service["restart"] != "no"}
"""Services that run until they are stopped; the others do something and end."""


def secrets_of(service):
    """Names of the secrets a service is given."""
    return {secret if isinstance(secret, str) else secret["source"] for secret in service.get("secrets", [])}
