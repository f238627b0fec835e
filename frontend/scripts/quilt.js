// The results matrix ("quilt"): finds cells ("squares") by their program's key, updates and counts
// them; keyboard navigation and inspector.

import { gettext, interpolate } from "./translation.js";
import { duration, outcome } from "./words.js";

const FINAL = new Set(["passed", "failed", "error", "timeout", "none"]);
const OPEN = new Set(["pending", "running"]);
const RESULT = /^\/results\/(\w+)\/$/;
const SHORT_KEY = 16; // characters of keys in links, by which cells are found
// As in the titles that the server renders.
const FORMER = gettext("%(now)s, was %(before)s");
const WAS = FORMER.split(/%\(\w+\)s/)[1];
const STEPS = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };

export class Quilt {
  /** `panel` has the table, the legend and the inspector; the page's sparklines are updated too. */
  constructor(panel, { onShowInLog } = {}) {
    this.panel = panel;
    this.onShowInLog = onShowInLog;
    this.isLive = false;
    this.pinned = null; // the cell that the reader has chosen
    this.shown = null; // the square in the inspector
    this.#walk();
    this.#inspect();
    this.read();
  }

  get table() {
    return this.panel.querySelector(".quilt");
  }

  get inspector() {
    return this.panel.querySelector(".inspect");
  }

  /** Find all cells again, after the page has changed. */
  read() {
    this.byCell = new Map();
    this.byKey = new Map();
    this.facts = new Map(); // {label, word, key} by square
    this.strips = new Map();
    for (const square of this.panel.querySelectorAll(".quilt .sq")) this.#adopt(square);
    for (const mark of document.querySelectorAll(".strip > [data-cell]")) {
      if (!this.strips.has(mark.dataset.cell)) this.strips.set(mark.dataset.cell, []);
      this.strips.get(mark.dataset.cell).push(mark);
    }
    this.setLive(this.isLive);
    for (const square of this.facts.keys()) square.tabIndex = -1;
    this.#stop(this.byCell.get(this.stop?.dataset.cell) ?? this.byCell.values().next().value);
    const pinned = this.byCell.get(this.pinned);
    if (pinned) this.pin(pinned);
    else if (this.given) this.#show(this.given);
  }

  /** The square that the server has chosen for the inspector. */
  get given() {
    return this.panel.querySelector(".quilt .sq[aria-current]");
  }

