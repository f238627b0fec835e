// Comments without leaving the page. Fetches the server's pages, and replaces the shown discussion or
// thread by the one in them.

import { device } from "./device.js";
import { morph } from "./morph.js";
import { gettext, interpolate, ngettext } from "./translation.js";
import { element, icon } from "./words.js";

const TIMEOUT_MS = 15_000;
const REFRESH_WITHIN_MS = 400; // random delay, as many pages may refresh at once
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

class Away extends Error {}

async function fetchPage(url, options = {}) {
  let response;
  try {
    response = await fetch(url, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(TIMEOUT_MS), ...options });
  } catch {
    throw new Away(gettext("The site can't be reached just now."));
  }
  if (response.status >= 500) throw new Away(gettext("The site can't save this just now."));
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  return { fresh, ok: response.ok, status: response.status, moved: response.redirected };
}

/** Update the shown discussion, else its threads, from a fetched page; false if neither is in it. */
function take(fresh) {
  const list = $("[data-discussion]", fresh);
  const pairs = list
    ? [[$(`[data-discussion="${list.dataset.discussion}"]`), list]]
    : $$("[data-thread]", fresh).map((thread) => [document.getElementById(thread.id), thread]);
  for (const [shown, wanted] of pairs) if (shown) morph(shown, wanted);
  const [count, now] = [$("[data-said]"), $("[data-said]", fresh)];
  if (count && now) morph(count, now);
  return pairs.some(([shown]) => shown);
}

async function follow(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  try {
    const { fresh, ok } = await fetchPage(link.href);
    if (!ok || !take(fresh)) location.assign(link.href);
  } catch {
    location.assign(link.href);
  }
}

/** Open or close the discussion below its item; it is fetched when opened. */
async function toggle(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const id = `talk-${link.dataset.discuss}`;
  const open = document.getElementById(id);
  if (open) {
    open.hidden = !open.hidden;
    link.setAttribute("aria-expanded", String(!open.hidden));
    return;
  }
  const place = element("div", { id, class: "card-talk", "data-kept": true }, element("p", { class: "muted" }, gettext("Loading comments …")));
  link.closest(".card, .panel").append(place);
  link.setAttribute("aria-expanded", "true");
  link.setAttribute("aria-controls", id);
  try {
    const { fresh } = await fetchPage(link.href);
    place.replaceChildren(document.importNode($("[data-discussion]", fresh), true));
    $$("textarea", place).forEach(restore);
  } catch {
    place.remove();
    location.assign(link.href);
  }
}

/** Show the linked form below its comment. */
async function openForm(event, link) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const comment = link.closest(".comment");
  const id = `form-${comment.id}`;
  try {
    const { fresh } = await fetchPage(link.href);
    const form = document.importNode($("[data-comment-form]", fresh), true);
    document.getElementById(id)?.remove();
    // Marked, so that updates of the comment keep the form with its typed text.
    comment.append(element("div", { id, "data-readers": true }, form));
    const field = $("textarea, input:not([type=hidden])", form);
    restore(field);
    field.focus();
  } catch {
    location.assign(link.href);
  }
}

const nameOf = (field) => `comment:${new URL(field.form.action).pathname}${new URL(field.form.action).search}`;

/** Restore text that was typed but not sent from local storage. */
function restore(field) {
  const kept = device.get(nameOf(field));
  if (kept) field.value = kept;
}

function keep(field) {
  if (field.value.trim()) device.set(nameOf(field), field.value);
  else device.remove(nameOf(field));
}

function complain(form, text) {
  $$("[data-complaint]", form).forEach((old) => old.remove());
  const note = element("p", { class: "wrong", role: "alert", "data-complaint": true }, icon("warn"), text);
  const field = $("textarea, input:not([type=hidden])", form);
  if (field) field.after(note);
  else form.prepend(note);
}

async function send(event, form) {
  event.preventDefault();
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  const shown = new Set($$(".comment").map((comment) => comment.id));
  try {
    const { fresh, ok, status, moved } = await fetchPage(form.action, { method: "POST", body: new FormData(form) });
    if (ok && moved) done(form, fresh, shown);
    else refuse(form, fresh, status);
  } catch (error) {
    if (!(error instanceof Away)) throw error;
    complain(form, [error.message, gettext("What you typed is still here.")].join(" "));
  } finally {
    form.removeAttribute("aria-busy");
  }
}

