// The grid: a row of payouts, and a row per account. One page of accounts is loaded, and only visible accounts are drawn.

import { element } from "./dom.js";
import { STATES } from "./states.js";
import { STATUSES, length, moment, readable } from "./words.js";

const ROW = 20;
const AROUND = 6;
// Rows of a page that are loaded above the first visible row.
const ABOVE = 50;

export class Grid {
  constructor(place, tip) {
    this.place = place;
    this.tip = tip;
    this.cells = [];
    this.reset();
    this.words = "";
    this.wrongOnly = true; // folded: only the accounts in the wrong state
    this.loading = false; // the row of the focused cell
    this.highlight = null;
    this.at = { row: 0, column: null };
    this.head = element("div", { class: "row head", role: "row", "aria-rowindex": "1" });
    this.payouts = element("div", { class: "row payouts", role: "row", "aria-rowindex": "2" });
    this.rows = element("div", { class: "rows", role: "presentation" });
    this.canvas = element("div", { class: "canvas", role: "presentation" }, this.head, this.payouts, this.rows);
    this.none = element("p", { class: "none", role: "status" });
    place.append(this.canvas);
    place.tabIndex = -1; // has the focus while the row of a cell is loading
    place.after(this.none);
    place.addEventListener("scroll", () => this.drawRows(), { passive: true });
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("click", (event) => this.act(event));
    for (const name of ["pointerover", "focusin"]) place.addEventListener(name, (event) => this.explain(event));
    for (const name of ["pointerleave", "focusout"]) place.addEventListener(name, () => tip.hide());
    new ResizeObserver(() => this.resized?.()).observe(place);
  }

  // Forgets the accounts, because another network is shown.
  reset() {
    this.loaded = []; // the rows of the page that begins at row `start` of `matching`
    this.start = 0;
    this.matching = 0;
  }

  show({ network, grid, accounts }, era) {
    const fresh = !this.cells.length || this.network !== network;
    const drawn = JSON.stringify([grid, era]);
    [this.loaded, this.start, this.matching] = [grid.accounts, grid.start, grid.matching];
    this.none.textContent = accounts.watched && !this.matching && this.words ? `No account has “${this.words}” in its label or address.` : "";
    if (!fresh && drawn === this.shown) return false;
    this.shown = drawn;
    const { era: selected } = (fresh ? null : this.cells[this.at.column]) ?? { era: Infinity };
    this.network = network;
    this.cells = grid.cells;
    this.highlight = era;
    this.at.column = clamp(selected - grid.first, this.cells.length - 1);
    this.at.row = Math.min(this.at.row, this.matching);
    this.draw();
    if (fresh) this.toEnd();
    return true;
  }

  account(index) {
    return this.loaded[index - this.start];
  }

  // What the server is asked for.
  query() {
    return { start: this.wanted(), words: this.words, wrong: this.wrongOnly };
  }

  // The first row of the page that holds the visible rows.
  wanted() {
    const [from, to] = this.visible();
    if (from >= this.start && to <= this.start + this.loaded.length) return this.start;
    return Math.max(0, Math.floor((from - ABOVE) / ABOVE) * ABOVE);
  }

  visible() {
    const top = Math.max(0, this.place.scrollTop - this.rows.offsetTop);
    const from = Math.max(0, Math.floor(this.place.scrollTop / ROW) - AROUND);
    return [from, Math.min(this.matching, Math.ceil((top + this.place.clientHeight) / ROW) + AROUND)];
  }

  filter(words, wrongOnly) {
    this.words = words.trim();
    this.wrongOnly = wrongOnly;
    this.place.scrollTop = 0;
    this.ask?.();
  }

