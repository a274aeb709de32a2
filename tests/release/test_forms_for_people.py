"""The forms people are asked to fill in are ones the site can show, and name what exists."""

from __future__ import annotations

import re

import pytest
import yaml

from release.programs import ROOT

FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
KINDS = {"markdown": {"value"}, "textarea": {"label"}, "input": {"label"}, "dropdown": {"label", "options"}}
KINDS["checkboxes"] = {"label", "options"}


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_has_what_github_asks_for(path):
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
    assert len(ids) == len(set(ids))
    for part in form["body"]:
        assert KINDS[part["type"]] <= set(part["attributes"]), part
        assert set(part) <= {"type", "id", "attributes", "validations"}
    assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_commands_and_files_that_are_named_exist():
    text = "".join(path.read_text() for path in [*FORMS, ROOT / ".github" / "pull_request_template.md"])
    commands = "".join(path.read_text() for path in (ROOT / "plugins" / "staking_gateway_provider").rglob("*.py"))
    for command in re.findall(r"`airflow staking ([a-z -]+?)(?: --[a-z]+.*?)?`", text):
        for word in command.split():
            assert f'"{word}"' in commands, command
    for name in re.findall(r"`([A-Za-z./]+\.md|tests/[a-z/]+)`", text):
        assert (ROOT / name).exists(), name
