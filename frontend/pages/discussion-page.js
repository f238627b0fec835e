// The page of a discussion or thread: updates comments and votes.

import { connectionPills } from "../scripts/connection.js";
import { commentChanged } from "../scripts/discussion.js";
import { connect } from "../scripts/stream.js";
import { enhanceVotes, showTally } from "../scripts/votes.js";

const { topic, epoch, seq } = document.body.dataset;
const handlers = { "comment.changed": commentChanged, "tally.changed": showTally };

enhanceVotes();
if (topic) {
  const onState = connectionPills();
  connect().follow(topic, { epoch: Number(epoch), after: Number(seq) }, {
    onEvent: ({ type, payload }) => handlers[type]?.(payload),
    onReset: () => location.reload(),
    onState: (state, info) => onState(topic, state, info),
    onRefused: () => onState(topic, "refused"),
  });
}
