// A document view's page: updates the groups and how fresh they are, once for each batch of changes.

import { connectionPills } from "../scripts/connection.js";
import { refresher } from "../scripts/fresh.js";
import { siteStream } from "../scripts/stream.js";

const { topic, epoch, seq } = document.body.dataset;
const onState = connectionPills();
const refresh = refresher();

siteStream().follow(
  topic,
  { epoch: Number(epoch), after: Number(seq) },
  {
    onEvent: ({ type }) => type === "view.changed" && refresh(),
    onReset: () => location.reload(),
    onState: (state, info) => onState(topic, state, info),
    onRefused: () => onState(topic, "refused"),
  },
);
