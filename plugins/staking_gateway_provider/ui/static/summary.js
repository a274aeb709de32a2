// The headline, what keeps the page from reading, and the state of the network.

import { help } from "./causes.js";
import { byId, element, link, runUrl } from "./dom.js";
import { countdown, eras, readable, soon } from "./words.js";

export const MARKS = { ok: "✓", attention: "!", danger: "✕" };

const UNREAD = "The state cannot be read.";

let shown = "";
let failed = "";

// Shows why an update failed, one reason per line. `keep` keeps the older overview; `topic` is the runbook's section, with its heading.
export function showFailure(text, { keep = false, topic, heading } = {}) {
  if (!keep && text && byId("headline").textContent !== UNREAD) {
    shown = "";
    byId("page").dataset.level = "danger";
    byId("mark").textContent = MARKS.danger;
    byId("headline").textContent = UNREAD;
  }
  if (text === failed) return;
  failed = text;
  const reasons = text.split("\n").filter(Boolean);
  byId("failure").replaceChildren(
    ...(heading ? [element("li", { class: "danger" }, element("b", {}, heading))] : []),
    ...reasons.map((line) => element("li", { class: "danger" }, line.endsWith(":") ? "" : element("b", {}, "Error"), ` ${line}`)),
    ...(topic ? [element("li", {}, help(topic))] : []),
  );
}

export function showHeadline(level, headline) {
  showFailure("");
  if (`${level} ${headline}` === shown) return; // screen readers would repeat it
  shown = `${level} ${headline}`;
  byId("page").dataset.level = level;
  byId("mark").textContent = MARKS[level] ?? "";
  byId("headline").textContent = headline;
}

export function showSummary(overview) {
  showHeadline(overview.level, overview.headline);
  byId("chips").replaceChildren(...chips(overview));
  byId("accounts").textContent = accountsWords(overview.accounts);
}

// `497 of 500 accounts right, 3 in the wrong state`.
function accountsWords({ watched, checked, right, unexpected }) {
  if (!watched) return "No accounts are watched";
  if (!checked) return `${watched} accounts, not checked yet`;
  const rest = watched - checked;
  return [`${right} of ${watched} accounts right`, unexpected ? `${unexpected} in the wrong state` : "", rest ? `${rest} not checked yet` : ""].filter(Boolean).join(", ");
}

function chips({ state, owed, funds, accounts }) {
  const made = [
    chip("Active era", String(state.active_era), sourceNote(state)),
    chip("Election window", state.window ?? "unavailable", state.window === "open" ? "payouts wait" : "", state.window === "open" ? "held" : ""),
    countdownChip(state),
    chip("Unpaid", eras(owed.count), owedNote(owed), owed.count ? "unpaid" : ""),
  ];
  const first = owed.eras[0];
  if (first) {
    const urgent = (first.expiry_warning ?? 0) >= 80 ? "danger" : "";
    made.push(chip("First to expire", `in ${first.expires_in}`, `era ${first.era}${first.expires_at ? `, at ${soon(first.expires_at)}` : ""}`, urgent));
  }
  made.push(...fundsChips(funds), accountsChip(accounts));
  if (state.catch_up) made.push(runChip("Catch-up", state.catch_up));
  if (state.last_catch_up) made.push(runChip("Last catch-up", state.last_catch_up));
  return made;
}

function fundsChips(funds) {
  const { texts } = funds;
  const limit = texts.limit === undefined ? "no limit" : `limit ${readable(texts.limit)}`;
  const made = [chip("Fee per payout", texts.fee === undefined ? "unavailable" : readable(texts.fee), limit, funds.missing_limit === null ? "" : "danger")];
  if (funds.runway !== null) {
    made.push(chip("Funds last for", eras(funds.runway), `balance ${readable(texts.balance)}`, funds.short ? "danger" : ""));
  }
  return made;
}

function accountsChip({ checked, watched, right, unexpected, staking, not_staking: idle }) {
  const found = checked ? `${right} of ${watched} right` : "not checked yet";
  const counts = checked ? `${staking} staking, ${idle} not` : `${watched} watched`;
  return chip("Accounts", watched ? found : "none", watched ? counts : "", unexpected ? "danger" : "");
}

function sourceNote(state) {
  if (state.source === "chain") return "from chain";
  return `from calendar${state.asked_at ? `; the gateway was last asked at ${soon(state.asked_at, { seconds: true })}` : ""}`;
}

function owedNote(owed) {
  const notes = [];
  if (owed.in_hand) notes.push(`${owed.in_hand} in progress`);
  if (owed.earlier.count) notes.push(`${owed.earlier.count} earlier ones with status unknown`);
  return notes.join(", ");
}

function chip(name, value, note, kind = "") {
  return element("div", { class: `chip ${kind}` }, element("dt", {}, name), element("dd", {}, value, note ? element("small", {}, note) : null));
}

function countdownChip(state) {
  const made = chip("Next era in", "any moment", state.next_era_at ? `at ${soon(state.next_era_at)}` : "");
  if (state.next_era_at) {
    const value = element("span", { "data-until": state.next_era_at }, "…");
    made.querySelector("dd").firstChild.replaceWith(value);
  }
  return made;
}

function runChip(name, run) {
  const made = chip(name, "", "", run.state === "failed" ? "danger" : "");
  made.querySelector("dd").prepend(link(runUrl(run.dag_id, run.run_id), run.state));
  return made;
}

// Called every second; `ahead`: milliseconds by which the server's clock is ahead.
export function tick(ahead) {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = (Date.parse(place.dataset.until) - Date.now() - ahead) / 1000;
    place.textContent = left > 0 ? countdown(left) : "any moment";
  }
}
