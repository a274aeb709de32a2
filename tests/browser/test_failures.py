"""About twenty failures, caused for real: page, log, alert and commands name the same cause and remedy, and the remedy works.

All networks fail side by side in one Airflow, and are repaired together. `-k` leaves out the networks that no test needs. With
`FAILURES=write` the sections of these failures are written into docs/failures.md; `FAILURES=compare` their words are compared.
"""

from __future__ import annotations

import contextlib
import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from brokenairflow import BrokenAirflow, accounts_of
from failure_page import MOST_WORDS, PAGE, PICTURES, Material, as_written, page_of
from failures import BY_NAME, FAILURES, INSTALLATION
from playwright.sync_api import expect
from tabs import log_in

from staking_gateway.topics import Topic

ALL = (*FAILURES, *INSTALLATION)
ENDED = tuple(failure for failure in FAILURES if failure.topic is not Topic.EXPIRED)
"""All but the one that nothing ends."""
SIZE = {"width": 900, "height": 900}


class Story:
    """What was seen of each failure, in the order of events.

    :param live: the networks have failed.
    :param names: the failures to tell.
    :ivar seen: by failure, while it lasted.
    :ivar after: by failure, level and headline of the page after the remedy.
    """

    def __init__(self, live, names, browser):
        self.live = live
        self._names = names
        self.seen: dict[str, Material] = {}
        self.after: dict[str, str] = {}
        self._context = browser.new_context(viewport=SIZE, color_scheme="light")
        self._tab = self._context.new_page()

    def tell(self):
        stack = self.live.stack
        log_in(self._tab, stack, stack.username, stack.password)
        failed = [failure for failure in FAILURES if failure.name in self.live.failures]
        self._note(*failed)
        for failure in INSTALLATION:
            if failure.name in self._names:
                self._break(failure)
        self._repair([failure for failure in failed if failure in ENDED and failure.name != "paused"])
        if "paused" in self.live.failures:
            self._unpause(BY_NAME["paused"])
        self._context.close()

    def _note(self, *failures):
        """Keep what is said now."""
        lines = []
        for failure in failures:
            option = ["--network", failure.network]
            lines += [["staking", "doctor", *option], ["staking", "why", *option, "--era", str(failure.era)]]
        with ThreadPoolExecutor(1) as beside:
            commands = beside.submit(self.live.commands, *lines)
            looks = [self._look(failure) for failure in failures]
        said = [output for _, output in commands.result()]
        for failure, (shown, picture), doctor, why in zip(failures, looks, said[::2], said[1::2], strict=True):
            alerts, task, log = self.live.alerts(failure), failure.task, []
            if task is not None:
                log = self.live.log_end(failure)
            elif alerts:
                task, log = self.live.log_of_alert(alerts[0])
            self.seen[failure.name] = Material(failure, shown, picture, task, log, alerts, doctor, why)

    def _look(self, failure):
        """The words of the cause on the page, and a picture."""
        self._tab.goto(self._address(failure))
        if failure.listed:
            name = self._tab.locator(f'[data-network="{failure.network}"]')
            card = self._tab.locator("#failure" if failure.shown_on else "li.strip")
            card = card if failure.shown_on else card.filter(has=name)
            expect(card).not_to_be_empty()
            return card.inner_text(), card.screenshot(animations="disabled")
        card = self._tab.locator("#causes .cause").first
        expect(card).not_to_be_empty()
        box = card.bounding_box()
        clip = {"x": 0, "y": 0, "width": SIZE["width"], "height": box["y"] + box["height"] + 12}
        return card.inner_text(), self._tab.screenshot(animations="disabled", clip=clip)

    def _address(self, failure):
        return f"{self.live.stack.url}/staking/{'' if failure.listed else f'?network={failure.network}'}"

    def _break(self, failure):
        """Break the installation, note what is said, and repair it."""
        component = failure.name.removeprefix("no_")
        good = self.live.config.read_text()
        if failure.name == "broken_file":
            self.live.config.write_text(good.replace("networks:", "networks: [", 1))
        else:
            self.live.kill(component)
        if component != "scheduler":
            self.live.watch()
        self._note(failure)
        if failure.name == "broken_file":
            self.live.config.write_text(good)
        else:
            self.live.revive(component)
        self._tab.goto(self._address(failure))
        gone = self._tab.locator(".cause h2, #failure").filter(has_text=failure.topic.heading)
        expect(self._tab.locator("#live")).not_to_be_empty()
        with contextlib.suppress(AssertionError):
            expect(gone).to_have_count(0, timeout=120_000)
        left = gone.all_inner_texts()
        self.after[failure.name] = "ok: gone" if not left else f"still there: {left}"

    def _repair(self, failures):
        for failure in failures:
            failure.repair(self.live, failure.name)
        self.live.commands(*(failure.paying for failure in failures if failure.pays))
        for failure in failures:
            self._tab.goto(f"{self.live.stack.url}/staking/?network={failure.network}")
            self._await_green(failure)

    def _unpause(self, failure):
        """What the remedy says has a button on the page."""
        self._tab.goto(self._address(failure))
        self._tab.get_by_role("button", name="Unpause the payout DAG").click()
        self._await_green(failure)

    def _await_green(self, failure):
        page = self._tab.locator("#page")
        # The test of this network reports what the page says instead.
        with contextlib.suppress(AssertionError):
            expect(page).to_have_attribute("data-level", "ok", timeout=120_000)
        self.after[failure.name] = f"{page.get_attribute('data-level')}: {self._tab.locator('#headline').inner_text()}"


