// The editor of a draft: saves while the user types, runs and publishes.

import { createEditor } from "../editor/editor.js";
import { LANGUAGES } from "../editor/parts/languages.js";
import { device } from "../scripts/device.js";
import { difference } from "../scripts/difference.js";
import { DraftCheck } from "../scripts/draft-check.js";
import { refresher } from "../scripts/fresh.js";
import { morph } from "../scripts/morph.js";
import { Opponents } from "../scripts/opponents.js";
import { RunPanel } from "../scripts/run-panel.js";
import { postDraft, Refused, Saver } from "../scripts/saver.js";
import { gettext, interpolate, ngettext } from "../scripts/translation.js";
import { element, icon } from "../scripts/words.js";

const $ = (selector, root = document) => root.querySelector(selector);
const read = (id) => JSON.parse($(`#${id}`)?.textContent ?? "null");

const form = $("#draft-form");
const title = $("#id_title");
const area = $("#id_code");
const nonce = $("script[nonce]")?.nonce ?? "";
const dots = { blocked: "broken", not_implemented: "unimplemented" };
const pageFrame = $("[data-preview-frame]"); // of a page
let links = new Map(read("links").map((link) => [link.name.toLowerCase(), link]));

// --- The editor -----------------------------------------------------------------------------------

/** Functions whose name begins so, as the API lists them. */
async function findFunctions(start) {
  try {
    const response = await fetch(`/api/v1/functions/?limit=20&q=${encodeURIComponent(start)}`);
    return response.ok ? (await response.json()).items : [];
  } catch {
    return [];
  }
}

const host = $("#editor");
const editor = createEditor({
  parent: host,
  text: area.value,
  label: gettext("Code"),
  nonce,
  language: form.dataset.language,
  linkFor: (name) => links.get(name.toLowerCase()),
  findFunctions,
  known: read("known"),
  own: { name: form.dataset.name, signature: form.dataset.signature },
  onChange: () => {
    area.value = editor.text;
    saver.touch();
    check.schedule();
  },
  onMove: (line, column) => {
    const language = LANGUAGES[form.dataset.language].title;
    const place = { language, line, column };
    $("[data-cursor]").textContent = interpolate(gettext("%(language)s · line %(line)s, column %(column)s"), place);
  },
  onBlur: () => saver.save(),
  onRun: () => run(),
  onSave: () => saver.save({ always: true }),
  onFormat: () => format(),
});
const check = new DraftCheck(form, editor, {
  onChecked({ names, links: found }) {
    editor.useNames(names);
    showLinks(found);
  },
});
host.dataset.ready = "";

function showLinks(found) {
  links = new Map(found.map((link) => [link.name.toLowerCase(), link]));
  const chips = found.map(({ name, status, url }) => {
    const dot = element("span", { class: "dot", "data-status": dots[status] ?? status });
    const create = status === "missing" ? [element("span", { class: "tiny" }, gettext("create"))] : [];
    return element("a", { href: url, "data-status": status, target: "_blank", rel: "noopener" }, dot, name, ...create);
  });
  $("[data-links]").replaceChildren(...chips);
  editor.refreshLinks();
}

// --- Saving ---------------------------------------------------------------------------------------

const savedPill = $(".saved");
const ICONS = { saved: "check", saving: "clock", unsaved: "off" };
const typed = () => ({ code: editor.text, title: title.value });

const saver = new Saver(form, {
  name: document.body.dataset.draft,
  read: typed,
  onState(state, text) {
    // Only failures are announced.
    savedPill.setAttribute("aria-live", state === "unsaved" ? "polite" : "off");
    savedPill.dataset.saved = state;
    savedPill.replaceChildren(icon(ICONS[state]), element("span", {}, text));
  },
  onSaved: (answer) => {
    showLinks(answer.links);
    if (pageFrame) pageFrame.src = pageFrame.dataset.src;
  },
  onConflict: showConflict,
});
title.addEventListener("input", () => saver.touch());
title.addEventListener("blur", () => saver.save());

function showConflict() {
  $("#conflict").hidden = false;
  $("[data-difference]").hidden = true;
}

$("#conflict").addEventListener("click", async (event) => {
  const choice = event.target.dataset.conflict;
  if (!choice) return;
  const theirs = saver.conflict;
  if (choice === "compare") {
    const box = $("[data-difference]");
    box.textContent = difference(theirs.code, editor.text).join("\n");
    box.hidden = false;
    return;
  }
  $("#conflict").hidden = true;
  if (choice === "take") {
    await saver.resolve({ keep: false });
    editor.replace(theirs.code);
    title.value = theirs.title;
  } else await saver.resolve({ keep: true });
});

/** Restore the local copy of an unsaved visit, or offer a choice if the server has a newer version. */
function restore() {
  const kept = saver.kept();
  if (!kept) {
    device.remove(saver.name);
    return;
  }
  const there = saver.saved;
  editor.replace(kept.code);
  title.value = kept.title;
  if (kept.version === saver.version) saver.save();
  else {
    saver.conflict = { ...there, version: saver.version };
    showConflict();
  }
}

