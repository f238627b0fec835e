// Acceptance tests on a function's page: when what one says has changed, all of them are read anew.

import { morph } from "./morph.js";

const REST_MS = 500; // a cascade may change many
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
    // Away for now: the next change, or the next visit, tells.
  }
}
