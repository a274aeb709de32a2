"""The built wheel in a plain Airflow, outside the checkout and without any file of it: is it all there, and does it pay an era?"""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

from release.programs import DISTRIBUTION, ROOT, ReleaseFailed, finished, plain_environment, run

if TYPE_CHECKING:
    from pathlib import Path

_CONNECTION_TYPES = {"staking_gateway", "staking_signer", "substrate"}
_NETWORK = "devnet"
_README_DAG = "pay_my_network"
_WHERE = """
import json, sys
from pathlib import Path
import staking_gateway, staking_gateway_provider
homes = [str(Path(package.__file__).parent) for package in (staking_gateway, staking_gateway_provider)]
print(json.dumps({"homes": homes, "path": sys.path, "version": staking_gateway.__version__}))
"""
_TYPES = """
import json
from airflow.providers_manager import ProvidersManager
print(json.dumps(sorted(kind for kind in ProvidersManager().hooks)))
"""
_PARSE = """
import json, sys
from pathlib import Path
import staking_gateway_provider
from airflow.dag_processing.dagbag import DagBag
folder = sys.argv[1] or Path(staking_gateway_provider.__file__).parent / "example_dags"
bags = [DagBag(dag_folder=file) for file in sorted(Path(folder).glob("*.py")) if file.name != "__init__.py"]
print(json.dumps({
    "dags": sorted(dag_id for bag in bags for dag_id in bag.dags),
    "errors": [error for bag in bags for error in bag.import_errors.items()],
    "warnings": [str(one) for bag in bags for found in bag.captured_warnings.values() for one in found],
}))
"""
# In one process, so that the era is over, paid and told of while the simulator lives.
_PAY = """
import json, os, subprocess, sys
from staking_gateway_simulator.running import RunningSimulator
from staking_gateway_simulator.settings import SimulatorSettings

dag_id, airflow = sys.argv[1:3]
with RunningSimulator(SimulatorSettings(era_length=3600.0, window=0.0, confirm_seconds=0.2)) as simulator:
    era = simulator.control.state()["active_era"] - 1
    gateway = {"conn_type": "staking_gateway", "host": simulator.url, "password": simulator.token}
    environment = {**os.environ, "AIRFLOW_CONN_STAKING_GATEWAY_DEFAULT": json.dumps(gateway)}
    done = subprocess.run([airflow, "dags", "test", dag_id], env=environment, capture_output=True, text=True)
    paid = [payout["era"] for payout in simulator.control.truth()["payouts"]]
print(json.dumps({"status": done.returncode, "era": era, "paid": paid, "said": (done.stdout + done.stderr)[-3000:]}))
"""
_CONFIG = """networks:
  devnet:
    relayer: 5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty
    user: 5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY
    payer: 5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y
    calendar:
      era_length: 1h
      anchors:
        - {era: 0, start: "2026-01-01T00:00:00Z"}
    accounts:
      - 5GNJqTPyNqANBkUVMN1LPPrxXnFouWXoe2wNSmmEoLctxiZY
"""
_KEYS = {
    "USER": {"login": "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY", "password": "//Alice"},
    "PAYER": {"login": "5FLSigC9HGRKVhB9FiEo4Y3koPsNmBmLJbpXg2mp1hXcS59Y", "password": "//Charlie"},
}
"""Published development keys; the simulator's genesis gives them their funds."""


