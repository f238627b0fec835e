// A function's page. Squares and the log follow the events; everything else is fetched again after
// events that change it. Nothing moves by itself: what would move cards waits for the reader.

import "../scripts/share.js";
import "./try-it.js";
import { commentChanged } from "../scripts/discussion.js";
import { FurtherCards } from "../scripts/further-cards.js";
import { refresher, showFresh } from "../scripts/fresh.js";
import { morph } from "../scripts/morph.js";
import { Presence } from "../scripts/presence.js";
import { RunPanel } from "../scripts/run-panel.js";
import { enhanceVotes, showTally } from "../scripts/votes.js";
import { WorkColumn } from "../scripts/work-column.js";

const DELAY_MS = 300;
const $ = (selector, root = document) => root.querySelector(selector);
const results = $("#results-panel");
const presence = new Presence($("[data-presence]"));
const refresh = refresher({
  url: addressHere,
  delayMs: DELAY_MS,
  onStart: () => panel.record(),
  onFresh: show,
});
const [tests, implementations] = ["tests", "implementations"].map(
  (id) => new WorkColumn(document.getElementById(id), refresh.now),
);

/** The page's address, with the cards opened that are open here. */
function addressHere() {
  const url = new URL(location.href);
  const open = [...document.querySelectorAll(".card:has(> .card-code)")].map(({ id }) => id);
  url.searchParams.set("open", open.join(","));
  url.hash = "";
  return url;
}

function show(page) {
  showFresh(page);
  for (const column of [tests, implementations]) column.take(page, panel.progress.running);
  showResults($("#results-panel", page));
  panel.rebase(Number(page.body.dataset.seq));
  further.watch();
}

/** Show the matrix; its rows keep their order as long as the cards do. */
function showResults(fresh) {
  const height = results.offsetHeight;
  if (implementations.isHeld) keepOrder(fresh);
  morph(results, fresh);
  // Above its height, the matrix scrolls: what is below stays where it is.
  if (results.offsetHeight > height) results.style.maxBlockSize = `${height}px`;
}

/** Put the rows of a fetched matrix into the order of those that are shown, new ones last. */
function keepOrder(fresh) {
  const rows = (panel) => [...panel.querySelectorAll("tr[data-implementation]")];
  const places = new Map(rows(results).map((row, place) => [row.dataset.implementation, place]));
  const placeOf = (row) => places.get(row.dataset.implementation) ?? Infinity;
  const ordered = rows(fresh).sort((a, b) => placeOf(a) - placeOf(b) || 0);
  $("tbody", fresh)?.append(...ordered);
}

const panel = new RunPanel(results, $("#log"), {
  presence: (picture) => presence.show(picture),
  "batch.submitted": refresh,
  "batch.finished": refresh,
  "batch.superseded": refresh,
  "standing.changed": refresh,
  "dependents.changed": refresh,
  "acceptance.changed": refresh,
  "function.changed": refresh,
  "tally.changed": (tally) => {
    showTally(tally);
    if (tally.item !== "comment") refresh(); // its order and standing may have changed
  },
  "comment.changed": commentChanged,
});
panel.follow();
const further = new FurtherCards();
further.watch();
enhanceVotes(refresh.now);
