// A run's page while it lasts: each task's row is set as it ends; the end fetches the page anew.

import { connectionPills } from "./connection.js";
import { perFrame } from "./frames.js";
import { connect } from "./stream.js";
import { duration, outcome } from "./words.js";

const taskWords = JSON.parse(document.getElementById("task-words").textContent);
const { topic, epoch, seq, batch, open } = document.body.dataset;
const finished = new Set();
const progress = document.querySelector("[data-progress]");
const [already, total] = progress.textContent.split(" of ").map(Number);

function showTask({ task, state, verdict, cpu_us: cpu, ...rest }) {
  finished.add(task);
  progress.textContent = `${Math.min(total, already + finished.size)} of ${total}`;
  const row = document.querySelector(`[data-task-row="${task}"]`);
  if (!row) return;
  const pill = row.querySelector(".task");
  [pill.dataset.task, pill.textContent] = taskWords[state];
  const { state: look, word } = outcome({ state, verdict, ...rest });
  const result = row.querySelector(".who-res");
  result.hidden = !verdict;
  result.firstElementChild.dataset.state = look;
  result.lastElementChild.textContent = word;
  row.querySelector("[data-cpu]").textContent = duration(cpu) || "—";
}

if (open !== undefined) {
  const apply = perFrame((events) => {
    for (const { type, payload } of events) {
      if (payload.batch !== Number(batch)) continue;
      if (type === "task.finished") showTask(payload);
      if (type === "batch.finished") location.reload();
    }
  });
  connect().follow(
    topic,
    { epoch: Number(epoch), after: Number(seq) },
    { onEvent: apply, onReset: () => location.reload(), onState: connectionPills() },
  );
}
