"""Every Python of a stand imports this at its start: its modules then fail where a test says so, see `deaths` and `storage`."""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder

_ARMED = {}
if "KILLS_FOLDER" in os.environ:
    import deaths

    _ARMED |= {"staking_gateway.ledger.store": deaths.arm_ledger, "staking_gateway.gateway.client": deaths.arm_client}
if "STORAGE_FAULTS" in os.environ:
    import storage

    _ARMED["staking_gateway.ledger.database"] = storage.arm


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
