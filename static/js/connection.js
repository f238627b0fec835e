// The pills that show whether the page is live.

import { announce } from "./announcing.js";
import { plural } from "./words.js";

// Only states that last this long are announced to screen readers.
const LASTS_MS = 3000;

/** Return a function that updates the pills, for the stream's `onState` and for "refused". */
export function connectionPills() {
  const pills = [...document.querySelectorAll(".conn")];
  const known = new Map(); // states by topic; a page's topics share its pills
  let wasAnnounced = false;
  let timer = null;

  function show(look, text) {
    for (const pill of pills) {
      pill.dataset.conn = look;
      pill.textContent = text;
    }
    clearTimeout(timer);
    if (look === "reconnecting") timer = setTimeout(() => announceState(text), LASTS_MS);
    else if (wasAnnounced) {
      announce("connection", text);
      wasAnnounced = false;
    }
  }

  function announceState(text) {
    wasAnnounced = true;
    announce("connection", text);
  }

  return (topic, state, info = {}) => {
    known.set(topic, { state, info });
    const all = [...known.values()];
    const [lost, replayed, live] = ["reconnecting", "replayed", "live"].map((wanted) =>
      all.filter((one) => one.state === wanted).map((one) => one.info),
    );
    if (lost.length) {
      const since = new Date(Math.min(...lost.map((one) => one.since)));
      show("reconnecting", `Reconnecting, as of ${since.toTimeString().slice(0, 8)}`);
    } else if (replayed.length) {
      const count = replayed.reduce((sum, one) => sum + one.count, 0);
      show("replayed", `Caught up: ${plural(count, "event")}`);
    } else if (live.length) show("live", live.some(({ polling }) => polling) ? "Live, by polling" : "Live");
    else {
      show("replayed", "No longer live");
      announce("connection", "No longer live");
    }
  };
}
