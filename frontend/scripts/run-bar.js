// A run's progress, as the server renders it: `n of m`, and a bar by verdict.

import { gettext, interpolate } from "./translation.js";
import { outcome } from "./words.js";

const STATES = ["passed", "failed", "error", "timeout", "broken", "running"];

export class RunBar {
  /**
   * `root` has `data-total`, `data-counts`, a bar and `[data-progress]`; its counts include the tasks
   * in `ended` and `running`.
   */
  constructor(root, ended = [], running = []) {
    this.root = root;
    this.total = Number(root.dataset.total);
    this.counts = JSON.parse(root.dataset.counts);
    this.running = new Set(running);
    this.unnamed = Math.max(0, this.counts.running - this.running.size);
    this.ended = new Set(ended);
  }

  get finished() {
    const { running, ...ended } = this.counts;
    return Math.min(this.total, Object.values(ended).reduce((sum, count) => sum + count, 0));
  }

  start({ task, load_check: isLoadCheck }) {
    if (isLoadCheck || this.running.has(task) || this.ended.has(task)) return;
    this.running.add(task);
    this.counts.running = this.running.size + this.unnamed;
  }

  finish({ task, load_check: isLoadCheck, ...ending }) {
    if (isLoadCheck || this.ended.has(task)) return;
    this.ended.add(task);
    // Short tasks end without an event of their start.
    if (!this.running.delete(task)) this.unnamed = Math.max(0, this.unnamed - 1);
    this.counts.running = this.running.size + this.unnamed;
    const { state } = outcome(ending);
    this.counts[state in this.counts ? state : "broken"] += 1;
  }

  /** Show the final counts, from the last event. */
  end({ total, verdicts }) {
    this.total = total;
    for (const state of STATES) this.counts[state] = 0;
    let left = total;
    for (const [verdict, count] of Object.entries(verdicts ?? {})) {
      const { state } = outcome({ verdict });
      this.counts[state in this.counts ? state : "broken"] += count;
      left -= count;
    }
    this.counts.broken += Math.max(0, left);
  }

  draw() {
    const bar = this.root.querySelector(".bar");
    let at = 0;
    for (const state of STATES) {
      const share = this.total ? Math.min(100 - at, (100 * this.counts[state]) / this.total) : 0;
      const rect = bar.querySelector(`.f-${state}`);
      rect.setAttribute("x", `${at.toFixed(2)}%`);
      rect.setAttribute("width", `${share.toFixed(2)}%`);
      at += share;
    }
    const text = interpolate(gettext("%(finished)s of %(total)s"), this);
    bar.setAttribute("aria-valuenow", this.finished);
    bar.setAttribute("aria-valuetext", text);
    this.root.querySelector("[data-progress]").textContent = text;
  }
}
