"""Which releases of Airflow are promised, tried and told of."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from release import compatibility
from release.compatibility import Result, read_report, rows_of, supported, table
from release.programs import LOCK, ReleaseFailed, versions, without_airflow

ROW = re.compile(r"^\| (\d\S*) \| (\S+) \| ([a-z ]+) \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)


def result(airflow="3.3.2", passed=10, failed=(), others=()):
    return Result(airflow, "3.11.7", passed, failed, others)


def test_the_documented_table_tells_of_every_release_that_is_promised_and_was_tried_that_all_tests_pass():
    rows = ROW.findall(compatibility.TABLE.read_text())
    promised = {airflow for airflow, _, kind, _ in rows if kind == "supported"}
    assert promised == {airflow for airflow, *_ in rows if Version(airflow) in supported()}
    assert all(re.fullmatch(r"all \d+ pass", verdict) for airflow, _, _, verdict in rows if airflow in promised)
    oldest = next(one.version for one in supported() if one.operator == ">=")
    assert oldest in promised
    assert version("apache-airflow") in promised


def test_a_release_that_is_not_promised_may_fail_and_is_told_of(monkeypatch):
    tried = [result("3.3.2", others=("aiosqlite 0.21.0",)), result("3.3.0", failed=("a", "b"))]
    rows = table({one.airflow: one.row for one in tried}).splitlines()
    assert rows[-2] == "| 3.3.0 | 3.11.7 | not supported | 2 of 12 fail | none |"
    assert rows[-1] == "| 3.3.2 | 3.11.7 | supported | all 10 pass | aiosqlite 0.21.0 |"


@pytest.mark.parametrize(("airflow", "status"), [("3.3.0", 0), ("3.3.2", 1)])
def test_a_promised_release_whose_tests_fail_fails_the_run(monkeypatch, tmp_path, capsys, airflow, status):
    monkeypatch.setattr(compatibility, "build_wheel", lambda into: into)
    monkeypatch.setattr(compatibility, "try_with", lambda airflow, wheel: result(airflow, failed=("a",)))
    monkeypatch.setattr(compatibility, "TABLE", tmp_path / "table.md")
    assert compatibility.main(["--airflow", airflow]) == status
    assert rows_of((tmp_path / "table.md").read_text()) == {airflow: result(airflow, failed=("a",)).row}
    assert ("its tests fail" in capsys.readouterr().err) is bool(status)


def test_a_run_with_some_releases_replaces_their_rows_and_leaves_the_others(monkeypatch, tmp_path):
    path = tmp_path / "table.md"
    path.write_text(
        table({one.airflow: one.row for one in (result("3.3.0", failed=("a",)), result("3.3.2", passed=1))})
    )
    monkeypatch.setattr(compatibility, "build_wheel", lambda into: into)
    monkeypatch.setattr(compatibility, "try_with", lambda airflow, wheel: result(airflow, passed=7))
    monkeypatch.setattr(compatibility, "available", lambda: ["3.3.3"])
    monkeypatch.setattr(compatibility, "TABLE", path)
    assert compatibility.main(["--airflow", "3.3.2"]) == 0
    assert rows_of(path.read_text()) == {
        "3.3.0": result("3.3.0", failed=("a",)).row,
        "3.3.2": result("3.3.2", passed=7).row,
    }
    assert compatibility.main([]) == 0
    assert list(rows_of(path.read_text())) == ["3.3.3"], "a run with all of them begins anew"


@pytest.mark.parametrize(
    ("status", "tells"), [(0, None), (2, "did not come to their end"), (-9, "did not come to their end")]
)
def test_a_run_that_was_interrupted_makes_no_row(monkeypatch, tmp_path, status, tells):
    def interrupted(command, **_):
        report = next(str(part) for part in command if "--junit-xml" in str(part)).partition("=")[2]
        Path(report).write_text('<testsuites><testsuite><testcase classname="t" name="a"/></testsuite></testsuites>')
        return subprocess.CompletedProcess(command, status, "", "")

    (tmp_path / "3.3.2").mkdir()
    monkeypatch.setattr(compatibility, "FOLDER", tmp_path)
    monkeypatch.setattr(compatibility, "resolve", lambda into, **_: into)
    monkeypatch.setattr(compatibility, "make_environment", lambda *_: tmp_path / "python")
    monkeypatch.setattr(compatibility, "others", lambda requirements: ())
    monkeypatch.setattr(compatibility, "finished", interrupted)
    if tells is None:
        assert compatibility.try_with("3.3.2", tmp_path / "wheel").passed == 1
    else:
        with pytest.raises(ReleaseFailed, match=tells):
            compatibility.try_with("3.3.2", tmp_path / "wheel")


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
