// The editor of an acceptance test, which saves while the user types.

import { device } from "./device.js";
import { difference } from "./difference.js";
import { Saver } from "./saver.js";
import { element, icon } from "./words.js";

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

form.addEventListener("submit", async (event) => {
  event.preventDefault();
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