  // The labels, state and key of a cell are only in its title and address.
  #adopt(square) {
    const { title, dataset } = square;
    const end = title.lastIndexOf(": ");
    const key = RESULT.exec(square.getAttribute("href"))?.[1];
    this.facts.set(square, { label: title.slice(0, end), word: title.slice(end + 2), key });
    // Rows to compare with have no cells: they are looked at, but neither counted nor changed.
    if (!dataset.cell) return;
    this.byCell.set(dataset.cell, square);
    if (key) this.#index(square, key);
  }

  #index(square, key) {
    if (!this.byKey.has(key)) this.byKey.set(key, new Set());
    this.byKey.get(key).add(square);
  }

  /** The labels of the cells with this key; empty if there are none. */
  labels(key) {
    return this.squares(key).map((square) => this.facts.get(square).label);
  }

  squares(key) {
    return [...(this.byKey.get(short(key)) ?? [])];
  }

  /** The beginning of the key of the square's result. */
  keyOf(square) {
    return this.facts.get(square)?.key ?? null;
  }

  /** What the square's state is called, for example "failed". */
  wordOf(square) {
    return this.facts.get(square)?.word ?? "";
  }

  /** Set cells to their pairs' current programs, which are pending; cells without one are broken. */
  rekey(cells) {
    for (const [implementation, test, key] of cells) {
      const square = this.byCell.get(`${implementation}:${test}`);
      if (!square) continue;
      const facts = this.facts.get(square);
      this.byKey.get(facts.key)?.delete(square);
      facts.key = key ? short(key) : undefined;
      if (key) {
        square.href = `/results/${facts.key}/`;
        this.#index(square, facts.key);
        this.#open(square, "pending");
      } else {
        delete square.dataset.was;
        this.#set(square, "broken", outcome({ state: "unbuildable" }).word);
      }
    }
  }

  /** Show that a program is running, unless it has a result. */
  start(key) {
    for (const square of this.squares(key)) {
      if (!FINAL.has(square.dataset.state)) this.#open(square, "running");
    }
  }

  /** Show a program's result. */
  finish(payload) {
    const { state, word } = outcome(payload);
    const details = { detail: payload.message, line: payload.line, cpu: payload.cpu_us };
    for (const square of this.squares(payload.key)) {
      for (const [name, value] of Object.entries(details)) {
        if (value == null || value === "") delete square.dataset[name];
        else square.dataset[name] = value;
      }
      delete square.dataset.was;
      this.#set(square, state, word);
    }
  }

  /** Show that a cell has no verdict yet; its last one stays visible. */
  #open(square, state) {
    const { dataset } = square;
    const facts = this.facts.get(square);
    if (FINAL.has(dataset.state) && dataset.state !== "none") {
      dataset.was = dataset.state;
      facts.was = facts.word;
    }
    const { word } = outcome({ state });
    const former = dataset.was ? (facts.was ?? facts.word.split(WAS)[1] ?? dataset.was) : null;
    this.#set(square, state, former ? interpolate(FORMER, { now: word, before: former }) : word);
  }

  #set(square, state, word) {
    const facts = this.facts.get(square);
    facts.word = word;
    square.dataset.state = state;
    square.title = `${facts.label}: ${word}`;
    for (const mark of this.strips.get(square.dataset.cell) ?? []) mark.dataset.state = state;
    if (square === this.shown) this.#show(square);
  }

  /** Update the legend and each row's sum from the cells. */
  count() {
    const counts = new Map();
    for (const square of this.byCell.values()) {
      counts.set(square.dataset.state, (counts.get(square.dataset.state) ?? 0) + 1);
    }
    for (const item of this.panel.querySelectorAll(".legend li")) {
      const count = counts.get(item.dataset.state) ?? 0;
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
      const label = interpolate(gettext("%(passed)s of %(total)s passed"), { passed, total: marks.length });
      score.querySelector(".strip").setAttribute("aria-label", label);
    }
    return counts;
  }

  setLive(live) {
    this.isLive = live;
    this.table?.toggleAttribute("data-live", live);
  }

  /** Make this square the table's only tab stop. */
  #stop(square) {
    if (this.stop) this.stop.tabIndex = -1;
    if (square) square.tabIndex = 0;
    this.stop = square;
  }

  // One tab stop; arrow keys move, Home and End go to the ends of a row.
  #walk() {
    this.panel.addEventListener("keydown", (event) => {
      const square = squareOf(event.target);
      if (!square || event.ctrlKey || event.metaKey || event.altKey) return;
      const lines = [...this.panel.querySelectorAll(".quilt tbody tr")];
      const rows = lines.map((row) => [...row.querySelectorAll("a.sq")]).filter((row) => row.length);
      const y = rows.findIndex((row) => row.includes(square));
      const x = rows[y].indexOf(square);
      const step = { ...STEPS, Home: [0, -x], End: [0, rows[y].length] }[event.key];
      if (!step) return;
      event.preventDefault();
      const row = rows[Math.max(0, Math.min(rows.length - 1, y + step[0]))];
      const target = row[Math.max(0, Math.min(row.length - 1, x + step[1]))];
      this.#stop(target);
      target.focus();
    });
  }

  // Hover and focus preview a cell, a click or Enter pins it, and opens a pinned one.
  #inspect() {
    for (const type of ["mouseover", "focusin"]) {
      this.panel.addEventListener(type, (event) => {
        const square = squareOf(event.target);
        if (square && type === "focusin") this.#stop(square);
        if (square) this.#show(square);
        else if (type === "mouseover" && this.given) this.#show(this.given);
      });
    }
    this.panel.addEventListener("click", (event) => {
      if (event.target.closest("[data-in-log]")) {
        const { key } = this.facts.get(this.shown) ?? {};
        if (key) this.onShowInLog?.(key);
        return;
      }
      const square = squareOf(event.target);
      const plain = !(event.ctrlKey || event.metaKey || event.shiftKey);
      if (!square || !plain || square === this.given) return;
      event.preventDefault();
      this.pin(square);
    });
  }

  pin(square) {
    this.given?.removeAttribute("aria-current");
    this.pinned = square.dataset.cell;
    square.setAttribute("aria-current", "true");
    this.#show(square);
  }

  #show(square) {
    this.shown = square;
    const { inspector } = this;
    if (!inspector) return;
    const { label, word, key } = this.facts.get(square);
    const { state, detail, line, cpu } = square.dataset;
    inspector.querySelector(".sq").dataset.state = state;
    const [where, what] = inspector.querySelectorAll("p");
    where.textContent = label;
    const found = line ? interpolate(gettext("%(result)s on line %(line)s"), { result: word, line }) : word;
    const message = detail ? `: ${detail}` : "";
    const took = cpu ? ` · ${duration(Number(cpu))}` : "";
    const sentence = found + message;
    what.textContent = sentence.charAt(0).toUpperCase() + sentence.slice(1) + took;
    for (const action of inspector.querySelectorAll("[data-needs-key]")) {
      action.toggleAttribute("data-off", !key);
    }
    const open = inspector.querySelector("a[data-open]");
    if (open) open.href = square.getAttribute("href") ?? "#inspect";
  }
}

const short = (key) => key.slice(0, SHORT_KEY);
const squareOf = (target) => target.closest?.(".quilt .sq");
