"""The simulated network the client is tried against, and how a conversation with it went."""

import json
from datetime import datetime, timezone

from staking_gateway.signing import LocalSigner
from staking_gateway_simulator.settings import SimulatorSettings

ALICE, BOB, DAVE = (LocalSigner(uri) for uri in ("//Alice", "//Bob", "//Dave"))
USER, PAYER, RELAYER = ALICE.account, DAVE.account, BOB.account
IDLE = "0x0001" + "00" * 30
"""A public key whose account does not stake, by the simulator's rule: its second byte is odd."""
ACTIVE_ERA = 30
METHOD = "proxyPayoutstakers"


def settings(**changed):
    """A chain at the start of the active era, with three eras to pay, whose clock moves when told."""
    start = datetime(2026, 1, 1, 0, 10, tzinfo=timezone.utc)
    return SimulatorSettings(**{"manual_clock": True, "start_time": start, "unpaid_eras": 3, **changed})


def values(client, simulator, *calls):
    """What functions of the client answered; none of them may fail."""
    told = client.run("ask", {"gateway": simulator.url, "options": {"suri": "//Alice"}, "calls": calls})
    assert all("value" in answer for answer in told["answers"]), told
    return [answer["value"] for answer in told["answers"]]


def request_payouts(client, simulator, *eras, method=METHOD, suri="//Dave", **options):
    """Let the client's own request machinery pay: what each call answered, and all that went over the wire."""
    given = {"options": {"suri": suri, **options}, "relayer": RELAYER.address, "method": method, "eras": eras}
    told = client.run("request_payouts", {"gateway": simulator.url, **given})
    return told["answers"], told["heard"]


def sent(heard, path):
    """The requests that went to one door."""
    return [json.loads(call["sent"]) for call in heard if call["path"] == path]