  draw() {
    const focused = this.place.contains(document.activeElement) && (document.activeElement !== this.place || this.loading);
    const explained = !this.tip.place.hidden;
    this.place.setAttribute("aria-rowcount", String(this.matching + 2));
    this.place.setAttribute("aria-colcount", String(this.cells.length + 1));
    this.canvas.style.setProperty("--columns", String(this.cells.length));
    this.head.replaceChildren(
      element("span", { class: "label", role: "columnheader" }, "Era"),
      ...this.cells.map((cell) => element("span", { class: cell.era % 10 ? "era unshown" : "era", role: "columnheader", "aria-label": `Era ${cell.era}` }, element("span", {}, String(cell.era)))),
    );
    this.payouts.replaceChildren(
      element("span", { class: "label", role: "rowheader" }, "Payout"),
      ...this.cells.map((cell, column) => this.cell(0, column, cell.state, cell.state, `c-${STATES[cell.state].kind}`)),
    );
    this.rows.style.height = `${this.matching * ROW}px`;
    this.drawn = null;
    this.drawRows();
    if (!focused) return;
    this.focus();
    if (explained) this.showTip(this.find(this.at));
    else this.tip.hide();
  }

  drawRows() {
    const [from, to] = this.visible();
    if (this.wanted() !== this.start) this.ask?.();
    if (this.drawn && this.drawn[0] === from && this.drawn[1] === to) return;
    this.drawn = [from, to];
    const kept = new Map([...this.rows.children].map((row) => [row.dataset.index, row]));
    const focused = this.rows.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    const made = [];
    for (let index = from; index < to; index += 1) {
      const account = this.account(index);
      const row = kept.get(String(index));
      if (account) made.push(row && row.account === account && row.cells === this.cells ? row : this.accountRow(account, index));
    }
    this.rows.replaceChildren(...made);
    if (focused !== null) this.focus({ scroll: false });
  }

  accountRow(account, index) {
    const name = account.label || account.account;
    const title = account.label ? `${account.label}, ${account.account}` : account.account;
    const row = element("div", { class: "row account", role: "row", "aria-rowindex": String(index + 3), "data-index": String(index) });
    row.append(element("span", { class: "label", role: "rowheader", title }, name));
    row.style.top = `${index * ROW}px`;
    row.account = account;
    row.cells = this.cells;
    for (let column = 0; column < this.cells.length; column += 1) {
      const found = account.letters[column] ?? ".";
      row.append(this.cell(index + 1, column, STATUSES[found].letter, found, `a-${found === "." ? "none" : found}`));
    }
    return row;
  }

  cell(row, column, letter, code, kind) {
    const cell = this.cells[column];
    const word = row ? STATUSES[code].word : STATES[code].word;
    const account = row ? this.account(row - 1) : null;
    const who = account ? account.label || account.account : "payout";
    const made = document.createElement("span");
    made.className = `cell ${kind}${cell.era === this.highlight ? " here" : ""}`;
    made.textContent = letter;
    made.dataset.row = row;
    made.dataset.column = column;
    made.tabIndex = row === this.at.row && column === this.at.column ? 0 : -1;
    made.setAttribute("role", "gridcell");
    made.setAttribute("aria-colindex", column + 2);
    made.setAttribute("aria-label", `Era ${cell.era}, ${who}: ${word}`);
    return made;
  }

  find({ row, column }) {
    return this.place.querySelector(`[data-row="${row}"][data-column="${column}"]`);
  }

  focus({ scroll = true } = {}) {
    const { row } = this.at;
    if (row && scroll) this.reveal(row);
    for (const was of this.place.querySelectorAll('[tabindex="0"]')) was.tabIndex = -1;
    const cell = this.find(this.at);
    this.loading = !cell && scroll;
    if (this.loading) this.place.focus({ preventScroll: true });
    if (!cell) return;
    cell.tabIndex = 0;
    cell.focus({ preventScroll: row > 0 && !scroll });
  }

