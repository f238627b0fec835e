// Features of every page: theme, toasts, the offline banner, keyboard shortcuts.

import { ANNOUNCE_ERRORS, device } from "../scripts/device.js";
import { followLinks } from "../scripts/hover-card.js";
import { gettext } from "../scripts/translation.js";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

function keepCookie(name, value) {
  const secure = location.protocol === "https:" ? ";secure" : "";
  const age = value ? 31_536_000 : 0;
  document.cookie = `${name}=${value};path=/;max-age=${age};samesite=lax${secure}`;
}

function themes() {
  const buttons = $$("[data-set-theme]");
  const show = () => {
    const theme = document.documentElement.dataset.theme ?? "";
    buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.setTheme === theme)));
  };
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const theme = button.dataset.setTheme;
      if (theme) document.documentElement.dataset.theme = theme;
      else delete document.documentElement.dataset.theme;
      keepCookie("theme", theme);
      show();
    });
  }
  const group = $("#themes");
  if (group) group.hidden = false;
  show();
}

function toasts() {
  for (const button of $$(".toast [data-dismiss]")) {
    button.hidden = false;
    button.addEventListener("click", () => button.closest(".toast").remove());
  }
}

function offline() {
  const banner = $("#banner");
  // Buttons that were disabled before stay so, and titles are restored.
  const disable = (button) => {
    if (button.disabled) return;
    button.dataset.offline = button.title;
    button.disabled = true;
    button.title = gettext("You are offline");
  };
  const enable = (button) => {
    button.disabled = false;
    button.title = button.dataset.offline;
    delete button.dataset.offline;
  };
  const show = () => {
    banner.hidden = navigator.onLine;
    if (navigator.onLine) $$("[data-offline]").forEach(enable);
    else $$("[data-needs-network]").forEach(disable);
  };
  addEventListener("online", show);
  addEventListener("offline", show);
  if (!navigator.onLine) show();
}

// The band's state is kept in a cookie, so that the server renders it closed.
function fold() {
  const band = $("details.band");
  band?.addEventListener("toggle", () => keepCookie("band", band.open ? "" : "closed"));
}

// Focuses the error summary of a form, or the card in the address. During a run, scrolls to the
// results instead, which the author of a publication waits for.
function focus() {
  const errors = $("[role=alert][tabindex]:not([hidden])");
  const card = document.getElementById(location.hash.slice(1));
  if (errors) errors.focus();
  else if (card?.matches(".card")) {
    card.focus({ preventScroll: true });
    const results = $("#results-panel[data-batch]") && $("#results");
    // After loading, as the browser then scrolls to the card itself.
    if (results) addEventListener("load", () => results.scrollIntoView(), { once: true });
  }
}

const KEYS_OFF = "single-keys-off";

/** Keep the state of a checkbox in local storage, unless it is the default. */
function remember(box, name, { usually }) {
  if (!box) return;
  const input = $("input", box);
  input.checked = Boolean(device.get(name)) !== usually;
  input.addEventListener("change", () => {
    if (input.checked === usually) device.remove(name);
    else device.set(name, "1");
  });
  box.hidden = false;
}

function settings() {
  remember($("#keys-switch"), KEYS_OFF, { usually: true });
  remember($("#errors-switch"), ANNOUNCE_ERRORS, { usually: false });
  if (!/Mac|iP(hone|ad)/.test(navigator.platform)) return;
  for (const key of $$("kbd")) if (key.textContent === gettext("Ctrl")) key.textContent = "⌘";
}

function shortcuts() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || device.get(KEYS_OFF)) return;
    const cards = $$(".card[tabindex]");
    const at = cards.indexOf(document.activeElement?.closest(".card"));
    const act = {
      "/": () => ($("#search input[type=search]") ?? $("input[type=search]"))?.focus(),
      "?": () => $("#keys")?.togglePopover(),
      f: () => $("[data-follow]")?.click(),
      l: () => $("[data-filter-text]")?.focus(),
      r: () => $("[data-run-all]")?.click(),
      j: () => cards[Math.min(cards.length - 1, at + 1)]?.focus(),
      k: () => cards[Math.max(0, at - 1)]?.focus(),
      v: () => at >= 0 && $("[data-vote=up]", cards[at])?.click(),
      e: () => at >= 0 && $("[data-copy]", cards[at])?.click(),
      d: () => at >= 0 && $("[data-diff]", cards[at])?.click(),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

// Menus close when something else is pressed, and by Escape.
function menus() {
  const close = (except) => {
    for (const menu of $$(".dropdown[open]")) if (menu !== except) menu.open = false;
  };
  document.addEventListener("click", ({ target }) => close(target.closest(".dropdown")));
  document.addEventListener("keydown", ({ key, target }) => {
    if (key !== "Escape") return;
    const menu = target.closest(".dropdown[open]");
    close();
    if (menu) $("summary", menu).focus();
  });
}

// The first paint needs no rows that nobody sees yet; see `data-painted` in the styles.
function painted() {
  requestAnimationFrame(() => setTimeout(() => document.documentElement.setAttribute("data-painted", "")));
}

painted();
themes();
menus();
toasts();
offline();
fold();
focus();
settings();
shortcuts();
followLinks();
