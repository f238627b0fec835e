// The client for scripts in pages: `<script src="/p/client.js"></script>` defines `page`.
//
//   await page.data(path, query)   the data of this page at a path, as its template sets `data`
//   await page.send(form, path)    sends a form (an object, FormData or a form element); then its data
//
//   page.onchange = (data) => {}   called with its data whenever a collection that it declares changes,
//                                  while it is open on the site; without this, the page is loaded again
//
// The first two reject with an Error, which has a `status`, if the answer isn't a success. A form that is
// sent twice makes its changes once.

globalThis.page = (() => {
  const FIRST_PAUSE_MS = 500;
  const MAX_PAUSE_MS = 30_000;
  const SENDING_MS = 10_000; // the most that sending a form takes
  const base = location.pathname.split("/").slice(0, 3).join("/") + "/";
  const here = location.pathname.slice(base.length) + location.search;

  const request = async (path, options) => {
    const headers = { Accept: "application/json" };
    const response = await fetch(base + path, { ...options, headers, credentials: "omit" });
    if (!response.ok) {
      throw Object.assign(new Error(`${response.status} at ${base}${path}`), { status: response.status });
    }
    return response.json();
  };
  const encoded = (form) => {
    const fields = form instanceof HTMLFormElement ? new FormData(form) : form;
    return new URLSearchParams(fields instanceof FormData ? [...fields] : Object.entries(fields));
  };

  const isTyping = () => document.activeElement?.matches?.("input, textarea, select");
  // A form that is being sent must not be cut off; the page that answers it is up to date. If there is no
  // answer, as when the network is away, this document stays.
  let isSending = false;
  addEventListener("submit", (event) =>
    setTimeout(() => {
      isSending = !event.defaultPrevented;
      setTimeout(() => (isSending = false), SENDING_MS);
    }),
  );
  const reload = () => {
    if (isTyping()) addEventListener("focusout", () => setTimeout(reload), { once: true });
    else if (isSending) setTimeout(reload, SENDING_MS / 10);
    else location.reload();
  };
  // What has changed before is in this document.
  const requestedAt = () =>
    performance.timeOrigin + (performance.getEntriesByType("navigation")[0]?.requestStart ?? 0);
  const isOpened = window.parent !== window;
  addEventListener("message", ({ source, data }) => {
    if (!isOpened || source !== window.parent) return;
    if (data === "page:hello") source.postMessage({ page: "listening", since: requestedAt() }, "*");
    if (data === "page:changed") refresh();
  });

  // Nobody tells of a change twice, so what fails while the network is away is tried again.
  let latest = 0;
  let pauseMs = 0;
  // At most for a while, as browsers may be wrong about it.
  const online = () =>
    new Promise((resolve) => {
      addEventListener("online", resolve, { once: true });
      setTimeout(resolve, MAX_PAUSE_MS);
    });
  const refresh = async () => {
    const mine = ++latest;
    if (!navigator.onLine) await online();
    if (mine !== latest) return;
    if (!client.onchange) return reload();
    let data;
    try {
      data = await request(here, {});
    } catch (error) {
      if (error.status && error.status < 500) throw error;
      pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs || FIRST_PAUSE_MS);
      setTimeout(() => mine === latest && refresh(), pauseMs);
      return;
    }
    pauseMs = 0;
    if (mine === latest) client.onchange(data);
  };

  const client = {
    onchange: null,
    data: (path = "", query = {}) => {
      const search = encoded(query).toString();
      return request(search ? `${path}?${search}` : path, {});
    },
    send: (form, path = "") => {
      const body = encoded(form);
      if (!body.has("request_id")) body.set("request_id", crypto.randomUUID?.() ?? String(Math.random()).slice(2));
      return request(path, { method: "POST", body });
    },
  };
  return Object.seal(client);
})();
