// Saves a draft: on the server a second after the last key, and in local storage until then.

import { device } from "./device.js";
import { gettext, interpolate } from "./translation.js";

const SAVE_AFTER_MS = 1000;
const KEEP_AFTER_MS = 200;
const RETRY_FIRST_MS = 4000;
const RETRY_LAST_MS = 60_000;
const TIMEOUT_MS = 15_000;

/** A refusal, with the server's message. */
export class Refused extends Error {
  constructor(status, answer, retryAfterSeconds = 0) {
    super(answer?.message ?? interpolate(gettext("The server responded with %(status)s."), { status }));
    this.status = status;
    this.code = answer?.code ?? "";
    this.errors = answer?.errors ?? [];
    this.theirs = answer?.theirs ?? null;
    this.retryMs = retryAfterSeconds * 1000; // 0: a retry would fail again
  }
}

/** Post the form's fields to a path of this draft; raises Refused, or TypeError when offline. */
export async function postDraft(form, url, fields) {
  const body = new FormData();
  body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { Accept: "application/json" },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.type === "opaqueredirect") throw new Refused(401, { code: "nobody", message: gettext("you are signed out; sign in in another window") });
  if (response.status >= 500) throw new TypeError("the server is unreachable");
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new Refused(response.status, answer ?? excuse(response.status), Number(response.headers.get("Retry-After")));
  return answer;
}

function excuse(status) {
  const message = {
    403: gettext("you have signed in again; reload this page"),
    404: gettext("this draft no longer exists"),
    413: gettext("too large"),
    429: gettext("too many requests; wait a moment"),
  }[status];
  return { message: message ?? interpolate(gettext("the server responded with %(status)s"), { status }) };
}

export class Saver {
  /**
   * `read()` returns the present `{code, title}`; `state` in `onState(state, text)` is `saved`,
   * `saving` or `unsaved`; `onSaved(answer)` and `onConflict(theirs)` get the server's version.
   */
  constructor(form, { name, read, onState, onSaved, onConflict }) {
    Object.assign(this, { form, name, read, onState, onSaved, onConflict });
    this.version = Number(form.elements.version.value);
    this.saved = read();
    this.savedText = gettext("Saved");
    this.retryMs = RETRY_FIRST_MS;
    this.notBefore = 0; // earliest time of the next automatic save
    addEventListener("online", () => this.isChanged && this.save());
    addEventListener("beforeunload", (event) => {
      if (!this.isChanged) return;
      this.keep();
      if (!this.isKept) event.preventDefault();
    });
  }

  get isChanged() {
    const { code, title } = this.read();
    return code !== this.saved.code || title !== this.saved.title;
  }

  /** The local copy of an unsaved visit, if it differs from the server's. */
  kept() {
    try {
      const kept = JSON.parse(device.get(this.name));
      const { code, title } = this.saved;
      if (kept && (kept.code !== code || kept.title !== title)) return kept;
      // The save had succeeded.
      device.remove(this.name);
      return null;
    } catch {
      return null;
    }
  }

  keep() {
    // Without local storage, the browser asks before leaving the page.
    this.isKept = device.set(this.name, JSON.stringify({ ...this.read(), version: this.version }));
  }

  /** Handle an edit. */
  touch() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.isChanged && this.keep(), KEEP_AFTER_MS);
    if (this.conflict) return;
    if (Date.now() >= this.notBefore) this.onState("saving", gettext("Saving"));
    this.schedule(SAVE_AFTER_MS);
  }

  schedule(delayMs) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), Math.max(delayMs, this.notBefore - Date.now()));
  }

  /** Save changes, one save at a time; resolves to whether everything is on the server. */
  async save({ always = false } = {}) {
    clearTimeout(this.timer);
    while (this.saving) await this.saving;
    if (this.conflict) return false;
    if (!this.isChanged && !always) {
      this.onState("saved", this.savedText);
      return true;
    }
    this.saving = this.#send();
    const done = await this.saving;
    this.saving = null;
    return done;
  }

  async #send() {
    const typed = this.read();
    this.onState("saving", gettext("Saving"));
    try {
      const answer = await postDraft(this.form, this.form.action, { ...typed, version: this.version });
      this.accept(typed, answer);
      return true;
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Record that the typed text is on the server, as this version. */
  accept(typed, answer) {
    this.version = answer.version;
    this.form.elements.version.value = answer.version;
    this.saved = typed;
    this.retryMs = RETRY_FIRST_MS;
    this.notBefore = 0;
    if (this.isChanged) this.schedule(SAVE_AFTER_MS);
    else {
      clearTimeout(this.keeping);
      device.remove(this.name);
    }
    const time = new Date(answer.saved_at).toTimeString().slice(0, 8);
    this.savedText = interpolate(gettext("Saved %(time)s"), { time });
    this.onState("saved", this.savedText);
    this.onSaved(answer);
  }

  #fail(error) {
    this.keep();
    if (error instanceof Refused && error.theirs) {
      this.conflict = error.theirs;
      this.onState("unsaved", gettext("Changed in another window"));
      this.onConflict(error.theirs);
    } else if (error instanceof Refused) {
      const text = error.retryMs && this.isKept ? gettext("Kept on this device: %(why)s") : gettext("Not saved: %(why)s");
      this.onState("unsaved", interpolate(text, { why: error.message }));
      if (!error.retryMs) return false;
      this.notBefore = Date.now() + error.retryMs;
      this.schedule(error.retryMs);
    } else {
      this.onState("unsaved", this.isKept ? gettext("Kept on this device") : gettext("Not saved"));
      this.schedule(this.retryMs);
      this.retryMs = Math.min(RETRY_LAST_MS, this.retryMs * 2);
    }
    return false;
  }

  /** Resolve a conflict: keep the local text, as the next version, or drop it. */
  resolve({ keep }) {
    const theirs = this.conflict;
    this.conflict = null;
    this.version = theirs.version;
    this.saved = { code: theirs.code, title: theirs.title };
    if (keep) return this.save({ always: true });
    device.remove(this.name);
    this.onState("saved", gettext("Saved"));
    return Promise.resolve(true);
  }
}
