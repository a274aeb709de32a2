// The causes of a network: the first one as a card with its remedy and one action, the others folded below it.

import { airflowUrl, byId, element, link, pageUrl, prose, request } from "./dom.js";
import { eras, ranges, sentence, soon } from "./words.js";


let shown = "";

// `context`: {network, obstacle, pay, changed}; `pay` opens the plan, `changed` asks for a new overview.
export function showCauses({ causes, obstacle }, context) {
  const place = byId("causes");
  const drawn = JSON.stringify([causes, obstacle, context.network]);
  if (drawn === shown) return; // an open card stays as it is
  shown = drawn;
  const open = place.querySelector("details")?.open ?? false;
  const [first, ...further] = causes;
  const made = first ? [card(first, context)] : [];
  if (further.length) {
    const more = element("details", { class: "further" }, element("summary", {}, `${further.length} further ${further.length === 1 ? "cause" : "causes"}`), ...further.map((cause) => card(cause, context)));
    more.open = open;
    made.push(more);
  }
  place.replaceChildren(...made);
}

export function forgetCauses() {
  shown = "";
  byId("causes").replaceChildren();
}

// The card of a cause. Without a context it has no action.
export function card(cause, context = null) {
  return element(
    "article",
    { class: `cause ${cause.level}` },
    element("h2", {}, cause.heading),
    cause.detail ? element("p", { class: "detail" }, ...prose(sentence(cause.detail))) : null,
    context ? blocks(cause) : null,
    element("p", { class: "remedy" }, element("b", {}, "What to do: "), ...prose(sentence(cause.remedy))),
    element("p", { class: "acts" }, ...(context ? [...connection(cause), ...action(cause, context)] : []), ...transaction(cause), help(cause.topic)),
  );
}

export const help = (topic) => link(pageUrl(`help#${encodeURIComponent(topic)}`).href, "More about this");

function blocks({ topic, detail, eras: blocked, since }) {
  const parts = [];
  const which = ranges(blocked);
  if (blocked.length && !["expired", "books"].includes(topic)) parts.push(`Blocks ${eras(blocked.length)}${detail.includes(which) ? "" : ` (${which})`}`);
  if (since) parts.push(`since ${soon(since, { seconds: true })}`);
  return parts.length ? element("p", { class: "faint" }, sentence(parts.join("; "))) : null;
}

function connection({ connection: id }) {
  return id === null ? [] : [link(airflowUrl(`connections?name_pattern=${encodeURIComponent(id)}`).href, `Open the connection ${id}`, "button")];
}

const transaction = ({ transaction_url: url }) => (url === null ? [] : [link(url, "Open the transaction", "button", "_blank")]);

function action(cause, { network, obstacle, pay, changed }) {
  const { kind, ...more } = cause.action ?? {};
  if (kind === "unpause") {
    const refusal = network.may_unpause_payouts ? "" : "You may not unpause this DAG.";
    return button("Unpause the payout DAG", refusal, (made) => unpause(made, more.dag_id, changed));
  }
  if (kind === "pay") return payment(cause, obstacle(), pay);
  return [];
}

// The button is prominent where paying is the remedy.
const payment = ({ topic, eras: blocked }, refusal, pay) => button(`Pay ${eras(blocked.length)}…`, refusal, pay, topic === "unpaid" ? "primary" : "");

// A button that says why it cannot be used.
export function button(text, refusal, act, look = "primary") {
  const made = element("button", { type: "button", class: `button ${look}`, disabled: refusal !== "" }, text);
  made.addEventListener("click", () => act(made));
  return [made, refusal ? element("span", { class: "faint" }, refusal) : null];
}

async function unpause(made, dagId, changed) {
  made.disabled = true;
  try {
    await request(airflowUrl(`api/v2/dags/${encodeURIComponent(dagId)}?update_mask=is_paused`), { method: "PATCH", body: { is_paused: false } });
    made.textContent = "Unpaused";
    changed();
  } catch (error) {
    made.disabled = false;
    made.after(element("span", { class: "refusal", role: "alert" }, `${dagId} could not be unpaused: ${error.message}`));
  }
}
