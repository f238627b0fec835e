// A function's page: updates attributes only, so that nothing moves.

import { acceptanceChanged } from "./acceptance.js";
import { showChallenges } from "./challenges.js";
import { commentChanged } from "./discussion.js";
import { Presence } from "./presence.js";
import { RunPanel } from "./run-panel.js";
import { enhanceVotes, showTally } from "./votes.js";
import { duration, element, plural } from "./words.js";

const STATUS = {
  implemented: ["implemented", "Implemented"],
  blocked: ["broken", "Broken dependency"],
  not_implemented: ["unimplemented", "Not implemented"],
};
const here = location.pathname + location.search; // with the chosen sort order
const $ = (selector, root = document) => root.querySelector(selector);

/** Show a note on something new, with a link that loads it. */
function offer(place, text, url = here) {
  const note = $(`[data-new=${place}]`);
  if (!note) return;
  note.replaceChildren(text, " ", element("a", { href: url }, "Show"));
  note.hidden = false;
}

const seen = { implementation: new Set(), test: new Set() };

function offerNewWorks(cells) {
  for (const [implementation, test] of cells) {
    for (const [noun, id] of [["implementation", implementation], ["test", test]]) {
      if (id === null || $(`[data-work="${noun}-${id}"]`)) continue;
      seen[noun].add(id);
    }
  }
  for (const [noun, ids] of Object.entries(seen)) {
    if (ids.size) offer(noun, `${plural(ids.size, `new ${noun}`)}.`);
  }
}

/** Show that elections keep unseating each other, or no longer do; a link shows the tests. */
function showUnsettled(others) {
  const tag = $("[data-unsettled]");
  if (!others === tag.hasAttribute("data-off")) return;
  tag.toggleAttribute("data-off", !others);
  offer("function", others ? `Its elections and those of ${others.join(", ")} chase each other.` : "It is no longer unsettled.");
}

function showStanding({ status, untested, judging, elected, unsettled, implementations, tests }) {
  const pill = $("[data-live-status]");
  const [look, word] = STATUS[status] ?? STATUS.not_implemented;
  pill.dataset.status = look;
  pill.querySelector(".dot").dataset.status = look;
  pill.lastElementChild.textContent = word;
  // Hidden notes keep their space, so that nothing below moves.
  $("[data-untested]").toggleAttribute("data-off", !(untested && status === "implemented"));
  $("[data-judging]").toggleAttribute("data-off", !judging);
  showUnsettled(unsettled ?? null);
  for (const part of document.querySelectorAll("[data-while]")) part.toggleAttribute("data-off", part.dataset.while !== status);
  panel.quilt.setCounting(new Map((tests ?? []).map(({ id, counts }) => [id, counts])));
  const challenges = showChallenges(tests ?? []);
  if (challenges.length) offer("test", "A test that counted is a challenge now.");
  for (const { id, cpu_us: cpu } of implementations ?? []) {
    const median = $(`tr[data-implementation="${id}"] [data-sum=median]`);
    if (median && cpu !== null) median.textContent = duration(cpu);
  }
  for (const note of document.querySelectorAll("[data-if-elected]")) {
    note.textContent = elected === null ? note.dataset.ifNot : note.dataset.ifElected;
  }
  showElected(elected);
  orderChanged = isOrderChanged(implementations ?? []);
  showOrder(panel.progress.running);
}

function showOrder(isRunning) {
  if (!order) return;
  if (isRunning) order.textContent = "order held while the run lasts";
  else if (orderChanged) {
    order.replaceChildren("Order changed, ", element("a", { href: here }, "show new order"));
  } else order.textContent = usual;
}

/** Whether the cards' order has changed: by tests passed, score, newest. */
function isOrderChanged(implementations) {
  if (order?.dataset.order) return false;
  const known = new Map(implementations.map((one) => [`implementation-${one.id}`, one]));
  const shown = [...document.querySelectorAll('.card[data-work^="implementation-"]:not([data-withdrawn])')]
    .map((card) => known.get(card.dataset.work))
    .filter(Boolean);
  const after = [...shown].sort((a, b) => b.passed - a.passed || b.score - a.score || b.id - a.id);
  return after.some((one, index) => one !== shown[index]);
}

/** Mark the current implementation in place; the cards keep their order. */
function showElected(elected) {
  for (const row of document.querySelectorAll("tr[data-implementation]")) {
    const is = Number(row.dataset.implementation) === elected;
    row.toggleAttribute("data-current", is);
    $(".q-current", row).textContent = is ? "current" : "";
  }
  const before = $(".card[data-current]");
  for (const card of document.querySelectorAll('.card[data-work^="implementation-"]')) {
    const is = card.dataset.work === `implementation-${elected}`;
    card.toggleAttribute("data-current", is);
    const flag = $(".card-flag", card);
    if (flag) flag.classList.toggle("is-former", !is);
    const tag = $("[data-elected-tag]", card);
    if (tag) tag.hidden = !is || Boolean(flag);
  }
  const after = $(".card[data-current]");
  if (before !== after && !orderChanged) offer("implementation", "The current implementation changed.");
}

const order = $("#implementations [data-order]");
const usual = order?.textContent;
let orderChanged = false;
const presence = new Presence($("[data-presence]"));
const panel = new RunPanel($("#results-panel"), $("#log"), {
  presence: (picture) => presence.show(picture),
  running: showOrder,
  "batch.submitted": (payload) => offerNewWorks(payload.cells ?? []),
  "standing.changed": showStanding,
  "tally.changed": showTally,
  "comment.changed": commentChanged,
  "acceptance.changed": acceptanceChanged,
  "function.changed": ({ says, url }) => offer("function", says, url),
});
panel.follow();
enhanceVotes();
