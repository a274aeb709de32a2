"""The published packages these tests stand on: a program that runs real runtimes, a real runtime, and real metadata."""

import json

from tests.support.npm import MODULES


def westend_specification():
    """The first Westend runtime and its genesis, in the form chopsticks reads."""
    published = json.loads((MODULES / "@substrate/connect/dist/specs/westend.json").read_text())
    raw = published["genesis"]["raw"]
    top = raw[0] if isinstance(raw, list) else raw["top"]
    return {
        "id": published["id"],
        "name": published["name"],
        "properties": {"ss58Format": 42, "tokenDecimals": 12, "tokenSymbol": "WND"},
        "genesis": {"raw": {"top": dict(sorted(top.items()))}},
    }


def published_metadata(version, chain):
    """Metadata of a chain as its node told it, 0x hex; without the wrapping that asking for version 15 by name adds."""
    told = (_metadata_folder(version) / f"{chain}-hex.js").read_text().split("'")[1]
    return "0x" + told[told.index("6d657461") :]


def published_pallets(version, chain):
    """The pallets of that metadata, as JSON."""
    whole = json.loads((_metadata_folder(version) / f"{chain}-json.json").read_text())
    told = whole["metadata"][version]
    return told.get("pallets") or told["modules"]


def _metadata_folder(version):
    return MODULES / "@polkadot/types-support/metadata" / version
