// What a screen reader is told: one sentence at a time, and the latest of what came meanwhile.

const SAY_EVERY_MS = 5000;
const status = document.querySelector("[data-announce]");
const waiting = new Map(); // by subject, the sentence that still holds
let saidAt = 0;
let timer = null;

/** Say it politely, unless something newer about the same subject takes its place before. */
export function announce(subject, sentence) {
  waiting.set(subject, sentence);
  sayLater();
}

/** Say it now: something has ended. */
export function announceAtOnce(subject, sentence) {
  waiting.set(subject, sentence);
  clearTimeout(timer);
  say();
}

function sayLater() {
  if (timer !== null) return;
  timer = setTimeout(say, Math.max(0, saidAt + SAY_EVERY_MS - Date.now()));
}

function say() {
  timer = null;
  if (!waiting.size) return;
  if (status) status.textContent = [...waiting.values()].join(". ");
  waiting.clear();
  saidAt = Date.now();
}
