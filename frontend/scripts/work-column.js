// A column of cards on a function's page, tests or implementations. Cards that are shown are kept up
// to date; what would move them waits for the reader: new cards, another order, taller notes.

import { morph } from "./morph.js";
import { gettext, interpolate, ngettext } from "./translation.js";

const STRUCTURE = ":scope > .card-flag, :scope > .note";

export class WorkColumn {
  /** `column` has cards, and a button to `[data-show]` what is held back, which calls `onShow`. */
  constructor(column, onShow) {
    this.column = column;
    this.isHeld = false; // something is held back
    this.isAsked = false; // the reader wants to see it
    column.addEventListener("click", ({ target }) => {
      if (!target.closest("[data-show]")) return;
      this.isAsked = true;
      onShow();
    });
  }

  /** Show as much of a fetched page's column as moves nothing, and offer the rest. */
  take(page, isRunning) {
    const fresh = page.getElementById(this.column.id);
    const [shown, wanted] = [cardsOf(this.column), cardsOf(fresh)];
    this.isHeld = false;
    if (this.isAsked || (!shown.size && !wanted.size)) {
      morph(this.column, fresh);
      if (this.isAsked) focus(this.column, shown);
      this.isAsked = false;
      return;
    }
    for (const [id, card] of shown) {
      if (wanted.has(id)) morph(card, inPlace(card, wanted.get(id)));
    }
    const [count, now] = [this.column, fresh].map((column) => column.querySelector("h2 .num"));
    morph(count, now);
    this.#offer(shown, wanted, outline(this.column) !== outline(fresh), isRunning);
  }

  #offer(shown, wanted, isChanged, isRunning) {
    const button = this.column.querySelector("[data-show]");
    const added = [...wanted.keys()].filter((id) => !shown.has(id)).length;
    const isOrder = [...shown.keys()].join() !== [...wanted.keys()].join();
    this.isHeld = added > 0 || isChanged;
    const isTest = button.dataset.show === "test";
    let text = "";
    if (added && isTest) {
      text = ngettext(
        '%(count)s new<span class="long"> test</span>, show',
        '%(count)s new<span class="long"> tests</span>, show',
        added,
      );
    } else if (added) {
      text = ngettext(
        '%(count)s new<span class="long"> implementation</span>, show',
        '%(count)s new<span class="long"> implementations</span>, show',
        added,
      );
    } else if (isChanged) text = isOrder ? gettext("New order, show") : gettext("Cards changed, show");
    text = interpolate(text, { count: added });
    if (button.innerHTML !== text) button.innerHTML = text;
    // While a run lasts, the order may change again and again.
    button.hidden = !text || (isRunning && !added);
  }
}

/** Move the focus to the first card that is new, else to the first. */
function focus(column, known) {
  const cards = [...cardsOf(column)];
  const added = cards.find(([id]) => !known.has(id)) ?? cards[0];
  added?.[1].focus();
}

/** The column's cards by id, in their order. */
function cardsOf(column) {
  return new Map([...column.querySelectorAll(".card")].map((card) => [card.id, card]));
}

/** The groups and cards of a column, with what makes these taller. */
function outline(column) {
  return [...column.querySelectorAll(".group, .card")]
    .map((part) => {
      const kept = [...part.querySelectorAll(STRUCTURE)].filter((one) => !one.hasAttribute("data-off"));
      return [part.id || part.getAttribute("aria-labelledby"), isOpen(part), ...kept.map(kindOf)].join();
    })
    .join(" ");
}

const kindOf = (part) => `${part.className} ${part.dataset.tone ?? ""}`;
const isOpen = (card) => Boolean(card.querySelector(":scope > .card-code"));

/** Return a fetched card, changed such that the shown one keeps its height when it becomes equal. */
function inPlace(card, fresh) {
  const wanted = fresh.cloneNode(true);
  if (isOpen(card) !== isOpen(wanted)) {
    // Only its head is kept up to date.
    const isHead = (part) => part.matches(".card-head");
    for (const part of [...wanted.children]) if (!isHead(part)) part.remove();
    wanted.append(...[...card.children].filter((part) => !isHead(part)).map((part) => part.cloneNode(true)));
  }
  keepStructure(card, wanted);
  const tag = wanted.querySelector("[data-elected-tag]");
  const flag = wanted.querySelector(":scope > .card-flag:not([data-off])");
  if (tag) tag.hidden = Boolean(flag) || !fresh.hasAttribute("data-current");
  return wanted;
}

/** Give a card the flags and notes of the shown one; those that it no longer has are invisible. */
function keepStructure(card, wanted) {
  const fresh = new Map([...wanted.querySelectorAll(STRUCTURE)].map((part) => [kindOf(part), part]));
  for (const part of fresh.values()) part.remove();
  let head = wanted.querySelector(":scope > .card-head");
  for (const part of card.querySelectorAll(STRUCTURE)) {
    const kept = fresh.get(kindOf(part)) ?? part.cloneNode(true);
    kept.toggleAttribute("data-off", !fresh.has(kindOf(part)));
    if (part.matches(".card-flag")) wanted.prepend(kept);
    else {
      head.after(kept);
      head = kept;
    }
  }
}