class Elsewhere:
    """A plain Airflow with the wheel.

    :param python: the environment's interpreter.
    :param home: an empty folder, outside the checkout.
    """

    def __init__(self, python: Path, home: Path) -> None:
        self._python = python
        self._airflow = python.with_name("airflow")
        self._home = home
        self._dags = home / "dags"
        self._dags.mkdir(parents=True)
        (home / "staking.yaml").write_text(_CONFIG)
        (self._dags / f"{_README_DAG}.py").write_text(readme_dag())
        self._env = plain_environment(
            PATH=f"{python.parent}:{plain_environment()['PATH']}",
            AIRFLOW_HOME=str(home),
            AIRFLOW__CORE__DAGS_FOLDER=str(self._dags),
            AIRFLOW__CORE__LOAD_EXAMPLES="False",
            STAKING_GATEWAY_CONFIG=str(home / "staking.yaml"),
            **{
                f"AIRFLOW_CONN_STAKING_SIGNER_{role}": json.dumps({"conn_type": "staking_signer", **key})
                for role, key in _KEYS.items()
            },
        )

    def check(self) -> list[str]:
        """Everything; what was seen, one line each.

        :raises ReleaseFailed: something is missing or does not work.
        """
        return [
            self._comes_from_the_wheel(),
            self._is_a_provider(),
            self._brings_connection_types(),
            self._brings_commands(),
            self._parses(
                "",
                [
                    "staking_eras_devnet",
                    "staking_events_devnet",
                    "staking_export_devnet",
                    "staking_prune_devnet",
                    "staking_quality_devnet",
                ],
                "the shipped example DAGs",
            ),
            self._parses(str(self._dags), [_README_DAG], "the DAG of the README"),
            self._pays(_README_DAG),
            self._pays_with_the_shipped_example(),
        ]

    def _comes_from_the_wheel(self) -> str:
        told = self._json(_WHERE)
        inside = str(self._python.parent.parent)
        lost = [path for path in [*told["homes"], *told["path"]] if path and str(ROOT) in path and inside not in path]
        if lost or not all(home.startswith(inside) for home in told["homes"]):
            raise ReleaseFailed(f"The packages do not come from the wheel: {told}")
        return f"the packages of version {told['version']} come from the wheel alone"

    def _is_a_provider(self) -> str:
        listed = json.loads(self._run(self._airflow, "providers", "list", "--output", "json"))
        if DISTRIBUTION not in [provider["package_name"] for provider in listed]:
            raise ReleaseFailed(f"`airflow providers list` does not show {DISTRIBUTION}: {listed}")
        return "airflow providers list shows it"

    def _brings_connection_types(self) -> str:
        missing = _CONNECTION_TYPES - set(self._json(_TYPES))
        if missing:
            raise ReleaseFailed(f"Airflow does not know the connection types {', '.join(sorted(missing))}")
        return f"connection types: {', '.join(sorted(_CONNECTION_TYPES))}"

    def _brings_commands(self) -> str:
        shown = self._run(self._airflow, "staking", "--help")
        commands = re.findall(r"^    ([a-z-]+) ", shown, re.MULTILINE)
        if not {"doctor", "eras", "ledger", "plan", "status"} <= set(commands):
            raise ReleaseFailed(f"`airflow staking --help` lacks commands:\n{shown}")
        return f"airflow staking: {', '.join(commands)}"

    def _parses(self, folder: str, expected: list[str], what: str) -> str:
        told = self._json(_PARSE, folder)
        if told != {"dags": expected, "errors": [], "warnings": []}:
            raise ReleaseFailed(f"{what}: expected {expected}, without errors and warnings, but found {told}")
        return f"{what}: {', '.join(expected)}"

    def _pays(self, dag_id: str) -> str:
        self._run(self._airflow, "db", "migrate")
        told = self._json(_PAY, dag_id, str(self._airflow))
        if told["status"] or told["paid"] != [told["era"]]:
            raise ReleaseFailed(
                f"`airflow dags test {dag_id}` did not pay its era exactly once:\n{told['said']}\n{told}"
            )
        return f"airflow dags test {dag_id}: era {told['era']} is paid exactly once"

    def _pays_with_the_shipped_example(self) -> str:
        """A user copies an example into the DAGs folder."""
        code = "import staking_gateway_provider.example_dags.example_staking_events as example; print(example.__file__)"
        shutil.copy(self._run(self._python, "-c", code).split()[-1], self._dags)
        # Another simulator is another chain. Airflow knows the identity of its ledger, so both are new.
        for name in ("staking_ledger.db", "airflow.db"):
            (self._home / name).unlink()
        return self._pays(f"staking_events_{_NETWORK}")

    def _run(self, *command: object) -> str:
        return run(command, cwd=self._home, env=self._env)

    def _json(self, code: str, *arguments: str) -> Any:
        done = finished([self._python, "-c", code, *arguments], cwd=self._home, env=self._env)
        if done.returncode:
            raise ReleaseFailed(f"Outside the checkout this fails:\n{code}\n{(done.stdout + done.stderr)[-3000:]}")
        return json.loads(done.stdout.splitlines()[-1])


def readme_dag() -> str:
    """The DAG the README shows."""
    (found,) = re.findall(r"```python\n(from datetime import.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    text: str = found
    return text
