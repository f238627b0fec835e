// Labels of states and times; the server puts the table of verdicts into the page.

import { interpolate, language, ngettext } from "./translation.js";

const words = JSON.parse(document.getElementById("words")?.textContent ?? "{}");

/** The style and label of a task's outcome: `{state, word}`. */
export function outcome({ state, verdict }) {
  const [look, word] = words[verdict || state] ?? ["pending", "pending"];
  return { state: look, word };
}

/** Format microseconds. */
export function duration(us) {
  if (us == null) return "";
  if (us < 1000) return `${us} µs`;
  if (us < 10_000) return `${tenths(us / 1000)} ms`;
  if (us < 1_000_000) return `${Math.round(us / 1000)} ms`;
  return `${tenths(us / 1_000_000)} s`;
}

/** Format with one decimal, rounded as the server does. */
function tenths(number) {
  return Number(number.toFixed(1)).toLocaleString(language, { minimumFractionDigits: 1, useGrouping: false });
}

/** The time of day with milliseconds, as in the log. */
export function clock(date) {
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Format a number. */
export function count(number) {
  return number.toLocaleString(language);
}

/** Format an amount of text; one character counts as a byte. */
export function size(characters) {
  const bytes = ngettext("%(count)s byte", "%(count)s bytes", characters);
  if (characters < 1000) return interpolate(bytes, { count: count(characters) });
  if (characters < 1_000_000) return `${Math.round(characters / 1000)} kB`;
  return `${tenths(characters / 1_000_000)} MB`;
}

export function icon(name) {
  const template = document.createElement("template");
  template.innerHTML = `<svg class="i" aria-hidden="true"><use href="#i-${name}"/></svg>`;
  return template.content.firstChild;
}

/** Create an element with attributes and children; strings become text, never markup. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}