  reveal(row) {
    const head = this.head.offsetHeight + this.payouts.offsetHeight;
    const top = (row - 1) * ROW;
    const room = this.place.clientHeight - head;
    if (top < this.place.scrollTop) this.place.scrollTop = top;
    if (top + ROW > this.place.scrollTop + room) this.place.scrollTop = top + ROW - room;
    this.drawRows();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.place.clientHeight / ROW) - 3);
    const steps = {
      ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
      PageUp: [-page, 0], PageDown: [page, 0], Home: [0, -Infinity], End: [0, Infinity],
    };
    if (event.key === "Escape") this.tip.hide();
    if (event.key === "Enter" || event.key === " ") return this.act(event);
    const step = steps[event.key];
    if (!step) return undefined;
    event.preventDefault();
    this.at = {
      row: clamp(this.at.row + step[0], this.matching),
      column: clamp(this.at.column + step[1], this.cells.length - 1),
    };
    this.focus();
    return undefined;
  }

  // Opens the era of a cell.
  act(event) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    event.preventDefault();
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    this.at = { row, column };
    this.focus({ scroll: false });
    this.tip.hide();
    const account = row ? this.account(row - 1) : null;
    const about = account && { name: account.label || account.account, letter: account.letters[column] ?? "." };
    this.open?.(this.cells[column].era, about);
  }

  explain(event) {
    const cell = event.target.closest(".cell");
    if (!cell) return this.tip.hide();
    const row = Number(cell.dataset.row);
    if (event.type === "focusin") {
      for (const was of this.place.querySelectorAll('[tabindex="0"]')) was.tabIndex = -1;
      cell.tabIndex = 0;
      this.at = { row, column: Number(cell.dataset.column) };
    }
    this.showTip(cell);
    return undefined;
  }

  showTip(cell) {
    if (!cell) return;
    const row = Number(cell.dataset.row);
    const box = cell.getBoundingClientRect();
    const era = this.cells[cell.dataset.column];
    this.tip.show(era, box.left + box.width / 2, box.bottom, row ? this.account(row - 1) : null, cell);
  }

  toEnd() {
    this.place.scrollLeft = this.place.scrollWidth;
  }

  // Positions of the columns, for the chart.
  columns() {
    const label = this.head.firstChild?.getBoundingClientRect().width ?? 0;
    const whole = this.head.getBoundingClientRect().width;
    const count = this.cells.length;
    return { left: label, width: count ? (whole - label) / count : 0, count };
  }
}

const clamp = (value, most) => Math.min(Math.max(value, 0), Math.max(most, 0));

export class Tip {
  constructor(place) {
    this.place = place;
  }

  show(cell, x, y, account = null, described = null) {
    const status = account ? STATUSES[account.letters[account.letters.length - 1 - this.fromEnd(cell)] ?? "."] : null;
    const title = account ? `Era ${cell.era} · ${status.word}` : `Era ${cell.era} · ${STATES[cell.state].word}`;
    const lines = account
      ? [account.label, account.account, account.expect === "any" ? "" : `expected: ${account.expect.replace("_", " ")}`]
      : [cell.reason ?? ""];
    const facts = [
      ["Ended", moment(cell.ended_at)],
      ...(account ? [] : [
        ["Lag", cell.lag === undefined ? null : `${length(cell.lag)} after its end`],
        ["Fee", cell.fee_text === undefined ? null : readable(cell.fee_text)],
        ["Transaction", cell.tx_hash],
      ]),
      ["Run", cell.run_id ? `${cell.dag_id} / ${cell.run_id}` : null],
    ];
    const list = element("dl");
    for (const [name, value] of facts) if (value) list.append(element("dt", {}, name), element("dd", {}, value));
    this.place.replaceChildren(
      element("b", {}, title),
      ...[...new Set(lines.filter(Boolean))].map((line) => element("p", {}, readable(line))),
      list,
      element("p", { class: "faint" }, "Enter or click opens the era"),
    );
    this.place.hidden = false;
    this.move(x, y);
    if (this.described) this.described.removeAttribute("aria-describedby");
    described?.setAttribute("aria-describedby", "tip");
    this.described = described;
  }

  move(x, y) {
    const box = this.place.getBoundingClientRect();
    const room = document.documentElement.clientWidth;
    const below = y + 8 + box.height <= window.innerHeight;
    this.place.style.left = `${Math.max(8, Math.min(x - box.width / 2, room - box.width - 8))}px`;
    this.place.style.top = `${below ? y + 8 : Math.max(8, y - box.height - 30)}px`;
  }

  fromEnd(cell) {
    return this.newest - cell.era;
  }

  hide() {
    this.place.hidden = true;
  }
}
