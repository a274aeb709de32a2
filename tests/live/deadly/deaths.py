"""Processes that die where a test says so.

A file `<era> <point>.armed` in KILLS_FOLDER is a death to come: "before", "inside" or "after" a write of the ledger ("inside": the
rows are changed, the transaction not yet committed), or before the first byte of a send, or after its answer. The process that
reaches the point first renames the file, so that only it dies, and kills itself with SIGKILL: nothing is cleaned up.

The writes: "plan"; "sign", a copy with its first send; "send", a further send of a copy; "answer", what a send brought; "passed",
the first look at a passed staking nonce; and any other by the state that it leads to.
"""

import contextlib
import os
import signal
from pathlib import Path

_FOLDER = Path(os.environ["KILLS_FOLDER"])


def die_at(era, point):
    """Die, if this is the place."""
    with contextlib.suppress(FileNotFoundError):
        (_FOLDER / f"{era} {point}.armed").rename(_FOLDER / f"{era} {point}.fired")
        os.kill(os.getpid(), signal.SIGKILL)


def arm_ledger(module):
    """Let the writes of a ledger die."""
    import sqlalchemy as sa

    ledger, writing = module.Ledger, []

    def deadly(write, name_of, era_of):
        def deadly_write(self, *args, **options):
            era, name = era_of(*args), name_of(*args, **options)
            die_at(era, f"before {name}")
            writing.append((era, name))
            try:
                written = write(self, *args, **options)
            finally:
                writing.pop()
            die_at(era, f"after {name}")
            return written

        return deadly_write

    def before_the_event(connection, cursor, statement, *_):
        if writing and statement.startswith("INSERT INTO payout_events"):
            era, name = writing[-1]
            die_at(era, f"inside {name}")

    for method, name in (("sign", "sign"), ("count_send", "send"), ("answer", "answer")):
        write = deadly(getattr(ledger, method), lambda *_, name=name, **__: name, lambda payout, *_: payout.era)
        setattr(ledger, method, write)
    ledger.plan = deadly(ledger.plan, lambda *_, **__: "plan", lambda network, era, *_: era)
    ledger.transition = deadly(ledger.transition, _name_of, lambda payout, *_: payout.era)
    sa.event.listen(sa.Engine, "before_cursor_execute", before_the_event)


def _name_of(payout, to_state, *_, sightings=(), **__):
    passed = any(seen.kind.value == "passed" for seen in sightings)
    return "passed" if passed and not to_state.settled else to_state.value


def arm_client(module):
    """Let the client die on both sides of a send."""
    send = module.GatewayClient.payout_stakers

    def deadly_send(self, **fields):
        die_at(fields["era"], "before the first byte")
        request_id = send(self, **fields)
        die_at(fields["era"], "after the answer")
        return request_id

    module.GatewayClient.payout_stakers = deadly_send
