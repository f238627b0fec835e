// Progress of the page's runs: `n of m`, a bar, and announcements.

import { announce, announceAtOnce } from "./announcing.js";
import { gettext, interpolate } from "./translation.js";

const BAR = ["passed", "failed", "error", "timeout"];

export class Progress {
  /** `panel` has `[data-progress]`, a bar, and a run's link. */
  constructor(panel) {
    this.read(panel);
  }

  /** Start from what the server has rendered. */
  read(panel) {
    this.text = panel.querySelector("[data-progress]");
    this.bar = panel.querySelector(".bar");
    this.link = panel.querySelector("[data-run]");
    this.when = panel.querySelector("[data-run-when]");
    this.open = new Set(); // batches
    this.last = null;
    const { batch } = panel.dataset;
    if (batch) this.submit({ batch: Number(batch) });
  }

  /** Go on from a page that was fetched, in which runs may have ended. */
  rebase(panel) {
    const { running, latest } = this;
    this.read(panel);
    if (running && !this.running) this.#announceEnd(latest);
  }

  get running() {
    return this.open.size > 0;
  }

  submit({ batch }) {
    this.open.add(batch);
    this.latest = Math.max(batch, this.latest ?? 0);
  }

  /** Handle the end of a batch; return true if no other is open. */
  close(ended) {
    const known = this.open.delete(ended.batch);
    this.last = ended;
    return known && !this.running;
  }

  /** Show the progress; `counts` are the matrix's cells by state. */
  show(counts) {
    const [all, running, passed] = [runnable(counts), counts.get("running") ?? 0, counts.get("passed") ?? 0];
    const finished = all - running - (counts.get("pending") ?? 0);
    if (this.running) {
      const text = all ? gettext("<b>%(finished)s</b> of %(all)s") : gettext("running");
      const now = all && running ? " · " + gettext("%(running)s running") : "";
      this.text.innerHTML = interpolate(text + now, { finished, all, running });
      if (this.link) this.#linkTo(this.latest);
      if (this.when) this.when.textContent = "";
      const said = gettext("%(finished)s of %(all)s finished, %(bad)s not passed");
      announce("run", interpolate(said, { finished, all, bad: finished - passed }));
    } else if (this.last) {
      this.text.innerHTML = interpolate(all ? gettext("<b>%(passed)s</b> of %(all)s passed") : this.#loaded, { passed, all });
      if (this.when) this.when.textContent = gettext("finished just now");
    }
    this.#draw(counts, all, finished);
  }

  /** What a run without tests has found. */
  get #loaded() {
    const checks = Object.entries(this.last.load_checks ?? {});
    if (!checks.length) return "";
    return checks.every(([verdict]) => verdict === "passed") ? gettext("loads") : gettext("does not load");
  }

  #linkTo(batch) {
    this.link.href = `/runs/${batch}/`;
    this.link.textContent = interpolate(gettext("Run %(run)s"), { run: batch });
    this.link.hidden = false;
  }

  #draw(counts, all, finished) {
    if (!this.bar) return;
    let at = 0;
    for (const state of [...BAR, "running"]) {
      const rect = this.bar.querySelector(`.f-${state}`);
      const share = all ? (100 * (counts.get(state) ?? 0)) / all : 0;
      rect.setAttribute("x", `${at.toFixed(2)}%`);
      rect.setAttribute("width", `${share.toFixed(2)}%`);
      at += share;
    }
    this.bar.setAttribute("aria-valuenow", finished);
    this.bar.setAttribute("aria-valuemax", all);
    this.bar.setAttribute("aria-valuetext", interpolate(gettext("%(finished)s of %(total)s"), { finished, total: all }));
  }

  /** Announce the end, once. */
  conclude() {
    this.#announceEnd(this.last.batch);
  }

  #announceEnd(run) {
    const said = gettext("Run %(run)s finished: %(result)s");
    announceAtOnce("run", interpolate(said, { run, result: this.text.textContent }));
  }
}

/** The number of cells that can have a result. */
function runnable(counts) {
  return [...counts].filter(([state]) => state !== "broken").reduce((sum, [, count]) => sum + count, 0);
}
