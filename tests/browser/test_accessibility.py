"""The page without findings of axe, in each of its views and both themes."""

from __future__ import annotations

import pytest
from livepage import ACTIVE, CROWD, MISSED, NETWORK
from playwright.sync_api import expect

from tests.support.npm import MODULES, install


@pytest.fixture(scope="module")
def axe():
    install()
    return (MODULES / "axe-core" / "axe.min.js").read_text()


def all_networks(tab):
    expect(tab.locator(".strip h2")).to_have_text([NETWORK, CROWD])


def one_network(tab):
    tab.locator("#expand").click()
    expect(tab.locator(".account .label")).to_have_count(6)
    tab.locator(".further summary").click()


def an_era(tab):
    tab.locator(f'[aria-label^="Era {MISSED[0]}, payout"]').click()
    expect(tab.locator("#drawer .timeline")).to_be_visible()


def a_tip(tab):
    tab.locator(f'[aria-label^="Era {ACTIVE - 1}, payout"]').focus()
    expect(tab.locator("#tip")).to_be_visible()


def a_plan(tab):
    tab.locator("#catch-up").click()
    expect(tab.locator("#dialog-body")).to_contain_text("Pays")


def the_help(tab):
    expect(tab.locator("h2").first).to_be_visible()


VIEWS = {
    all_networks: "",
    one_network: f"?network={NETWORK}",
    an_era: f"?network={NETWORK}",
    a_tip: f"?network={NETWORK}",
    a_plan: f"?network={NETWORK}",
    the_help: "help",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_axe_finds_nothing(alone, axe, view, scheme):
    tab = alone(query=VIEWS[view], color_scheme=scheme)
    view(tab)
    tab.evaluate(axe)
    found = tab.evaluate("axe.run()")
    assert len(found["passes"]) > 10
    assert [
        (broken["id"], broken["help"], [node["target"] for node in broken["nodes"]]) for broken in found["violations"]
    ] == []
