// Updates the link to share from the arguments in "Try it", and copies it.

import { gettext } from "./translation.js";

const popover = document.querySelector("[data-share]");
const typed = document.querySelector("form[data-try] [name=args]");
const COPIED_MS = 2000;

function showArguments() {
  const field = popover.querySelector("[data-share-args]");
  const args = typed?.value.trim() ?? "";
  field.hidden = !args;
  const link = popover.querySelector("#share-link").value;
  field.querySelector("input").value = `${link}?args=${encodeURIComponent(args)}#try`;
}

async function copy(button) {
  const input = popover.querySelector(`#${button.dataset.clip}`);
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    return; // it is selected, so the keyboard can copy it
  }
  button.textContent = gettext("Copied");
  setTimeout(() => (button.textContent = gettext("Copy")), COPIED_MS);
}

if (popover) {
  if (typed) popover.addEventListener("beforetoggle", showArguments);
  for (const button of popover.querySelectorAll("[data-clip]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}
