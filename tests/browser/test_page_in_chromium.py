"""The Staking page in a real Chromium, over a live Airflow: what an operator sees, reads and does."""

from __future__ import annotations

import re

import pytest
from livepage import ACTIVE, CROWD, FEE, HELD, HOSTILE, IDLE_SINCE, MISSED, NETWORK, PATIENCE
from playwright.sync_api import expect

core = pytest.mark.core
HEADLINE = "4 eras unpaid; era 931 expires first, in 15 eras (3d 15h)."
FIRST = ACTIVE - 84


def cell(frame, era, row=0):
    return frame.locator(f'[data-row="{row}"][data-column="{era - FIRST}"]')


def tell(tab, change):
    """Let the page be told something else from its next look on.

    :param change: of the overview, in place.
    """

    def answer(route):
        response = route.fetch()
        told = response.json()
        change(told)
        route.fulfill(response=response, json=told)

    tab.route("**/overview**", answer)


def let_an_era_end(told):
    """The grid of one era later."""
    grid = told["grid"]
    newest = {**grid["cells"][-1], "era": grid["cells"][-1]["era"] + 1}
    grid["first"] += 1
    grid["cells"] = [*grid["cells"][1:], newest]


def played(tab):
    """Let Airflow's answers be played, so that no run waits for the tests after this one; the runs that are asked for."""
    sent = []
    tab.route(
        "**/dagRuns",
        lambda route: sent.append(route.request.post_data_json) or route.fulfill(json={"dag_run_id": "one"}),
    )
    tab.route("**/*?update_mask=is_paused", lambda route: route.fulfill(json={}))
    return sent


def letters(frame):
    return "".join(frame.locator(".payouts .cell").all_inner_texts())


# --- who may ----------------------------------------------------------------------------------------------------------------


@core
def test_anonymous_is_sent_to_the_login_and_gets_nothing_of_the_page(live, anonymous):
    anonymous.goto(f"{live.url}/plugin/staking")
    anonymous.wait_for_url("**/auth/login**")
    anonymous.goto(f"{live.url}/staking/")
    anonymous.wait_for_url("**/auth/login**")
    for path in ("", "static/page.js", f"api/networks/{NETWORK}/overview"):
        assert anonymous.request.get(f"{live.url}/staking/{path}").status == 401


@core
def test_a_viewer_reads_and_may_not_act(live, staking):
    tab, frame = staking("viewer")
    expect(frame.locator("#headline")).to_have_text(HEADLINE)
    expect(frame.locator("#catch-up")).to_be_disabled()
    expect(frame.locator("#refusal")).to_have_text("You may not start the catch-up of this network.")
    expect(frame.locator("#catch-up")).to_have_accessible_description("You may not start the catch-up of this network.")
    run = f"{live.url}/api/v2/dags/staking_catch_up_{NETWORK}/dagRuns"
    assert tab.request.post(run, data={"logical_date": None, "conf": {}}).status == 403


def test_who_was_logged_out_meanwhile_is_told(alone):
    tab = alone()
    expect(tab.locator("#live")).to_contain_text("Live")
    tab.context.clear_cookies()
    expect(tab.locator("#live")).to_contain_text("log in to Airflow again")


# --- what is seen -----------------------------------------------------------------------------------------------------------


@core
def test_a_glance_tells_what_is_owed_at_risk_and_wrong(staking, keep):
    tab, frame = staking()
    expect(frame.locator("#headline")).to_have_text(HEADLINE)
    expect(frame.locator("#page")).to_have_attribute("data-level", "danger")
    frame.locator(".further summary").click()
    causes = frame.locator("#causes")
    for said in (
        "Accounts are in the wrong state",
        "bob-stash",
        "Eras are unpaid",
        f"Eras 931, 968-969: never attempted, and without a run; era {HELD}: the fee 900",
    ):
        expect(causes).to_contain_text(said)
    chips = frame.locator("#chips")
    for said in ("1000", "closed", "4 eras", "50 eras", "5 of 6 right"):
        expect(chips).to_contain_text(said)
    expect(frame.locator("[data-until]")).to_have_text(re.compile(r"^[34]:\d\d:\d\d$"))
    keep(tab, "staking-light")


