// An acceptance test's page: updates its verdict.

import { connectionPills } from "../scripts/connection.js";
import { refresher } from "../scripts/fresh.js";
import { siteStream } from "../scripts/stream.js";

const { topic, epoch, seq } = document.body.dataset;

if (topic) {
  const onState = connectionPills();
  const refresh = refresher();
  siteStream().follow(
    topic,
    { epoch: Number(epoch), after: Number(seq) },
    {
      onEvent: ({ type }) => type === "acceptance.changed" && refresh(),
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
    },
  );
}
