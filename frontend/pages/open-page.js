// A user's page within the site: told of each change of the collections and documents that it shows.
//
// It can't open a socket itself, as its origin is opaque. A page that loads /p/client.js listens, and
// brings itself up to date; of another one, the reader is told that there is something new.

import { connectionPills } from "../scripts/connection.js";
import { siteStream } from "../scripts/stream.js";

const DELAY_MS = 200; // changes at once are told once
const frame = document.getElementById("page-frame");
const notice = document.getElementById("page-changed");
const onState = connectionPills();
const stream = siteStream();
let isListening = false;
let isBehind = false; // there is a change that the page wasn't told of
let changedAt = 0; // time of the last change
let timer = null;

const tell = (message) => frame.contentWindow.postMessage(message, "*");

window.addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow || data?.page !== "listening") return;
  isListening = true;
  // Only the former document may have been told of what has changed since this one was requested.
  isBehind = changedAt > data.since;
  if (isBehind) tellSoon();
});
frame.addEventListener("load", () => {
  isListening = false;
  notice.hidden = true;
  tell("page:hello");
});
notice.querySelector("button").addEventListener("click", () => frame.setAttribute("src", frame.getAttribute("src")));
tell("page:hello"); // it may have loaded before

function changed() {
  isBehind = true;
  changedAt = performance.timeOrigin + performance.now();
  tellSoon();
}

function tellSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (isListening) tell("page:changed");
    isBehind = !isListening;
    notice.hidden = isListening;
  }, DELAY_MS);
}

for (const { topic, epoch, seq } of JSON.parse(document.getElementById("topics").textContent)) {
  stream.follow(
    topic,
    { epoch, after: seq },
    {
      onEvent: ({ type }) => {
        // The topic of a document's function tells of each run, too.
        if (!topic.startsWith("function:") || type === "standing.changed") changed();
      },
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
    },
  );
}
