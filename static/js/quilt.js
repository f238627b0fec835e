// The results matrix ("quilt"): finds cells ("squares") by their program's key, updates and counts
// them; keyboard navigation and inspector.

import { duration, element, outcome } from "./words.js";

const FINAL = new Set(["passed", "failed", "error", "timeout", "none"]);
const MOST_MARKS = 24; // of a sparkline; above, the server makes buckets
const RESULT = /^\/results\/(\w+)\/$/;
const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

export class Quilt {
  /** `panel` has the table, the legend and the inspector; the page's sparklines are updated too. */
  constructor(panel, { onShowInLog } = {}) {
    this.panel = panel;
    this.table = panel.querySelector(".quilt");
    this.inspector = panel.querySelector(".inspect");
    this.legend = new Map(
      [...panel.querySelectorAll(".legend li")].map((item) => [item.dataset.state, item]),
    );
    this.onShowInLog = onShowInLog;
    this.byCell = new Map();
    this.byKey = new Map();
    this.strips = new Map();
    for (const square of this.table?.querySelectorAll(".sq") ?? []) this.#adopt(square);
    for (const mark of document.querySelectorAll(".strip > [data-cell]")) {
      if (!this.strips.has(mark.dataset.cell)) this.strips.set(mark.dataset.cell, []);
      this.strips.get(mark.dataset.cell).push(mark);
    }
    if (this.table) this.#walk();
    if (this.inspector) this.#inspect();
  }

