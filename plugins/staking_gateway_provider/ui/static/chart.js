// Payout lag and fee per era, in the columns of the grid.

import { drawing, element } from "./dom.js";
import { eras, length, readable } from "./words.js";

const HEIGHT = 76;
const GAP = 22;
const TOP = 8;
const WHOLE = TOP + 2 * HEIGHT + GAP;
const MEASURES = [
  { kind: "lag", name: "Lag, log scale", top: TOP, scale: (lag) => Math.log1p(lag), read: (cell) => cell.lag ?? null, format: length },
  {
    kind: "fee",
    name: "Fee",
    scale: (fee) => fee,
    top: TOP + HEIGHT + GAP,
    read: (cell) => (cell.fee === undefined ? null : Number(cell.fee)),
    format: (fee, cells) => readable(cells.find((cell) => Number(cell.fee) === fee).fee_text),
  },
];

// `columns` are the positions of the grid's columns: {left, width, count}.
export function drawChart(place, cells, columns, tip) {
  const width = columns.width * columns.count;
  const svg = drawing("svg", { width, height: WHOLE + 18, role: "img", "aria-label": summary(cells) });
  const gutter = element("div", { class: "gutter" });
  gutter.style.width = `${columns.left}px`;
  for (const measure of MEASURES) {
    const values = cells.map(measure.read);
    gutter.append(legend(measure, values, cells));
    bars(svg, values, columns.width, measure);
  }
  ticks(svg, cells, columns.width);
  const hit = drawing("rect", { x: 0, y: 0, width, height: WHOLE, class: "hit" });
  hit.addEventListener("pointermove", (event) => {
    const cell = cells[Math.floor((event.clientX - hit.getBoundingClientRect().left) / columns.width)];
    if (cell) tip.show(cell, event.clientX, event.clientY);
  });
  hit.addEventListener("pointerleave", () => tip.hide());
  svg.append(hit);
  const { scrollLeft } = place;
  place.replaceChildren(gutter, svg);
  place.scrollLeft = scrollLeft;
}

const known = (values) => values.filter((value) => value !== null).sort((one, other) => one - other);
const middle = (sorted) => sorted[Math.floor(sorted.length / 2)];

function summary(cells) {
  const lags = known(cells.map(MEASURES[0].read));
  if (!lags.length) return "No payout has been confirmed in these eras.";
  const longest = length(lags[lags.length - 1]);
  return `Payout lag of ${eras(lags.length)}: median ${length(middle(lags))}, longest ${longest}. The grid shows each.`;
}

function legend({ name, top, format }, values, cells) {
  const sorted = known(values);
  const lines = sorted.length ? [`most ${format(sorted[sorted.length - 1], cells)}`, `median ${format(middle(sorted), cells)}`] : ["none yet"];
  const made = element("div", {}, element("b", {}, name), ...lines.map((line) => element("span", {}, line, element("br"))));
  made.style.top = `${top}px`;
  return made;
}

function bars(svg, values, width, { top, kind, scale }) {
  const most = scale(Math.max(...known(values), 0));
  const base = top + HEIGHT;
  const whole = width * values.length;
  svg.append(drawing("line", { x1: 0, x2: whole, y1: base + 0.5, y2: base + 0.5, class: "axis" }));
  svg.append(drawing("line", { x1: 0, x2: whole, y1: top + 0.5, y2: top + 0.5, class: "axis faint" }));
  values.forEach((value, index) => {
    if (value === null) return;
    const tall = most > 0 ? Math.max(1.5, (scale(value) / most) * HEIGHT) : 1.5;
    const box = { x: index * width + 1, y: base - tall, width: Math.max(2, width - 2), height: tall };
    svg.append(drawing("rect", { ...box, class: `bar ${kind}` }));
  });
}

function ticks(svg, cells, width) {
  cells.forEach((cell, index) => {
    if (cell.era % 10) return;
    const [side, part] = index < 2 ? [" first", 0] : index >= cells.length - 2 ? [" last", 1] : ["", 0.5];
    svg.append(drawing("text", { x: (index + part) * width, y: WHOLE + 13, class: `tick${side}` }, String(cell.era)));
  });
}