def test_a_missed_era_explains_itself(staking):
    _, frame = staking()
    missed = cell(frame, MISSED[0])
    expect(missed).to_have_text("O")
    expect(missed).to_have_attribute("aria-label", f"Era {MISSED[0]}, payout: Unpaid")
    missed.hover()
    for said in (f"Era {MISSED[0]} · Unpaid", "never attempted"):
        expect(frame.locator("#tip")).to_contain_text(said)
    cell(frame, 920).hover()
    for said in ("Era 920 · Paid", "40 min 55 s after its end", f"0x{920:064x}", "scheduled__era-920"):
        expect(frame.locator("#tip")).to_contain_text(said)


def test_an_account_that_stopped_staking_comes_first(staking):
    _, frame = staking()
    expect(frame.locator(".account .label").first).to_have_text("bob-stash")
    expect(cell(frame, IDLE_SINCE - 1, row=1)).to_have_text("S")
    stopped = cell(frame, IDLE_SINCE, row=1)
    expect(stopped).to_have_text("N")
    stopped.hover()
    expect(frame.locator("#tip")).to_contain_text("Not staking, and should be")


def test_accounts_fold_to_the_exceptions_and_are_filtered_by_label_and_address(staking):
    _, frame = staking()
    names = frame.locator(".account .label")
    expect(names).to_have_text(["bob-stash"])
    expect(frame.locator("#accounts")).to_have_text("5 of 6 accounts right, 1 in the wrong state")
    expect(frame.locator("#filter")).to_be_hidden()
    frame.locator("#expand").click()
    expect(names).to_have_count(6)
    frame.locator("#filter").fill("EVE")
    expect(names).to_have_text(["eve"])
    frame.locator("#filter").fill("5DAAnrj7")
    expect(names).to_have_text(["dave"])
    frame.locator("#filter").fill("nobody")
    expect(frame.locator(".none")).to_have_text("No account has “nobody” in its label or address.")
    expect(frame.locator("#expand")).to_have_attribute("aria-expanded", "true")
    frame.locator("#expand").click()
    expect(names).to_have_text(["bob-stash"])
    expect(frame.locator(".none")).to_be_empty()


@core
def test_a_hostile_label_is_a_text(alone):
    tab = alone(query=f"?network={CROWD}")
    tab.locator("#expand").click()
    expect(tab.locator(".account .label").first).to_have_text(HOSTILE)
    assert tab.locator("img").count() == 0
    tab.goto(tab.url.split("?")[0] + f"?network={HOSTILE}&dag_id={HOSTILE}&run_id={HOSTILE}")
    expect(tab.locator("#notice")).to_contain_text("not one of the staking DAGs")
    assert tab.locator("img").count() == 0


def test_first_paint_of_84_eras_and_500_accounts_takes_two_answers_and_the_rows_in_view(live, tab_of, capsys):
    """How long it takes is printed, beside what it depends on whatever the machine."""
    tab, asked = tab_of(), []
    tab.on("request", lambda request: asked.append(request.url) if "/staking/api/" in request.url else None)
    tab.goto(f"{live.url}/staking/?network={CROWD}")
    expect(tab.locator("#grid")).to_have_attribute("aria-rowcount", "2")
    read = "performance.getEntriesByName('staking-drawn').map(mark => mark.startTime)[0]"
    while (drawn := tab.evaluate(read)) is None:
        tab.evaluate("new Promise(requestAnimationFrame)")
    assert ["/overview" in url for url in asked[:2]] == [False, True]
    tab.locator("#expand").click()
    expect(tab.locator("#grid")).to_have_attribute("aria-rowcount", "502")
    assert tab.locator("#grid .account").count() < 60
    tab.goto(f"{live.url}/dags")
    expect(tab.get_by_role("heading", name="Dags")).to_be_visible()
    theirs = tab.evaluate("performance.now()")
    with capsys.disabled():
        print(f" drawn after {drawn:.0f} ms, Airflow's list of DAGs after {theirs:.0f} ms ", end="")  # noqa: T201


# --- all networks -----------------------------------------------------------------------------------------------------------


