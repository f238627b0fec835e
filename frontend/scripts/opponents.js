// What a draft is run against: a row for each test (or implementation), with its result, the reason
// for it, and the lines where it happened.

import { gettext } from "./translation.js";
import { duration, element } from "./words.js";

const BAD = new Set(["failed", "error", "timeout"]);
const WAITING = { running: gettext("running"), pending: gettext("waiting") };
const TIMEOUT_MS = 15_000;

export class Opponents {
  /** `onMarks(marks)` gets the lines of the draft where something failed, as `{line, message}`. */
  constructor(list, { isTest, onMarks }) {
    this.isTest = isTest;
    this.onMarks = onMarks;
    this.rows = [...list.querySelectorAll(".trow")].map((node) => ({
      node,
      mirror: node.querySelector("[data-mirror]"),
      took: node.querySelector("[data-took]"),
      label: node.querySelector(".card-id").textContent,
    }));
    for (const row of this.rows) row.node.addEventListener("toggle", () => this.#explain(row));
    this.hasOpened = false;
  }

  /** Forget the last run's reasons: another one has started. */
  restart() {
    this.hasOpened = false;
  }

  /** Show the matrix's results. */
  show(quilt) {
    for (const row of this.rows) {
      const square = quilt.byCell.get(row.mirror.dataset.mirror);
      if (!square) continue;
      const { state, cpu } = square.dataset;
      const key = BAD.has(state) ? quilt.keyOf(square) : null;
      if (row.mirror.dataset.state !== state) {
        row.mirror.dataset.state = state;
        row.mirror.setAttribute("aria-label", quilt.wordOf(square));
      }
      const took = WAITING[state] ?? (cpu ? duration(Number(cpu)) : null);
      if (took && row.took.textContent !== took) row.took.textContent = took;
      if (row.key === key) continue;
      row.key = key;
      this.#forget(row);
      if (key && !this.hasOpened) {
        this.hasOpened = true;
        row.node.open = true;
      }
      this.#explain(row);
    }
  }

  #forget(row) {
    row.shown = null;
    row.mark = null;
    row.node.querySelector(".explanation")?.remove();
    row.node.querySelector(".line[data-mark]")?.removeAttribute("data-mark");
    this.#tellMarks();
  }

  async #explain(row) {
    const { key } = row;
    if (!key || !row.node.open || row.shown === key) return;
    row.shown = key;
    const why = await fetchExplanation(key);
    if (row.key !== key) return;
    if (!why) {
      row.shown = null; // tried again when the row is opened again
      return;
    }
    row.node.querySelector(".explanation")?.remove();
    row.node.querySelector("summary").after(why);
    const { testLine, subjectLine, word } = why.dataset;
    const [own, other] = this.isTest ? [testLine, subjectLine] : [subjectLine, testLine];
    row.node.querySelector(`.line[data-n="${other}"]`)?.setAttribute("data-mark", "error");
    row.mark = own ? { line: Number(own), message: `${row.label}: ${word}` } : null;
    this.#tellMarks();
  }

  #tellMarks() {
    this.onMarks(this.rows.map(({ mark }) => mark).filter(Boolean));
  }
}

/** The reason for a result, as an element; null if it can't be fetched. */
export async function fetchExplanation(key) {
  try {
    const response = await fetch(`/results/${key}/explanation/`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return null;
    const box = element("template");
    box.innerHTML = await response.text();
    return box.content.querySelector(".explanation");
  } catch {
    return null;
  }
}
