// The pills that say whether what one sees is live.

import { announce } from "./announcing.js";
import { plural } from "./words.js";

// Connections come and go; who hears the page instead of seeing it is told of what lasts.
const LASTS_MS = 3000;

/** Return a function for the stream's `onState`, and for "refused", that keeps the pills true. */
export function connectionPills() {
  const pills = [...document.querySelectorAll(".conn")];
  const known = new Map(); // by topic: all of a page's topics share its pills
  let wasTold = false;
  let timer = null;

  function show(look, text) {
    for (const pill of pills) {
      pill.hidden = false;
      pill.dataset.conn = look;
      pill.textContent = text;
    }
    clearTimeout(timer);
    if (look === "reconnecting") timer = setTimeout(() => tell(text), LASTS_MS);
    else if (wasTold) {
      announce("connection", text);
      wasTold = false;
    }
  }

  function tell(text) {
    wasTold = true;
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
    } else if (live.length) show("live", live.some(({ polling }) => polling) ? "Live, by asking" : "Live");
    else {
      show("replayed", "Not live any more");
      announce("connection", "Not live any more");
    }
  };
}
