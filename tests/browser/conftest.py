"""Chromium, and one live Airflow with a page to look at."""

from __future__ import annotations

import os

import pytest
from livepage import NETWORK, LivePage
from playwright.sync_api import expect, sync_playwright
from tabs import SCREENSHOTS, log_in

from tests.support.debian import program

WIDE = {"width": 1440, "height": 900}
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser():
    """A Chromium of the system."""
    chromium = program("chromium", "chromium", "chromium-browser", "google-chrome")
    with sync_playwright() as playwright:
        # Chromium's sandbox refuses to work for root.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        launched = playwright.chromium.launch(executable_path=chromium, args=[*options, "--no-proxy-server"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def live(tmp_path_factory):
    """Airflow, its users, and a network with a history."""
    with LivePage(tmp_path_factory.mktemp("page")) as live:
        yield live


@pytest.fixture
def anonymous(browser):
    """A tab of nobody."""
    context = browser.new_context(viewport=WIDE)
    yield context.new_page()
    context.close()


@pytest.fixture(scope="session")
def sessions(browser, live):
    """What the browser remembers of each user who has logged in by the form."""
    known = {}

    def of(user):
        if user not in known:
            context = browser.new_context()
            log_in(context.new_page(), live, user, live.passwords[user])
            known[user] = context.storage_state()
            context.close()
        return known[user]

    return of


@pytest.fixture
def tab_of(browser, sessions):
    """Opens a tab of a user; anything that goes wrong in it fails the test."""
    contexts, wrong = [], []

    def open_tab(user="admin", **options):
        context = browser.new_context(storage_state=sessions(user), **{"viewport": WIDE, **options})
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        tab.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
        return tab

    yield open_tab
    for context in contexts:
        for tab in context.pages:
            tab.unroute_all(behavior="ignoreErrors")
        context.close()
    assert wrong == []


@pytest.fixture
def staking(live, tab_of):
    """Opens a network on the page within Airflow; returns the tab and the page's frame."""

    def open_page(user="admin", path=None, **options):
        tab = tab_of(user, **options)
        tab.goto(live.url + (path or "/plugin/staking"))
        frame = tab.frame_locator("iframe")
        if path is None:
            frame.locator(f'[data-network="{NETWORK}"]').click()
        expect(frame.locator(".payouts .cell")).to_have_count(84)
        return tab, frame

    return open_page


@pytest.fixture
def alone(live, tab_of):
    """Opens the page in a tab of its own, at a network or with another query."""

    def open_page(user="admin", query=f"?network={NETWORK}", **options):
        tab = tab_of(user, **options)
        tab.goto(f"{live.url}/staking/{query}")
        return tab

    return open_page


@pytest.fixture
def keep(tmp_path):
    """Keeps a picture: with PICTURES=1 in docs/screenshots."""
    folder = SCREENSHOTS if os.environ.get("PICTURES") else tmp_path
    return lambda tab, name, **options: tab.screenshot(path=folder / f"{name}.png", animations="disabled", **options)