def test_it_opens_on_all_networks_worst_first_and_a_click_opens_one(alone, keep):
    tab = alone(query="")
    expect(tab.locator("#headline")).to_have_text("1 of 2 networks needs action.")
    expect(tab.locator(".strip h2")).to_have_text([NETWORK, CROWD])
    first = tab.locator(".strip").first
    for said in (HEADLINE, "Eras are unpaid", "1 further cause."):
        expect(first).to_contain_text(said)
    expect(first.locator(".newest .cell")).to_have_count(28)
    keep(tab, "staking-networks")
    first.locator("a").click()
    expect(tab.locator("#network")).to_have_value(NETWORK)
    expect(tab.locator(".payouts .cell")).to_have_count(84)
    tab.go_back()
    expect(tab.locator(".strip h2")).to_have_count(2)
    expect(tab.locator("#catch-up")).to_be_hidden()
    tab.go_forward()
    expect(tab.locator("#network")).to_have_value(NETWORK)
    tab.locator("#all").click()
    expect(tab.locator(".strip h2")).to_have_count(2)


def test_the_mistake_of_one_network_is_its_own_strip(alone):
    tab = alone(query="")
    mistake = {"topic": "configuration", "heading": "staking.yaml has a mistake", "detail": "networks.b: is wrong"}
    cause = {**mistake, "remedy": "Correct it", "level": "danger", "eras": [], "action": None}
    strip = {"network": "b", "level": "danger", "headline": "A mistake.", "dead": [mistake["heading"]], "cells": []}

    def answer(route):
        response = route.fetch()
        told = response.json()["networks"]
        route.fulfill(response=response, json={"networks": [{**strip, "cause": cause, "more": 0}, *told]})

    tab.route("**/api/strips", answer)
    expect(tab.locator(".strip h2")).to_have_text(["b", NETWORK, CROWD])
    for said in (mistake["detail"], "Correct it."):
        expect(tab.locator(".strip").first).to_contain_text(said)
    expect(tab.locator("#live")).to_have_text("staking.yaml has a mistake")


# --- an era -----------------------------------------------------------------------------------------------------------------


def test_an_era_opens_a_drawer_by_keyboard_which_keeps_and_returns_the_focus(alone, keep):
    tab = alone()
    cell(tab, MISSED[0]).focus()
    tab.keyboard.press("Enter")
    drawer = tab.locator("#drawer")
    expect(drawer).to_be_visible()
    expect(drawer.locator("#drawer-title")).to_have_text(f"Era {MISSED[0]}")
    for said in ("Unpaid", "never attempted", "What to do:", "Its rewards are lost in", "Ended", "Unpaid (stopped)"):
        expect(drawer).to_contain_text(said)
    keep(tab, "staking-era")
    for _ in range(6):
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#drawer')")
    tab.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(tab.locator(".cell:focus")).to_have_attribute("aria-label", f"Era {MISSED[0]}, payout: Unpaid")


def test_one_era_is_planned_alone(live, alone):
    tab = alone()
    cell(tab, MISSED[1]).click()
    tab.locator("#drawer").get_by_role("button", name="Pay this era…").click()
    expect(tab.locator("#drawer")).to_be_hidden()
    expect(tab.locator("#dialog-body")).to_contain_text("Pays 1 era")
    sent = played(tab)
    tab.locator("#dialog-go").click()
    expect(tab.locator("#dialog-body")).to_contain_text("Started.")
    (run,) = sent
    approved = run["conf"].pop("approve")
    assert run["conf"] == {"from_era": MISSED[1], "to_era": MISSED[1]}
    assert re.fullmatch("[0-9a-f]{16}", approved)


@core
def test_chosen_eras_are_planned_and_a_changed_list_is_never_paid_by_the_plan_before(live, alone):
    tab = alone()
    tab.locator("#catch-up").click()
    body, go, field = tab.locator("#dialog-body"), tab.locator("#dialog-go"), tab.get_by_label("Eras", exact=True)
    expect(body).to_contain_text("Pays 4 eras")
    field.fill(f"{MISSED[0]}, {MISSED[1]}-{MISSED[1]}")
    expect(go).to_be_disabled()
    field.press("Enter")
    expect(body).to_contain_text("Pays 2 eras")
    sent = played(tab)
    field.fill(f"{ACTIVE}")
    tab.get_by_role("button", name="Show plan").click()
    expect(body).to_contain_text(f"There is no plan: eras: era {ACTIVE} has not ended")
    expect(go).to_be_disabled()
    field.fill(f"{MISSED[1]}")
    field.press("Enter")
    expect(body).to_contain_text("Pays 1 era")
    go.click()
    expect(body).to_contain_text("Started.")
    expect(field).to_be_hidden()
    (run,) = sent
    assert run["conf"].pop("approve")
    assert run["conf"] == {"eras": str(MISSED[1])}


