// The editor of an acceptance test: saves while the user types, and runs it privately.

import { device } from "../scripts/device.js";
import { difference } from "../scripts/difference.js";
import { fetchExplanation } from "../scripts/opponents.js";
import { postDraft, Refused, Saver } from "../scripts/saver.js";
import { siteStream } from "../scripts/stream.js";
import { gettext } from "../scripts/translation.js";
import { duration, element, icon, outcome } from "../scripts/words.js";

const $ = (selector, root = document) => root.querySelector(selector);

const form = $("#draft-form");
const title = $("#id_title");
const area = $("#id_code");
const pill = $(".saved");
const conflict = $("#conflict");
const ICONS = { saved: "check", saving: "clock", unsaved: "off" };

function showConflict() {
  conflict.hidden = false;
  $("[data-difference]").hidden = true;
}

const saver = new Saver(form, {
  name: document.body.dataset.draft,
  read: () => ({ code: area.value, title: title.value }),
  onState(state, text) {
    pill.setAttribute("aria-live", state === "unsaved" ? "polite" : "off");
    pill.dataset.saved = state;
    pill.replaceChildren(icon(ICONS[state]), element("span", {}, text));
  },
  onSaved() {},
  onConflict: showConflict,
});

for (const field of [title, area]) {
  field.addEventListener("input", () => saver.touch());
  field.addEventListener("blur", () => saver.save());
}

conflict.addEventListener("click", async (event) => {
  const choice = event.target.dataset.conflict;
  const theirs = saver.conflict;
  if (!choice || !theirs) return;
  if (choice === "compare") {
    const box = $("[data-difference]");
    box.textContent = difference(theirs.code, area.value).join("\n");
    box.hidden = false;
    return;
  }
  conflict.hidden = true;
  if (choice === "take") {
    await saver.resolve({ keep: false });
    area.value = theirs.code;
    title.value = theirs.title;
  } else await saver.resolve({ keep: true });
});

// --- Running --------------------------------------------------------------------------------------

const runButton = $("[data-run-button]");
const result = $("#result");

function say(text) {
  result.hidden = false;
  $("[data-result]", result).textContent = text;
}

async function run() {
  if (runButton.disabled || !(await saver.save())) return;
  runButton.disabled = true;
  $("[data-explanation]", result).replaceChildren();
  say(gettext("Starting"));
  try {
    await postDraft(form, runButton.formAction, { version: saver.version });
  } catch (error) {
    say(error instanceof Refused ? error.message : gettext("The server can’t be reached. What you typed is kept on this device."));
  } finally {
    runButton.disabled = false;
  }
}

async function show(payload) {
  const { word } = outcome(payload);
  say(payload.cpu_us == null ? word : `${word}, ${duration(payload.cpu_us)}`);
  const why = payload.verdict && payload.verdict !== "passed" ? await fetchExplanation(payload.key) : null;
  $("[data-explanation]", result).replaceChildren(...(why ? [why] : []));
}

const { topic, epoch, seq } = document.body.dataset;
siteStream().follow(
  topic,
  { epoch: Number(epoch), after: Number(seq) },
  {
    onEvent({ type, payload }) {
      if (type === "task.started") say(gettext("running"));
      else if (type === "task.finished") show(payload);
    },
    onReset: () => location.reload(),
  },
);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (event.submitter === runButton) {
    run();
    return;
  }
  if (await saver.save()) location.assign($("a.btn", form).href);
});

/** Restore the local copy of an unsaved visit, or offer a choice if the server has a newer version. */
function restore() {
  const kept = saver.kept();
  if (!kept) {
    device.remove(saver.name);
    return;
  }
  const there = saver.saved;
  area.value = kept.code;
  title.value = kept.title;
  if (kept.version === saver.version) saver.save();
  else {
    saver.conflict = { ...there, version: saver.version };
    showConflict();
  }
}

restore();
