// The pills that say whether what one sees is live.

import { plural } from "./words.js";

/** Return a function for the stream's `onState`, and for `refused`, that keeps the pills true. */
export function connectionPills() {
  const pills = [...document.querySelectorAll(".conn")];
  const show = (state, text) => {
    for (const pill of pills) {
      pill.hidden = false;
      pill.dataset.conn = state;
      pill.textContent = text;
    }
  };
  return (state, info = {}) => {
    if (state === "live") show("live", info.polling ? "Live, by asking" : "Live");
    if (state === "reconnecting") show("reconnecting", `Reconnecting, as of ${info.since.toTimeString().slice(0, 8)}`);
    if (state === "refused") show("replayed", "Not live any more");
    if (state === "replayed") show("replayed", `Caught up: ${plural(info.count, "event")}`);
  };
}
