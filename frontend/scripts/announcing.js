// Announcements to screen readers: one sentence at a time, then the latest one of each subject.

const SAY_EVERY_MS = 5000;
const status = document.querySelector("[data-announce]");
const waiting = new Map(); // the latest sentence by subject
let announcedAt = 0;
let timer = null;

/** Announce politely; a newer sentence on the same subject replaces a waiting one. */
export function announce(subject, sentence) {
  waiting.set(subject, sentence);
  sayLater();
}

/** Announce immediately, for example an end. */
export function announceAtOnce(subject, sentence) {
  waiting.set(subject, sentence);
  clearTimeout(timer);
  say();
}

function sayLater() {
  if (timer !== null) return;
  timer = setTimeout(say, Math.max(0, announcedAt + SAY_EVERY_MS - Date.now()));
}

function say() {
  timer = null;
  if (!waiting.size) return;
  if (status) status.textContent = [...waiting.values()].join(". ");
  waiting.clear();
  announcedAt = Date.now();
}
