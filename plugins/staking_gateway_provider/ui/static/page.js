// The page: its networks, its requests, and what it draws.

import { CatchUp } from "./catch_up.js";
import { forgetCauses, showCauses } from "./causes.js";
import { drawChart } from "./chart.js";
import { Drawer } from "./drawer.js";
import { Refused, byId, element, pageUrl, request } from "./dom.js";
import { Grid, Tip } from "./grid.js";
import { headlineOf, showNetworks } from "./networks.js";
import { showFailure, showHeadline, showSummary, tick } from "./summary.js";
import { STATES } from "./states.js";
import { STATUSES, eras, soon } from "./words.js";

const EVERY = 5000;
const SOON = 1500;
const AT_ONCE = 80;

const tip = new Tip(byId("tip"));
const grid = new Grid(byId("grid"), tip);
const started = () => { busyUntil = Date.now() + 120000; update(); };
const catchUp = new CatchUp(started);
const pay = (only) => catchUp.open(network, only);
const drawer = new Drawer({
  pay: (number) => pay({ from_era: number, to_era: number }),
  refusal: () => whyNot(overview),
  closed: () => grid.focus({ scroll: false }),
});
const given = new URLSearchParams(window.location.search);

let networks = [];
let network = null; // null: all networks
let era = null;
let overview = null;
let strips = null;
let ahead = 0;
let busyUntil = 0;
let timer = null;
let asking = null;
let read = null;

async function begin() {
  legend();
  let first = null;
  try {
    const wanted = new URLSearchParams({ dag_id: given.get("dag_id") ?? "", run_id: given.get("run_id") ?? "" });
    const answer = await request(pageUrl(`api/networks?${wanted}`));
    networks = answer.networks;
    era = answer.era ?? (Number(given.get("era")) || null);
    first = find(answer.network ?? given.get("network"));
    if (given.get("dag_id") && !answer.network && networks.length) notice("This DAG is not one of the staking DAGs.");
  } catch (error) {
    fail(error);
    timer = window.setTimeout(begin, EVERY);
    return;
  }
  if (!networks.length) {
    byId("headline").textContent = "There is no network that you may see.";
    return;
  }
  const choice = byId("network");
  choice.replaceChildren(...networks.map(({ name }) => element("option", { value: name }, name)));
  choice.addEventListener("change", () => visit(choice.value));
  byId("all").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    visit(null);
  });
  window.addEventListener("popstate", () => select(find(new URLSearchParams(window.location.search).get("network"))));
  await select(first, era);
}

const find = (name) => networks.find((one) => one.name === name) ?? (networks.length === 1 ? networks[0] : null);

// Shows a network, or all of them, and keeps the place before for the browser's Back.
function visit(name) {
  window.history.pushState(null, "", name === null ? pageUrl("") : pageUrl(`?network=${encodeURIComponent(name)}`));
  select(find(name));
}

function select(chosen, atEra = null) {
  network = chosen;
  era = atEra;
  [overview, strips] = [null, null];
  grid.reset();
  forgetCauses();
  tip.hide();
  const many = networks.length > 1;
  byId("all").hidden = !many || network === null;
  byId("network-choice").hidden = network === null;
  byId("networks").hidden = true;
  byId("view").hidden = true;
  byId("refusal").hidden = true;
  byId("catch-up").hidden = network === null;
  if (network !== null) byId("network").value = network.name;
  return update();
}

async function update() {
  window.clearTimeout(timer);
  asking?.abort();
  asking = new AbortController();
  const chosen = network;
  try {
    const fresh = await request(chosen === null ? pageUrl("api/strips") : overviewUrl(chosen), { signal: asking.signal });
    if (chosen !== network) return;
    if (chosen === null) showAll(fresh.networks);
    else show(fresh);
  } catch (error) {
    if (error.name === "AbortError") return;
    fail(error);
  }
  const busy = Date.now() < busyUntil || overview?.owed.in_hand;
  if (!document.hidden) timer = window.setTimeout(update, busy ? SOON : EVERY);
}

