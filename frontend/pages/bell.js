// The bell in the top bar: updates the number of unread notifications.

import { siteStream } from "../scripts/stream.js";
import { gettext, interpolate } from "../scripts/translation.js";

const MOST_COUNTED = 100;
const STATE_URL = "/api/v1/notifications/?limit=1";
const bell = document.querySelector("[data-bell]");

function show(unread) {
  const text = unread >= MOST_COUNTED ? `${MOST_COUNTED - 1}+` : String(unread);
  const dot = bell.querySelector(".count-dot");
  dot.textContent = text;
  dot.hidden = unread === 0;
  const label = unread ? gettext("Notifications, %(count)s unread") : gettext("Notifications");
  bell.setAttribute("aria-label", interpolate(label, { count: text }));
  dispatchEvent(new CustomEvent("unread", { detail: unread }));
}

async function fetchState() {
  const response = await fetch(STATE_URL, { headers: { Accept: "application/json" } });
  if (!response.ok) return undefined;
  const { unread, epoch, seq } = await response.json();
  show(unread);
  return { epoch, after: seq };
}

if (bell) {
  const { topic, epoch, seq } = bell.dataset;
  const position = { epoch: Number(epoch), after: Number(seq) };
  siteStream().follow(topic, position, {
    onEvent: ({ type, payload }) => type === "notifications.changed" && show(payload.unread),
    onReset: fetchState,
  });
}
