// Marks and unmarks challenges, as tests lose and gain standing.

import { plural } from "./words.js";

const all = (selector) => [...document.querySelectorAll(selector)];

/** Mark the challenges among these tests; return the ids of new ones. */
export function showChallenges(tests) {
  const open = new Map(tests.map(({ id, challenge, acceptable }) => [id, challenge && acceptable]));
  const added = all("th[data-test]:not([data-challenge])")
    .map((head) => Number(head.dataset.test))
    .filter((id) => open.get(id));
  for (const head of all("th[data-test]")) {
    const is = open.get(Number(head.dataset.test)) ?? false;
    head.toggleAttribute("data-challenge", is);
    head.querySelector(".q-challenge").textContent = is ? ", a challenge: doesn’t count yet" : "";
  }
  for (const square of all(".quilt .sq[data-cell]")) {
    square.toggleAttribute("data-challenge", open.get(Number(square.dataset.cell.split(":")[1])) ?? false);
  }
  for (const { id, counts } of tests) {
    for (const tag of all(`[data-work="test-${id}"] [data-challenge-tag]`)) tag.hidden = !open.get(id);
    for (const note of all(`[data-work="test-${id}"] [data-challenge-note]`)) showNote(note, open.get(id), counts);
  }
  showCount([...open.values()].filter(Boolean).length);
  return added;
}

// The note keeps its space, so that nothing below it moves.
function showNote(note, isOpen, counts) {
  if (isOpen) return;
  note.style.minBlockSize = `${note.offsetHeight}px`;
  note.dataset.tone = counts ? "ok" : "warn";
  note.querySelector("[data-challenge-says]").textContent = counts
    ? "It was a challenge, and counts now."
    : "It was a challenge. It doesn’t count.";
  for (const act of note.querySelectorAll(".note-acts")) act.setAttribute("data-off", "");
}

function showCount(count) {
  for (const tag of all("[data-challenges]")) {
    tag.textContent = plural(count, "challenge");
    tag.toggleAttribute("data-off", count === 0);
  }
}
