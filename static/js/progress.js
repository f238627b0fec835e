// How far the runs on this page have come: `n of m`, a bar, and a sentence now and then.

import { announce, announceAtOnce } from "./announcing.js";

const BAR = ["passed", "failed", "error", "timeout"];

export class Progress {
  /** `panel` has `[data-progress]`, a bar, and a run's link. */
  constructor(panel) {
    this.text = panel.querySelector("[data-progress]");
    this.bar = panel.querySelector(".bar");
    this.link = panel.querySelector("[data-run]");
    this.when = panel.querySelector("[data-run-when]");
    this.batches = new Map();
    // What was finished when the page was made is only counted: an event may tell of it once more,
    // which the total keeps from mattering.
    const { batch, total, done } = panel.dataset;
    if (batch) this.submit({ batch: Number(batch), total: Number(total) }, Number(done));
  }

  get running() {
    return this.batches.size > 0;
  }

  submit({ batch, total }, before = 0) {
    if (!this.batches.size) this.notPassed = 0;
    const known = this.batches.get(batch);
    this.batches.set(batch, { before, finished: new Set(), ...known, total });
    this.latest = Math.max(batch, this.latest ?? 0);
  }

  finish({ batch, task, verdict }) {
    const entry = this.batches.get(batch);
    if (!entry || entry.finished.has(task)) return;
    entry.finished.add(task);
    if (verdict !== "passed") this.notPassed += 1;
  }

  /** A batch is over; `true` when no other is open. */
  close({ batch, total, verdicts }) {
    const known = this.batches.delete(batch);
    this.last = { batch, total, verdicts };
    return known && !this.running;
  }

  /** Show where things stand; `counts` are the quilt's squares by state. */
  show(counts) {
    const entries = [...this.batches.values()];
    const total = entries.reduce((sum, { total: own }) => sum + own, 0);
    const done = entries.reduce(
      (sum, { total: own, before, finished }) => sum + Math.min(own, before + finished.size),
      0,
    );
    const running = counts.get("running") ?? 0;
    if (this.running) {
      this.text.replaceChildren(strong(done), ` of ${total}${running ? ` · ${running} running` : ""}`);
      if (this.link) this.#linkTo(this.latest);
      if (this.when) this.when.textContent = "";
      announce("run", `${done} of ${total} finished, ${this.notPassed} not passed`);
    } else if (this.last) {
      // Where the page has no squares as yet, what is counted is runs; one of them only loads.
      const [passed, all, noun] = runnable(counts)
        ? [counts.get("passed") ?? 0, runnable(counts), ""]
        : [this.last.verdicts?.passed ?? 0, this.last.total, " runs"];
      this.text.replaceChildren(strong(passed), ` of ${all}${noun} passed`);
      if (this.when) this.when.textContent = "finished just now";
    }
    this.#draw(counts);
  }

  #linkTo(batch) {
    this.link.href = `/runs/${batch}/`;
    this.link.textContent = `Run ${batch}`;
    this.link.hidden = false;
  }

  #draw(counts) {
    if (!this.bar) return;
    const all = runnable(counts);
    let at = 0;
    let finished = 0;
    for (const state of [...BAR, "running"]) {
      const rect = this.bar.querySelector(`.f-${state}`);
      const share = all ? (100 * (counts.get(state) ?? 0)) / all : 0;
      rect.setAttribute("x", `${at.toFixed(2)}%`);
      rect.setAttribute("width", `${share.toFixed(2)}%`);
      at += share;
      if (state !== "running") finished += counts.get(state) ?? 0;
    }
    this.bar.setAttribute("aria-valuenow", finished);
    this.bar.setAttribute("aria-valuemax", all);
    this.bar.setAttribute("aria-valuetext", `${finished} of ${all}`);
  }

  /** Once at the end, at once. */
  conclude() {
    const { batch, total, verdicts } = this.last;
    announceAtOnce("run", `Run ${batch} finished: ${verdicts?.passed ?? 0} of ${total} passed`);
  }
}

/** How many squares can have a result at all. */
function runnable(counts) {
  return [...counts].filter(([state]) => state !== "broken").reduce((sum, [, count]) => sum + count, 0);
}

function strong(text) {
  const bold = document.createElement("b");
  bold.textContent = text;
  return bold;
}
