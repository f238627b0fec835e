// Progress of the page's runs: `n of m`, a bar, and announcements.

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
    // Tasks that had finished when the page was rendered are only counted. An event may count one
    // again, but never beyond the total.
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

  /** Handle the end of a batch; return true if no other is open. */
  close({ batch, total, verdicts }) {
    const known = this.batches.delete(batch);
    this.last = { batch, total, verdicts };
    return known && !this.running;
  }

  /** Show the progress; `counts` are the matrix's cells by state. */
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
      // Without cells, tasks are counted, one of which only loads the implementation.
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

  /** Announce the end, once. */
  conclude() {
    const { batch, total, verdicts } = this.last;
    announceAtOnce("run", `Run ${batch} finished: ${verdicts?.passed ?? 0} of ${total} passed`);
  }
}

/** The number of cells that can have a result. */
function runnable(counts) {
  return [...counts].filter(([state]) => state !== "broken").reduce((sum, [, count]) => sum + count, 0);
}

function strong(text) {
  const bold = document.createElement("b");
  bold.textContent = text;
  return bold;
}
