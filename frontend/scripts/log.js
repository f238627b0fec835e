// The log: lines identified by (key, run, line), filtered, followed, and limited in number.

import { announce } from "./announcing.js";
import { ANNOUNCE_ERRORS, device } from "./device.js";
import { withNextFrame } from "./frames.js";
import { LogFilter } from "./log-filter.js";
import { gettext, interpolate, ngettext } from "./translation.js";
import { clock, count, element, outcome, size } from "./words.js";

// Limits of a page; and of one redraw, so that the user can scroll meanwhile.
const MOST_LINES = 2000;
const MOST_CHARACTERS = 1_000_000;
const MOST_WAITING = 2500;
const LINES_AT_ONCE = 100;
const CHARACTERS_AT_ONCE = 40_000;
const KINDS = { passed: "pass", failed: "fail", error: "err", timeout: "late", none: "sys" };
const ERRORS = new Set(["err", "fail", "late"]);
const NAMES = {
  pass: gettext("pass"),
  fail: gettext("fail"),
  err: gettext("error"),
  late: gettext("timeout"),
  sys: gettext("run"),
  out: "out",
  log: "log",
};

export class Log {
  constructor(panel) {
    this.panel = panel;
    this.list = panel.querySelector(".log-lines");
    this.followButton = panel.querySelector("[data-follow]");
    this.counter = panel.querySelector("[data-log-count]");
    this.next = new Map(); // number of the next line, by key and run
    this.runs = new Map(); // last known run by key
    this.otherIds = new Set(); // of lines without a number
    this.drawn = []; // lines in the list
    this.drawnCharacters = 0;
    this.waiting = []; // lines not in the list yet
    this.waitingCharacters = 0;
    this.hasSkipped = false; // whether lines between the two were dropped
    this.seen = { lines: 0, characters: 0 };
    this.missed = 0; // lines since the user scrolled away from the end
    this.cutOff = 0; // programs that exceeded the output limit
    this.top = 0;
    for (const line of this.list.querySelectorAll("[data-line]")) this.#adopt(line);
    this.filter = new LogFilter(panel, () => this.#refilter());
    this.followButton.addEventListener("click", () => {
      this.touched = true;
      this.follow(!this.following);
    });
    this.#watchScrolling();
    this.#sum();
  }

  get following() {
    return this.followButton.getAttribute("aria-pressed") === "true";
  }

  follow(on) {
    this.followButton.setAttribute("aria-pressed", String(on));
    if (!on) return;
    for (const line of [...this.drawn, ...this.waiting]) line.isNew = false;
    this.missed = 0;
    this.#offer();
    this.settle();
    this.#toEnd();
  }

  /** Follow a new run, unless the user has scrolled. */
  followRun() {
    if (!this.touched) this.follow(true);
  }

  #toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
    this.top = this.list.scrollTop;
  }

  // Scrolling up stops following, scrolling to the end resumes it.
  #watchScrolling() {
    for (const type of ["wheel", "touchmove", "keydown", "pointerdown"]) {
      this.list.addEventListener(type, () => (this.touched = true), { passive: true });
    }
    this.list.addEventListener("scroll", () => {
      const { scrollTop: top, scrollHeight, clientHeight } = this.list;
      const [isUp, isDown] = [top < this.top, top > this.top];
      this.top = top;
      const isAtEnd = scrollHeight - top - clientHeight < 8;
      if (this.following && isUp && !isAtEnd) this.follow(false);
      else if (!this.following && this.touched && isDown && isAtEnd) this.follow(true);
    });
    new ResizeObserver(() => this.following && this.#toEnd()).observe(this.list);
  }

  // --- Input ----------------------------------------------------------------------------------

