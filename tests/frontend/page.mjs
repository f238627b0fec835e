// A page for our scripts under Node: a clock that the test turns, sockets whose other end it holds.

export const WINDOW = 256; // events that the server lets go unacknowledged
export const HEARTBEAT_SECONDS = 10;

let current; // the page of the test that runs
const { random } = Math;
const real = { setTimeout, clearTimeout, now: Date.now };

/** What our scripts find in a browser. They may ask for it as they are loaded: import this before. */
Object.assign(globalThis, {
  document: Object.assign(new EventTarget(), { hidden: false }),
  window: new EventTarget(),
  location: { protocol: "http:", host: "site.test" },
  reportError: (error) => current.errors.push(error.message),
  requestAnimationFrame: (action) => (current.draws ? setTimeout(action, 16) : 0),
  cancelAnimationFrame: (frame) => clearTimeout(frame),
  fetch: async (url) => {
    current.asked.push(url);
    const body = await current.onFetch(url);
    return { status: 200, json: async () => body };
  },
});

/** A page of one test: it has a clock of its own, which stands still until `pass`. */
export class Page {
  sockets = []; // all that were ever opened, the newest last
  asked = []; // the addresses that were fetched
  errors = []; // what was reported
  draws = true; // whether frames are drawn
  onSocket = (socket) => socket.greet();
  onFetch = async () => ({});
  #now = 1_000_000;
  #timers = new Map();

  constructor(t, { drawn = 0.5 } = {}) {
    current = this;
    document.hidden = false;
    let last = 0;
    globalThis.setTimeout = (action, pause) => {
      this.#timers.set((last += 1), { action, at: this.#now + pause });
      return last;
    };
    globalThis.clearTimeout = (timer) => this.#timers.delete(timer);
    Date.now = performance.now = () => this.#now;
    Math.random = () => drawn;
    t.after(() => {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      Object.assign(Date, { now: real.now });
      Object.assign(Math, { random });
    });
  }

  /** Let so much time pass: whatever is due happens in its order, and promises are kept. */
  async pass(milliseconds) {
    const until = this.#now + milliseconds;
    for (;;) {
      for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
      const due = [...this.#timers].filter(([, { at }]) => at <= until);
      if (!due.length) break;
      const [timer, { action, at }] = due.reduce((one, other) => (other[1].at < one[1].at ? other : one));
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, at);
      action();
    }
    this.#now = until;
  }

  /** Look at the page, or away from it. */
  look(isLookedAt = true) {
    document.hidden = !isLookedAt;
    document.dispatchEvent(new Event("visibilitychange"));
  }
}

/** The page's end of a socket; the test and `Log` speak for the server. */
globalThis.WebSocket = class {
  static OPEN = 1;

  readyState = 1;
  sent = []; // the frames that the page has sent
  onFrame = () => {};

  constructor() {
    current.sockets.push(this);
    // As in a browser, nothing comes before whoever opened it listens.
    setTimeout(() => current.onSocket(this, current.sockets.length), 0);
  }

  greet() {
    this.say({ type: "hello", heartbeat_seconds: HEARTBEAT_SECONDS });
  }

  send(text) {
    const frame = JSON.parse(text);
    this.sent.push(frame);
    setTimeout(() => this.readyState === 1 && this.onFrame(frame), 1);
  }

  say(frame) {
    if (this.readyState === 1) this.onmessage({ data: JSON.stringify(frame) });
  }

  /** Close it, as the server does. */
  end(code = 1006) {
    this.readyState = 3;
    this.onclose({ code });
  }

  close() {
    this.readyState = 3;
  }
};

/** A topic's log and who follows it: the server's part of the protocol, windows included. */
export class Log {
  constructor(topic, epoch = 1) {
    this.topic = topic;
    this.epoch = epoch;
    this.events = [];
    this.places = new Map(); // of each socket: how far it was sent, and what it acknowledged
  }

  get head() {
    return this.events.length;
  }

  write(...texts) {
    for (const text of texts) {
      this.events.push({ seq: this.head + 1, type: "notice", payload: { text } });
    }
    for (const socket of this.places.keys()) this.#send(socket);
  }

  /** Serve a socket; `pass` may keep a frame back, or say it otherwise. */
  serve(socket, pass = (frame) => socket.say(frame)) {
    socket.pass = pass;
    socket.onFrame = (frame) => this.#hear(socket, frame);
    socket.greet();
    this.#beatLater(socket);
  }

  beat(socket) {
    socket.pass({ type: "heartbeat", heads: { [this.topic]: this.head } });
  }

  #beatLater(socket) {
    setTimeout(() => {
      if (socket.readyState !== 1) return;
      this.beat(socket);
      this.#beatLater(socket);
    }, HEARTBEAT_SECONDS * 1_000);
  }

  #hear(socket, frame) {
    if (frame.type === "ping") this.beat(socket);
    if (frame.type === "ack") {
      const place = this.places.get(socket);
      place.acked = Math.max(place.acked, frame.seq);
      this.#send(socket);
    }
    if (frame.type !== "subscribe") return;
    const { epoch, after } = frame;
    if (epoch !== this.epoch || after > this.head) {
      const reason = epoch === this.epoch ? "future" : "epoch";
      socket.pass({ type: "reset", topic: this.topic, epoch: this.epoch, head: this.head, reason });
      return;
    }
    this.places.set(socket, { sent: after, acked: after, until: this.head });
    this.#send(socket);
  }

  #send(socket) {
    const place = this.places.get(socket);
    const upTo = Math.min(this.head, place.acked + WINDOW);
    if (upTo > place.sent) {
      const events = this.events.slice(place.sent, upTo);
      place.sent = upTo;
      socket.pass({ type: "events", topic: this.topic, epoch: this.epoch, events });
    }
    if (place.until !== null && place.sent >= place.until) {
      socket.pass({ type: "caught_up", topic: this.topic, head: place.until });
      place.until = null;
    }
  }

  /** Answer a question for events, as the site does where there is no socket. */
  answer(url) {
    const { searchParams } = new URL(url, "http://site.test");
    const after = Number(searchParams.get("after"));
    return { head: this.head, epoch: this.epoch, events: this.events.slice(after, after + 300) };
  }
}
