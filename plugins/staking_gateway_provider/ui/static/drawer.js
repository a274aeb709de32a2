// One era in a side drawer: its timeline, its facts, its cause with the remedy, and its payout.

import { button, card } from "./causes.js";
import { byId, element, link, pageUrl, request, runUrl } from "./dom.js";
import { STATES } from "./states.js";
import { STATUSES, length, moment, readable, sentence, soon } from "./words.js";

const MARKS = { done: "✓", waiting: "…", stopped: "✕" };
const UNKNOWN_STATUS = "A gateway knows only present statuses. A run that checks an era after the next one has ended stores none.";

export class Drawer {
  // `pay` opens the plan of one era; `refusal` says why it cannot be paid now, or nothing; `closed` takes the focus back.
  constructor({ pay, refusal, closed }) {
    this.pay = pay;
    this.refusal = refusal;
    this.dialog = byId("drawer");
    this.body = byId("drawer-body");
    byId("drawer-close").addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    this.dialog.addEventListener("close", () => { this.era = null; closed(); });
  }

  async open(network, era, account = null) {
    Object.assign(this, { network, era, account });
    byId("drawer-title").textContent = `Era ${era}`;
    this.body.replaceChildren(element("p", { class: "faint" }, "Reading the ledger…"));
    if (!this.dialog.open) this.dialog.showModal();
    await this.read();
  }

  // Called when the era may have changed.
  async read() {
    const { network, era } = this;
    if (era === null || era === undefined) return;
    try {
      const details = await request(pageUrl(`api/networks/${encodeURIComponent(network)}/eras/${era}`));
      if (era === this.era) this.show(details);
    } catch (error) {
      if (era === this.era) this.body.replaceChildren(element("p", { class: "danger" }, `Era ${era} cannot be read: ${error.message}`));
    }
  }

  show(details) {
    const drawn = JSON.stringify([details, this.refusal(), this.account]);
    if (drawn === this.shown && this.body.childElementCount > 1) return;
    this.shown = drawn;
    const focused = this.body.contains(document.activeElement) ? document.activeElement.textContent : null;
    this.body.replaceChildren(...this.parts(details).filter(Boolean));
    if (focused !== null) [...this.body.querySelectorAll("a, button")].find((one) => one.textContent === focused)?.focus();
  }

  parts(details) {
    const { word, kind } = STATES[details.state];
    return [
      element("p", { class: "state" }, element("span", { class: `cell c-${kind}`, "aria-hidden": "true" }, details.state), element("b", {}, ` ${word}`), details.reason ? `: ${readable(details.reason)}` : ""),
      this.account ? this.status() : null,
      ...details.causes.map((cause) => card(cause)),
      details.unpaid ? element("p", { class: "attention" }, `Its rewards are lost in ${details.unpaid.expires_in}${details.unpaid.expires_at ? `, at ${soon(details.unpaid.expires_at)}` : ""}.`) : null,
      this.payment(details),
      element("h3", {}, "Timeline"),
      element("ol", { class: "timeline" }, ...details.steps.map(step)),
      facts(details),
    ];
  }

  payment(details) {
    if (!details.unpaid) return null;
    return element("p", { class: "acts" }, ...button("Pay this era…", this.refusal(), () => { const { era } = this; this.dialog.close(); this.pay(era); }));
  }

  status() {
    const { name, letter } = this.account;
    const { word } = STATUSES[letter];
    return element("p", {}, element("b", {}, `${name}: `), `${word}.`, letter === "." ? element("span", { class: "faint" }, ` ${UNKNOWN_STATUS}`) : "");
  }
}

function step({ name, at, state, detail, part, dag_id: dagId, run_id: runId }) {
  const title = `${name[0].toUpperCase()}${name.slice(1)}${part ? `, part ${part + 1}` : ""}`;
  const words = { done: "", waiting: " (waiting)", stopped: " (stopped)" }[state];
  return element(
    "li",
    { class: `step ${state}` },
    element("span", { class: "mark", "aria-hidden": "true" }, MARKS[state]),
    element("div", {}, element("b", {}, title + words), at ? element("span", { class: "faint" }, ` ${moment(at)}`) : "", detail ? element("p", {}, sentence(detail)) : "", runId && state !== "done" ? element("p", {}, link(runUrl(dagId, runId), "Open its run")) : ""),
  );
}

function facts(details) {
  const run = details.run_id ? link(runUrl(details.dag_id, details.run_id), `${details.dag_id} / ${details.run_id}`) : null;
  const hash = details.tx_hash && (details.transaction_url ? link(details.transaction_url, details.tx_hash, "", "_blank") : details.tx_hash);
  const rows = [
    ["Lag", details.lag === undefined ? null : `${length(details.lag)} after its end`],
    ["Fee", details.fee_text === undefined ? null : readable(details.fee_text)],
    ["Transaction", hash ?? null],
    ["Run", run],
    ["Log", details.log ? link(logUrl(details), `Log of ${details.log.task_id}`) : null],
  ];
  const list = element("dl", { class: "facts" });
  for (const [name, value] of rows) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
  return list.childElementCount ? list : null;
}

function logUrl({ dag_id: dagId, run_id: runId, log }) {
  const mapped = log.map_index < 0 ? "" : `/mapped/${log.map_index}`;
  return `${runUrl(dagId, runId)}/tasks/${encodeURIComponent(log.task_id)}${mapped}`;
}
