// The pills that show whether the page is live.

import { announce } from "./announcing.js";
import { gettext, interpolate, ngettext } from "./translation.js";
import { count } from "./words.js";

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
      show("reconnecting", interpolate(gettext("Reconnecting, as of %(time)s"), { time: since.toTimeString().slice(0, 8) }));
    } else if (replayed.length) {
      const events = replayed.reduce((sum, one) => sum + one.count, 0);
      const text = ngettext("Caught up: %(count)s event", "Caught up: %(count)s events", events);
      show("replayed", interpolate(text, { count: count(events) }));
    } else if (live.length) show("live", live.some(({ polling }) => polling) ? gettext("Live, by polling") : gettext("Live"));
    else {
      const text = gettext("No longer live");
      show("replayed", text);
      announce("connection", text);
    }
  };
}
