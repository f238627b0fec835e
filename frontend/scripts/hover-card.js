// A card about a function, beside a link to it in code or text: when the pointer rests on the link, or
// the keyboard reaches it. The pointer may move onto the card; Escape hides it.

const LINKS = "a.dep[href], a.use[href], .cm-line [data-name]";
const SHOW_MS = 200;
const HIDE_MS = 200;
const GAP = 6; // between link and card
const MARGIN = 8; // to the window's edges
const MOST_KEPT = 200;
const TIMEOUT_MS = 5_000;

/** Show cards for all links to functions, also those that come later. */
export function followLinks() {
  const card = new HoverCard();
  let pointer = "";
  document.addEventListener("pointerover", ({ target, pointerType, screenX, screenY }) => {
    const place = `${screenX} ${screenY}`;
    if (pointerType === "touch" || place === pointer) return; // a tap opens the page; or the page moved
    pointer = place;
    if (card.has(target)) card.keep();
    else card.wish(target.closest?.(LINKS), SHOW_MS);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target.matches(LINKS) && target.matches(":focus-visible")) card.wish(target, 0);
  });
  document.addEventListener("focusout", () => card.wish(null));
  document.addEventListener("keydown", (event) => event.key === "Escape" && card.hide());
  document.addEventListener("pointerdown", () => card.hide());
  addEventListener("scroll", () => card.place(), { capture: true, passive: true });
  addEventListener("resize", () => card.place());
}

class HoverCard {
  constructor() {
    this.box = document.createElement("div");
    Object.assign(this.box, { className: "hover-card", id: "hover-card", role: "tooltip", hidden: true });
    document.body.append(this.box);
    this.wanted = null; // the link whose card is to be shown
    this.shown = null; // the link whose card is
    this.kept = new Map();
  }

  has(target) {
    return this.box.contains(target);
  }

  keep() {
    clearTimeout(this.timer);
    this.wanted = this.shown;
  }

  /** Show the card of a link soon; without a link, hide the one that is shown. */
  wish(link, delayMs = HIDE_MS) {
    if (link === this.wanted) return;
    clearTimeout(this.timer);
    this.wanted = link;
    if (link !== this.shown) this.timer = setTimeout(() => (link ? this.#show(link) : this.hide()), delayMs);
  }

  hide() {
    clearTimeout(this.timer);
    this.wanted = null;
    this.#release();
    this.box.hidden = true;
  }

  async #show(link) {
    const parts = await this.#fetch(addressOf(link));
    if (this.wanted !== link) return;
    if (!parts || !link.isConnected) {
      this.hide();
      return;
    }
    this.#release();
    this.shown = link;
    this.title = link.title; // which the browser would show as well
    link.removeAttribute("title");
    link.setAttribute("aria-describedby", this.box.id);
    this.box.replaceChildren(...parts.map((part) => part.cloneNode(true)));
    this.box.hidden = false;
    this.place();
  }

  #release() {
    if (!this.shown) return;
    if (this.title) this.shown.title = this.title;
    this.shown.removeAttribute("aria-describedby");
    this.shown = null;
  }

  /** Put the card below its link, or above it where there is more room, within the window. */
  place() {
    if (!this.shown) return;
    const { left, top, bottom } = this.shown.getClientRects()[0] ?? this.shown.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    if (bottom < 0 || top > clientHeight) {
      this.hide();
      return;
    }
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const fitsBelow = bottom + GAP + height + MARGIN <= clientHeight;
    const y = fitsBelow || top < clientHeight - bottom ? bottom + GAP : top - GAP - height;
    this.box.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - width - MARGIN))}px`;
    this.box.style.top = `${Math.max(MARGIN, Math.min(y, clientHeight - height - MARGIN))}px`;
  }

  /** Return the elements of the card at this address, each fetched once; null if it can't be had. */
  #fetch(address) {
    if (!this.kept.has(address)) {
      if (this.kept.size >= MOST_KEPT) this.kept.clear();
      const parts = fetchCard(address);
      this.kept.set(address, parts);
      parts.then((found) => found ?? this.kept.delete(address));
    }
    return this.kept.get(address);
  }
}

function addressOf(link) {
  const { name } = link.dataset;
  return name ? `/functions/${encodeURIComponent(name)}/summary/` : new URL("summary/", link.href).pathname;
}

async function fetchCard(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return null;
    return [...new DOMParser().parseFromString(await response.text(), "text/html").body.children];
  } catch {
    return null;
  }
}
