"""What the Dockerfile promises, read from the file alone: no engine is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from composition import ROOT, variables
from engine import run

from deploy.image import only_locked

BIN = Path(sys.executable).parent
DOCKERFILE = (ROOT / "Dockerfile").read_text()
STAGES = re.split(r"(?m)^FROM .*$", DOCKERFILE)[1:]
STAND_INS = sorted((Path(__file__).parent / "images").glob("*.Dockerfile"))
SCRIPTS = [
    path
    for folder in ("deploy", "tests/compose/images")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.is_file() and path.read_bytes().startswith((b"#!/bin/sh", b"#!/bin/bash"))
]


def test_hadolint_finds_nothing_in_it():
    run(BIN / "hadolint", ROOT / "Dockerfile")


@pytest.mark.parametrize("path", STAND_INS, ids=lambda path: path.stem)
def test_hadolint_finds_nothing_in_the_stand_ins_but_versions_of_debian_packages(path):
    run(BIN / "hadolint", "--ignore", "DL3008", path)


def test_it_ends_as_a_user_without_rights():
    assert re.findall(r"(?m)^USER (.*)$", STAGES[-1]) == ["50000:50000"]


def test_its_base_is_pinned_and_the_one_docker_compose_names():
    (base,) = re.findall(r"(?m)^ARG BASE=(.*)$", DOCKERFILE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert variables()["BASE"] == base


def test_nothing_secret_can_stay_in_it():
    assert "--mount=type=secret" not in STAGES[-1], "what the last stage reads stays in the image"
    assert not re.findall(r"(?mi)^(ARG|ENV) .*(token|password|secret|index|proxy)", DOCKERFILE)
    assert not re.findall(r"(?m)^(ADD|COPY) (\.|\*)", DOCKERFILE), "what is copied is named"


def test_all_that_is_installed_is_locked_by_hash():
    for line in re.findall(r"(?:pip|uv) (?:pip )?(?:install|build)[^&]*", DOCKERFILE):
        assert re.search(r"--require-hashes|--constraint requirements\.lock|--no-deps /opt/wheel", line), line
    assert "only_locked.py requirements.lock" in DOCKERFILE


def test_only_what_it_is_made_of_is_sent_to_the_engine():
    ignored = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert ignored[0] == "*"
    sent = {line[1:] for line in ignored if line.startswith("!")}
    copied = {word for line in re.findall(r"(?m)^COPY (?!--from)(.*) \S+$", DOCKERFILE) for word in line.split()}
    assert {path.split("/")[0] for path in copied} == sent
    assert {"deploy/compose", "deploy/kubernetes"} <= set(ignored)


def test_the_wheel_is_built_from_what_is_copied_before_it(tmp_path):
    copied, _, _ = STAGES[0].partition("/opt/build/uv build --wheel")
    for *sources, target in (line.split() for line in re.findall(r"(?m)^COPY (.*)$", copied)):
        for source in sources:
            place = tmp_path / target
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, place)
            else:
                place = place if Path(target).name == Path(source).name else place / Path(source).name
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, place)
    build = (
        BIN / "uv",
        "build",
        "--wheel",
        "--no-build-isolation",
        "--python",
        sys.executable,
        "--out-dir",
        tmp_path / "wheel",
    )
    run(*build, tmp_path)
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    assert "staking_gateway_provider/shipped/staking.yaml" in zipfile.ZipFile(wheel).namelist()


def test_a_package_whose_hash_is_not_the_locked_one_is_refused(tmp_path):
    lock = (ROOT / "requirements.lock").read_text()
    block = re.search(r"(?m)^tenacity==[^#]*", lock)[0]
    forged = re.sub(r"sha256:[0-9a-f]{8}", "sha256:00000000", block)
    (tmp_path / "forged.lock").write_text(lock.replace(block, forged))
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    command = [BIN / "uv", "pip", "install", "--no-cache", "--python", tmp_path / "venv/bin/python", "--no-deps"]
    refused = run(*command, "--constraint", tmp_path / "forged.lock", "tenacity", check=False)
    assert refused.returncode != 0
    assert "Hash mismatch" in refused.stderr
    run(*command, "--constraint", ROOT / "requirements.lock", "tenacity")


def test_what_the_lock_does_not_name_fails_the_build(tmp_path):
    lock = tmp_path / "some.lock"
    lock.write_text("Some_Package==1.0 ; python_version < '3.12' \\\n    --hash=sha256:00\nsome.package==1.1\n")
    assert only_locked.locked(lock.read_text()) == {("some-package", "1.0"), ("some-package", "1.1")}
    ended = subprocess.run(
        [sys.executable, ROOT / "deploy/image/only_locked.py", lock, "airflow-provider-staking-gateway"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert "pytest==" in ended.stderr
    assert "Run: make lock" in ended.stderr
    assert "airflow-provider-staking-gateway" not in ended.stderr


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_finds_nothing_in_a_script(script):
    run(BIN / "shellcheck", script)
