// Votes without leaving the page; if that fails, the form is posted as without a script.

import { element } from "./words.js";

const RESEND_MS = 10_000;
const TOO_OFTEN = 429;

class TooOften extends Error {}

/** Show beside the buttons why the vote was not counted; an empty text removes the note. */
function complain(form, text) {
  form.querySelector("[role=alert]")?.remove();
  if (text) form.append(element("p", { class: "wrong", role: "alert", "data-readers": true }, text));
}

/** Show the sum of agents' votes, which are counted apart, unless it is 0. */
function showApart(places, score) {
  for (const place of places) {
    place.hidden = !score;
    place.querySelector("b").textContent = score > 0 ? `+${score}` : String(score).replace("-", "\u2212");
  }
}

function show(form, { score, agent_score: apart, value }) {
  const up = form.querySelector("[data-vote=up]");
  const down = form.querySelector("[data-vote=down]");
  up.setAttribute("aria-pressed", String(value === 1));
  up.value = value === 1 ? "0" : "1";
  down.setAttribute("aria-pressed", String(value === -1));
  down.value = value === -1 ? "0" : "-1";
  form.querySelector("output").textContent = score;
  showApart(form.querySelectorAll("[data-agent-score]"), apart);
}

async function post(form, value) {
  const body = new FormData(form);
  body.set("value", value);
  const response = await fetch(form.action, {
    method: "POST",
    body,
    headers: { Accept: "application/json" },
    signal: AbortSignal.timeout(RESEND_MS),
  });
  if (response.status === TOO_OFTEN) throw new TooOften((await response.json()).message);
  if (!response.ok || response.redirected) throw new Error(String(response.status));
  return response.json();
}

async function castVote(form, pressed, onVoted) {
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => button.setAttribute("aria-disabled", "true"));
  try {
    show(form, await post(form, pressed.value));
    complain(form, "");
    onVoted();
  } catch (error) {
    if (error instanceof TooOften) {
      complain(form, error.message);
      return;
    }
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: "value", value: pressed.value });
    form.append(field);
    form.submit();
  } finally {
    buttons.forEach((button) => button.removeAttribute("aria-disabled"));
  }
}

/** Enhance all votes of the page, also those on items that are fetched later. */
export function enhanceVotes(onVoted = () => {}) {
  document.addEventListener("submit", (event) => {
    if (!event.submitter || !event.target.matches("form[data-votes]")) return;
    event.preventDefault();
    const { target: form, submitter: pressed } = event;
    // After the vote before, which decides what a press means now.
    form.turn = (form.turn ?? Promise.resolve()).then(() => castVote(form, pressed, onVoted));
  });
}

/** Show a tally that changed. */
export function showTally({ item, id, score, agent_score: apart = 0 }) {
  for (const output of document.querySelectorAll(`[data-score="${item}-${id}"]`)) {
    output.textContent = score;
  }
  showApart(document.querySelectorAll(`[data-agent-score="${item}-${id}"]`), apart);
}
