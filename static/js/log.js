// The log: lines known by (key, attempt, line), filtered, followed, and never more than a page holds.

import { clock, element, outcome } from "./words.js";

const MOST_LINES = 2000;
const KINDS = { passed: "pass", failed: "fail", error: "err", timeout: "late", none: "sys" };
const NAMES = { pass: "pass", fail: "fail", err: "error", late: "timeout", sys: "run", out: "out", log: "log" };

export class Log {
  constructor(panel) {
    this.panel = panel;
    this.list = panel.querySelector(".log-lines");
    this.followButton = panel.querySelector("[data-follow]");
    this.known = new Set();
    this.missed = 0;
    for (const line of this.list.querySelectorAll("[data-line]")) this.known.add(line.dataset.line);
    this.followButton.addEventListener("click", () => {
      this.touched = true;
      this.follow(!this.following);
    });
    this.#watchScrolling();
    this.#filters();
    for (const control of panel.querySelectorAll("[data-script]")) control.hidden = false;
  }

  get following() {
    return this.followButton.getAttribute("aria-pressed") === "true";
  }

  follow(on) {
    this.followButton.setAttribute("aria-pressed", String(on));
    if (!on) return;
    this.missed = 0;
    this.more?.remove();
    this.more = null;
    this.#toEnd();
  }

  /** A run begins: follow it, unless the reader has put the log where it is. */
  followRun() {
    if (!this.touched) this.follow(true);
  }

  #toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }

  #watchScrolling() {
    let top = 0;
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      this.list.addEventListener(type, () => (this.touched = true), { passive: true });
    }
    this.list.addEventListener("scroll", () => {
      const up = this.list.scrollTop < top;
      top = this.list.scrollTop;
      const atEnd = this.list.scrollHeight - top - this.list.clientHeight < 8;
      if (this.following && up && !atEnd) this.followButton.setAttribute("aria-pressed", "false");
    });
    new ResizeObserver(() => this.following && this.#toEnd()).observe(this.list);
  }

  #filters() {
    const buttons = [...this.panel.querySelectorAll("[data-filter]")];
    for (const button of buttons) {
      button.addEventListener("click", () => {
        buttons.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        this.panel.dataset.show = button.dataset.filter;
        if (this.following) this.#toEnd();
      });
    }
  }

  /**
   * Add what a program wrote; lines that are here already are left alone. The last was written just
   * now, the others as much earlier as the program's own clock says: a start is announced for many
   * programs at once, and would be too early for most.
   */
  output({ key, attempt, first, lines }, at, where) {
    const lastMs = lines.at(-1)?.[0] ?? 0;
    lines.forEach(([ms, stream, text], index) => {
      const time = new Date(at.getTime() - (lastMs - ms));
      const kind = stream === "sys" ? "sys" : "log";
      this.#append(`${key}:${attempt}:${first + index}`, { time, key, where, kind, text });
    });
  }

  /** Add what came of a program. */
  finished(payload, at, where) {
    const { state, word } = outcome(payload);
    const kind = KINDS[state] ?? "sys";
    const line = payload.line ? `, line ${payload.line}` : "";
    const text = payload.message ? `${payload.message}${line}` : word;
    this.#append(`${payload.key}:end`, { time: at, key: payload.key, where, kind, text });
  }

  /** Add a line of the site's own. */
  say(id, at, text) {
    this.#append(id, { time: at, where: "", kind: "sys", text });
  }

  #append(id, { time, key, where, kind, text, name }) {
    if (this.known.has(id)) return;
    this.known.add(id);
    this.panel.querySelector(".log-empty")?.remove();
    const stamp = element("time", { datetime: time.toISOString(), title: time.toString() }, clock(time));
    const who = key ? element("a", { href: `/results/${key}/` }, where) : element("span", {}, where);
    const line = element(
      "div",
      { class: "log-line", "data-kind": kind, "data-line": id, "data-of": key ?? null },
      stamp,
      who,
      element("span", { class: "log-kind" }, name ?? NAMES[kind]),
      element("div", { class: "log-text" }, text),
    );
    this.list.append(line);
    this.added = (this.added ?? 0) + 1;
  }

  /** After a frame's worth of lines: keep to the limit, follow, or say what is new below. */
  settle() {
    if (!this.added) return;
    for (let over = this.list.childElementCount - MOST_LINES; over > 0; over -= 1) {
      this.list.firstElementChild.remove();
    }
    if (this.following) this.#toEnd();
    else if (this.list.scrollHeight > this.list.clientHeight) this.#offer(this.added);
    this.added = 0;
  }

  #offer(count) {
    this.missed += count;
    if (!this.more) {
      this.more = element("button", { class: "log-new", type: "button" });
      this.more.addEventListener("click", () => this.follow(true));
      this.panel.append(this.more);
    }
    this.more.textContent = `${this.missed} new line${this.missed === 1 ? "" : "s"}`;
  }

  /** Scroll to what one program wrote. */
  showLinesOf(key) {
    const line = this.list.querySelector(`[data-of="${key}"]`);
    this.touched = true;
    this.follow(false);
    if (!line) return false;
    line.scrollIntoView({ block: "nearest" });
    this.list.focus();
    return true;
  }
}