function done(form, fresh, shown) {
  $$("textarea", form).forEach((field) => {
    device.remove(nameOf(field));
    field.value = "";
  });
  form.closest("[popover]")?.hidePopover();
  form.closest("[data-readers]")?.remove();
  // A thread that was deleted is missing in the fetched discussion.
  if (!take(fresh)) location.reload();
  const made = $$(".comment", fresh).find((comment) => !shown.has(comment.id));
  if (made) document.getElementById(made.id)?.focus();
}

/** Show the server's refusal, and keep the typed text. */
function refuse(form, fresh, status) {
  const messages = $$("[data-comment-form] [role=alert], .error-page p", fresh).map((note) => note.textContent.trim());
  const other =
    status === 403
      ? gettext("You have signed in again, or may not do this; reload the page.")
      : interpolate(gettext("The server responded with %(status)s."), { status });
  complain(form, messages[0] || other);
}

document.addEventListener("click", (event) => {
  if (event.button) return;
  const link = event.target.closest?.("a");
  if (!link) return;
  if (link.matches("[data-discuss]")) toggle(event, link);
  else if (link.matches("[data-open-form]")) openForm(event, link);
  else if (link.matches("[data-in-thread], [data-show-new], .card-talk [data-in-place]")) follow(event, link);
  else if (link.matches("[data-readers] [data-close-form]")) {
    event.preventDefault();
    device.remove(nameOf($("textarea, input:not([type=hidden])", link.closest("form"))));
    link.closest("[data-readers]").remove();
  }
});
document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-comment-form], [data-comment-act]")) send(event, event.target);
});
document.addEventListener("input", (event) => {
  if (event.target.matches("[data-comment-form] textarea")) keep(event.target);
});
$$("[data-comment-form] textarea").forEach(restore);

/** Remove new replies from a fetched thread, as these are offered instead of shown. */
function withoutNew(fresh, shown) {
  const thread = $("[data-thread]", fresh);
  for (const reply of $$(".replies > li", thread)) if (!document.getElementById(reply.id)) reply.remove();
  for (const list of $$(".replies", thread)) if (!list.children.length) list.remove();
  for (const more of $$(".thread-more", thread)) more.remove();
  thread.append(...$$(".thread-more", shown).map((more) => more.cloneNode(true)));
  return fresh;
}

const stale = new Set(); // changed threads
let refreshing = null;

async function refresh() {
  refreshing = null;
  for (const thread of stale) {
    stale.delete(thread);
    const shown = document.getElementById(`thread-${thread}`);
    if (!shown) continue;
    try {
      const { fresh, status } = await fetchPage(`/comments/${thread}/`);
      if (status === 404) $(".comment", shown).replaceChildren(element("p", { class: "muted" }, gettext("This comment was deleted.")));
      else take(withoutNew(fresh, shown));
    } catch {
      // The server is unreachable; the page is unchanged.
    }
  }
}

const offered = new Map(); // ids of comments that are not shown, by the place that offers them

/** `textFor(count)` has a link for its `<a>`. */
function offer(note, url, textFor, id) {
  if (!note) return;
  if (note.hidden) offered.set(note, new Set());
  const ids = offered.get(note) ?? new Set();
  offered.set(note, ids.add(id));
  note.innerHTML = interpolate(textFor(ids.size), { count: ids.size });
  const link = $("a", note);
  link.href = url;
  link.dataset.showNew = "";
  note.hidden = false;
}

/** Offer new comments; update changed ones in place. */
export function commentChanged({ item, id, comment, thread, change, count }) {
  for (const place of $$(`[data-comments="${item}-${id}"]`)) place.textContent = count;
  const shown = document.getElementById(`C${comment}`);
  if (change !== "written") {
    if (!document.getElementById(`thread-${thread}`)) return;
    stale.add(thread);
    refreshing ??= setTimeout(refresh, Math.random() * REFRESH_WITHIN_MS);
  } else if (!shown && thread !== comment) {
    const text = (n) => ngettext("%(count)s new reply, <a>show</a>", "%(count)s new replies, <a>show</a>", n);
    offer($(`#thread-${thread} [data-new-replies]`), `/comments/${thread}/`, text, comment);
  } else if (!shown) {
    const all = $$("[data-discussion]").filter(({ dataset: { discussion, of } }) => discussion === `${item}-${id}` || discussion === `all-${of}`);
    const text = (n) => ngettext("%(count)s new comment, <a>show</a>", "%(count)s new comments, <a>show</a>", n);
    for (const list of all) offer($("[data-new-comments]", list), list.dataset.first, text, comment);
  }
}
