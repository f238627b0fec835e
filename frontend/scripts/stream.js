/**
 * Follows topics: each event once, in order, through lost connections, sleep and blocked sockets.
 *
 *   const stream = connect();
 *   const following = stream.follow("function:12", { epoch: 1, after: 41 }, {
 *     onEvent(event) {},         // { seq, type, payload, at }; must be idempotent
 *     onSettled() {},            // all events of this frame have been passed
 *     onReset(info) {},          // { epoch, head, reason }: reload the state; return (a promise of)
 *                                // { epoch, after } to continue from there, or nothing to stop
 *     onState(state, info) {},   // "live" { polling }, "reconnecting" { since } or
 *                                // "replayed" { count, at }, followed by "live"
 *     onRefused(message) {},     // permission denied or withdrawn
 *     onPresence(picture) {},    // { people, others, you }: who is present, see the protocol; pages
 *                                // without this handler are not present themselves
 *   });
 *   following.close();
 *
 * Events are applied per animation frame, and acknowledged afterwards, so a slow or sleeping page gets
 * no more than the server's window. No dependencies. Protocol: docs/stream-protocol.md.
 */

import { Following } from "./following.js";
import { Polling } from "./polling.js";

const DEFAULTS = {
  firstRetryMs: 2_000, // maximal delay of the first attempt, doubled for each later one
  lastRetryMs: 30_000,
  ackMs: 250,
  ackEvents: 32,
  shortestAckMs: 25, // minimum between two acks
  openMs: 10_000, // timeout of connection and greeting
  answerMs: 5_000, // timeout of the ping when the page becomes visible
  failuresBeforePolling: 3, // consecutive connections without a greeting
  pollMs: 2_000,
  socketAgainMs: 60_000, // between attempts while polling, if no socket was ever greeted
  silentHeartbeats: 2.5, // heartbeat periods without a frame after which the connection is dropped
  replayedMs: 4_000, // how long "replayed" is shown before "live"
  pollUrl: (topic, { epoch, after }) =>
    `/api/v1/topics/${encodeURIComponent(topic)}/events?after=${after}&epoch=${epoch}`,
};
// Topics per ack; an ack is a frame per topic, and these in `ackMs` stay below the server's limit.
const ACKS_AT_ONCE = 12;
const TRY_AGAIN_LATER = 1013; // the server's close code while its database is unavailable
// Failures after which delays stop growing.
const MANY_FAILURES = 16;
const WAKING = [
  [document, "visibilitychange"],
  [document, "resume"],
  [window, "online"],
  [window, "pageshow"],
];

