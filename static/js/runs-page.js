// The list of runs: each open one that is shown goes on as it runs; newer ones are offered, not put in.

import { connectionPills } from "./connection.js";
import { perFrame } from "./frames.js";
import { RunBar } from "./run-bar.js";
import { connect } from "./stream.js";

const NEWER_EVERY_MS = 10_000;
const batchWords = JSON.parse(document.getElementById("batch-words").textContent);
const rows = new Map();
const topics = new Map(); // by name: where it stands, and the open runs in it

for (const row of document.querySelectorAll("[data-run-row][data-open]")) {
  const { runRow, topic, epoch, seq } = row.dataset;
  const run = { row, bar: new RunBar(row) };
  rows.set(Number(runRow), run);
  if (!topics.has(topic)) topics.set(topic, { epoch: Number(epoch), after: Number(seq), open: new Set() });
  topics.get(topic).open.add(Number(runRow));
}

function apply(events) {
  const changed = new Set();
  for (const { type, payload, topic } of events) {
    const run = rows.get(payload.batch);
    if (!run) continue;
    if (type === "task.started") run.bar.start(payload);
    if (type === "task.finished") run.bar.finish(payload);
    if (type === "batch.finished") end(run, payload, topic);
    changed.add(run);
  }
  for (const { bar } of changed) bar.draw();
}

function end({ row, bar }, { batch, state, total }, topic) {
  bar.total = total;
  const pill = row.querySelector(".task");
  [pill.dataset.task, pill.textContent] = batchWords[state];
  rows.delete(batch);
  const { open, following } = topics.get(topic);
  open.delete(batch);
  if (!open.size) following.close();
}

if (topics.size) {
  const stream = connect();
  const onState = connectionPills();
  const take = perFrame(apply);
  for (const [topic, state] of topics) {
    state.following = stream.follow(topic, state, {
      onEvent: (event) => take({ ...event, topic }),
      onReset: () => location.reload(),
      onState,
      onRefused: () => onState("refused"),
    });
  }
}

const newer = document.querySelector("[data-newest-url]");

async function lookForNewer() {
  if (document.hidden) return;
  try {
    const response = await fetch(newer.dataset.newestUrl, { headers: { Accept: "application/json" } });
    const { items } = await response.json();
    newer.hidden = !(items?.[0]?.id > Number(newer.dataset.newest));
  } catch {
    // Away for now; it is asked again.
  }
}

if (newer) setInterval(() => newer.hidden && lookForNewer(), NEWER_EVERY_MS);
