// A preview's page while it lasts: the server holds its elections anew whenever runs have ended.

import { announceAtOnce } from "./announcing.js";
import { connectionPills } from "./connection.js";
import { morph } from "./morph.js";
import { connect } from "./stream.js";

const AT_MOST_EVERY_MS = 1000;
const { topic, epoch, seq, open } = document.body.dataset;
let isWanted = false;
let isBusy = false;

/** Put in what the server tells now, again and again as long as something new has come. */
async function refresh() {
  isWanted = true;
  if (isBusy) return;
  isBusy = true;
  while (isWanted) {
    isWanted = false;
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (response.ok) show(new DOMParser().parseFromString(await response.text(), "text/html"));
    } catch {
      // Away for now: the pill says so, and the next event tries again.
    }
    await new Promise((resolve) => setTimeout(resolve, AT_MOST_EVERY_MS));
  }
  isBusy = false;
}

function show(page) {
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) morph(old, fresh);
  }
}

if (open !== undefined) {
  const onState = connectionPills();
  connect().follow(
    topic,
    { epoch: Number(epoch), after: Number(seq) },
    {
      onEvent: ({ type }) => {
        if (type === "batch.finished") announceAtOnce("preview", "The preview is finished");
      },
      onSettled: refresh,
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
    },
  );
}
