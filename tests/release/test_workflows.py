"""The public CI runs what `.ci/run` runs, trusts nothing that is not pinned, and gets no right to write."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in (ROOT / ".github" / "workflows").glob("*.yml")}
JOBS = {
    f"{name}, {job}": described for name, workflow in WORKFLOWS.items() for job, described in workflow["jobs"].items()
}
STEPS = [step for job in JOBS.values() for step in job["steps"]]


def test_one_job_runs_what_ci_runs():
    assert [step["run"] for step in STEPS if ".ci/run" in step.get("run", "")] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100


def test_one_job_refuses_known_vulnerabilities():
    assert [step for step in STEPS if "pip-audit==" in step.get("run", "")]


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
def test_it_gets_no_rights_and_no_texts_of_strangers(workflow):
    assert workflow["permissions"] == {}
    assert "pull_request_target" not in workflow[True], "YAML 1.1 reads `on` as true"
    for job in workflow["jobs"].values():
        assert set(job) <= {"runs-on", "timeout-minutes", "steps", "needs"}
        # A branch's name would be a part of the command.
        assert not [step for step in job["steps"] if "${{" in step.get("run", "")]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["name"])
def test_an_action_is_pinned_to_a_commit(step):
    assert "uses" not in step or re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"])


@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_job_names_its_image_and_ends(job):
    assert re.fullmatch(r"ubuntu-\d\d\.\d\d", job["runs-on"])
    assert 0 < job["timeout-minutes"] <= 360