  // The labels, state and key of a cell are only in its title and address.
  #adopt(square) {
    const { title, dataset } = square;
    const end = title.lastIndexOf(": ");
    dataset.label = title.slice(0, end);
    dataset.word = title.slice(end + 2);
    const key = RESULT.exec(square.getAttribute("href"))?.[1];
    if (key) dataset.key = key;
    this.byCell.set(dataset.cell, square);
    if (square.dataset.key) this.#index(square, square.dataset.key);
  }

  #index(square, key) {
    if (!this.byKey.has(key)) this.byKey.set(key, new Set());
    this.byKey.get(key).add(square);
  }

  has(implementation, test) {
    return this.byCell.has(`${implementation}:${test}`);
  }

  /** The labels of the cells with this key; empty if there are none. */
  labels(key) {
    return [...(this.byKey.get(key) ?? [])].map((square) => square.dataset.label);
  }

  squares(key) {
    return [...(this.byKey.get(key) ?? [])];
  }

  /** Set cells to their pairs' current programs; return those that are not in the matrix. */
  rekey(cells) {
    const unknown = [];
    for (const [implementation, test, key] of cells) {
      if (test === null) continue;
      const square = this.byCell.get(`${implementation}:${test}`);
      if (!square) {
        unknown.push([implementation, test, key]);
        continue;
      }
      if ((square.dataset.key ?? "") === (key ?? "")) continue;
      this.byKey.get(square.dataset.key)?.delete(square);
      if (key) {
        square.dataset.key = key;
        square.href = `/results/${key}/`;
        this.#index(square, key);
        this.#set(square, "pending", "pending");
      } else {
        delete square.dataset.key;
        this.#set(square, "broken", "broken");
      }
    }
    return unknown;
  }

  /** Show that a program is running, unless it has a result. */
  start(key) {
    for (const square of this.squares(key)) {
      if (!FINAL.has(square.dataset.state)) this.#set(square, "running", "running");
    }
  }

  /** Show a program's result. */
  finish(payload) {
    const { state, word } = outcome(payload);
    for (const square of this.squares(payload.key)) {
      square.dataset.detail = payload.message ?? "";
      square.dataset.line = payload.line ?? "";
      square.dataset.cpu = payload.cpu_us ?? "";
      this.#set(square, state, word);
    }
  }

  #set(square, state, word) {
    square.dataset.state = state;
    square.dataset.word = word;
    const sentence = `${square.dataset.label}: ${word}`;
    square.title = sentence;
    square.firstElementChild.textContent = sentence;
    for (const mark of this.strips.get(square.dataset.cell) ?? []) mark.dataset.state = state;
    if (square === this.shown) this.#show(square);
  }

  /** Update the legend and each row's sum from the cells. */
  count() {
    const counts = new Map();
    for (const square of this.byCell.values()) {
      counts.set(square.dataset.state, (counts.get(square.dataset.state) ?? 0) + 1);
    }
    for (const [state, item] of this.legend) {
      const count = counts.get(state) ?? 0;
      item.querySelector("b").textContent = count;
      item.toggleAttribute("data-zero", count === 0);
    }
    for (const row of this.table?.tBodies[0]?.rows ?? []) {
      const counting = [...row.querySelectorAll(".sq[data-counts]")];
      const sum = row.querySelector("[data-sum=passed]");
      const passed = counting.filter((square) => square.dataset.state === "passed").length;
      if (sum) sum.textContent = `${passed}/${counting.length}`;
    }
    for (const score of document.querySelectorAll(".score[data-count]")) {
      const marks = [...score.querySelectorAll(".strip > i")];
      const passed = marks.filter((mark) => mark.dataset.state === "passed").length;
      score.querySelector("b").textContent = passed;
      score.querySelector("b").nextSibling.textContent = `/${marks.length}`;
      score.querySelector(".strip").setAttribute("aria-label", `${passed} of ${marks.length} passed`);
    }
    return counts;
  }

  /** Change which tests count; `counting` maps test ids to booleans. */
  setCounting(counting) {
    for (const [cell, square] of this.byCell) {
      const test = Number(cell.split(":")[1]);
      if (counting.has(test)) square.toggleAttribute("data-counts", counting.get(test));
    }
    for (const row of this.table?.tBodies[0]?.rows ?? []) {
      const strip = document.querySelector(
        `.card[data-work="implementation-${row.dataset.implementation}"] .score[data-count] .strip`,
      );
      const squares = [...row.querySelectorAll(".sq[data-counts]")];
      if (!strip || squares.length > MOST_MARKS || squares.length === strip.childElementCount) continue;
      strip.replaceChildren(...squares.map((square) => this.#mark(square)));
    }
  }

  #mark({ dataset: { cell, state } }) {
    const mark = element("i", { "data-cell": cell, "data-state": state });
    this.strips.set(cell, [...(this.strips.get(cell) ?? []), mark]);
    return mark;
  }

  setLive(live) {
    this.table?.toggleAttribute("data-live", live);
  }

  // One tab stop; arrow keys move, Home and End go to the ends of a row.
  #walk() {
    const rows = [...this.table.tBodies[0].rows].map((row) => [...row.querySelectorAll(".sq")]);
    const all = rows.flat();
    const stop = (square) => all.forEach((other) => (other.tabIndex = other === square ? 0 : -1));
    stop(all[0]);
    this.table.addEventListener("keydown", (event) => {
      const y = rows.findIndex((row) => row.includes(document.activeElement));
      if (y < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const x = rows[y].indexOf(document.activeElement);
      const step = { ...STEPS, Home: [0, -x], End: [0, rows[y].length] }[event.key];
      if (!step) return;
      event.preventDefault();
      const row = rows[Math.max(0, Math.min(rows.length - 1, y + step[0]))];
      const target = row[Math.max(0, Math.min(row.length - 1, x + step[1]))];
      stop(target);
      target.focus();
    });
    this.table.addEventListener("focusin", ({ target }) => target.matches(".sq") && stop(target));
  }

  // Hover and focus preview a cell, a click or Enter pins it, and opens a pinned one.
  #inspect() {
    const squareOf = (target) => target.closest?.(".quilt .sq");
    this.pinned = this.table?.querySelector(".sq[aria-current]") ?? null;
    for (const type of ["mouseover", "focusin"]) {
      this.table?.addEventListener(type, (event) => {
        const square = squareOf(event.target);
        if (square) this.#show(square);
      });
    }
    this.table?.addEventListener("mouseleave", () => this.pinned && this.#show(this.pinned));
    this.table?.addEventListener("click", (event) => {
      const square = squareOf(event.target);
      const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
      if (!square || !plain || square === this.pinned) return;
      event.preventDefault();
      this.pin(square);
    });
    this.inspector.querySelector("[data-in-log]")?.addEventListener("click", () => {
      if (this.shown?.dataset.key) this.onShowInLog?.(this.shown.dataset.key);
    });
    if (this.pinned) this.#show(this.pinned);
  }

  pin(square) {
    this.pinned?.removeAttribute("aria-current");
    this.pinned = square;
    square.setAttribute("aria-current", "true");
    this.#show(square);
  }

  #show(square) {
    this.shown = square;
    if (!this.inspector) return;
    this.inspector.querySelector(".sq").dataset.state = square.dataset.state;
    const [where, what] = this.inspector.querySelectorAll("p");
    where.textContent = square.dataset.label;
    const { word, detail, line, cpu } = square.dataset;
    const place = line ? ` on line ${line}` : "";
    const message = detail ? `: ${detail}` : "";
    const took = cpu ? ` · ${duration(Number(cpu))}` : "";
    const sentence = `${word}${place}${message}`;
    what.textContent = sentence.charAt(0).toUpperCase() + sentence.slice(1) + took;
    for (const action of this.inspector.querySelectorAll("[data-needs-key]")) {
      action.toggleAttribute("data-off", !square.dataset.key);
    }
    const open = this.inspector.querySelector("a[data-open]");
    if (open) open.href = square.getAttribute("href");
  }
}
