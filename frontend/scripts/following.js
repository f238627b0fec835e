// A subscription to a topic: applies each event once, in order, as many per frame as time allows.

import { endOfSlice, withNextFrame } from "./frames.js";

export class Following {
  /** `stream` sends frames, and is notified when events have been applied. */
  constructor(stream, topic, { epoch = 1, after = 0 }, handlers) {
    this.stream = stream;
    this.topic = topic;
    this.handlers = handlers;
    this.isPaused = false; // between a reset and the new state
    this.isResyncing = false; // resubscribed: events under way may have a gap
    this.behindAt = null; // the position at the last heartbeat, if that had a higher head
    this.interruptedAt = null; // when the connection was lost
    this.replayed = 0; // events applied since reconnection
    this.state = null;
    this.isByPolling = false;
    this.replayedTimer = null;
    this.isApplying = false; // now or with the next frame
    this.#goOnFrom({ epoch, after });
  }

  #goOnFrom({ epoch, after }) {
    this.epoch = epoch;
    this.received = after; // last received sequence
    this.applied = after; // last applied sequence, which may be acknowledged
    this.acked = after;
    this.waiting = []; // received but not applied events, at most the server's window
    this.end = null; // called when all waiting events have been applied
  }

  get position() {
    return { epoch: this.epoch, after: this.received };
  }

  get isPresent() {
    return Boolean(this.handlers.onPresence);
  }

  look(picture) {
    this.#call("onPresence", picture);
  }

  close() {
    this.stream.leave(this);
  }

  /** Apply and report nothing more. */
  stop() {
    this.isPaused = true;
    this.waiting = [];
    clearTimeout(this.replayedTimer);
  }

  /** Accept events, without known ones; return false at a gap. */
  take(events) {
    let isWhole = true;
    for (const event of events) {
      if (this.isPaused || event.seq <= this.received) continue;
      isWhole = event.seq === this.received + 1;
      if (!isWhole) break;
      this.isResyncing = false;
      this.received = event.seq;
      this.waiting.push(event);
    }
    this.#applySoon();
    return isWhole;
  }

  #applySoon() {
    if (this.isApplying || !this.waiting.length) return;
    this.isApplying = true;
    withNextFrame(() => this.#apply());
  }

  #apply() {
    this.isApplying = false;
    if (!this.waiting.length) return;
    const until = endOfSlice();
    const events = this.waiting;
    let count = 0;
    do {
      const event = events[count];
      count += 1;
      // An error in a handler must not end the stream: the event counts as applied.
      this.#call("onEvent", event);
      this.applied = event.seq;
      if (this.interruptedAt !== null) this.replayed += 1;
      // The handler may have closed the subscription, which empties `waiting`.
    } while (this.waiting === events && count < events.length && performance.now() < until);
    events.splice(0, count);
    this.#call("onSettled");
    this.stream.acknowledgeSoon(this);
    if (this.waiting.length) this.#applySoon();
    else if (this.end) this.#caughtUp();
  }

  /** Handle a lost connection; the page's state is as of now. */
  interrupt() {
    this.interruptedAt ??= new Date();
    this.end = null;
    this.#show("reconnecting", { since: this.interruptedAt });
  }

  /** Report that the page is live, once all events up to `head` have been applied. */
  reach(head, { polling = false } = {}) {
    if (this.received < head) return;
    this.end = { polling };
    if (!this.waiting.length) this.#caughtUp();
  }

  #caughtUp() {
    const { replayed, end } = this;
    this.interruptedAt = null;
    this.replayed = 0;
    this.behindAt = null;
    this.end = null;
    if (replayed > 0) {
      this.#show("replayed", { count: replayed, at: new Date() });
      const { replayedMs } = this.stream.options;
      this.replayedTimer = setTimeout(() => this.#show("live", end), replayedMs);
    } else if (this.state !== "replayed") {
      this.#show("live", end);
    }
  }

  #show(state, info) {
    const isByPolling = Boolean(info.polling);
    if (state === this.state && isByPolling === this.isByPolling && state !== "replayed") return;
    clearTimeout(this.replayedTimer);
    this.state = state;
    this.isByPolling = isByPolling;
    this.#call("onState", state, info);
  }

  /** Pause until the page has fetched its state and returns a new position. */
  async reset({ epoch, head, reason }) {
    if (this.isPaused) return;
    this.isPaused = true;
    this.waiting = [];
    const position = await this.#call("onReset", { epoch, head, reason });
    if (!position || !this.stream.has(this)) return;
    this.#goOnFrom(position);
    this.isPaused = false;
    this.stream.resume(this);
  }

  refuse(message) {
    this.stop();
    this.#call("onRefused", message);
  }

  /** Call one of the page's handlers; its errors are reported and don't stop us. */
  #call(name, ...values) {
    try {
      const answer = this.handlers[name]?.(...values);
      return answer instanceof Promise ? answer.catch(reportError) : answer;
    } catch (error) {
      reportError(error);
      return undefined;
    }
  }
}
