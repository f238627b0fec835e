// Shows who else has the page open, in one line of space that is always reserved.

import { announce } from "./announcing.js";
import { gettext, interpolate, ngettext } from "./translation.js";
import { count } from "./words.js";

const NAMES_SHOWN = 3;

export class Presence {
  constructor(line) {
    this.line = line;
    this.met = null; // people seen so far; each is announced once, those present before us never
  }

  /** Show the server's presence frame, which includes the user; null if it is unknown. */
  show(picture) {
    if (!picture?.people) {
      this.line.hidden = true;
      return;
    }
    const { people, others, you } = picture;
    const isNamed = people.includes(you);
    const names = people.filter((name) => name !== you);
    const shown = names.slice(0, NAMES_SHOWN);
    const more = names.length - shown.length + Math.max(0, isNamed ? others : others - 1);
    this.line.hidden = !shown.length && !more;
    this.line.lastElementChild.textContent = sentence(shown, more);
    this.line.title = names.length ? alsoHere(names) : "";
    this.#greet(names);
  }

  #greet(names) {
    const strangers = names.filter((name) => this.met && !this.met.has(name));
    this.met = new Set([...(this.met ?? []), ...names]);
    if (strangers.length) announce("presence", alsoHere(strangers));
  }
}

const alsoHere = (names) => interpolate(gettext("Also here: %(names)s"), { names: names.join(", ") });

function sentence(names, more) {
  const others = interpolate(ngettext("%(count)s other", "%(count)s others", more), { count: count(more) });
  return [names.join(", "), more ? others : ""].filter(Boolean).join(" + ");
}
