// Parts of a page that the server draws anew whenever something has happened: marked `data-fresh`.

import { morph } from "./morph.js";

const AT_MOST_EVERY_MS = 1000;

/**
 * Return what puts in what the server tells now, again and again as long as it is called meanwhile;
 * `onFresh` is given the page that each time was read.
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
        // Away for now: the pill says so, and the next event tries again.
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
