"""The built documentation: its search finds the right page first, pages name the version and the next page, and nothing is loaded from elsewhere."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
import yaml

from tests.support.npm import program, run

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
VERSION = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)[1]
SITE = ROOT / os.environ.get("SITE", "site")
FIRST = {
    "pay one era": "how-to/pay-one-era.html",
    "era change": "events.html",
    "pay missed eras": "backfill.html",
    "election window": "how-to/wait-for-the-window.html",
    "staking status": "how-to/check-staking-statuses.html",
    "once per era": "how-to/run-once-per-era.html",
    "webhook": "how-to/send-alerts.html#to-webhooks",
    "alerts": "alerts.html",
    "upgrade": "upgrade.html",
    "docker": "install/docker-image.html",
    "rejected": "runbook.html#rejected",
}
"""What a person types, and the page that must come first."""


def in_order(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from in_order(value) if isinstance(value, list) else [value.replace(".md", ".html")]


PAGES = list(in_order(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))


@pytest.fixture(scope="module", autouse=True)
def built():
    newest = max(path.stat().st_mtime for path in [*(ROOT / "docs").rglob("*.*"), ROOT / "mkdocs.yml"])
    if not (SITE / "index.html").is_file() or (SITE / "index.html").stat().st_mtime < newest:
        pytest.fail(f"{SITE} is not the site of these pages. Run: make docs")


def page(name):
    return (SITE / name).read_text()


def test_the_search_finds_the_right_page_first():
    found = json.loads(run([program("node"), str(HERE / "search.mjs"), str(SITE), *FIRST]))
    assert {question: addresses[0] for question, addresses in found.items()} == FIRST


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_the_version_and_loads_nothing_from_elsewhere(name):
    text = page(name)
    assert f'title="Staking gateway provider {VERSION}"' in text
    assert f"Version {VERSION}" in text.partition("<footer")[2]
    loaded = re.findall(r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"?([^\s\">]+)", text)
    loaded += re.findall(r"<link\b[^>]*rel=\"?(?:stylesheet|icon|preconnect|preload)\b[^>]*>", text)
    assert loaded
    assert [address for address in loaded if "//" in address] == []


def test_each_page_links_to_the_page_before_and_after_it():
    for number, name in enumerate(PAGES):
        links = dict(re.findall(r'<a href="([^"]+)" class="md-footer__link md-footer__link--(prev|next)"', page(name)))
        targets = {way: os.path.normpath(Path(name).parent / address) for address, way in links.items()}
        beside = {
            "prev": PAGES[number - 1] if number else None,
            "next": PAGES[number + 1] if name != PAGES[-1] else None,
        }
        assert targets == {way: target for way, target in beside.items() if target}


def test_the_diagrams_are_part_of_their_page_and_have_its_colours():
    text = page("concepts.html")
    assert text.count('<svg xmlns="http://www.w3.org/2000/svg" class="diagram"') == 2
    assert ".svg" not in re.sub(r"<head>.*?</head>", "", text, flags=re.DOTALL)