# --- causes -----------------------------------------------------------------------------------------------------------------


def tell_cause(tab, **changes):
    """Let the first cause be another one."""

    def change(told):
        told["causes"] = [{**told["causes"][0], **changes.get("cause", {})}]
        told["obstacle"] = changes.get("obstacle")
        told["state"]["dead"] = changes.get("dead", [])

    tell(tab, change)


@core
def test_a_dead_gateway_is_dead_in_the_dot_and_payment_is_not_offered(alone):
    tab = alone()
    action, dead = {"kind": "pay"}, "The gateway does not answer"
    tell_cause(tab, cause={"action": action, "eras": [931]}, obstacle=dead, dead=[dead])
    expect(tab.locator("#live")).to_have_text(dead)
    expect(tab.locator("#live")).to_have_attribute("data-kind", "dead")
    pay = tab.locator("#causes").get_by_role("button", name="Pay 1 era…")
    expect(pay).to_be_disabled()
    expect(tab.locator("#causes .acts")).to_contain_text(f"Nothing can be paid now: {dead}.")
    expect(tab.locator("#catch-up")).to_be_disabled()
    expect(tab.locator("#refusal")).to_have_text(f"Nothing can be paid now: {dead}.")
    tell_cause(tab, cause={"action": action, "eras": [931]})
    expect(pay).to_be_enabled()
    expect(tab.locator("#refusal")).to_be_hidden()
    expect(tab.locator("#live")).to_contain_text("Live")


def test_the_payouts_are_unpaused_by_one_click(alone):
    tab, sent = alone(), []
    tab.route("**/*?update_mask=is_paused", lambda route: sent.append(route.request) or route.fulfill(json={}))
    tell_cause(tab, cause={"action": {"kind": "unpause", "dag_id": f"staking_payout_{NETWORK}"}})
    tab.locator("#causes").get_by_role("button", name="Unpause the payout DAG").click()
    expect(tab.locator("#causes").get_by_role("button", name="Unpaused")).to_be_visible()
    (request,) = sent
    assert (request.method, request.post_data_json) == ("PATCH", {"is_paused": False})
    assert f"/api/v2/dags/staking_payout_{NETWORK}?" in request.url


# --- where it is ------------------------------------------------------------------------------------------------------------


def test_a_tab_on_the_dag_opens_at_its_network(staking):
    for name in (NETWORK, CROWD):
        _, frame = staking(path=f"/dags/staking_payout_{name}/plugin/staking-dag")
        expect(frame.locator("#network")).to_have_value(name)


def test_a_tab_on_a_run_opens_at_its_era(live, staking):
    (run,) = [run for run in live.api.runs(f"staking_payout_{NETWORK}") if run["run_type"] == "scheduled"]
    _, frame = staking(path=f"/dags/staking_payout_{NETWORK}/runs/{run['dag_run_id']}/plugin/staking-run")
    expect(frame.locator(".payouts .here")).to_have_attribute("aria-label", f"Era {ACTIVE - 1}, payout: Paid")


def test_it_is_dark_where_airflow_is(staking, keep):
    tab, frame = staking()
    expect(frame.locator("html")).to_have_attribute("data-theme", "light")
    tab.evaluate("localStorage.setItem('theme', 'dark')")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    tab.reload()
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    frame.locator(f'[data-network="{NETWORK}"]').click()
    cell(frame, MISSED[1]).hover()
    keep(tab, "staking-dark")


def test_alone_it_is_dark_where_the_system_is(alone):
    expect(alone(color_scheme="dark").locator("html")).to_have_attribute("data-theme", "dark")
    expect(alone(color_scheme="light").locator("html")).to_have_attribute("data-theme", "light")


def test_on_a_narrow_window_nothing_is_cut_off_and_the_newest_era_is_in_view(alone, keep):
    tab = alone(viewport={"width": 400, "height": 860})
    expect(tab.locator("#headline")).to_have_text(HEADLINE)
    tab.locator("#grid").scroll_into_view_if_needed()  # down; what is told is whether it must be moved sideways
    expect(cell(tab, ACTIVE - 1)).to_be_in_viewport(ratio=0.9)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    keep(tab, "staking-narrow", full_page=True)


