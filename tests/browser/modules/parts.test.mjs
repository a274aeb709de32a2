import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { parseHTML } from "linkedom";

const PLACES = ["causes", "networks", "page", "mark", "headline", "failure", "chips", "accounts"];
const { document, window } = parseHTML(`<html><body>${PLACES.map((id) => `<div id="${id}"></div>`).join("")}</body></html>`);
window.location = new URL("https://airflow.example/af/staking/");
window.parent = window;
Object.assign(globalThis, { document, window, CSS: { escape: (text) => text } });

const { forgetCauses, showCauses } = await import("./causes.js");
const { drawChart } = await import("./chart.js");
const { Refused, element, request, runUrl } = await import("./dom.js");
const { headlineOf, showNetworks } = await import("./networks.js");
const { showFailure, showHeadline, tick } = await import("./summary.js");

const byId = (id) => document.getElementById(id);
const CAUSE = {
  topic: "unpaid", level: "danger", heading: "Era 7 is unpaid", detail: "its run failed", remedy: "start `catch up`", eras: [7],
  since: null, connection: null, transaction_url: null, action: { kind: "pay" },
};
const shown = (cause = {}, context = {}) => {
  const whole = { network: { may_unpause_payouts: true }, obstacle: () => "", pay: mock.fn(), changed: mock.fn(), ...context };
  showCauses({ causes: [{ ...CAUSE, ...cause }], obstacle: null }, whole);
  return whole;
};
const button = () => byId("causes").querySelector("button");

beforeEach(forgetCauses);

test("data never becomes markup", () => {
  const made = element("p", { title: "<b>" }, "<img src=x onerror=alert(1)>");
  assert.equal(made.children.length, 0);
  assert.match(made.outerHTML, /&lt;img/);
});

test("addresses are below Airflow's, and names in them are quoted", () => {
  assert.equal(runUrl("a/b", "manual__1+1"), "https://airflow.example/af/dags/a%2Fb/runs/manual__1%2B1");
});

test("paying is offered where it is the remedy", () => {
  const { pay } = shown();
  assert.equal(button().textContent, "Pay 1 era…");
  assert.equal(button().className, "button primary");
  button().click();
  assert.equal(pay.mock.callCount(), 1);
});

test("an obstacle disables paying, and is named", () => {
  shown({}, { obstacle: () => "The gateway is silent." });
  assert.equal(button().hasAttribute("disabled"), true);
  assert.match(byId("causes").textContent, /The gateway is silent\./);
});

test("another remedy than paying is not prominent", () => {
  shown({ topic: "unsupported", action: { kind: "pay" } });
  assert.equal(button().classList.contains("primary"), false);
});

test("who may not unpause a DAG reads why", () => {
  shown({ action: { kind: "unpause", dag_id: "staking_payout_devnet" } }, { network: { may_unpause_payouts: false } });
  assert.equal(button().hasAttribute("disabled"), true);
  assert.match(byId("causes").textContent, /You may not unpause this DAG/);
});

test("a cause links to the place of its remedy", () => {
  const links = () => [...byId("causes").querySelectorAll("a")].map(({ textContent, href }) => [textContent, href]);
  const help = ["More about this", "https://airflow.example/af/staking/help#unpaid"];
  shown({ connection: "gone", transaction_url: "https://explorer.example/0xab" });
  assert.deepEqual(links(), [
    ["Open the connection gone", "https://airflow.example/af/connections?name_pattern=gone"],
    ["Open the transaction", "https://explorer.example/0xab"],
    help,
  ]);
});

test("further causes are folded below the first", () => {
  const context = { network: {}, obstacle: () => "", pay() {}, changed() {} };
  showCauses({ causes: [CAUSE, { ...CAUSE, heading: "Second" }, { ...CAUSE, heading: "Third" }], obstacle: null }, context);
  assert.equal(byId("causes").querySelector("summary").textContent, "2 further causes");
  assert.equal(byId("causes").querySelectorAll("details article").length, 2);
});

test("networks are counted by their worst state", () => {
  const strips = (...levels) => levels.map((level) => ({ level }));
  assert.equal(headlineOf(strips("danger", "attention", "ok")), "1 of 3 networks needs action.");
  assert.equal(headlineOf(strips("attention", "attention")), "2 of 2 networks need attention.");
  assert.equal(headlineOf(strips("ok", "ok")), "All 2 networks are in order.");
});

test("a strip says each state in words", () => {
  const strip = { network: "devnet", level: "ok", headline: "Fine", dead: [], cause: null, more: 0, cells: [{ era: 1, state: "P" }, { era: 2, state: "P" }] };
  showNetworks([strip], () => {});
  assert.match(byId("networks").innerHTML, /Newest 2 eras: 2 paid/);
});

test("a failure replaces a headline, unless the older one is kept", () => {
  showHeadline("ok", "Nothing is unpaid.");
  showFailure("Airflow does not answer", { keep: true });
  assert.equal(byId("headline").textContent, "Nothing is unpaid.");
  showFailure("staking.yaml has a mistake:\na: is wrong", { topic: "settings" });
  assert.equal(byId("headline").textContent, "The state cannot be read.");
  assert.equal(byId("failure").querySelectorAll("li").length, 3);
  showHeadline("ok", "Nothing is unpaid.");
  assert.equal(byId("failure").children.length, 0);
});

test("a countdown follows the server's clock", () => {
  const place = element("span", { "data-until": new Date(Date.now() + 60_500).toISOString() });
  byId("chips").append(place);
  tick(0);
  assert.match(place.textContent, /^01:0[01]$/);
  tick(120_000);
  assert.equal(place.textContent, "any moment");
});

test("the chart has a bar for each known value, in the grid's columns", () => {
  const place = element("div");
  const cells = [{ era: 9, lag: 60, fee: "100", fee_text: "100" }, { era: 10 }, { era: 11, lag: 5, fee: "300", fee_text: "300" }];
  drawChart(place, cells, { left: 80, width: 12, count: 3 }, { show() {}, hide() {} });
  assert.equal(place.querySelectorAll("rect.bar").length, 4);
  assert.match(place.querySelector("svg").getAttribute("aria-label"), /lag of 2 eras: median 1 min 00 s, longest 1 min 00 s/);
});

test("a refused request raises with the server's words", async () => {
  const answer = { ok: false, status: 409, json: async () => ({ detail: "The plan has changed", topic: "plan", heading: "Plans" }) };
  mock.method(globalThis, "fetch", async () => answer);
  await assert.rejects(request("x", { method: "POST", body: {} }), (error) => error instanceof Refused && error.status === 409 && error.message === "The plan has changed");
  const [, options] = globalThis.fetch.mock.calls[0].arguments;
  assert.equal(options.headers["X-Staking-Page"], "1");
});
