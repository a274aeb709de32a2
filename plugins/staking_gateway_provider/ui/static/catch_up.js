// The catch-up dialog: shows the plan, then starts the run that pays exactly this plan.

import { airflowUrl, byId, element, link, pageUrl, request, runUrl } from "./dom.js";
import { eras, moment, readable, sentence } from "./words.js";

const MOST_ROWS = 200;

export class CatchUp {
  constructor(started) {
    this.started = started;
    this.dialog = byId("dialog");
    this.body = byId("dialog-body");
    this.go = byId("dialog-go");
    this.form = byId("dialog-eras");
    this.eras = byId("eras");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = this.eras.value.trim();
      this.read(text ? { eras: text } : {});
    });
    this.eras.addEventListener("input", () => { // the shown plan, or the one on its way, is of other eras
      [this.plan, this.only] = [null, null];
      this.offer("Pay", false);
      this.say("Show plan reads the plan of these eras.");
    });
    byId("dialog-close").addEventListener("click", () => this.dialog.close());
    this.go.addEventListener("click", () => this.pay());
    this.dialog.addEventListener("close", () => { this.plan = null; });
  }

  // `only`: {from_era, to_era} limits the plan; without it all unpaid eras are planned.
  open(network, only = {}) {
    this.network = network;
    this.eras.value = only.from_era ?? "";
    this.form.hidden = false;
    byId("dialog-close").textContent = "Cancel";
    const read = this.read(only);
    if (!this.dialog.open) this.dialog.showModal();
    return read;
  }

  async read(only) {
    this.only = only;
    this.plan = null;
    this.offer("Pay", false);
    this.say("Comparing the ledger, the chain and the calendar…");
    try {
      const plan = await request(pageUrl(`api/networks/${encodeURIComponent(this.network.name)}/plan`), { method: "POST", body: only });
      if (this.only !== only) return; // other eras were entered meanwhile
      this.plan = plan;
      this.showPlan(plan);
    } catch (error) {
      if (this.only === only) this.say(`There is no plan: ${error.message}`, "danger");
    }
  }

  showPlan(plan) {
    const [unpaid, sent] = [plan.signs, plan.pay.length - plan.signs];
    const fee = plan.fee === null ? "The gateway does not report the fee." : `${readable(plan.texts.fee)} a call, ${plan.fees === null ? "calls until nothing is left" : `${readable(plan.texts.fees)} in all`}; an era that is paid already costs nothing.`;
    const rest = [
      sent ? `${eras(sent)} in flight: the run waits for the result, and pays nothing for it.` : "",
      plan.expired.length ? `${plan.expired.length} have expired and cannot be paid any more.` : "",
      plan.later.length ? `The budget leaves ${eras(plan.later.length)} for later.` : "",
      ...plan.notes.map(sentence),
    ];
    const lines = [element("p", {}, element("b", {}, unpaid ? `Pays ${eras(unpaid)}`: "There is nothing to pay"), unpaid ? ", one after the other, soonest to expire first." : ".")];
    if (unpaid) lines.push(element("p", {}, `Fee: ${fee}`));
    lines.push(...rest.filter(Boolean).map((line) => element("p", {}, line)));
    if (unpaid) lines.push(table(plan));
    if (unpaid) lines.push(element("p", { class: "faint" }, `Plan ${plan.hash}. The run pays these eras, but for those that are paid by then; if fee, accounts or number of calls have changed, nothing.`));
    const locked = plan.dag_is_paused && !this.network.may_unpause;
    if (unpaid && plan.dag_is_paused) {
      const what = locked ? "unpause it first." : "paying unpauses it, so its schedule runs again too.";
      lines.push(element("p", { class: "attention" }, `${plan.dag_id} is paused: ${what}`));
    }
    this.body.replaceChildren(...lines);
    this.offer(`${plan.dag_is_paused && !locked ? "Unpause and pay" : "Pay"} ${eras(unpaid)}`, unpaid > 0 && !locked);
  }

  async pay() {
    const plan = this.plan;
    if (!plan) return;
    this.plan = null; // a second click starts no second run
    this.form.hidden = true;
    this.offer("Starting…", false);
    const dag = `api/v2/dags/${encodeURIComponent(plan.dag_id)}`;
    try {
      // Create the run before unpausing: an overdue scheduled run would change the plan.
      const first = plan.run_after ? { run_after: plan.run_after, dag_run_id: `manual__${new Date().toISOString()}` } : {};
      const body = { logical_date: null, conf: { ...this.only, approve: plan.hash }, note: "Started from the Staking page", ...first };
      const run = await request(airflowUrl(`${dag}/dagRuns`), { method: "POST", body });
      if (plan.dag_is_paused) await this.unpause(plan, dag);
      const started = link(runUrl(plan.dag_id, run.dag_run_id), run.dag_run_id);
      this.body.replaceChildren(element("p", {}, element("b", {}, "Started. "), "The grid shows each era as it is paid."), element("p", {}, "Run: ", started));
      this.started();
    } catch (error) {
      this.say(`The run was not started: ${error.message}`, "danger");
    }
    this.go.hidden = true;
    byId("dialog-close").textContent = "Close";
  }

  async unpause(plan, dag) {
    try {
      await request(airflowUrl(`${dag}?update_mask=is_paused`), { method: "PATCH", body: { is_paused: false } });
    } catch (error) {
      throw new Error(`the run waits in the queue, but ${plan.dag_id} could not be unpaused (${error.message}). Unpause it, and the run starts.`);
    }
  }

  offer(text, possible) {
    this.go.hidden = false;
    this.go.textContent = text;
    this.go.disabled = !possible;
  }

  say(text, kind = "") {
    this.body.replaceChildren(element("p", { class: kind }, text));
  }
}

function table(plan) {
  const rows = plan.pay.slice(0, MOST_ROWS).map(({ era, eras_left: left, why }) =>
    element("tr", {}, element("td", {}, String(era)), element("td", {}, `${eras(left)}, ${moment(plan.expires_at[era], { seconds: false })}`), element("td", {}, readable(why))),
  );
  const head = element("tr", {}, ...["Era", "Expires in", "Why it is unpaid"].map((name) => element("th", { scope: "col" }, name)));
  const more = plan.pay.length - rows.length;
  if (more > 0) rows.push(element("tr", {}, element("td", { colspan: "3" }, `and ${more} more`)));
  return element("div", { class: "plan", tabindex: "0" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}
