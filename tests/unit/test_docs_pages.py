"""The documentation holds together: links, anchors, images, navigation, settings, outcomes and messages are those of the product."""

import ast
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

from docs.tools import configuration, offline, shown
from docs.tools.generate import NOTE
from docs.tools.offline import split_heading
from staking_gateway.payout.outcomes import Outcome
from staking_gateway.topics import Topic

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "tools" not in page.relative_to(DOCS).parts)
SITE = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
CODE = ("python", "yaml", "json", "bash", "sh", "shell", "console", "toml")
OTHERS = {"alerts.md", "metrics.md"}
"""Pages whose examples are tested where what they are about is tested."""


def name(path):
    return str(path.relative_to(ROOT))


def nav(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from nav(value) if isinstance(value, list) else [value]


@cache
def anchors(page):
    """What can be linked to on a page, as Python-Markdown spells it."""
    text = FENCE.sub("", page.read_text())
    headings = {split_heading(heading)[1] for heading in HEADING.findall(text)}
    return headings | set(re.findall(r"^::: (\S+)$", text, re.MULTILINE))


def links(page):
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if not target.startswith(("http://", "https://", "mailto:")):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_of_a_page_leads_somewhere_on_the_site(page):
    for target in links(page):
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), f"{target}: there is no such file"
        assert DOCS in file.parents, f"{target} is not on the site"
        if anchor and not anchor.startswith("only-"):
            assert anchor in anchors(file), f"{target}: there is no such heading"


def test_every_page_is_in_the_navigation_and_every_entry_of_it_is_a_page():
    assert sorted(nav(SITE["nav"])) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


def test_the_images_of_the_first_page_exist():
    text = (ROOT / "README.md").read_text()
    images = [*re.findall(r'(?:src|srcset)="([^"]+)"', text), *re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)]
    assert images
    for image in images:
        assert (ROOT / image).read_bytes().startswith(b"\x89PNG"), image


def contrast(one, other):
    """How two colours (`#rrggbb`) differ in brightness, from 1 to 21, as WCAG 2 counts it."""

    def brightness(colour):
        parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05

    darker, brighter = sorted((brightness(one), brightness(other)))
    return brighter / darker


@pytest.mark.parametrize("diagram", sorted((DOCS / "assets").glob("*.svg")), ids=name)
def test_a_diagram_is_readable_on_a_phone_and_in_the_dark(diagram):
    text = re.sub(r"<style>.*?</style>", "", diagram.read_text(), flags=re.DOTALL)
    assert int(re.search(r'viewBox="0 0 (\d+) \d+"', text)[1]) <= 360
    assert min(int(size) for size in re.findall(r'font-size="(\d+)"', text)) >= 13
    assert re.match(r"<svg [^>]*fill=\"currentColor\"", text)
    assert not re.search(r'<text[^>]* fill="', text)
    for colour in set(re.findall(r"#[0-9a-f]{6}", text)):
        assert min(contrast(colour, paper) for paper in ("#ffffff", "#1e2129")) >= 3, colour


def test_nothing_of_the_site_is_loaded_from_elsewhere():
    assert SITE["theme"]["font"] is False
    assert "extra_javascript" not in SITE
    assert "analytics" not in SITE.get("extra", {})
    for page in PAGES:
        assert not re.search(r"!\[[^\]]*\]\(http|<(script|iframe|link|img)\b[^>]*http", page.read_text()), page


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in OTHERS], ids=name)
def test_code_of_more_than_one_line_comes_from_a_file_that_tests_run(page):
    for _, language, body in FENCE.findall(shown.without(page.read_text())):
        lines = [line for line in body.splitlines() if line.strip()]
        if language in CODE and len(lines) > 1:
            pytest.fail(f"{page.name}: put this into tests/docs_snippets, and show it from there:\n{body}")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_what_a_page_shows_of_a_file_is_what_the_file_says(page):
    text = page.read_text()
    assert text.count("<!-- shows: ") == text.count("<!-- shown -->") == len(shown.named(text))
    assert shown.refreshed(text) == text, "Run: make pages"


