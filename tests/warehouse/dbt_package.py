"""The dbt package of `examples/dbt` with the dbt that `make warehouse` installs."""

import json
import os
import shutil
import subprocess

from tests.warehouse.books import ROOT

DBT = ROOT / ".venv-warehouse" / "bin" / "dbt"


class Package:
    """A copy of the package with one kind of source.

    :param settings: dbt's variables.
    """

    def __init__(self, folder, target, settings, **environment):
        self._settings = settings
        self._folder = folder / "dbt"
        shutil.copytree(ROOT / "examples" / "dbt", self._folder)
        told = {"DBT_TARGET": target, "DBT_SEND_ANONYMOUS_USAGE_STATS": "0", **environment}
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **told}

    def build(self, **settings):
        """The printed text, and dbt's result of each model and test that it ran."""
        words = "build", "--no-use-colors", "--profiles-dir", ".", "--vars", json.dumps({**self._settings, **settings})
        done = subprocess.run(
            [DBT, *words], cwd=self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        results = self._folder / "target" / "run_results.json"
        assert results.is_file(), done.stdout + done.stderr
        found = json.loads(results.read_text())["results"]
        results.unlink()
        return done.stdout, {one["unique_id"].split(".")[2]: one["status"] for one in found}

    def failed(self, **settings):
        """The tests that failed. All models must be built, and all tests must run."""
        printed, states = self.build(**settings)
        assert len(states) == 15, printed
        assert {*states.values()} <= {"success", "pass", "fail"}, printed
        return {name for name, state in states.items() if state == "fail"}