/** The socket's address on this page's site. */
function siteSocketUrl() {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/`;
}

export function connect(url = siteSocketUrl(), options = {}) {
  return new Stream(url, { ...DEFAULTS, ...options });
}

let ofThisPage = null;

/** The page's only stream; all subscriptions share its socket. */
export function siteStream() {
  ofThisPage ??= connect();
  return ofThisPage;
}

class Stream {
  constructor(url, options) {
    this.url = url;
    this.options = options;
    this.followings = new Map();
    this.polling = new Polling(this);
    this.socket = null;
    this.isGreeted = false;
    this.hasBeenGreeted = false; // on any connection of this page
    this.failures = 0; // consecutive connections that did not last
    this.unopened = 0; // consecutive connections without a greeting
    this.heartbeatMs = 10_000;
    this.heardAt = 0;
    this.ackedAt = 0;
    this.isClosed = false;
    this.timers = {}; // retry, watch, ack: at most one of each
    this.wake = () => this.lookAlive();
    for (const [target, type] of WAKING) target.addEventListener(type, this.wake);
  }

  follow(topic, position, handlers) {
    if (this.followings.has(topic)) throw new Error(`${topic} is followed already`);
    const following = new Following(this, topic, position, handlers);
    this.followings.set(topic, following);
    this.resume(following);
    if (!this.socket && !this.timers.retry) this.open();
    return following;
  }

  all() {
    return [...this.followings.values()];
  }

  has(following) {
    return this.followings.get(following.topic) === following;
  }

  leave(following) {
    if (!this.has(following)) return;
    this.followings.delete(following.topic);
    following.stop();
    this.send({ type: "unsubscribe", topic: following.topic });
  }

  refuse(following, message) {
    this.followings.delete(following.topic);
    following.refuse(message);
  }

  close() {
    this.isClosed = true;
    for (const following of this.all()) this.leave(following);
    for (const name of Object.keys(this.timers)) this.cancel(name);
    for (const [target, type] of WAKING) target.removeEventListener(type, this.wake);
    this.polling.stop();
    this.drop();
  }

  // --- The connection -------------------------------------------------------------------------

  open() {
    this.cancel("retry");
    if (this.isClosed || this.socket) return;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.isGreeted = false;
    socket.onmessage = ({ data }) => this.socket === socket && this.receive(JSON.parse(data));
    socket.onclose = ({ code }) => this.socket === socket && this.lose(code);
    this.set("watch", () => this.lose(), this.options.openMs);
  }

  /** Close the socket and ignore its later events. */
  drop() {
    const { socket } = this;
    this.socket = null;
    this.isGreeted = false;
    socket?.close();
  }

  lose(code) {
    // A server that closes with TRY_AGAIN_LATER was reached: sockets are not blocked, and polling would fail too.
    if (!this.isGreeted && code !== TRY_AGAIN_LATER) this.unopened += 1;
    this.drop();
    this.cancel("watch");
    this.cancel("ack");
    if (this.isClosed) return;
    if (!this.polling.isOn) for (const following of this.all()) following.interrupt();
    if (this.unopened < this.options.failuresBeforePolling) {
      this.retryLater();
      return;
    }
    // If a socket has worked before, the server was unreachable and sockets are not blocked.
    if (this.hasBeenGreeted) this.retryLater();
    else this.set("retry", () => this.open(), this.options.socketAgainMs);
    this.polling.start();
  }

  retryLater() {
    // Random, so that pages that lost their connections together don't return together.
    const { firstRetryMs, lastRetryMs } = this.options;
    const longest = Math.min(lastRetryMs, firstRetryMs * 2 ** this.failures);
    this.failures += 1;
    this.set("retry", () => this.open(), Math.random() * longest);
  }

  /** Handle the server's limit of sockets: poll, and retry after the longest delay. */
  isTooMany() {
    this.unopened = this.options.failuresBeforePolling;
    this.failures = MANY_FAILURES;
  }

  /** Handle failed polling: the server is unreachable, so try a socket and polling in turn. */
  pollingFailed() {
    this.polling.stop();
    this.unopened = this.options.failuresBeforePolling - 1;
    this.retryLater();
  }

  /** Check the connection when the page becomes visible or the network returns, as timers may have slept. */
  lookAlive() {
    if (this.isClosed || document.hidden) return;
    if (this.polling.isOn) this.polling.soon(0);
    if (this.timers.retry) this.open();
    else if (this.isGreeted && Date.now() - this.heardAt > this.heartbeatMs * 1.5) {
      this.lose();
      this.open();
    } else if (this.isGreeted) {
      // The connection may be dead: sockets don't notice a change of network.
      this.send({ type: "ping" });
      this.set("watch", () => this.lose(), this.options.answerMs);
    }
  }

  resume(following) {
    if (this.isGreeted) this.subscribe(following);
  }

  subscribe(following) {
    following.isResyncing = true;
    following.behindAt = null;
    const present = following.isPresent || undefined;
    this.send({ type: "subscribe", topic: following.topic, ...following.position, present });
  }

  send(frame) {
    if (this.isGreeted && this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(frame));
    }
  }

  // --- Frames of the server -------------------------------------------------------------------

  receive(frame) {
    this.heardAt = Date.now();
    const following = this.followings.get(frame.topic);
    switch (frame.type) {
      case "hello":
        this.greeted(frame);
        break;
      case "events":
        if (following?.epoch === frame.epoch) this.take(following, frame.events);
        break;
      case "caught_up":
        this.failures = 0;
        following?.reach(frame.head);
        break;
      case "heartbeat":
        this.acknowledge(); // a hidden page's timers may sleep for a minute
        this.compare(frame.heads);
        break;
      case "presence":
        following?.look(frame);
        break;
      case "reset":
        following?.reset(frame);
        break;
      case "error":
        if (following) this.refuse(following, frame.message);
        else if (frame.code === "too_many_connections") this.isTooMany();
        break;
    }
    if (this.isGreeted) this.set("watch", () => this.lose(), this.heartbeatMs * this.options.silentHeartbeats);
  }

  greeted({ heartbeat_seconds: seconds }) {
    this.isGreeted = this.hasBeenGreeted = true;
    this.unopened = 0;
    this.heartbeatMs = seconds * 1_000;
    this.polling.stop();
    for (const following of this.all()) {
      following.acked = following.received;
      if (!following.isPaused) this.subscribe(following);
    }
  }

  take(following, events) {
    // All of it is known: it was sent again because an ack was lost or not sent.
    if (events.at(-1).seq <= following.applied) this.sendAck(following);
    const isWhole = following.take(events);
    if (!isWhole && !following.isResyncing) this.subscribe(following);
  }

  /** Resubscribe to topics that are behind their head and have not moved since the last heartbeat. */
  compare(heads) {
    for (const [topic, head] of Object.entries(heads)) {
      const following = this.followings.get(topic);
      if (!following || following.isPaused) continue;
      // While events wait to be applied, the server rightly holds back later ones.
      const isBehind = following.received < head && !following.waiting.length;
      if (isBehind && following.behindAt === following.received) this.subscribe(following);
      else following.behindAt = isBehind ? following.received : null;
    }
  }

  // --- Acknowledgements -----------------------------------------------------------------------

  acknowledgeSoon({ applied, acked }) {
    if (applied <= acked) return;
    const { ackMs, ackEvents, shortestAckMs } = this.options;
    const unspoken = Date.now() - this.ackedAt;
    const pause = ackMs * Math.ceil(this.followings.size / ACKS_AT_ONCE);
    if (unspoken >= pause || (applied - acked >= ackEvents && unspoken >= shortestAckMs)) {
      this.acknowledge();
    } else if (!this.timers.ack) {
      this.set("ack", () => this.acknowledge(), pause - unspoken);
    }
  }

  acknowledge() {
    this.cancel("ack");
    for (const following of this.all()) if (following.applied > following.acked) this.sendAck(following);
  }

  sendAck(following) {
    this.ackedAt = Date.now();
    following.acked = Math.max(following.acked, following.applied);
    this.send({ type: "ack", topic: following.topic, seq: following.applied });
  }

  // --- Timers ---------------------------------------------------------------------------------

  set(name, action, delayMs) {
    this.cancel(name);
    this.timers[name] = setTimeout(() => {
      delete this.timers[name];
      action();
    }, delayMs);
  }

  cancel(name) {
    clearTimeout(this.timers[name]);
    delete this.timers[name];
  }
}
