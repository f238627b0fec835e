// The code of cards further down, which arrives as the reader scrolls or jumps to them.

import { morph } from "./morph.js";

const AHEAD = "600px 0px"; // how far below the window cards are fetched
const WAIT_MS = 80; // in which more cards come near
const AT_ONCE = 20;
const TIMEOUT_MS = 15_000;

export class FurtherCards {
  constructor() {
    this.wanted = new Set();
    this.observer = new IntersectionObserver((seen) => this.#see(seen), { rootMargin: AHEAD });
    document.addEventListener("focusin", ({ target }) => this.#want(target.closest(".card")));
  }

  /** Watch the cards that have no code yet, also after the page has changed. */
  watch() {
    for (const card of document.querySelectorAll(".card[data-folded]")) this.observer.observe(card);
  }

  #see(seen) {
    for (const { target, isIntersecting } of seen) if (isIntersecting) this.#want(target);
  }

  #want(card) {
    if (!card?.dataset.work || !isFolded(card)) return;
    this.wanted.add(card.id);
    this.timer ??= setTimeout(() => this.#fetch(), WAIT_MS);
  }

  async #fetch() {
    const ids = [...this.wanted].slice(0, AT_ONCE);
    for (const id of ids) this.wanted.delete(id);
    try {
      for (const fresh of await fetchCards(ids)) {
        const card = document.getElementById(fresh.id);
        if (!card || !isFolded(card)) continue;
        morph(card, fresh);
        this.observer.unobserve(card);
      }
    } finally {
      this.timer = null;
    }
    if (this.wanted.size) this.timer = setTimeout(() => this.#fetch(), 0);
  }
}

const isFolded = (card) => "folded" in card.dataset;

/** Return the open cards with these ids; none if they can't be fetched: links lead to their code. */
async function fetchCards(ids) {
  const url = new URL(`/functions/${encodeURIComponent(document.body.dataset.function)}/cards/`, location.href);
  url.search = location.search;
  url.searchParams.set("open", ids.join(","));
  try {
    const response = await fetch(url, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return [];
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return [...page.querySelectorAll(".card")];
  } catch {
    return [];
  }
}