# --- by keyboard ------------------------------------------------------------------------------------------------------------


def test_the_grid_is_walked_by_keyboard(alone):
    tab = alone()
    expect(tab.locator("#headline")).to_have_text(HEADLINE)
    tab.locator("#expand").click()
    expect(tab.locator(".account .label")).to_have_count(6)
    tab.locator("#filter").focus()
    tab.keyboard.press("Tab")
    focused = tab.locator(".cell:focus")
    expect(focused).to_have_attribute("aria-label", f"Era {ACTIVE - 1}, payout: Paid")
    expect(tab.locator("#tip")).to_contain_text(f"Era {ACTIVE - 1} · Paid")
    assert focused.evaluate("cell => getComputedStyle(cell).outlineStyle") == "solid"
    tab.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("aria-label", f"Era {ACTIVE - 1}, bob-stash: Not staking, and should be")
    tab.keyboard.press("ArrowLeft")
    expect(focused).to_have_attribute("aria-label", f"Era {ACTIVE - 2}, bob-stash: Not staking, and should be")
    tab.keyboard.press("Home")
    expect(focused).to_have_attribute("aria-label", f"Era {FIRST}, bob-stash: Not checked")
    tab.keyboard.press("End")
    tab.keyboard.press("ArrowRight")
    expect(focused).to_have_attribute("aria-label", f"Era {ACTIVE - 1}, bob-stash: Not staking, and should be")
    tab.keyboard.press("PageUp")
    expect(focused).to_have_attribute("aria-label", f"Era {ACTIVE - 1}, payout: Paid")
    tab.keyboard.press("Escape")
    expect(tab.locator("#tip")).to_be_hidden()
    assert tab.locator('#grid [tabindex="0"]').count() == 1


@pytest.mark.parametrize("row", [0, 1])
def test_when_an_era_ends_the_selected_era_stays_selected_and_explained(alone, row):
    tab = alone()
    chosen = cell(tab, ACTIVE - 1, row=row)
    expect(chosen).to_have_attribute("aria-label", re.compile(f"^Era {ACTIVE - 1}, "))
    chosen.focus()
    for _ in range(4):
        tab.keyboard.press("ArrowLeft")
    expect(tab.locator("#tip")).to_contain_text(f"Era {ACTIVE - 5} ·")
    tell(tab, let_an_era_end)
    expect(tab.locator(".payouts .cell").last).to_have_attribute("aria-label", re.compile(f"^Era {ACTIVE}, payout"))
    expect(tab.locator(".cell:focus")).to_have_attribute("aria-label", re.compile(f"^Era {ACTIVE - 5}, "))
    assert tab.locator(".cell:focus").get_attribute("data-row") == str(row)
    expect(tab.locator("#tip")).to_be_visible()
    expect(tab.locator("#tip")).to_contain_text(f"Era {ACTIVE - 5} ·")
    tab.keyboard.press("Escape")
    tab.unroute("**/overview**")
    expect(tab.locator(".payouts .cell").last).to_have_attribute("aria-label", re.compile(f"^Era {ACTIVE - 1}, payout"))
    expect(tab.locator(".cell:focus")).to_have_attribute("aria-label", re.compile(f"^Era {ACTIVE - 5}, "))
    expect(tab.locator("#tip")).to_be_hidden()


# --- live -------------------------------------------------------------------------------------------------------------------


def test_a_server_that_does_not_answer_is_told_and_the_page_stays(alone):
    tab = alone()
    expect(tab.locator("#headline")).to_have_text(HEADLINE)
    tab.route("**/overview**", lambda route: route.abort())
    expect(tab.locator("#live")).to_have_text(re.compile(r"^Not updated since \d\d:\d\d:\d\d UTC$"))
    expect(tab.locator("#failure")).to_contain_text("Error Airflow does not answer")
    expect(tab.locator("#headline")).to_have_text(HEADLINE)
    tab.unroute("**/overview**")
    expect(tab.locator("#live")).to_contain_text("Live")
    expect(tab.locator("#failure")).to_be_empty()