function overviewUrl({ name }) {
  return pageUrl(`api/networks/${encodeURIComponent(name)}/overview?${new URLSearchParams(grid.query())}`);
}

function showAll(fresh) {
  strips = fresh;
  const [worst] = strips;
  showHeadline(worst?.level ?? "ok", headlineOf(strips));
  showNetworks(strips, visit);
  byId("networks").hidden = false;
  alive(strips.flatMap(({ dead }) => dead));
}

function show(fresh) {
  overview = fresh;
  ahead = Date.parse(overview.now) - Date.now();
  byId("view").hidden = false;
  showSummary(overview);
  showCauses(overview, { network, obstacle: () => whyNot(overview), pay: () => pay(), changed: started });
  tip.newest = overview.grid.first + overview.grid.count - 1;
  byId("grid-title").textContent = `Last ${eras(overview.grid.count)}`;
  foldAccounts();
  if (grid.show(overview, era)) chart();
  tick(ahead);
  const refusal = whyNot(overview);
  byId("catch-up").disabled = refusal !== "";
  byId("catch-up").title = refusal ? "" : "Shows the plan first";
  byId("refusal").textContent = refusal;
  byId("refusal").hidden = refusal === "";
  drawer.read();
  alive(overview.state.dead);
}

// The dot: whether everything runs that payouts need, not only this page.
function alive(dead) {
  read = new Date().toISOString();
  if (dead.length) live(dead[0], "dead");
  else live(`Live · ${read.slice(11, 19)} UTC`, "on");
  if (!performance.getEntriesByName("staking-drawn").length) {
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("staking-drawn")));
  }
}

// Why nothing can be paid now, or an empty text.
function whyNot({ owed, state, obstacle }) {
  if (!network.may_catch_up) return "You may not start the catch-up of this network.";
  if (!owed.count && !owed.earlier.count) return "Nothing is unpaid.";
  if (state.catch_up) return state.catch_up.paused ? "A catch-up run waits: unpause its DAG." : "A catch-up run is under way.";
  return obstacle ? `Nothing can be paid now: ${obstacle}.` : "";
}

function chart() {
  if (overview) drawChart(byId("chart"), overview.grid.cells, grid.columns(), tip);
  byId("chart").scrollLeft = byId("grid").scrollLeft;
}

function foldAccounts() {
  const { watched, unexpected } = overview.accounts;
  const folded = grid.wrongOnly;
  byId("expand").hidden = watched === 0 || (folded && watched === unexpected);
  byId("expand").textContent = folded ? "Show all accounts" : "Show exceptions only";
  byId("expand").setAttribute("aria-expanded", String(!folded));
  byId("filter").hidden = folded;
}

function fail(error) {
  const out = error instanceof Refused && error.status === 401;
  const keep = overview !== null || strips !== null;
  live(out ? "Logged out: log in to Airflow again" : keep ? `Not updated since ${soon(read, { seconds: true })}` : "Not read", "off");
  const reason = error instanceof Refused ? error.message : `Airflow does not answer (${error.message}). Is its API server up?`;
  showFailure(out ? "You are logged out. Log in to Airflow again." : reason, { keep, topic: error.topic, heading: error.heading });
}

function live(text, kind) {
  const place = byId("live");
  place.setAttribute("aria-live", kind === "on" ? "off" : "polite"); // screen readers skip the time
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

byId("catch-up").addEventListener("click", () => pay());
byId("filter").addEventListener("input", () => grid.filter(byId("filter").value, false));
byId("expand").addEventListener("click", () => {
  byId("filter").value = "";
  grid.filter("", !grid.wrongOnly);
  foldAccounts();
});
byId("grid").addEventListener("scroll", () => { byId("chart").scrollLeft = byId("grid").scrollLeft; }, { passive: true });
byId("chart").addEventListener("scroll", () => { byId("grid").scrollLeft = byId("chart").scrollLeft; }, { passive: true });
grid.resized = chart;
grid.open = (number, account) => drawer.open(network.name, number, account);
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
  } else if (networks.length) update();
});
window.setInterval(() => tick(ahead), 1000);
begin();