def test_every_target_of_make_that_is_named_exists():
    named = {
        target for page in [*PAGES, ROOT / "README.md"] for target in re.findall(r"`make ([a-z]+)", page.read_text())
    }
    listed = set(re.findall(r"^([a-z ]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named - {target for line in listed for target in line.split()} == set()


# --- the configuration reference ---------------------------------------------------------------------------------------


def test_the_configuration_page_is_the_one_the_models_make():
    made = shown.refreshed(NOTE + configuration.page().rstrip() + "\n")
    assert (DOCS / "configuration.md").read_text() == made, "Run: make pages"


def test_every_setting_has_an_entry_and_every_entry_a_setting():
    meant = {section: set(entries) - {"about"} for section, entries in configuration.meanings().items()}
    models = {
        path or "file": {info.alias or field for field, info in model.model_fields.items()}
        for path, model in configuration.sections()
    }
    assert meant == models


# --- the runbook -------------------------------------------------------------------------------------------------------


@cache
def texts_of_the_code():
    """Every text of the product, with \\0 where a value is filled in."""
    found = []
    for path in [*(ROOT / "include").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                parts = [str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values]
                found.append("".join(parts))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return "\n".join(found)


def messages():
    text = (DOCS / "runbook.md").read_text() + (DOCS / "upgrade.md").read_text()
    blocks = [body for _, language, body in FENCE.findall(text) if language == "text"]
    table = re.findall(r"^\| `((?!airflow )[A-Za-z][^`]{25,})` \|", text, re.MULTILINE)
    return [line.strip() for line in [*"\n".join(blocks).splitlines(), *table] if line.strip()]


@pytest.mark.parametrize("message", messages())
def test_a_message_the_runbook_quotes_is_one_of_the_code(message):
    fragments = [fragment.strip(" ;.") for fragment in re.split(r"<[^>]*>|: ", message)]
    told = [fragment for fragment in fragments if len(fragment) > 3]
    assert told, message
    for fragment in told:
        assert fragment in texts_of_the_code(), fragment


def sections():
    """Anchor to heading and text of the runbook's sections, links as their words and code as its text."""
    parts = re.split(r"^#{2,3} (.+)$", (DOCS / "runbook.md").read_text(), flags=re.MULTILINE)[1:]
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        words, anchor = split_heading(heading)
        text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", f"{words}. {body}")
        yield anchor, " ".join(text.replace("`", "").split())


@pytest.mark.parametrize("topic", Topic)
def test_the_runbook_says_of_each_topic_what_is_so_and_what_to_do_in_its_own_words(topic):
    (text,) = [text for anchor, text in sections() if anchor == topic.anchor]
    assert topic.heading.replace("`", "") in text
    assert f"**Do:** {topic.remedy.replace('`', '')}" in text


def test_the_topic_of_each_outcome_is_the_section_of_its_name():
    assert all(outcome.topic.anchor == outcome.value.lower() for outcome in Outcome)
    headings = re.findall(r"^### ([A-Z_]+): ", (DOCS / "runbook.md").read_text(), re.MULTILINE)
    assert headings == [outcome.value for outcome in Outcome]


# --- the runbook of the API server -------------------------------------------------------------------------------------


class Shown(HTMLParser):
    """What a page of HTML has: ids, targets and tags."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.tags = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.targets += [found["href"]] if "href" in found else []
        assert "style" not in found
        assert not [name for name in found if name.startswith("on")]


def shown_runbook():
    return Shown(offline.page())


def test_the_shown_runbook_has_every_section_once_and_links_to_nothing_that_is_not_there():
    page = shown_runbook()
    assert len(page.ids) == len(set(page.ids))
    assert {topic.anchor for topic in Topic} <= set(page.ids) == anchors(DOCS / "runbook.md")
    assert {target[1:] for target in page.targets if target.startswith("#")} <= set(page.ids)
    elsewhere = {target for target in page.targets if not target.startswith("#")}
    assert elsewhere == {"./", "static/icon.svg", "static/help.css"}


def test_links_of_the_shown_runbook_lead_to_the_documentations_site_if_there_is_one(monkeypatch):
    monkeypatch.setattr(offline.yaml, "safe_load", lambda text: {"site_url": "https://docs.example/"})
    assert {"https://docs.example/alerts.html", "https://docs.example/backfill.html#calendars"} <= set(
        shown_runbook().targets
    )


@pytest.mark.parametrize(
    ("heading", "words", "anchor"),
    [
        ("A value was refused { #input }", "A value was refused", "input"),
        ("HELD_FEE", "HELD_FEE", "held_fee"),
        ("The ledger's place: `a - b`", "The ledger's place: `a - b`", "the-ledgers-place-a-b"),
    ],
)
def test_a_heading_has_the_anchor_it_names_or_that_of_its_words(heading, words, anchor):
    assert split_heading(heading) == (words, anchor)
