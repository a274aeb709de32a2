"""The runbook as one HTML page, which the API server shows without the internet and without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[2]
_ANCHOR = re.compile(r"\s*\{#(?P<anchor>[\w-]+)\}\Z")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Runbook - Staking</title>
<script src="static/theme.js"></script>
<link rel="icon" href="static/icon.svg">
<link rel="stylesheet" href="static/help.css">
</head>
<body>
<main>
<p><a href="./">Staking page</a></p>
{title}<nav aria-label="Sections">
<ul>
{contents}
</ul>
</nav>
{body}</main>
</body>
</html>
"""


def page(runbook: str) -> str:
    """The page. Links to other pages lead to `site_url` of `mkdocs.yml`; without a site they are plain text.

    :param runbook: its Markdown.
    """
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text()).get("site_url")
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(runbook)
    contents = list(_name_headings(tokens))
    for token in tokens:
        if token.type == "inline":
            token.children = list(_linked(token.children or (), site))

    def html(part: list[Token]) -> str:
        return str(markdown.renderer.render(part, markdown.options, {}))

    return _PAGE.format(title=html(tokens[:3]), contents="\n".join(contents[1:]), body=html(tokens[3:]))


def split_heading(text: str) -> tuple[str, str]:
    """A heading's words, and its anchor: the one it names as `{#anchor}`, or else the one that Python-Markdown makes."""
    named = _ANCHOR.search(text)
    if named:
        return text[: named.start()], named["anchor"]
    slug = re.sub(r"[^\w\s-]", "", text).strip().lower()
    return text, re.sub(r"[-\s]+", "-", slug)


def _name_headings(tokens: Sequence[Token]) -> Iterator[str]:
    """Give each heading its anchor. Yields the lines of the contents."""
    for opened, inline in pairwise(tokens):
        if opened.type == "heading_open":
            words, anchor = split_heading(inline.content)
            opened.attrSet("id", anchor)
            for child in inline.children or ():
                child.content = _ANCHOR.sub("", child.content)
            yield f'<li class="{opened.tag}"><a href="#{anchor}">{escape(words.replace("`", ""))}</a></li>'


def _linked(tokens: Sequence[Token], site: str | None) -> Iterator[Token]:
    """The tokens of a line with links that lead somewhere."""
    kept = True
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href"))
            relative = not target.startswith(("#", "https://"))
            kept = not relative or site is not None
            if relative and site is not None:
                token.attrSet("href", f"{site.rstrip('/')}/{target.replace('.md', '.html', 1)}")
        if kept or token.type not in ("link_open", "link_close"):
            yield token
