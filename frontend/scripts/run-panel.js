// The results and log of a function's page or the editor, updated from a topic's events.

import { connectionPills } from "./connection.js";
import { Log } from "./log.js";
import { Progress } from "./progress.js";
import { Quilt } from "./quilt.js";
import { siteStream } from "./stream.js";
import { gettext, interpolate, ngettext, recorded } from "./translation.js";
import { count } from "./words.js";

const LOADING = gettext("loading");
const VERDICTS = {
  passed: gettext("passed"),
  failed: gettext("failed"),
  error: gettext("error"),
  time_limit: gettext("time limit"),
  memory_limit: gettext("memory limit"),
  output_limit: gettext("output limit"),
  policy: gettext("policy"),
  crashed: gettext("crashed"),
  flaky: gettext("flaky"),
};
const RELOADED = "reloaded-after-reset";
const RELOAD_AGAIN_MS = 20_000;

export class RunPanel {
  /** `on` has more handlers by event type, called after the panel's. */
  constructor(panel, logPanel, on = {}) {
    this.log = new Log(logPanel);
    this.quilt = new Quilt(panel, { onShowInLog: (key) => this.log.showLinesOf(key) });
    this.progress = new Progress(panel);
    this.panel = panel;
    this.on = on;
    this.shownSeq = 0; // the last event that the matrix shows since the page was fetched again
    this.isOver = false; // a run has ended since the totals were updated
    this.recorded = null; // events while the page is being fetched again
    // Labels of programs without a cell, by key; some are known from the page.
    this.names = new Map(logPanel.dataset.loading?.split(" ").map((key) => [key, LOADING]));
    this.quilt.setLive(true);
    this.wasRunning = this.progress.running;
    if (this.wasRunning) this.log.followRun();
  }

  /** Follow the topic named in the page's body, from the page's position. */
  follow() {
    const { topic, epoch, seq } = document.body.dataset;
    const onState = connectionPills();
    this.stream = siteStream();
    this.stream.follow(
      topic,
      { epoch: Number(epoch), after: Number(seq) },
      {
        onEvent: (event) => this.#apply(event),
        onSettled: () => this.#settle(),
        onReset: () => reloadOnce(),
        onState: (state, info) => {
          onState(topic, state, info);
          if (state === "reconnecting") this.on.presence?.(null);
        },
        onRefused: () => {
          onState(topic, "refused");
          this.on.presence?.(null);
        },
        onPresence: this.on.presence,
      },
    );
  }

  /** Remember the events from now on: a page that is being fetched may lack them. */
  record() {
    this.recorded = [];
  }

  /** Go on from a page that was fetched, and has been put in place; `seq` is its last event. */
  rebase(seq) {
    this.shownSeq = seq;
    this.quilt.read();
    this.progress.rebase(this.panel);
    for (const event of this.recorded ?? []) if (event.seq > seq) this.#show(event);
    this.recorded = null;
    this.#settle();
  }

  /** Update totals after a frame's events. */
  #settle() {
    const counts = this.quilt.count();
    this.progress.show(counts);
    if (this.isOver) this.progress.conclude();
    this.isOver = false;
    this.log.settle();
    if (this.wasRunning !== this.progress.running) this.on.running?.(this.progress.running);
    this.wasRunning = this.progress.running;
    this.on.applied?.(counts);
  }

  #apply(event) {
    this.recorded?.push(event);
    if (event.seq > this.shownSeq) this.#show(event);
    this.#write(event);
    this.on[event.type]?.(event.payload);
  }

  /** Show an event in the matrix and the progress. */
  #show({ type, payload }) {
    switch (type) {
      case "batch.submitted":
        this.quilt.rekey(payload.cells ?? []);
        this.progress.submit(payload);
        break;
      case "task.started":
        this.quilt.start(payload.key);
        break;
      case "task.finished":
        this.quilt.finish(payload);
        break;
      case "batch.finished":
        this.isOver = this.progress.close(payload);
        break;
      case "standing.changed":
        this.quilt.rekey(payload.cells ?? []);
        break;
    }
  }

  /** Write an event into the log. */
  #write({ type, payload, at }) {
    const time = new Date(at);
    if (payload.cells) this.#name(payload.cells);
    switch (type) {
      case "batch.submitted":
        this.log.followRun();
        payload.cause = recorded(payload.cause);
        this.log.say(`batch:${payload.batch}`, time, interpolate(gettext("Run %(batch)s started: %(cause)s"), payload));
        break;
      case "task.output":
        this.log.output(payload, time, this.#where(payload.key));
        break;
      case "task.finished":
        this.log.finished(payload, time, this.#where(payload.key));
        break;
      case "batch.finished":
        this.log.say(`batch:${payload.batch}:end`, time, sentence(payload));
        break;
    }
  }

  /** Remember labels of programs without a cell: of works that are not in the page, and loading. */
  #name(cells) {
    for (const [implementation, test, key] of cells) {
      if (key) this.names.set(key, test === null ? LOADING : pairOf(implementation, test));
    }
  }

  #where(key) {
    const labels = this.quilt.labels(key).map((label) => {
      const [who, what] = label.split(", ");
      return `${who.split(" ")[0]} ${what.split(" ")[0]}`;
    });
    return labels[0] ?? this.names.get(key) ?? "";
  }
}

/** The label of a pair, from its works' cards; "new" for works without a card. */
function pairOf(implementation, test) {
  const label = (work) => document.querySelector(`[data-work="${work}"] .card-id`)?.textContent ?? gettext("new");
  return `${label(`implementation-${implementation}`)} ${label(`test-${test}`)}`;
}

function sentence({ batch, total, verdicts }) {
  const parts = Object.entries(verdicts ?? {}).filter(([, number]) => number);
  const runs = total && interpolate(ngettext("%(count)s run", "%(count)s runs", total), { count: count(total) });
  const result = parts.map(([verdict, number]) => `${number} ${VERDICTS[verdict] ?? verdict}`).join(", ") || runs;
  const text = result ? gettext("Run %(run)s finished: %(result)s") : gettext("Run %(run)s finished");
  return interpolate(text, { run: batch, result });
}

/** Reload a page whose position is no longer in the log; never twice in a row. */
function reloadOnce() {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0);
  if (Date.now() - last < RELOAD_AGAIN_MS) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}
