"""The documentation holds together: each link leads somewhere, code comes from tested files, and the runbook has each topic."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.tools import offline, shown
from docs.tools.offline import split_heading
from staking_gateway.problem import Topic

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")]
PAGES = [*FRONT, *sorted(page for page in DOCS.rglob("*.md") if "tools" not in page.relative_to(DOCS).parts)]
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
TARGET = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset)=\"([^\"]+)\"")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def name(path):
    return str(path.relative_to(ROOT))


@cache
def anchors(page):
    """What a link can name on a page, as Python-Markdown spells it."""
    text = FENCE.sub("", page.read_text())
    return {split_heading(heading)[1] for heading in HEADING.findall(text)} | set(
        re.findall(r"^::: (\S+)$", text, re.M)
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_somewhere(page):
    for target in ("".join(found) for found in TARGET.findall(FENCE.sub("", page.read_text()))):
        if not target.startswith(("http://", "https://", "mailto:")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{target}: there is no such file"
            if anchor and not anchor.startswith("only-"):
                assert anchor in anchors(file), f"{target}: there is no such heading"


def test_the_files_that_contributors_are_sent_to_exist():
    written = re.findall(r"`([\w./-]+\.(?:py|yaml|sql|md|toml))`", (ROOT / "CONTRIBUTING.md").read_text())
    files = [
        str(path)
        for folder in ("include", "plugins", "tests", "docs", "deploy", "dags")
        for path in (ROOT / folder).rglob("*")
    ]
    files += [str(path) for path in ROOT.iterdir()]
    assert len(written) > 20
    assert [one for one in written if "<" not in one and not any(file.endswith(f"/{one}") for file in files)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in FRONT], ids=name)
def test_python_on_a_page_comes_from_a_file_that_a_test_runs(page):
    written = FENCE.findall(shown.without(page.read_text()))
    assert [body for _, language, body in written if language == "python" and body.count("\n") > 1] == []


class Shown(HTMLParser):
    """The ids and the targets of a page of HTML."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found["href"]] if "href" in found else []


def test_the_runbook_has_each_topic_once_also_on_the_page_of_the_api_server():
    page = Shown(offline.page((DOCS / "runbook.md").read_text()))
    assert len(page.ids) == len(set(page.ids))
    assert {topic.anchor for topic in Topic} <= set(page.ids) == anchors(DOCS / "runbook.md")
    assert {target[1:] for target in page.targets if target.startswith("#")} <= set(page.ids)
    assert {target for target in page.targets if not target.startswith("#")} == {
        *("./", "static/icon.svg", "static/help.css"),
    }
