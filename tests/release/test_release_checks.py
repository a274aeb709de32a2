"""A release is refused, with the reason, when something is missing in it, is too much, or says the wrong thing about itself."""

from __future__ import annotations

import re
import shutil
import tarfile
import tomllib
import zipfile
from email import message_from_string
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from release import __main__ as whole
from release import build
from release.bill import Audit, judged
from release.build import build_twice
from release.contents import (
    changelog_problems,
    check_metadata_and_wheel,
    index_page,
    private_files,
    sdist_problems,
)
from release.elsewhere import readme_dag
from release.programs import DISTRIBUTION, ROOT, ReleaseFailed, run

VERSION = version(DISTRIBUTION)
INFO = f"{DISTRIBUTION.replace('-', '_')}-{VERSION}.dist-info"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and source distribution, built twice."""
    return build_twice(tmp_path_factory.mktemp("built"))


@pytest.fixture
def wheel(built, tmp_path):
    """Makes a wheel that differs from the built one."""

    def make(*, without=(), plus=(), page=""):
        made = tmp_path / built[0].name
        with zipfile.ZipFile(built[0]) as good, zipfile.ZipFile(made, "w") as bad:
            for name in good.namelist():
                text = good.read(name).decode()
                if name == f"{INFO}/RECORD":
                    lines = [line for line in text.splitlines() if line.partition(",")[0] not in without]
                    text = "\n".join([*lines, *(f"{new},," for new in plus)]) + "\n"
                if name == f"{INFO}/METADATA":
                    text += page
                if name not in without:
                    bad.writestr(name, text)
            for name in plus:
                bad.writestr(name, "")
        return made

    return make


# --- what is in it ---------------------------------------------------------------------------------------------------------------


def test_what_is_built_is_complete(built):
    check_metadata_and_wheel(*built)
    assert private_files(built[0]) == sdist_problems(built[1]) == []
    assert {"staking_gateway/py.typed", "staking_gateway_provider/py.typed"} <= set(
        zipfile.ZipFile(built[0]).namelist()
    )


def test_a_wheel_that_lacks_a_file_is_refused(wheel, built):
    lost = "staking_gateway_provider/ui/static/page.js"
    with pytest.raises(ReleaseFailed, match=f"W101[^:]*: Wheel library is missing files in package tree:\\s+{lost}"):
        check_metadata_and_wheel(wheel(without=[lost]), built[1])


@pytest.mark.parametrize("strange", ["airflow/__init__.py", "tests/test_it.py", "staking_gateway/ruff.toml"])
def test_a_wheel_with_a_file_of_something_else_is_refused(wheel, built, strange):
    with pytest.raises(
        ReleaseFailed, match=f"W102[^:]*: Wheel library contains files not in package tree:\\s+{strange}"
    ):
        check_metadata_and_wheel(wheel(plus=[strange]), built[1])


def test_a_wheel_whose_metadata_is_not_complete_is_refused(wheel, built):
    with pytest.raises(ReleaseFailed, match="twine"):
        check_metadata_and_wheel(wheel(without=[f"{INFO}/METADATA"]), built[1])


def test_on_a_package_index_no_link_of_the_readme_leads_nowhere(built):
    links, urls = index_page(built[0])
    assert urls == []
    assert links, "the links to other sites stay"


def test_with_a_repository_each_file_that_the_readme_names_is_linked_at_the_tag(tmp_path, monkeypatch):
    repository, site = "https://git.example/owner/name", "https://docs.example/staking"
    monkeypatch.setenv("PACKAGE_REPOSITORY", f"{repository}/")
    monkeypatch.setenv("PACKAGE_DOCUMENTATION", site)
    links, urls = index_page(build_twice(tmp_path)[0])
    assert f"Documentation, {site}" in urls
    assert f"Repository, {repository}" in urls
    files = [re.sub("#.*", "", link).partition(f"/v{VERSION}/")[2] for link in links if link.startswith(repository)]
    readme = (ROOT / "README.md").read_text()
    assert len(files) == len(re.findall(r"\]\((?!http)|\bsrc=", readme)) > 10, "the index leaves out srcset"
    assert [name for name in files if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("text", ["[a page](docs/index.md)", "![a picture](screenshot.png)", '<img src="a.png">'])
def test_a_wheel_whose_page_has_a_link_to_a_file_is_refused(wheel, text):
    with pytest.raises(ReleaseFailed, match=r"these links of README\.md lead nowhere on the package index"):
        index_page(wheel(page=f"\n\n{text}\n"))


@pytest.mark.parametrize(
    "given",
    ["http://git.example/a", "git@git.example:a/b", "https://me:secret@git.example/a", "https://git.example/?a"],
)
def test_a_repository_that_is_no_plain_address_builds_nothing_and_is_not_quoted(tmp_path, monkeypatch, given):
    monkeypatch.setenv("PACKAGE_REPOSITORY", given)
    with pytest.raises(ReleaseFailed, match="PACKAGE_REPOSITORY is no plain https address") as refused:
        build.build_wheel(tmp_path)
    assert given not in str(refused.value)


def test_the_package_says_for_which_pythons_it_is(built):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    with zipfile.ZipFile(built[0]) as archive:
        metadata = message_from_string(archive.read(f"{INFO}/METADATA").decode())
    assert metadata["Author"] == project["authors"][0]["name"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(metadata.get_all("Classifier")))
    assert named
    assert all(SpecifierSet(project["requires-python"]).contains(f"{one}.0") for one in named)
    assert not SpecifierSet(project["requires-python"]).contains("3.10.20"), "it has ended"


@pytest.mark.parametrize("private", ["staking_gateway/.env", "staking_gateway/signing/user.key", "ledger.db"])
def test_a_wheel_with_a_file_that_may_hold_secrets_is_refused(wheel, private):
    (problem,) = private_files(wheel(plus=[private]))
    assert private in problem


def test_a_source_distribution_that_lacks_or_adds_something_is_refused(built, tmp_path):
    with tarfile.open(built[1]) as good:
        good.extractall(tmp_path, filter="data")
    (tree,) = (path for path in tmp_path.iterdir() if path.is_dir())
    (tree / "plans.txt").touch()
    (tree / "LICENSE").unlink()
    made = tmp_path / "made.tar.gz"
    with tarfile.open(made, "w:gz") as bad:
        bad.add(tree, tree.name)
    assert sdist_problems(made) == ["made.tar.gz has plans.txt, which builds nothing", "made.tar.gz lacks LICENSE"]


# --- built twice -------------------------------------------------------------------------------------------------------------------


def test_a_build_that_differs_the_second_time_is_refused(tmp_path, monkeypatch):
    times = iter(["1700000000", "1700000002", "1700000004", "1700000006"])
    monkeypatch.setattr(build, "epoch", lambda: next(times))
    with pytest.raises(ReleaseFailed, match="is another file when it is built from the source distribution"):
        build_twice(tmp_path)


def test_the_time_in_the_files_can_be_given(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert build.epoch() == "1700000000"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert int(build.epoch()) > 1_577_000_000


# --- the version, and the changelog --------------------------------------------------------------------------------------------------


def test_the_version_is_written_in_one_place():
    assert (ROOT / "pyproject.toml").read_text().count(f'version = "{VERSION}"') == 1
    written = re.compile(rf"['\"]{re.escape(VERSION)}['\"]")
    again = [
        path.relative_to(ROOT)
        for folder in ("include", "plugins", "dags", "demo", "release")
        for path in (ROOT / folder).rglob("*.py")
        if written.search(path.read_text())
    ]
    assert again == []


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("## [Unreleased]\n\n## [1.2.0] - 2026-11-20\n\n### Added\n\n- Something.\n", []),
        ("## [Unreleased]\n\n- Something.\n", ["CHANGELOG.md has no line '## [1.2.0] - YYYY-MM-DD'"]),
        ("## [1.2.0]\n\n- Something.\n", ["CHANGELOG.md has no line '## [1.2.0] - YYYY-MM-DD'"]),
        ("## [1.2.0] - 2026-11-20\n\n## [1.1.0] - 2026-01-01\n\n- Older.\n", ["CHANGELOG.md says nothing about 1.2.0"]),
        ("## [1x2.0] - 2026-11-20\n\n- Something.\n", ["CHANGELOG.md has no line '## [1.2.0] - YYYY-MM-DD'"]),
    ],
)
def test_a_version_is_released_with_an_entry_in_the_changelog(text, problems):
    assert changelog_problems(text, "1.2.0") == problems


# --- the audit -----------------------------------------------------------------------------------------------------------------------


def package(name, *flaws, **more):
    return {"name": name, "version": "1.0", "vulns": [{"id": flaw, "fix_versions": []} for flaw in flaws], **more}


def test_a_known_vulnerability_keeps_a_version_back():
    audited = judged([package("a"), package("b", "GHSA-1")])
    assert (audited.reached, audited.words) == (True, "2 packages audited, 1 known vulnerabilities")
    assert whole.judge(audited, required=False) == ["vulnerability: b 1.0: GHSA-1, fixed in no version"]


def test_what_was_not_audited_is_never_called_clean():
    skipped = {"name": "a", "skip_reason": "not found"}
    none = judged([skipped])
    assert (none.reached, none.found) == (False, ())
    assert none.words.startswith("NOT AUDITED")
    some = judged([skipped, package("b")])
    assert some.words == "1 packages audited, 0 known vulnerabilities; NOT AUDITED: a"
    for audited in (none, some, Audit(False, (), "NOT AUDITED: no answer")):
        assert whole.judge(audited, required=False) == []
        (problem,) = whole.judge(audited, required=True)
        assert "NOT AUDITED" in problem
        assert "AUDIT=required" in problem


# --- what is published -----------------------------------------------------------------------------------------------------------------


def test_what_is_published_has_its_checksums_and_nothing_old_beside_it(built, tmp_path, monkeypatch):
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "older.whl").touch()
    monkeypatch.setattr(whole, "DIST", dist)
    whole.publish(list(built))
    assert {path.name for path in dist.iterdir()} == {"SHA256SUMS", *(path.name for path in built)}
    shutil.copy(dist / built[0].name, dist / built[1].name)
    with pytest.raises(ReleaseFailed, match="FAILED"):
        run(["sha256sum", "--check", "SHA256SUMS"], cwd=dist)


def test_a_version_that_is_refused_is_not_published(monkeypatch, capsys):
    def refuse(*_, **__):
        return ["this is wrong"]

    monkeypatch.setattr(whole, "make", refuse)
    assert whole.main([]) == 1
    assert "release: REFUSED: this is wrong" in capsys.readouterr().err


def test_a_program_that_fails_is_quoted():
    with pytest.raises(ReleaseFailed, match=r"status 2 of: .*ls[^\0]*no-such-file"):
        run(["ls", "no-such-file"])


def test_the_readme_shows_a_dag_to_pay_an_era_with():
    compile(readme_dag(), "README.md", "exec")
    assert 'DAG("pay_my_network"' in readme_dag()


def test_nothing_of_the_checkout_is_needed_to_read_the_checks_of_the_wheel():
    text = (Path(__file__).parents[2] / "release" / "elsewhere.py").read_text()
    for code in re.findall(r'^_[A-Z]+ = """\n(.*?)^"""', text, re.DOTALL | re.MULTILINE):
        assert "release" not in code
        assert "tests" not in code
