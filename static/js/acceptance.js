// Acceptance tests on a function's page: reloads all of them when a verdict changes.

import { morph } from "./morph.js";

const REST_MS = 500; // delay, as a cascade may change many
let timer = null;

export function acceptanceChanged() {
  timer ??= setTimeout(refresh, REST_MS);
}

async function refresh() {
  timer = null;
  const shown = document.getElementById("acceptance");
  if (!shown) return;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("acceptance");
    if (fresh) morph(shown, fresh);
  } catch {
    // The server is unreachable; the next change or visit reloads them.
  }
}
