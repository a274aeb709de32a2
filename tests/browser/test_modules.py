"""The page's modules without a browser: their linter, and their unit tests in `modules/`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import staking_gateway_provider.ui
import tests.support.airflow_home  # noqa: F401 - Airflow reads it when it is imported
from tests.support import npm

pytestmark = pytest.mark.core
HERE = Path(__file__).parent
STATIC = Path(staking_gateway_provider.ui.__file__).parent / "static"


@pytest.fixture(scope="module")
def packages():
    npm.install()
    return npm.MODULES


def test_the_linter_finds_nothing(packages):
    lint = [str(packages / ".bin" / "biome"), "lint", f"--config-path={HERE / 'lint.json'}"]
    npm.run([*lint, str(STATIC), str(HERE / "modules")])


@pytest.mark.filterwarnings("ignore")  # of Airflow's own imports
def test_the_modules_keep_their_rules(packages, tmp_path):
    """They run beside the page's modules, as the server serves them."""
    from staking_gateway_provider.ui.app import states_script

    for source in (*STATIC.glob("*.js"), *(HERE / "modules").glob("*.mjs")):
        shutil.copy(source, tmp_path)
    (tmp_path / "states.js").write_bytes(states_script())
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    (tmp_path / "node_modules").symlink_to(packages)
    npm.run([npm.program("node"), "--test", "--test-reporter=dot"], cwd=tmp_path, timeout=120)
