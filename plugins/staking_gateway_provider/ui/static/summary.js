// The headline, the problems, and the state of the network.

import { byId, element, follow, runUrl } from "./dom.js";
import { amount, countdown, eras, readable, shortAmount, soon } from "./words.js";

const MARKS = { ok: "✓", attention: "!", danger: "✕" };

const UNREAD = "The state cannot be read.";

let shown = "";
let failed = "";

// Shows why an update failed, one reason per line. `keep` keeps the older overview.
export function showFailure(text, { keep = false } = {}) {
  if (!keep && text && byId("headline").textContent !== UNREAD) {
    shown = "";
    byId("page").dataset.level = "danger";
    byId("mark").textContent = MARKS.danger;
    byId("headline").textContent = UNREAD;
    byId("problems").replaceChildren();
  }
  if (text === failed) return;
  failed = text;
  const reasons = text.split("\n").filter(Boolean);
  byId("failure").replaceChildren(
    ...reasons.map((line) => element("li", { class: "danger" }, line.endsWith(":") ? "" : element("b", {}, "Error"), ` ${line}`)),
  );
}

export function showSummary(overview) {
  showFailure("");
  byId("chips").replaceChildren(...chips(overview));
  const summary = JSON.stringify([overview.headline, overview.problems]);
  if (summary === shown) return; // screen readers would repeat it
  shown = summary;
  byId("page").dataset.level = overview.level;
  byId("mark").textContent = MARKS[overview.level] ?? "";
  byId("headline").textContent = overview.headline;
  byId("problems").replaceChildren(
    ...overview.problems.map((problem) =>
      element("li", { class: problem.level }, element("b", {}, problem.level === "danger" ? "Act" : "Note"), ` ${readable(problem.text)}`),
    ),
  );
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
    made.push(chip("First to expire", `in ${first.expires_in}`, `era ${first.era}, at ${soon(first.expires_at)}`, urgent));
  }
  const fee = funds.fee === null ? "unavailable" : shortAmount(funds.fee);
  const limit = funds.limit === null ? "no limit" : `limit ${shortAmount(funds.limit)}`;
  made.push(chip("Fee per payout", fee, limit, funds.missing_limit === null ? "" : "danger", funds.fee === null ? "" : amount(funds.fee)));
  if (funds.runway !== null) {
    made.push(chip("Funds last for", eras(funds.runway), `balance ${shortAmount(funds.balance)}`, funds.short ? "danger" : "", amount(funds.balance)));
  }
  const wrong = accounts.unexpected ? `${accounts.unexpected} in the wrong state` : "";
  made.push(chip("Accounts staking", `${accounts.staking} of ${accounts.watched}`, wrong, wrong ? "danger" : ""));
  if (state.catch_up) made.push(runChip(state.catch_up));
  return made;
}

function sourceNote(state) {
  if (state.source === "chain") return "from chain";
  return `from calendar${state.asked_at ? `; the gateway was last asked at ${soon(state.asked_at, { seconds: true })}` : ""}`;
}

function owedNote(owed) {
  const notes = [];
  if (owed.in_hand.length) notes.push(`${owed.in_hand.length} being paid`);
  if (owed.earlier.count) notes.push(`${owed.earlier.count} earlier ones with status unknown`);
  return notes.join(", ");
}

function chip(name, value, note, kind = "", title = "") {
  return element("div", { class: `chip ${kind}`, title }, element("dt", {}, name), element("dd", {}, value, note ? element("small", {}, note) : null));
}

function countdownChip(state) {
  const made = chip("Next era in", "any moment", state.next_era_at ? `at ${soon(state.next_era_at)}` : "");
  if (state.next_era_at) {
    const value = element("span", { "data-until": state.next_era_at }, "…");
    made.querySelector("dd").firstChild.replaceWith(value);
  }
  return made;
}

function runChip(run) {
  const link = element("a", { href: runUrl(run.dag_id, run.run_id), target: "_top" }, `${run.state} →`);
  link.addEventListener("click", (event) => follow(event, link));
  const made = chip("Catch-up run", "", "");
  made.querySelector("dd").append(link);
  return made;
}

// Called every second; `ahead`: milliseconds by which the server's clock is ahead.
export function tick(ahead) {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = (Date.parse(place.dataset.until) - Date.now() - ahead) / 1000;
    place.textContent = left > 0 ? countdown(left) : "any moment";
  }
}
