// The page of an open run: updates rows, bar and log from its events. Failed attempts and child runs,
// which have no events here, are fetched now and then, and the whole page at the end.

import { announce, announceAtOnce } from "../scripts/announcing.js";
import { connectionPills } from "../scripts/connection.js";
import { refresher, showFresh } from "../scripts/fresh.js";
import { Log } from "../scripts/log.js";
import { RunBar } from "../scripts/run-bar.js";
import { siteStream } from "../scripts/stream.js";
import { gettext, interpolate } from "../scripts/translation.js";
import { duration, element, outcome } from "../scripts/words.js";

const REFRESH_MS = 5000;
const taskWords = JSON.parse(document.getElementById("task-words").textContent);
const { topic, epoch, seq, batch, open } = document.body.dataset;
const log = new Log(document.getElementById("log"));
const FINAL = "[data-task-row]:has(.task:not([data-task=pending], [data-task=progress]))";
const RUNNING = "[data-task-row]:has(.task[data-task=progress])";
let bar = freshBar();

const rowOf = (task) => document.querySelector(`[data-task-row="${task}"]`);
const whereOf = (key) =>
  document.querySelector(`[data-task-row][data-key="${key}"]`)?.dataset.where || key.slice(0, 8);

/** Return a bar that doesn't count tasks again that the server has counted. */
function freshBar() {
  const ended = [...document.querySelectorAll(FINAL)].map((row) => Number(row.dataset.taskRow));
  const running = [...document.querySelectorAll(RUNNING)].map((row) => Number(row.dataset.taskRow));
  return new RunBar(document.getElementById("run-progress"), ended, running);
}

function setState(row, state) {
  const pill = row.querySelector(".task");
  [pill.dataset.task, pill.textContent] = taskWords[state];
}

function setTime(cell, at) {
  const date = new Date(at);
  const shown = element("time", { datetime: at, title: date.toUTCString() }, at.slice(11, 19));
  cell.replaceChildren(shown);
}

function start({ task, attempt }, at) {
  const row = rowOf(task);
  if (!row) return;
  setState(row, "in_progress");
  showAttempt(row, attempt);
  setTime(row.querySelector("[data-started]"), at);
}

function showAttempt(row, attempt) {
  row.querySelector("[data-attempts]").textContent = interpolate(gettext("%(attempt)s of 3"), { attempt });
}

function finish({ task, state, verdict, cpu_us: cpu, wall_us: wall, attempt, cached }, at) {
  const row = rowOf(task);
  if (!row) return;
  setState(row, state);
  const { state: look, word } = outcome({ state, verdict });
  const result = row.querySelector(".who-res");
  result.hidden = !verdict;
  result.firstElementChild.dataset.state = look;
  result.lastElementChild.textContent = word;
  row.querySelector("[data-cpu]").textContent = duration(cpu) || "—";
  row.querySelector("[data-wall]").textContent = duration(wall) || "—";
  if (verdict && !cached) showAttempt(row, attempt);
  setTime(row.querySelector("[data-finished]"), at);
}

function apply({ type, payload, at }) {
  if (type === "task.output") {
    if (document.querySelector(`[data-task-row][data-key="${payload.key}"]`)) {
      log.output(payload, new Date(at), whereOf(payload.key));
    }
    return;
  }
  if (payload.batch !== Number(batch)) return;
  if (type === "task.started") {
    bar.start(payload);
    start(payload, at);
  }
  if (type === "task.finished") {
    bar.finish(payload);
    finish(payload, at);
    log.finished(payload, new Date(at), whereOf(payload.key));
  }
  if (type === "batch.finished") end(payload);
}

function end({ state, total, verdicts }) {
  delete document.body.dataset.open;
  const text =
    state === "complete"
      ? gettext("Run %(run)s complete: %(passed)s of %(total)s passed")
      : gettext("Run %(run)s cancelled: %(passed)s of %(total)s passed");
  announceAtOnce("run", interpolate(text, { run: batch, passed: verdicts?.passed ?? 0, total }));
  refresh();
}

function say() {
  if ("open" in document.body.dataset) announce("run", interpolate(gettext("%(finished)s of %(total)s finished"), bar));
}

let meanwhile = []; // events since the last fetch began
const refresh = refresher({ onStart: () => (meanwhile = []), onFresh: show });

/** Update the page from the server. */
function show(page) {
  showFresh(page);
  bar = freshBar();
  // The fetched page may lack events since the request; applying an event twice is harmless.
  meanwhile.forEach(apply);
  bar.draw();
}

function tick() {
  const since = document.querySelector("[data-since]");
  const seconds = Math.max(0, Math.round((Date.now() - new Date(since.dataset.since)) / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  since.textContent = hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

if (open !== undefined) {
  log.followRun();
  const onState = connectionPills();
  const settle = () => {
    bar.draw();
    log.settle();
    say();
  };
  siteStream().follow(
    topic,
    { epoch: Number(epoch), after: Number(seq) },
    {
      onEvent: (event) => {
        meanwhile.push(event);
        apply(event);
      },
      onSettled: settle,
      onReset: () => location.reload(),
      onState: (state, info) => onState(topic, state, info),
      onRefused: () => onState(topic, "refused"),
    },
  );
  const ticking = setInterval(() => ("open" in document.body.dataset ? tick() : clearInterval(ticking)), 1000);
  const refreshing = setInterval(() => {
    if (!("open" in document.body.dataset)) clearInterval(refreshing);
    else refresh();
  }, REFRESH_MS);
}