// --- Errors at their lines ------------------------------------------------------------------------

function showErrors(what, errors) {
  const box = $("#errors");
  $("b", box).textContent = what;
  const text = ngettext("%(count)s error to fix:", "%(count)s errors to fix:", errors.length);
  $("span", box).textContent = errors.length > 1 ? interpolate(text, { count: errors.length }) : "";
  const items = errors.map((error) => {
    const whole = gettext("Line %(line)s: %(message)s");
    const hasPlace = !error.line || error.message.startsWith(whole.split("%")[0]);
    const text = error.column ? gettext("Line %(line)s, column %(column)s: %(message)s") : whole;
    const link = element("a", { href: "#id_code" }, hasPlace ? error.message : interpolate(text, error));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (error.field === "title") title.focus();
      else editor.focus(error);
    });
    return element("li", {}, link);
  });
  $("ul", box).replaceChildren(...items);
  box.hidden = false;
  const placed = errors.filter((error) => error.line);
  if (placed.length) editor.showProblems(placed);
  box.focus();
}

function clearErrors() {
  $("#errors").hidden = true;
}

function explain(what, error) {
  if (error instanceof Refused && error.theirs) {
    saver.conflict = error.theirs;
    showConflict();
  } else if (error instanceof Refused) {
    const errors = error.errors.length ? error.errors : [{ message: error.message }];
    showErrors(what, errors);
  } else showErrors(what, [{ message: gettext("The server can’t be reached. What you typed is kept on this device.") }]);
}

// --- Running and publishing -----------------------------------------------------------------------

const runButton = $("[data-run-button]");
const publishButton = $("[data-publish-button]");
const formatButton = $("[data-format-button]");
const previewButton = $("[data-preview-button]");

/** Save, then post; the button is disabled until the response. */
async function post(button, url, what, more = {}) {
  if (button.disabled) return null;
  button.disabled = true;
  clearErrors();
  try {
    if (!(await saver.save())) {
      if (!saver.conflict) explain(what, new Refused(0, { message: savedPill.textContent.trim() }));
      return null;
    }
    return await postDraft(form, url, { version: saver.version, ...more });
  } catch (error) {
    explain(what, error);
    return null;
  } finally {
    button.disabled = false;
  }
}

const run = (button = runButton, more = {}) => post(button, form.dataset.run, gettext("The draft was not run."), more);

async function format() {
  if (formatButton.disabled) return;
  const code = editor.text;
  formatButton.disabled = true;
  clearErrors();
  try {
    const answer = await postDraft(form, form.dataset.format, { code });
    // What was typed meanwhile is not overwritten.
    if (editor.text === code) editor.replace(answer.code);
  } catch (error) {
    explain(gettext("The code was not formatted."), error);
  } finally {
    formatButton.disabled = false;
  }
}

async function publish() {
  const answer = await post(publishButton, form.dataset.publish, gettext("The draft was not published."));
  $("#publish").hidePopover();
  if (!answer) return;
  device.remove(saver.name);
  saver.saved = typed();
  location.assign(answer.url);
}

async function preview() {
  const answer = await post(previewButton, previewButton.formAction, gettext("The effects were not previewed."));
  $("#publish").hidePopover();
  if (answer) location.assign(answer.url);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (event.submitter === publishButton) publish();
  else if (event.submitter === previewButton) preview();
  else if (event.submitter === runButton) run();
  else if (event.submitter === formatButton) format();
  else if (event.submitter?.name === "only") run(event.submitter, { only: event.submitter.value });
  else saver.save({ always: true });
});
$("[data-discard]").addEventListener("submit", () => {
  device.remove(saver.name);
  saver.saved = typed();
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  if (event.key === "Enter") {
    event.preventDefault();
    run();
  } else if (event.key === "s") {
    event.preventDefault();
    saver.save({ always: true });
  }
});

// --- Results --------------------------------------------------------------------------------------

const note = $("[data-publish-note]");
const opponents = new Opponents($("#opposite"), {
  isTest: document.body.dataset.draft.startsWith("test-"),
  onMarks: (marks) => editor.showMarks(marks),
});
const refreshCompared = refresher({
  onFresh(page) {
    const fresh = page.getElementById("compared");
    if (!fresh) return;
    morph($("#compared"), fresh);
    panel.quilt.read();
  },
});
const panel = new RunPanel($("#results"), $("#log"), {
  applied(counts) {
    opponents.show(panel.quilt);
    const bad = (counts.get("failed") ?? 0) + (counts.get("error") ?? 0) + (counts.get("timeout") ?? 0);
    note.hidden = bad === 0;
    const text = gettext("In the last run, %(count)s did not pass. You can publish anyway.");
    note.querySelector("p").textContent = interpolate(text, { count: bad });
  },
  // The run before joins those to compare with.
  "batch.submitted"({ batch, alone }) {
    opponents.restart();
    if (!alone && batch > Number($("#compared")?.dataset.of ?? Infinity)) refreshCompared();
  },
});
panel.follow();
restore();
editor.showProblems((read("problems") ?? []).filter(({ line }) => line));
check.schedule(0);
