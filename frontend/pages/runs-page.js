// The list of runs: updates open ones, and offers newer ones.

import { connectionPills } from "../scripts/connection.js";
import { RunBar } from "../scripts/run-bar.js";
import { siteStream } from "../scripts/stream.js";

const NEWER_EVERY_MS = 10_000;
const batchWords = JSON.parse(document.getElementById("batch-words").textContent);
const rows = new Map();
const topics = new Map(); // position and open runs, by topic

for (const row of document.querySelectorAll("[data-run-row][data-open]")) {
  const { runRow, topic, epoch, seq } = row.dataset;
  const run = { row, bar: new RunBar(row) };
  rows.set(Number(runRow), run);
  if (!topics.has(topic)) topics.set(topic, { epoch: Number(epoch), after: Number(seq), open: new Set() });
  topics.get(topic).open.add(Number(runRow));
}

const changed = new Set();

function apply({ type, payload }, topic) {
  const run = rows.get(payload.batch);
  if (!run) return;
  if (type === "task.started") run.bar.start(payload);
  if (type === "task.finished") run.bar.finish(payload);
  if (type === "batch.finished") end(run, payload, topic);
  changed.add(run);
}

function settle() {
  for (const { bar } of changed) bar.draw();
  changed.clear();
}

function end({ row, bar }, payload, topic) {
  const { batch, state } = payload;
  bar.end(payload);
  const pill = row.querySelector(".task");
  [pill.dataset.task, pill.textContent] = batchWords[state];
  rows.delete(batch);
  const { open, following } = topics.get(topic);
  open.delete(batch);
  if (!open.size) following.close();
}

if (topics.size) {
  const stream = siteStream();
  const onState = connectionPills();
  for (const [topic, state] of topics) {
    state.following = stream.follow(topic, state, {
      onEvent: (event) => apply(event, topic),
      onSettled: settle,
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
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
    // The server is unreachable; it will be tried again.
  }
}

if (newer) setInterval(() => newer.hidden && lookForNewer(), NEWER_EVERY_MS);
