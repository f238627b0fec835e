// A collection's page: keeps its rows as they are now.

import { connectionPills } from "../scripts/connection.js";
import { refresher } from "../scripts/fresh.js";
import { siteStream } from "../scripts/stream.js";

const { topic, epoch, seq } = document.body.dataset;
const onState = connectionPills();
const refresh = refresher({ delayMs: 300 });

siteStream().follow(
  topic,
  { epoch: Number(epoch), after: Number(seq) },
  {
    onEvent: refresh,
    onReset: () => location.reload(),
    onState: (state, info) => onState(topic, state, info),
    onRefused: () => onState(topic, "refused"),
  },
);
