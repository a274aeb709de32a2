"""Which releases of Airflow are promised, tried and told of."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from release import compatibility
from release.compatibility import LOCKED_AIRFLOW, Cell, Result, read_report, rows_of, supported, table
from release.programs import LOCK, ReleaseFailed, versions, without_airflow

ROW = re.compile(r"^\| (\d\S*) \| (\d\S*) \| ([a-z -]+) \| [^|]+ \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
OWN, OTHER = compatibility.OWN_PYTHON, "3.13"


def result(airflow=LOCKED_AIRFLOW, python=OWN, passed=10, failed=(), others=()):
    return Result(Cell(airflow, python), f"{python}.1", passed, failed, others)


def rows(*results):
    return {one.cell: one.row for one in results}


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Runs `make compatibility` with made-up results; returns its status and the cells of the table."""
    path = tmp_path / "table.md"
    path.write_text(table(rows(result("3.3.1", passed=1), result(passed=1))))
    monkeypatch.setattr(compatibility, "build_wheel", lambda into: into)
    monkeypatch.setattr(compatibility, "available", lambda: [LOCKED_AIRFLOW, "3.4.0b2"])
    monkeypatch.setattr(compatibility, "interpreter", {OWN: "python", OTHER: "other"}.get)
    monkeypatch.setattr(compatibility, "TABLE", path)

    def run(*arguments, failed=()):
        monkeypatch.setattr(compatibility, "try_with", lambda cell, wheel, jobs: result(*cell, passed=7, failed=failed))
        return compatibility.main(list(arguments)), rows_of(path.read_text())

    return run


def test_the_documented_table_has_each_promised_release_it_tested_and_all_their_tests_pass():
    found = ROW.findall(compatibility.TABLE.read_text())
    assert len(found) == len(rows_of(compatibility.TABLE.read_text()))
    promised = {airflow for airflow, _, kind, _ in found if kind == "supported"}
    assert all(kind == Cell(airflow, python.rpartition(".")[0]).kind for airflow, python, kind, _ in found)
    assert all(re.fullmatch(r"all \d+ pass", verdict) for _, _, kind, verdict in found if kind == "supported")
    oldest = next(one.version for one in supported() if one.operator == ">=")
    assert {oldest, LOCKED_AIRFLOW} <= promised


def test_the_table_has_a_row_per_airflow_and_python_and_names_each_python_without_one(monkeypatch):
    monkeypatch.setattr(compatibility, "OWN_PYTHON", "3.11")
    tried = [
        result("3.4.0b2", "3.11", failed=("a", "b")),
        result("3.3.2", "3.12", others=("aiosqlite 0.21.0",)),
        result("3.3.2", "3.11", failed=("a",)),
        result("3.2.2", "3.11"),
        result("3.3.2", "3.10"),
    ]
    assert table(rows(*tried)).splitlines()[4:] == [
        "| 3.2.2 | 3.11.1 | not supported | `tests/airflow` | all 10 pass | none |",
        "| 3.3.2 | 3.10.1 | not supported | `tests/unit`, `tests/airflow` | all 10 pass | none |",
        "| 3.3.2 | 3.11.1 | supported | `tests/airflow` | 1 of 11 fail | none |",
        "| 3.3.2 | 3.12.1 | supported | `tests/unit`, `tests/airflow` | all 10 pass | aiosqlite 0.21.0 |",
        "| 3.4.0b2 | 3.11.1 | pre-release | `tests/airflow` | 2 of 12 fail | none |",
        "",
        "No complete run passed yet: Python 3.13, 3.14.",
    ]


@pytest.mark.parametrize(
    ("arguments", "status"), [(["--airflow", "3.2.2"], 0), (["--airflow", "3.4.0b2"], 0), (["--python", OTHER], 1)]
)
def test_a_promised_release_whose_tests_fail_fails_the_run(runs, capsys, arguments, status):
    assert runs(*arguments, failed=("a",))[0] == status
    assert ("its tests fail" in capsys.readouterr().err) is bool(status)


def test_a_run_with_some_releases_replaces_their_rows_and_leaves_the_others(runs):
    before, tried = rows(result("3.3.1", passed=1), result(passed=1)), result(python=OTHER, passed=7)
    assert runs("--python", OTHER) == (0, {**before, **rows(tried)})
    assert runs("--airflow", "3.3.1") == (0, {**before, **rows(tried, result("3.3.1", passed=7))})


def test_a_run_with_all_of_them_begins_anew_and_leaves_out_a_python_that_is_not_installed(runs):
    everything = [Cell(LOCKED_AIRFLOW, OWN), Cell("3.4.0b2", OWN), Cell(LOCKED_AIRFLOW, OTHER)]
    assert runs() == (0, rows(*(result(*cell, passed=7) for cell in everything)))


def test_a_python_that_was_asked_for_and_is_not_installed_is_an_error(runs, monkeypatch, tmp_path):
    with pytest.raises(ReleaseFailed, match=r"Python 3\.14 is not installed"):
        compatibility.try_with(Cell(LOCKED_AIRFLOW, "3.14"), tmp_path / "wheel", 1)


@pytest.mark.parametrize(
    ("status", "tells"), [(0, None), (2, "did not come to their end"), (-9, "did not come to their end")]
)
def test_a_run_that_was_interrupted_makes_no_row(monkeypatch, tmp_path, status, tells):
    def interrupted(command, **_):
        for report in (str(part).partition("=")[2] for part in command if "--junit-xml" in str(part)):
            Path(report).write_text(
                '<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>'
            )
        return subprocess.CompletedProcess(command, status, "", "")

    cell = Cell("3.3.2", OWN)
    (tmp_path / f"3.3.2-python{OWN}").mkdir()
    monkeypatch.setattr(compatibility, "FOLDER", tmp_path)
    monkeypatch.setattr(compatibility, "resolve", lambda into, **_: into)
    monkeypatch.setattr(compatibility, "make_environment", lambda *_: tmp_path / "python")
    monkeypatch.setattr(compatibility, "others", lambda requirements, base: ())
    monkeypatch.setattr(compatibility, "finished", interrupted)
    if tells is None:
        assert compatibility.try_with(cell, tmp_path / "wheel", 1).passed == 1
    else:
        with pytest.raises(ReleaseFailed, match=tells):
            compatibility.try_with(cell, tmp_path / "wheel", 1)


def test_a_test_that_did_not_run_is_not_called_passed(tmp_path):
    report = tmp_path / "tests.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="t" name="a"/>'
        '<testcase classname="t" name="b"><failure/></testcase>'
        '<testcase classname="t" name="c"><error/></testcase>'
        '<testcase classname="t" name="d"/><testcase classname="t" name="d"><error/></testcase>'
        '<testcase classname="t" name="e"><skipped/></testcase></testsuite></testsuites>'
    )
    assert read_report(report) == (1, ("t::b", "t::c", "t::d", "t::e"))


def test_another_release_of_airflow_keeps_the_other_locked_versions():
    locked, kept = versions(LOCK.read_text()), versions(without_airflow(LOCK.read_text()))
    assert {name for name in locked if name not in kept} == {
        name for name in locked if name.startswith("apache-airflow")
    }
    assert kept.items() <= locked.items()
    assert len(kept) > 100
