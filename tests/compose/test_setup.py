"""setup.sh, with programs that do nothing in place of Python's and uv's: when it makes .venv anew."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
from composition import ROOT
from engine import run

MAKES = """#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then
    if [ "$3" = --clear ]; then rm -rf .venv; fi
    mkdir -p .venv/bin
    printf '#!/bin/sh\\n' > .venv/bin/python
    printf '#!/bin/sh\\necho uv 1.0\\n' > .venv/bin/uv
    chmod +x .venv/bin/*
else
    exec {python} "$@"
fi
"""
"""A Python whose venv is ready at once."""


@pytest.fixture
def folder(tmp_path):
    """A checkout, as far as setup.sh reads it."""
    shutil.copy(ROOT / "setup.sh", tmp_path)
    (tmp_path / "requirements.lock").write_text("uv==1.0 \\\n    --hash=sha256:00\n")
    program(tmp_path / "python", MAKES.format(python=sys.executable))
    return tmp_path


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def set_up(folder):
    told = run("./setup.sh", cwd=folder, env={**os.environ, "PYTHON": str(folder / "python")}).stdout
    assert "setup: ready" in told
    assert (folder / ".venv" / "ready").exists()


def test_where_there_is_no_venv_one_is_made(folder):
    set_up(folder)


@pytest.mark.parametrize("pip", ["echo No module named pip >&2; exit 1", "exec /nowhere/python"])
def test_a_venv_that_was_not_finished_is_made_anew(folder, pip):
    program(folder / ".venv/bin/python", f"#!/bin/sh\n{pip}\n")
    (folder / ".venv" / "half").touch()
    set_up(folder)
    assert not (folder / ".venv" / "half").exists()


def test_a_venv_that_was_finished_stays(folder):
    set_up(folder)
    (folder / ".venv" / "installed").touch()
    set_up(folder)
    assert (folder / ".venv" / "installed").exists()
