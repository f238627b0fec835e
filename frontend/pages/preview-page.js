// The page of a running preview: reloads its forecasts when runs end.

import { announceAtOnce } from "../scripts/announcing.js";
import { connectionPills } from "../scripts/connection.js";
import { refresher } from "../scripts/fresh.js";
import { connect } from "../scripts/stream.js";
import { gettext } from "../scripts/translation.js";

const { topic, epoch, seq, open } = document.body.dataset;

if (open !== undefined) {
  const onState = connectionPills();
  connect().follow(
    topic,
    { epoch: Number(epoch), after: Number(seq) },
    {
      onEvent: ({ type }) => {
        if (type === "batch.finished") announceAtOnce("preview", gettext("The preview is finished"));
      },
      onSettled: refresher(),
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
    },
  );
}
