"""The first page cannot rot: its snippet runs, and every test and file it names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PROOFS = (ROOT / "docs" / "proofs.md").read_text()
(DAG_SNIPPET,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TESTS = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))


def test_the_dag_snippet_is_a_dag_that_airflow_loads(tmp_path, monkeypatch):
    from airflow.dag_processing.dagbag import DagBag

    path = tmp_path / "pay_my_network.py"
    path.write_text(DAG_SNIPPET)
    bag = DagBag(path, bundle_path=tmp_path)
    assert bag.import_errors == {}
    dag = bag.dags["pay_my_network"]
    assert dag.task_ids == ["previous_era", "payout"]
    assert dag.timetable.calendar.start(1392).isoformat() == "2026-11-20T00:00:00+00:00"


def test_the_dag_snippet_is_a_dozen_lines():
    assert len([line for line in DAG_SNIPPET.splitlines() if line.strip()]) <= 20


def test_every_test_and_file_named_on_the_first_page_exists():
    names = set(re.findall(r"`(test_\w+)`", README + PROOFS))
    assert {name for name in names if f"def {name}(" not in TESTS} == set()
    paths = set(re.findall(r"\]\(([\w./-]+)\)", README)) | set(re.findall(r"`(tests/[\w./]+)`", README))
    assert {path for path in paths if not (ROOT / path).exists()} == set()
    assert paths


def test_the_first_page_lists_every_suite():
    listed = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    parts = {"help", "setup", "format", "lint", "types", "pages", "coverage", "lock", "clean"}
    assert {target for target in listed - parts if f"`make {target}`" not in README} == set()
