"""What the Dockerfile promises, read from the file alone: no engine is needed."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from composition import DEFAULTS, ROOT
from engine import run

BIN = Path(sys.executable).parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
STAGES = re.split(r"(?m)^FROM .*$", DOCKERFILE)[1:]
SCRIPTS = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and path.read_bytes()[:2] == b"#!"]


def test_the_linters_of_dockerfiles_and_scripts_find_nothing():
    assert SCRIPTS
    run(BIN / "hadolint", ROOT / "Dockerfile")
    run(BIN / "shellcheck", *SCRIPTS)


def test_its_base_is_pinned_and_it_ends_as_a_user_without_rights():
    (base,) = re.findall(r"(?m)^ARG BASE=(.*)$", DOCKERFILE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert DEFAULTS["BASE"] == base
    assert re.findall(r"(?m)^USER (.*)$", STAGES[-1]) == ["50000:50000"]


def test_nothing_secret_can_stay_in_it():
    assert "--mount=type=secret" not in STAGES[-1], "what the last stage reads stays in the image"
    assert not re.findall(r"(?mi)^(ARG|ENV) .*(token|password|secret|index|proxy)", DOCKERFILE)
    assert not re.findall(r"(?m)^(ADD|COPY) (\.|\*)", DOCKERFILE), "what is copied is named"
    ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert ignored[0] == "*"
    copied = {word for line in re.findall(r"(?m)^COPY (?!--from)(.*) \S+$", DOCKERFILE) for word in line.split()}
    assert {path.split("/")[0] for path in copied} == {line[1:] for line in ignored if line.startswith("!")}


def test_all_that_is_installed_is_locked_by_hash():
    for line in re.findall(r"(?:pip|uv) (?:pip )?(?:install|build)[^&]*", DOCKERFILE):
        assert re.search(r"--require-hashes|--constraint requirements\.lock|--no-deps /opt/wheel", line), line


def test_what_the_lock_does_not_name_fails_the_build(tmp_path):
    assert "only_locked.py requirements.lock" in DOCKERFILE
    (tmp_path / "some.lock").write_text("Typing.Extensions==1.0 ; python_version < '3.12' \\\n    --hash=sha256:00\n")
    program = (sys.executable, ROOT / "deploy/image/only_locked.py")
    ended = run(*program, tmp_path / "some.lock", "airflow-provider-staking-gateway", check=False)
    assert ended.returncode == 1
    assert "pytest==" in ended.stderr
    assert "typing-extensions==" in ended.stderr, "another version than the locked one"
    assert "Run: make lock" in ended.stderr
    assert "airflow-provider-staking-gateway" not in ended.stderr