  /** Register a line that the server rendered. */
  #adopt(node) {
    const [key, run, number] = node.dataset.line.split(":");
    if (number === undefined) this.otherIds.add(node.dataset.line);
    else {
      this.next.set(`${key}:${run}`, Number(number) + 1);
      this.runs.set(key, Number(run));
    }
    const text = node.querySelector(".log-text").textContent;
    const where = node.children[1].textContent;
    this.#count(text);
    this.drawn.push({ node, kind: node.dataset.kind, where, text });
    this.drawnCharacters += text.length;
  }

  /**
   * Add a program's output, without known lines. The last line gets the present time, the others are
   * earlier by the program's clock. (Its start can't be used: starts of many programs are announced
   * at once, too early for most.)
   */
  output({ key, run: token, first, lines }, at, where) {
    if (token > (this.runs.get(key) ?? 0)) {
      this.runs.set(key, token);
      this.otherIds.delete(`${key}:end`); // of a former run
    }
    const run = `${key}:${token}`;
    const next = this.next.get(run) ?? 0;
    const lastMs = lines.at(-1)?.[0] ?? 0;
    if (first > next) {
      const text = ngettext(
        "%(count)s line from before this page was opened: follow the link when the program has ended",
        "%(count)s lines from before this page was opened: follow the link when the program has ended",
        first - next,
      );
      const filled = interpolate(text, { count: count(first - next) });
      this.#push({ id: `${run}:before`, time: at, key, where, kind: "sys", text: filled });
    }
    lines.forEach(([ms, stream, text], index) => {
      const number = first + index;
      if (number < next) return;
      const time = new Date(at.getTime() - (lastMs - ms));
      const kind = stream === "sys" ? "sys" : "log";
      this.#push({ id: `${run}:${number}`, time, key, where, kind, text });
    });
    this.next.set(run, Math.max(next, first + lines.length));
  }

  /** Add a program's result. */
  finished(payload, at, where) {
    const { state, word } = outcome(payload);
    const kind = KINDS[state] ?? "sys";
    const { message, line } = payload;
    const text = message && line ? interpolate(gettext("%(message)s, line %(line)s"), payload) : message || word;
    const isNews = this.#once({ id: `${payload.key}:end`, time: at, key: payload.key, where, kind, text });
    if (isNews && payload.verdict === "output_limit") this.cutOff += 1;
    if (isNews && ERRORS.has(kind) && device.get(ANNOUNCE_ERRORS)) announce("error", `${where}: ${text}`);
  }

  /** Add a line of the site. */
  say(id, at, text) {
    this.#once({ id, time: at, where: "", kind: "sys", text });
  }

  #once(line) {
    if (this.otherIds.has(line.id)) return false;
    this.otherIds.add(line.id);
    this.#push(line);
    return true;
  }

  #push(line) {
    line.isNew = !this.following;
    if (line.isNew && this.filter.matches(line)) this.missed += 1;
    this.#count(line.text);
    this.waiting.push(line);
    this.waitingCharacters += line.text.length;
    if (this.waiting.length <= MOST_WAITING && this.waitingCharacters <= MOST_CHARACTERS) return;
    // Drop the oldest lines above the limit.
    let over = Math.max(0, this.waiting.length - MOST_LINES);
    let characters = this.waitingCharacters;
    for (let index = 0; index < over; index += 1) characters -= this.waiting[index].text.length;
    while (characters > MOST_CHARACTERS / 2) {
      characters -= this.waiting[over].text.length;
      over += 1;
    }
    this.waiting.splice(0, over);
    this.waitingCharacters = characters;
    this.hasSkipped = true;
  }

  #count(text) {
    this.seen.lines += 1;
    this.seen.characters += text.length + 1;
  }

  // --- Drawing --------------------------------------------------------------------------------

  /** Draw some of the new lines, and the rest with the next frames. */
  settle() {
    if (!this.waiting.length) {
      this.#sum();
      return;
    }
    // While the user reads, nothing above is removed, so new lines above the limit have to wait.
    const isFull = this.drawn.length >= MOST_LINES || this.drawnCharacters >= MOST_CHARACTERS;
    const holds = !this.following && (this.hasSkipped || isFull);
    if (!holds) this.#draw();
    if (this.following) this.#toEnd();
    this.#offer();
    this.#sum();
    if (this.waiting.length && !holds && !this.isDrawing) {
      this.isDrawing = true;
      withNextFrame(() => {
        this.isDrawing = false;
        this.settle();
      });
    }
  }

  #draw() {
    this.panel.querySelector(".log-empty")?.remove();
    if (this.hasSkipped) this.#forget(this.drawn.length);
    this.hasSkipped = false;
    let [lines, characters] = [0, 0];
    while (lines < Math.min(LINES_AT_ONCE, this.waiting.length) && characters < CHARACTERS_AT_ONCE) {
      characters += this.waiting[lines].text.length;
      lines += 1;
    }
    const added = this.waiting.splice(0, lines);
    this.waitingCharacters -= characters;
    this.drawnCharacters += characters;
    this.drawn.push(...added);
    this.list.append(...added.map((line) => this.#node(line)));
    if (this.following) this.#trim();
  }

  #trim() {
    let over = Math.max(0, this.drawn.length - MOST_LINES);
    let characters = this.drawnCharacters;
    for (let index = 0; index < over; index += 1) characters -= this.drawn[index].text.length;
    while (characters > MOST_CHARACTERS) {
      characters -= this.drawn[over].text.length;
      over += 1;
    }
    if (over) this.#forget(over);
  }

  #forget(lines) {
    for (const { node, text } of this.drawn.splice(0, lines)) {
      node.remove();
      this.drawnCharacters -= text.length;
    }
  }

  #node(line) {
    const { id, time, key, where, kind, text } = line;
    const stamp = element("time", { datetime: time.toISOString(), title: time.toString() }, clock(time));
    const who = key ? element("a", { href: `/results/${key}/` }, where) : element("span", {}, where);
    line.node = element(
      "div",
      { class: "log-line", "data-kind": kind, "data-line": id, "data-of": key ?? null, hidden: !this.filter.matches(line) },
      stamp,
      who,
      element("span", { class: "log-kind" }, NAMES[kind]),
      element("div", { class: "log-text" }, text),
    );
    return line.node;
  }

  /** Apply the filter, and keep the topmost visible line in place. */
  #refilter() {
    const { scrollTop } = this.list;
    const isAfter = ({ node }) => !node.hidden && node.offsetTop + node.offsetHeight > this.list.offsetTop + scrollTop;
    const place = this.following ? -1 : this.drawn.findIndex(isAfter);
    const offset = this.drawn[place]?.node.offsetTop - scrollTop;
    for (const line of this.drawn) line.node.hidden = !this.filter.matches(line);
    const shown = place < 0 ? undefined : this.drawn.slice(place).find(({ node }) => !node.hidden);
    if (this.following) this.#toEnd();
    else if (shown) this.list.scrollTop = shown.node.offsetTop - offset;
    this.top = this.list.scrollTop;
    const isMissed = (line) => line.isNew && this.filter.matches(line);
    this.missed = [...this.drawn, ...this.waiting].filter(isMissed).length;
    this.#offer();
    this.#sum();
    announce("log", this.counter.textContent);
  }

  /** Show the number of lines since the user scrolled away from the end. */
  #offer() {
    const hasMore = this.waiting.length > 0 || this.list.scrollHeight > this.list.clientHeight;
    if (this.following || !this.missed || !hasMore) {
      this.more?.remove();
      this.more = null;
      return;
    }
    if (!this.more) {
      this.more = element("button", { class: "log-new", type: "button" });
      this.more.addEventListener("click", () => {
        this.follow(true);
        this.list.focus();
      });
      this.panel.append(this.more);
    }
    const text = ngettext("%(count)s new line", "%(count)s new lines", this.missed);
    this.more.textContent = interpolate(text, { count: count(this.missed) });
  }

  /** Show the number of lines, and how many of them are not in the page. */
  #sum() {
    const { lines, characters } = this.seen;
    const held = this.drawn.length;
    const matching = this.filter.isOn ? this.drawn.filter(({ node }) => !node.hidden).length : held;
    this.list.toggleAttribute("data-none", this.filter.isOn && held > 0 && matching === 0);
    let text = "";
    if (held < lines && this.filter.isOn) text = gettext("%(matching)s of the %(held)s lines kept here");
    else if (held < lines) {
      text = ngettext(
        "%(held)s of %(count)s line, %(shown)s of %(size)s",
        "%(held)s of %(count)s lines, %(shown)s of %(size)s",
        lines,
      );
    } else if (this.filter.isOn) {
      text = ngettext("%(matching)s of %(count)s line", "%(matching)s of %(count)s lines", lines);
    } else if (lines) text = ngettext("%(count)s line", "%(count)s lines", lines);
    const cut = ngettext("%(count)s program cut off", "%(count)s programs cut off", this.cutOff);
    const sum = interpolate(text, {
      matching: count(matching),
      held: count(held),
      count: count(lines),
      shown: size(this.drawnCharacters + held),
      size: size(characters),
    });
    const parts = [sum, this.cutOff ? interpolate(cut, { count: count(this.cutOff) }) : ""];
    this.counter.textContent = parts.filter(Boolean).join(" · ");
    this.#explainCut(lines - held - this.waiting.length);
  }

  #explainCut(missing) {
    if (missing <= 0) return;
    this.cut ??= element("div", { class: "log-cut" });
    const text = ngettext(
      "%(count)s earlier line not kept in this page; the links lead to each program’s full output.",
      "%(count)s earlier lines not kept in this page; the links lead to each program’s full output.",
      missing,
    );
    this.cut.textContent = interpolate(text, { count: count(missing) });
    if (this.list.firstElementChild !== this.cut && this.following) this.list.prepend(this.cut);
  }

  /** Scroll to a program's output; the beginning of its key is enough. */
  showLinesOf(key) {
    this.touched = true;
    this.follow(false);
    const line = this.list.querySelector(`[data-of^="${key}"]`);
    if (!line) return false;
    if (line.hidden) this.filter.clear();
    line.scrollIntoView({ block: "nearest" });
    this.top = this.list.scrollTop;
    this.list.focus();
    return true;
  }
}
