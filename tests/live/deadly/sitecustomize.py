"""Every Python of the stack imports this at its start, and then dies where a test says so.

A file `<era> <point>.armed` in KILLS_FOLDER is a death to come: "before", "inside" or "after" a write of the ledger, named by the
state it leads to ("inside": the row is changed, the transaction not yet committed), or before or after the send. The process
that reaches the point first renames the file, so that only it dies, and kills itself with SIGKILL: nothing is cleaned up.
"""

import contextlib
import os
import signal
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path

_FOLDER = Path(os.environ["KILLS_FOLDER"])


def die_at(era, point):
    """Die, if this is the place."""
    with contextlib.suppress(FileNotFoundError):
        (_FOLDER / f"{era} {point}.armed").rename(_FOLDER / f"{era} {point}.fired")
        os.kill(os.getpid(), signal.SIGKILL)


def _arm_ledger(module):
    import sqlalchemy as sa

    plan, transition = module.Ledger.plan, module.Ledger.transition
    writing = []

    def write(era, state, call):
        die_at(era, f"before {state}")
        writing.append((era, state))
        try:
            written = call()
        finally:
            writing.pop()
        die_at(era, f"after {state}")
        return written

    def deadly_plan(self, network, era, part, **accounts):
        return write(era, "PLANNED", lambda: plan(self, network, era, part, **accounts))

    def deadly_transition(self, payout, to_state, *rest, **changes):
        return write(payout.era, to_state.value, lambda: transition(self, payout, to_state, *rest, **changes))

    def before_the_event(connection, cursor, statement, *_):
        if writing and statement.startswith("INSERT INTO payout_events"):
            era, state = writing[-1]
            die_at(era, f"inside {state}")

    module.Ledger.plan, module.Ledger.transition = deadly_plan, deadly_transition
    sa.event.listen(sa.Engine, "before_cursor_execute", before_the_event)


def _arm_client(module):
    send = module.GatewayClient.payout_stakers

    def deadly_send(self, **fields):
        die_at(fields["era"], "before send")
        request_id = send(self, **fields)
        die_at(fields["era"], "after send")
        return request_id

    module.GatewayClient.payout_stakers = deadly_send


_ARMED = {"staking_gateway.ledger.store": _arm_ledger, "staking_gateway.gateway.client": _arm_client}


class _Arming(MetaPathFinder):
    """Arms the modules when they are imported, and not before: most of Airflow's processes never import them."""

    def find_spec(self, name, path, target=None):
        arm = _ARMED.get(name)
        if arm is None:
            return None
        spec = PathFinder.find_spec(name, path)
        execute = spec.loader.exec_module

        def execute_and_arm(module):
            execute(module)
            arm(module)

        spec.loader.exec_module = execute_and_arm
        return spec


sys.meta_path.insert(0, _Arming())
