// A function's graph: reloads when one of its nearest functions changes.

import { connectionPills } from "../scripts/connection.js";
import { refresher, showFresh } from "../scripts/fresh.js";
import { siteStream } from "../scripts/stream.js";

const TELLING = new Set(["standing.changed", "tally.changed", "function.changed"]);
const stream = siteStream();
const onState = connectionPills();
const followed = new Map();
const refresh = refresher({ onFresh: (page) => (showFresh(page), follow(page)) });

/** Follow exactly the topics that this page names. */
function follow(page) {
  const positions = JSON.parse(page.getElementById("positions").textContent);
  for (const [topic, following] of followed) {
    if (topic in positions) continue;
    following.close();
    followed.delete(topic);
    onState(topic, "left");
  }
  for (const [topic, [epoch, after]] of Object.entries(positions)) {
    if (followed.has(topic)) continue;
    const following = stream.follow(
      topic,
      { epoch, after },
      {
        onEvent: ({ type }) => TELLING.has(type) && refresh(),
        onReset: () => location.reload(),
        onState: (state, info) => onState(topic, state, info),
        onRefused: () => onState(topic, "refused"),
      },
    );
    followed.set(topic, following);
  }
}

follow(document);