@pytest.fixture(scope="module")
def story(request, tmp_path_factory, browser):
    tests = (getattr(item, "callspec", None) for item in request.session.items)
    chosen = [test.params["failure"] for test in tests if test is not None and "failure" in test.params]
    names = {failure.name for failure in chosen}
    needed = names | {failure.shown_on for failure in chosen}
    with BrokenAirflow(
        tmp_path_factory.mktemp("broken"), [failure for failure in FAILURES if failure.name in needed]
    ) as live:
        story = Story(live, names, browser)
        story.tell()
        yield story


def words(text):
    """Without line breaks, frames of tables, the spaces of amounts, and the marks of code."""
    return " ".join(re.sub(r"[│┃|]", " ", text.replace("\u202f", "").replace("`", "")).split())


@pytest.mark.parametrize("failure", ALL, ids=lambda failure: failure.name)
def test_page_log_alert_and_commands_name_the_same_cause_and_remedy(story, failure):
    seen, topic = story.seen[failure.name], failure.topic
    said = {"page": seen.shown, "doctor": seen.doctor}
    if failure.blocks:
        said["why"] = seen.why
    if failure.alerts:
        assert seen.alerts, [(message["network"], message["title"]) for message in story.live.receiver.messages]
        said |= {"alert": seen.alerts[0]["text"], "log": "\n".join(seen.log)}
        assert f"#{topic.anchor}" in said["log"]
    payer = accounts_of(failure.network)["payer"].address
    objects = [named.replace("{payer}", payer) for named in failure.objects]
    for expected in (topic.heading, failure.remedy or topic.remedy, *objects):
        assert {place: text for place, text in said.items() if words(expected) not in words(text)} == {}


@pytest.mark.parametrize("failure", [*ENDED, *INSTALLATION], ids=lambda failure: failure.name)
def test_the_remedy_ends_the_failure(story, failure):
    assert story.after[failure.name].startswith("ok: ")


def test_the_page_of_the_documentation_has_the_same_words(story):
    made = page_of(story.seen, ALL, PAGE.read_text())
    if os.environ.get("FAILURES") == "write":
        PAGE.write_text(made)
        PICTURES.mkdir(exist_ok=True)
        for name, one in story.seen.items():
            (PICTURES / f"{name}.png").write_bytes(one.picture)
    assert as_written(PAGE.read_text()) == as_written(made)
    assert len(made.split()) <= MOST_WORDS
    assert all((PICTURES / f"{failure.name}.png").exists() for failure in ALL)
