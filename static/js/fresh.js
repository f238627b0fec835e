// Reloads the parts of a page that are marked `data-fresh`.

import { morph } from "./morph.js";

const AT_MOST_EVERY_MS = 1000;

/**
 * Return a function that reloads these parts, and repeats that if it is called meanwhile. `onFresh`
 * gets each fetched page.
 */
export function refresher(onFresh = () => {}) {
  let isWanted = false;
  let isBusy = false;

  return async function refresh() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      try {
        const response = await fetch(location.href, { headers: { Accept: "text/html" } });
        if (response.ok) {
          const page = new DOMParser().parseFromString(await response.text(), "text/html");
          show(page);
          onFresh(page);
        }
      } catch {
        // The server is unreachable; the next event tries again.
      }
      await new Promise((resolve) => setTimeout(resolve, AT_MOST_EVERY_MS));
    }
    isBusy = false;
  };
}

function show(page) {
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) morph(old, fresh);
  }
}