def test_a_broken_configuration_is_told_mistake_by_mistake_and_is_gone_when_mended(live, tab_of):
    tab = tab_of()
    detail = "staking.yaml holds 2 mistakes:\n  a: is wrong. Write b\n  c: is missing. Add it"
    tab.route("**/api/networks?**", lambda route: route.fulfill(status=503, json={"detail": detail}))
    tab.goto(f"{live.url}/staking/")
    expect(tab.locator("#headline")).to_have_text("The state cannot be read.")
    expect(tab.locator("#mark")).to_have_text("✕")
    expect(tab.locator("#page")).to_have_attribute("data-level", "danger")
    expect(tab.locator("#failure li")).to_have_text(
        ["staking.yaml holds 2 mistakes:", "Error a: is wrong. Write b", "Error c: is missing. Add it"]
    )
    expect(tab.locator("#live")).to_have_text("Not read")
    tab.unroute("**/api/networks?**")
    expect(tab.locator("#headline")).to_have_text("1 of 2 networks needs action.")
    expect(tab.locator("#failure")).to_be_empty()


def test_a_run_that_waits_because_its_dag_could_not_be_unpaused_is_told_with_the_remedy(live, staking):
    tab, frame = staking()
    # Airflow's answers are played, so that no run waits for the tests after this one.
    tab.route("**/dagRuns", lambda route: route.fulfill(json={"dag_run_id": "manual__played"}))
    tab.route("**/*?update_mask=is_paused", lambda route: route.fulfill(status=403, json={"detail": "Forbidden"}))
    frame.locator("#catch-up").click()
    expect(frame.locator("#dialog-go")).to_have_text("Unpause and pay 4 eras")
    frame.locator("#dialog-go").click()
    catch_up = f"staking_catch_up_{NETWORK}"
    expect(frame.locator("#dialog-body")).to_have_text(
        re.compile(f"the run waits in the queue, but {catch_up} could not be unpaused .*Unpause it, and the run starts")
    )
    expect(frame.locator("#dialog-go")).to_be_hidden()
    assert live.api.runs(catch_up) == []


def test_unpaid_eras_become_a_run_after_the_plan_was_shown_and_turn_paid(live, staking, keep):
    tab, frame = staking()
    catch_up = f"staking_catch_up_{NETWORK}"
    frame.locator("#catch-up").click()
    plan = frame.locator("#dialog-body")
    expect(plan).to_contain_text("Pays 4 eras")
    shown = [row.split("\t")[0] for row in plan.locator("tbody tr").all_inner_texts()]
    assert shown == [*map(str, MISSED), str(HELD)]
    expect(plan).to_contain_text(f"{4 * FEE:,}".replace(",", "\u202f"))
    keep(tab, "staking-plan")
    tab.keyboard.press("Escape")
    expect(frame.locator("#dialog")).to_be_hidden()
    assert live.api.runs(catch_up) == []

    frame.locator("#catch-up").click()
    frame.locator("#dialog-go").click()
    expect(plan).to_contain_text("Started.")
    (run,) = [run for run in live.api.runs(catch_up) if (run["conf"] or {}).get("approve")]
    assert run["triggering_user_name"] == "admin"
    frame.locator("#dialog-close").click()
    expect(frame.locator("#catch-up")).to_be_disabled()
    expect(cell(frame, MISSED[0])).to_have_text("P", timeout=PATIENCE * 1000)
    last = re.compile(r"Last catch-up\s*success")
    expect(frame.locator("#chips")).to_contain_text(last, timeout=PATIENCE * 1000)
    expect(frame.locator("#headline")).to_have_text(
        "Accounts are in the wrong state. Nothing is unpaid.", timeout=PATIENCE * 1000
    )
    assert set(letters(frame)) == {"-", "P"}
    paid = {payout["era"] for payout in live.mainnet.control.truth()["payouts"]}
    assert paid == {*MISSED, HELD}
    keep(tab, "staking-paid")
    states = lambda: {run["dag_run_id"]: run["state"] for run in live.api.runs(catch_up)}  # noqa: E731
    live.wait(lambda: len(states()) > 1, "the schedule runs again too", states)
    live.wait(lambda: states()[run["dag_run_id"]] == "success", "the approved run is done", states)

    cell(frame, MISSED[0]).focus()
    tab.keyboard.press("Enter")
    frame.locator("#drawer .facts").locator("a", has_text=f"{catch_up} / ").click()
    tab.wait_for_url(f"**/dags/{catch_up}/runs/**")
    expect(tab.get_by_text("Started from the Staking page")).to_be_visible()
