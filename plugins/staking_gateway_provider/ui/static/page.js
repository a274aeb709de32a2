// The page: its network, its requests, and what it draws.

import { CatchUp } from "./catch_up.js";
import { drawChart } from "./chart.js";
import { Refused, byId, element, pageUrl, request } from "./dom.js";
import { Grid, Tip } from "./grid.js";
import { showFailure, showSummary, tick } from "./summary.js";
import { STATES } from "./states.js";
import { STATUSES, eras, soon } from "./words.js";

const EVERY = 5000;
const SOON = 1500;
const AT_ONCE = 80;

const tip = new Tip(byId("tip"));
const grid = new Grid(byId("grid"), tip);
const catchUp = new CatchUp(() => { busyUntil = Date.now() + 120000; update(); });
const given = new URLSearchParams(window.location.search);

let networks = [];
let network = null;
let era = null;
let overview = null;
let ahead = 0;
let busyUntil = 0;
let timer = null;
let asking = null;
let read = null;

async function begin() {
  legend();
  try {
    const wanted = new URLSearchParams({ dag_id: given.get("dag_id") ?? "", run_id: given.get("run_id") ?? "" });
    const answer = await request(pageUrl(`api/networks?${wanted}`));
    networks = answer.networks;
    era = answer.era ?? (Number(given.get("era")) || null);
    const first = answer.network ?? given.get("network");
    network = networks.find((one) => one.name === first) ?? networks[0] ?? null;
    if (given.get("dag_id") && !answer.network && network) notice(`This DAG is not one of the staking DAGs; this is ${network.name}.`);
  } catch (error) {
    fail(error);
    timer = window.setTimeout(begin, EVERY);
    return;
  }
  if (!network) {
    byId("headline").textContent = "There is no network that you may see.";
    return;
  }
  const choice = byId("network");
  choice.replaceChildren(...networks.map((one) => element("option", { value: one.name }, one.name)));
  choice.value = network.name;
  byId("network-choice").hidden = false;
  choice.addEventListener("change", () => {
    network = networks.find((one) => one.name === choice.value);
    era = null;
    overview = null;
    grid.reset();
    update();
  });
  await update();
}

async function update() {
  window.clearTimeout(timer);
  asking?.abort();
  asking = new AbortController();
  const { name } = network;
  byId("export").href = pageUrl(`api/networks/${encodeURIComponent(name)}/export.csv`).href;
  try {
    const query = new URLSearchParams({ ...grid.query(), known: overview?.grid.version ?? "" });
    const fresh = await request(pageUrl(`api/networks/${encodeURIComponent(name)}/overview?${query}`), { signal: asking.signal });
    if (name !== network.name) return;
    overview = fresh;
    show();
  } catch (error) {
    if (error.name === "AbortError") return;
    fail(error);
  }
  if (!document.hidden) timer = window.setTimeout(update, Date.now() < busyUntil || overview?.owed.in_hand.length ? SOON : EVERY);
}

function show() {
  ahead = Date.parse(overview.now) - Date.now();
  showSummary(overview);
  tip.newest = overview.grid.first + overview.grid.count - 1;
  byId("grid-title").textContent = `Last ${eras(overview.grid.count)}`;
  if (grid.show(overview, era)) chart();
  tick(ahead);
  const refusal = whyNot(overview);
  byId("catch-up").disabled = refusal !== "";
  byId("catch-up").title = refusal || "Shows the plan first";
  read = new Date().toISOString();
  live(`Live · ${read.slice(11, 19)} UTC`, "on");
  if (!performance.getEntriesByName("staking-drawn").length) {
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("staking-drawn")));
  }
}

// Why the catch-up cannot be started now, or an empty text.
function whyNot({ owed, state }) {
  if (!network.may_catch_up) return "You may not start the catch-up of this network";
  if (!owed.count && !owed.earlier.count) return "Nothing is unpaid";
  return state.catch_up ? "A catch-up run is under way" : "";
}

function chart() {
  if (overview) drawChart(byId("chart"), overview.grid.cells, grid.columns(), tip);
  byId("chart").scrollLeft = byId("grid").scrollLeft;
}

function fail(error) {
  const out = error instanceof Refused && error.status === 401;
  const since = overview ? `Not updated since ${soon(read, { seconds: true })}` : "Not read";
  live(out ? "Logged out: log in to Airflow again" : since, "off");
  const reason = error instanceof Refused ? error.message : `Airflow does not answer (${error.message}). Is its API server up?`;
  showFailure(out ? "You are logged out. Log in to Airflow again." : reason, { keep: overview !== null });
}

function live(text, kind) {
  const place = byId("live");
  place.setAttribute("aria-live", kind === "off" ? "polite" : "off"); // screen readers skip the time
  if (place.textContent !== text) place.textContent = text;
  place.dataset.kind = kind;
}

function notice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = false;
}

function legend() {
  const payouts = Object.entries(STATES).map(([letter, { kind, word }]) => entry(letter, `c-${kind}`, word));
  const wrong = entry("N", "a-B", "In the wrong state");
  byId("legend").replaceChildren(...payouts, entry("S", "a-S", STATUSES.S.word), entry("N", "a-N", STATUSES.N.word), wrong);
}

const entry = (letter, kind, word) => element("li", {}, element("span", { class: `cell ${kind}`, "aria-hidden": "true" }, letter), ` ${word}`);

byId("catch-up").addEventListener("click", () => catchUp.open(network));
for (const id of ["filter", "wrong-only"]) {
  byId(id).addEventListener("input", () => grid.filter(byId("filter").value, byId("wrong-only").checked));
}
byId("grid").addEventListener("scroll", () => { byId("chart").scrollLeft = byId("grid").scrollLeft; }, { passive: true });
byId("chart").addEventListener("scroll", () => { byId("grid").scrollLeft = byId("chart").scrollLeft; }, { passive: true });
grid.resized = chart;
// Other rows of accounts are needed. Scrolling and typing ask many times, so the page waits for a pause.
grid.ask = () => {
  if (!network) return;
  window.clearTimeout(timer);
  timer = window.setTimeout(update, AT_ONCE);
};
document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    window.clearTimeout(timer);
    live("Paused while hidden", "off");
  } else if (network) update();
});
window.setInterval(() => tick(ahead), 1000);
begin();
