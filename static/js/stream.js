/**
 * Follows topics: each event once, in order, through lost connections, sleep and blocked sockets.
 *
 *   const stream = connect();
 *   const following = stream.follow('function:12', { epoch: 1, after: 41 }, {
 *     onEvent(event) {},         // { seq, type, payload, at }; must set, never add
 *     onReset(info) {},          // { epoch, head, reason }: fetch the state anew; return (a promise
 *                                // of) { epoch, after } to go on from there, or nothing to stop
 *     onState(state, info) {},   // 'live' { polling }, 'reconnecting' { since } or
 *                                // 'replayed' { count, at }, which turns into 'live' by itself
 *     onRefused(message) {},     // not allowed, or not any more
 *   });
 *   following.close();
 *
 * No dependencies. The protocol is described in docs/stream-protocol.md.
 */

const DEFAULTS = {
  firstRetryMs: 2_000, // the first attempt comes within this, later ones within twice as much each
  lastRetryMs: 30_000,
  ackMs: 250,
  ackEvents: 32,
  openMs: 10_000, // to connect and be greeted
  failuresBeforePolling: 3, // connections in a row that never got through
  pollMs: 2_000,
  socketAgainMs: 60_000, // while polling, where no socket has ever been opened
  silentHeartbeats: 2.5, // without a frame for so long, the server is taken to be gone
  replayedMs: 4_000, // how long "replayed" is shown before "live"
  pollUrl: (topic, { epoch, after }) =>
    `/api/v1/topics/${encodeURIComponent(topic)}/events?after=${after}&epoch=${epoch}`,
};

