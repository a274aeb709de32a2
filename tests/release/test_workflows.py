"""CI runs what `.ci/run` runs, trusts nothing that is not pinned, and only a tagged tree is published. Contributors get the same linters."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in FILES}
JOBS = {
    f"{name}, {job}": described for name, workflow in WORKFLOWS.items() for job, described in workflow["jobs"].items()
}
STEPS = [step for job in JOBS.values() for step in job["steps"]]
SCHEMAS = {
    "github-workflows": "workflows/*.yml",
    "dependabot": "dependabot.yml",
    "github-issue-forms": "ISSUE_TEMPLATE/[!c]*.yml",
    "github-issue-config": "ISSUE_TEMPLATE/config.yml",
}


def run(program, *arguments, cwd=ROOT):
    """Run a program beside this Python, or of the machine."""
    own = Path(sys.executable).parent / program
    command = [str(part) for part in (own if own.exists() else program, *arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_one_job_runs_what_ci_runs():
    assert [step["run"] for step in STEPS if ".ci/run" in step.get("run", "")] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100


def test_one_job_refuses_known_vulnerabilities():
    assert [step for step in STEPS if "pip-audit==" in step.get("run", "")]


@pytest.mark.parametrize(("schema", "files"), SCHEMAS.items())
def test_a_file_of_github_has_the_form_that_github_reads(schema, files):
    found = sorted((ROOT / ".github").glob(files))
    assert found
    checked = run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *found)
    assert checked.returncode == 0, checked.stdout


def test_the_workflows_get_no_rights_no_texts_of_strangers_and_no_moving_action():
    found = run("zizmor", "--offline", "--no-progress", "--persona", "pedantic", ROOT / ".github")
    assert found.returncode == 0, found.stdout
    assert "secrets." not in "".join(path.read_text() for path in FILES)


def test_only_the_job_that_publishes_the_tested_files_has_rights():
    trusted = [name for name, job in JOBS.items() if {"permissions", "environment"} & set(job)]
    assert trusted == ["release, publish"]
    assert JOBS["release, publish"]["permissions"] == {"contents": "write", "id-token": "write"}
    assert JOBS["release, publish"]["needs"] == "build"
    commands = [step.get("run", "") for step in JOBS["release, publish"]["steps"]]
    assert not [command for command in commands if "make wheel" in command or "uv build" in command]


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_job_names_its_image_and_ends(job):
    assert re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"])
    assert 0 < job["timeout-minutes"] <= 360


# --- what is released ----------------------------------------------------------------------------------------------------


@pytest.fixture
def tagged(tmp_path):
    """A repository at the tag of its version, and git in it."""

    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        done = run("git", *identity, *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr

    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "tagged", tmp_path / ".ci")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## [1.2.3] - 2026-12-01\n")
    for command in (("init", "--quiet"), ("add", "."), ("commit", "--quiet", "-m", "t"), ("tag", "v1.2.3")):
        git(*command)
    return tmp_path, git


def test_a_clean_tree_at_the_tag_of_its_version_is_a_release(tagged):
    folder, _ = tagged
    assert run(folder / ".ci" / "tagged").stdout == "v1.2.3\n"


def change(folder, git):
    (folder / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n# changed\n')


def add(folder, git):
    (folder / "new.py").touch()


def commit(folder, git):
    git("commit", "--quiet", "--allow-empty", "-m", "later")


def forget(folder, git):
    (folder / "CHANGELOG.md").write_text("## [Unreleased]\n")
    git("commit", "--quiet", "--all", "-m", "t")
    git("tag", "--force", "v1.2.3")


REFUSED = {change: "has changes", add: "has changes", commit: "no tag", forget: "no dated section"}


@pytest.mark.parametrize("spoil", REFUSED, ids=lambda spoil: spoil.__name__)
def test_a_tree_that_differs_from_its_tag_is_no_release(tagged, spoil):
    folder, git = tagged
    spoil(folder, git)
    refused = run(folder / ".ci" / "tagged")
    assert refused.returncode == 1
    assert REFUSED[spoil] in refused.stdout


# --- what contributors get -----------------------------------------------------------------------------------------------


def test_the_hooks_before_a_commit_are_the_linters_of_make_test():
    recipe = (ROOT / "Makefile").read_text().partition("\ntest: ")[2].partition("\n\n")[0]
    linters = re.findall(r"\$\(BIN\)/((?:ruff|mypy)[^&|\n]*?) *(?:[&|\n])", recipe)
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [one["repo"] for one in config["repos"]] == ["local"], "nothing is fetched"
    assert [hook["entry"] for hook in config["repos"][0]["hooks"]] == [f".venv/bin/{linter}" for linter in linters]
    assert run("pre-commit", "validate-config", ROOT / ".pre-commit-config.yaml").returncode == 0


def test_the_container_for_development_ends_in_make_test():
    described = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    assert described["postCreateCommand"].endswith("&& make test")
