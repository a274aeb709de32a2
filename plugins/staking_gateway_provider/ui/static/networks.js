// All networks at one glance, worst first: a strip each.

import { byId, element, pageUrl, prose } from "./dom.js";
import { STATES } from "./states.js";
import { MARKS } from "./summary.js";
import { sentence } from "./words.js";

let shown = "";

// `open` shows a network by its name.
export function showNetworks(strips, open) {
  const drawn = JSON.stringify(strips);
  if (drawn === shown) return;
  shown = drawn;
  const place = byId("networks");
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.network : null;
  place.replaceChildren(...strips.map((strip) => drawStrip(strip, open)));
  if (focused !== null) place.querySelector(`[data-network="${CSS.escape(focused)}"]`)?.focus();
}

// The headline of all networks.
export function headlineOf(strips) {
  const urgent = strips.filter(({ level }) => level === "danger").length;
  const noted = strips.filter(({ level }) => level === "attention").length;
  if (urgent) return `${urgent} of ${strips.length} networks ${urgent === 1 ? "needs" : "need"} action.`;
  if (noted) return `${noted} of ${strips.length} networks ${noted === 1 ? "needs" : "need"} attention.`;
  return `All ${strips.length} networks are in order.`;
}

function drawStrip(strip, open) {
  const { network, level, headline, dead, cause, more, cells } = strip;
  const title = element("a", { href: pageUrl(`?network=${encodeURIComponent(network)}`).href, "data-network": network }, network);
  title.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(network);
  });
  return element(
    "li",
    { class: `strip ${level}` },
    element("span", { class: "mark", "aria-hidden": "true" }, MARKS[level]),
    element(
      "div",
      { class: "about" },
      element("h2", {}, title),
      dead.length && dead[0] !== cause?.heading ? element("span", { class: "live", "data-kind": "dead" }, dead[0]) : null,
      element("p", { class: "strip-headline" }, headline),
      ...(cause ? reason(cause, more) : []),
    ),
    cells.length ? newest(cells) : null,
  );
}

function reason(cause, more) {
  const further = more ? ` ${more} further ${more === 1 ? "cause" : "causes"}.` : "";
  return [
    element("p", { class: "strip-cause" }, element("b", {}, `${cause.heading}. `), ...(cause.detail ? prose(sentence(cause.detail)) : [])),
    element("p", { class: "faint" }, ...prose(sentence(cause.remedy)), further),
  ];
}

function newest(cells) {
  const counts = new Map();
  for (const { state } of cells) counts.set(state, (counts.get(state) ?? 0) + 1);
  const words = [...counts].map(([state, count]) => `${count} ${STATES[state].word.toLowerCase()}`).join(", ");
  return element(
    "div",
    { class: "newest", role: "img", "aria-label": `Newest ${cells.length} eras: ${words}` },
    ...cells.map(({ era, state }) => element("span", { class: `cell c-${STATES[state].kind}`, title: `Era ${era}: ${STATES[state].word}` }, state)),
  );
}
