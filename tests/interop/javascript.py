"""The published JavaScript client of the gateway, installed beside these tests and driven by the scripts in `scripts`."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests.support.npm import FOLDER, program, run

HERE = Path(__file__).parent
_SCRIPT_SECONDS = 60


@dataclass(frozen=True)
class Client:
    """One version of the client, with the polkadot-js it was published with.

    :param version: as the registry names it.
    :param package: its name in `tests/npm`.
    """

    version: str
    package: str

    def run(self, script, given):
        """Run a script: JSON in, JSON out.

        :raises ProgramFailed: the script threw.
        """
        command = [program("node"), str(HERE / "scripts" / f"{script}.js"), str(FOLDER), self.package]
        # No proxy of this machine may stand between the client and the simulator, and no key of its owner be used.
        environment = {"PATH": os.environ["PATH"]}
        return json.loads(run(command, input=json.dumps(given), env=environment, timeout=_SCRIPT_SECONDS))


PAYING = Client("0.8.2", "avn-api")
"""The last line of versions whose fee proof is the one a payout carries."""
NEWEST = Client("5.7.0", "avn-api-newest")
"""Signs its fees in a currency, so it can pay nothing here; what it reads and how it signs in is the same."""
