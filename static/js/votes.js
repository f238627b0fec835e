// Votes without leaving the page; where anything goes wrong, the form posts as it always could.

const RESEND_MS = 10_000;

function show(form, { score, value }) {
  const up = form.querySelector("[data-vote=up]");
  const down = form.querySelector("[data-vote=down]");
  up.setAttribute("aria-pressed", String(value === 1));
  up.value = value === 1 ? "0" : "1";
  down.setAttribute("aria-pressed", String(value === -1));
  down.value = value === -1 ? "0" : "-1";
  form.querySelector("output").textContent = score;
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
  if (!response.ok || response.redirected) throw new Error(String(response.status));
  return response.json();
}

async function castVote(form, pressed) {
  const buttons = [...form.querySelectorAll("button")];
  buttons.forEach((button) => button.setAttribute("aria-disabled", "true"));
  try {
    show(form, await post(form, pressed.value));
  } catch {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: "value", value: pressed.value });
    form.append(field);
    form.submit();
  } finally {
    buttons.forEach((button) => button.removeAttribute("aria-disabled"));
  }
}

/** Let all votes on the page be cast at once, also those on what is fetched later. */
export function enhanceVotes() {
  document.addEventListener("submit", (event) => {
    if (!event.submitter || !event.target.matches("form[data-votes]")) return;
    event.preventDefault();
    castVote(event.target, event.submitter);
  });
}

/** Show a tally that others have changed. */
export function showTally({ item, id, score }) {
  for (const output of document.querySelectorAll(`[data-score="${item}-${id}"]`)) {
    output.textContent = score;
  }
}