/** The socket's address on the site that this page comes from. */
function siteSocketUrl() {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws/`;
}

export function connect(url = siteSocketUrl(), options = {}) {
  return new Stream(url, { ...DEFAULTS, ...options });
}

/** One topic as this page follows it; `last` is the sequence that has been applied. */
class Following {
  constructor(stream, topic, { epoch = 1, after = 0 }, handlers) {
    this.topic = topic;
    this.handlers = handlers;
    this.stream = stream;
    this.epoch = epoch;
    this.last = after;
    this.acked = after;
    this.isPaused = false; // between a reset and the state fetched anew
    this.isResyncing = false; // asked again: what is on its way may have a gap
    this.behindAt = null; // where it was at the last heartbeat, if that told of more
    this.interruptedAt = null; // when the connection was lost
    this.replayed = 0; // events applied since it came back
    this.state = null;
    this.isByPolling = false;
    this.replayedTimer = null;
  }

  get position() {
    return { epoch: this.epoch, after: this.last };
  }

  close() {
    this.stream.leave(this);
  }

  /** Apply what comes next, drop what is known; false at a gap. */
  apply(events) {
    for (const event of events) {
      if (this.isPaused || event.seq <= this.last) continue;
      if (event.seq > this.last + 1) return false;
      this.isResyncing = false;
      // An error in the page must not end the stream: it is reported, and the event counts as seen.
      this.call('onEvent', event);
      this.last = event.seq;
      if (this.interruptedAt !== null) this.replayed += 1;
    }
    return true;
  }

  /** The connection is gone; what is shown is as of now. */
  interrupt() {
    if (this.interruptedAt === null) this.interruptedAt = new Date();
    this.show('reconnecting', { since: this.interruptedAt });
  }

  /** All that there was has been applied. */
  caughtUp(polling = false) {
    const { replayed } = this;
    this.interruptedAt = null;
    this.replayed = 0;
    this.behindAt = null;
    if (replayed > 0) {
      this.show('replayed', { count: replayed, at: new Date() });
      const { replayedMs } = this.stream.options;
      this.replayedTimer = setTimeout(() => this.show('live', { polling }), replayedMs);
    } else if (this.state !== 'replayed') {
      this.show('live', { polling });
    }
  }

  show(state, info) {
    const isByPolling = Boolean(info.polling);
    if (state === this.state && isByPolling === this.isByPolling && state !== 'replayed') return;
    clearTimeout(this.replayedTimer);
    this.state = state;
    this.isByPolling = isByPolling;
    this.call('onState', state, info);
  }

  /** Stop until the page says where to go on. */
  async reset({ epoch, head, reason }) {
    if (this.isPaused) return;
    this.isPaused = true;
    const position = await this.call('onReset', { epoch, head, reason });
    if (!position || this.stream.followings.get(this.topic) !== this) return;
    this.epoch = position.epoch;
    this.last = this.acked = position.after;
    this.isPaused = false;
    this.stream.resume(this);
  }

  /** Call one of the page's handlers; its errors are the page's. */
  call(name, ...values) {
    try {
      const answer = this.handlers[name]?.(...values);
      return answer instanceof Promise ? answer.catch(reportError) : answer;
    } catch (error) {
      reportError(error);
      return undefined;
    }
  }
}

class Stream {
  constructor(url, options) {
    this.url = url;
    this.options = options;
    this.followings = new Map();
    this.socket = null;
    this.isGreeted = false;
    this.hasBeenGreeted = false; // ever, by this page
    this.failures = 0; // connections in a row that did not last
    this.unopened = 0; // connections in a row that were not even greeted
    this.heartbeatMs = 10_000;
    this.heardAt = 0;
    this.isPolling = false;
    this.isClosed = false;
    this.timers = {}; // retry, watch, ack, poll: at most one of each
    this.wake = () => this.lookAlive();
    document.addEventListener('visibilitychange', this.wake);
    addEventListener('online', this.wake);
    addEventListener('pageshow', this.wake);
  }

  follow(topic, position, handlers) {
    if (this.followings.has(topic)) throw new Error(`${topic} is followed already`);
    const following = new Following(this, topic, position, handlers);
    this.followings.set(topic, following);
    this.resume(following);
    if (!this.socket && !this.timers.retry) this.open();
    return following;
  }

  leave(following) {
    if (this.followings.get(following.topic) !== following) return;
    this.followings.delete(following.topic);
    clearTimeout(following.replayedTimer);
    this.send({ type: 'unsubscribe', topic: following.topic });
  }

  close() {
    this.isClosed = true;
    for (const following of [...this.followings.values()]) this.leave(following);
    for (const name of Object.keys(this.timers)) this.cancel(name);
    document.removeEventListener('visibilitychange', this.wake);
    removeEventListener('online', this.wake);
    removeEventListener('pageshow', this.wake);
    this.drop();
  }

  // --- The connection -------------------------------------------------------------------------

  open() {
    this.cancel('retry');
    if (this.isClosed || this.socket) return;
    const socket = new WebSocket(this.url);
    this.socket = socket;
    this.isGreeted = false;
    socket.onmessage = ({ data }) => this.socket === socket && this.receive(JSON.parse(data));
    socket.onclose = () => this.socket === socket && this.lose();
    this.set('watch', () => this.lose(), this.options.openMs);
  }

  /** Let go of the socket; nothing that it may still bring is heard. */
  drop() {
    const { socket } = this;
    this.socket = null;
    this.isGreeted = false;
    socket?.close();
  }

  lose() {
    if (!this.isGreeted) this.unopened += 1;
    this.drop();
    this.cancel('watch');
    this.cancel('ack');
    if (this.isClosed) return;
    if (!this.isPolling) for (const following of this.followings.values()) following.interrupt();
    if (this.unopened >= this.options.failuresBeforePolling) this.startPolling();
    else this.retryLater();
  }

  retryLater() {
    // Drawn anew each time: pages that were dropped together must not come back together.
    const { firstRetryMs, lastRetryMs } = this.options;
    const longest = Math.min(lastRetryMs, firstRetryMs * 2 ** this.failures);
    this.failures += 1;
    this.set('retry', () => this.open(), Math.random() * longest);
  }

  /** The page is looked at again, or the network is back: do not wait for timers that slept. */
  lookAlive() {
    if (this.isClosed || document.visibilityState === 'hidden') return;
    if (this.isPolling) this.set('poll', () => this.poll(), 0);
    else if (this.timers.retry) this.open();
    else if (this.isGreeted && Date.now() - this.heardAt > this.heartbeatMs * 1.5) {
      this.lose();
      this.open();
    }
  }

  resume(following) {
    if (this.isGreeted) this.subscribe(following);
  }

  subscribe(following) {
    following.isResyncing = true;
    following.behindAt = null;
    this.send({ type: 'subscribe', topic: following.topic, ...following.position });
  }

  send(frame) {
    if (this.isGreeted && this.socket.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(frame));
    }
  }

  // --- What the server says -------------------------------------------------------------------

  receive(frame) {
    this.heardAt = Date.now();
    const following = this.followings.get(frame.topic);
    switch (frame.type) {
      case 'hello':
        this.greeted(frame);
        break;
      case 'events':
        if (following?.epoch === frame.epoch) this.take(following, frame.events);
        break;
      case 'caught_up':
        this.failures = 0;
        if (following && following.last >= frame.head) following.caughtUp();
        break;
      case 'heartbeat':
        this.compare(frame.heads);
        break;
      case 'reset':
        following?.reset(frame);
        break;
      case 'error':
        if (following) this.refuse(following, frame.message);
        break;
    }
    if (this.isGreeted) this.watch();
  }

  greeted({ heartbeat_seconds: seconds }) {
    this.isGreeted = this.hasBeenGreeted = true;
    this.unopened = 0;
    this.heartbeatMs = seconds * 1_000;
    this.stopPolling();
    for (const following of this.followings.values()) {
      following.acked = following.last;
      if (!following.isPaused) this.subscribe(following);
    }
  }

  watch() {
    this.set('watch', () => this.lose(), this.heartbeatMs * this.options.silentHeartbeats);
  }

  take(following, events) {
    const isWhole = following.apply(events);
    if (!isWhole && !following.isResyncing) this.subscribe(following);
    if (following.last - following.acked >= this.options.ackEvents) this.acknowledge();
    else if (following.last > following.acked && !this.timers.ack) {
      this.set('ack', () => this.acknowledge(), this.options.ackMs);
    }
  }

  acknowledge() {
    this.cancel('ack');
    for (const following of this.followings.values()) {
      if (following.last <= following.acked) continue;
      following.acked = following.last;
      this.send({ type: 'ack', topic: following.topic, seq: following.last });
    }
  }

  /** Ask anew for a topic that is behind its head and has not moved since the last heartbeat. */
  compare(heads) {
    for (const [topic, head] of Object.entries(heads)) {
      const following = this.followings.get(topic);
      if (!following || following.isPaused) continue;
      const isBehind = following.last < head;
      if (isBehind && following.behindAt === following.last) this.subscribe(following);
      else following.behindAt = isBehind ? following.last : null;
    }
  }

  refuse(following, message) {
    this.followings.delete(following.topic);
    clearTimeout(following.replayedTimer);
    following.call('onRefused', message);
  }

  // --- Where sockets are blocked --------------------------------------------------------------

  startPolling() {
    // Where a socket has worked before, it is the server that was away, not sockets that are blocked.
    if (this.hasBeenGreeted) this.retryLater();
    else this.set('retry', () => this.open(), this.options.socketAgainMs);
    if (this.isPolling) return;
    this.isPolling = true;
    this.set('poll', () => this.poll(), 0);
  }

  stopPolling() {
    this.isPolling = false;
    this.cancel('poll');
  }

  async poll() {
    this.cancel('poll');
    const followings = [...this.followings.values()].filter((following) => !following.isPaused);
    const answers = await Promise.all(followings.map((following) => this.pollOne(following)));
    // Looked at again meanwhile, or sockets work again: another has taken over.
    if (!this.isPolling || this.timers.poll) return;
    if (answers.length > 0 && answers.every((answer) => answer === 'failed')) {
      // Not sockets are blocked, the server is away: one attempt at a socket, one at polling.
      this.stopPolling();
      this.unopened = this.options.failuresBeforePolling - 1;
      this.retryLater();
    } else {
      this.set('poll', () => this.poll(), answers.includes('more') ? 0 : this.options.pollMs);
    }
  }

  /** Take what there is for one topic; says 'more', 'done' or 'failed'. */
  async pollOne(following) {
    const { topic, position } = following;
    const { status, answer } = await this.fetchEvents(topic, position);
    const isStale = !this.isPolling || this.followings.get(topic) !== following;
    if (isStale || following.isPaused) return 'done';
    if (status === 403 || status === 404) {
      this.refuse(following, answer?.detail ?? 'this topic is not for you');
    } else if (status !== 200) {
      following.interrupt();
      return 'failed';
    } else if (answer.reset) {
      following.reset(answer);
    } else if (following.apply(answer.events) && following.last < answer.head) {
      return 'more';
    } else {
      following.caughtUp(true);
    }
    return 'done';
  }

  async fetchEvents(topic, position) {
    try {
      const response = await fetch(this.options.pollUrl(topic, position), { cache: 'no-store' });
      return { status: response.status, answer: await response.json() };
    } catch {
      return { status: 0, answer: null };
    }
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
