// Keeps parts of the page as the server would render them now.

import { morph } from "./morph.js";

const AT_MOST_EVERY_MS = 1000;
const TIMEOUT_MS = 15_000;
const LONGEST_RETRY_MS = 30_000;
const TOO_OFTEN = 429;

/**
 * Return a function that fetches this page again, and repeats that if it is called meanwhile. Nothing
 * is fetched while the page is hidden. Its method `now` does so at once, after a change by the reader:
 * an answer under way may lack that, and is dropped.
 *
 * `url` gives the address to fetch; `delayMs` is the longest random delay, as many browsers may show
 * the page. `onStart` is called before each request, `onFresh` with each fetched document.
 */
export function refresher({ url = () => location.href, delayMs = 0, onStart = () => {}, onFresh = showFresh } = {}) {
  let isWanted = false;
  let isBusy = false;
  let request = new AbortController(); // under way, if any
  let wake = () => {};

  /** Pause, unless `now` is called. */
  const pause = (ms) =>
    new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, ms);
    });

  async function refresh() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    let retryMs = AT_MOST_EVERY_MS;
    await pause(Math.random() * delayMs);
    while (isWanted) {
      await untilShown();
      isWanted = false;
      request = new AbortController();
      onStart();
      const { page, mayRetry } = await fetchPage(url(), request.signal);
      isWanted ||= mayRetry;
      if (request.signal.aborted) continue;
      if (page) put(page);
      retryMs = mayRetry ? Math.min(2 * retryMs, LONGEST_RETRY_MS) : AT_MOST_EVERY_MS;
      await pause(retryMs);
    }
    isBusy = false;
  }

  function put(page) {
    try {
      onFresh(page);
    } catch (error) {
      reportError(error);
    }
  }

  refresh.now = () => {
    refresh();
    request.abort();
    wake();
  };
  return refresh;
}

/** Update the parts that are marked `data-fresh` from a fetched page. */
export function showFresh(page) {
  for (const old of document.querySelectorAll("[data-fresh]")) {
    const fresh = page.getElementById(old.id);
    if (fresh) morph(old, fresh);
  }
}

/** Return the page at this address, if there is one; else whether there may be one later. */
async function fetchPage(url, signal) {
  try {
    const response = await fetch(url, {
      headers: { Accept: "text/html" },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok) return { mayRetry: response.status >= 500 || response.status === TOO_OFTEN };
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return { page, mayRetry: false };
  } catch {
    return { mayRetry: true };
  }
}

function untilShown() {
  if (!document.hidden) return undefined;
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", resolve, { once: true });
  });
}
