// The browser's client of the streams: nothing lost, nothing doubled, and nobody overwhelmed.

import assert from "node:assert/strict";
import { test } from "node:test";

// The page before the scripts, which look for it as they are loaded.
import { HEARTBEAT_SECONDS, Log, Page, WINDOW } from "./page.mjs";
import { connect } from "../../frontend/scripts/stream.js";

const TOPIC = "open:a";
const HEARTBEAT_MS = HEARTBEAT_SECONDS * 1_000;
const TRY_AGAIN_LATER = 1013;

/** A page that follows a topic, and notes all that it is told. */
async function following(t, { position, options, onSocket, ...rest } = {}) {
  const page = new Page(t, rest);
  const log = new Log(TOPIC);
  const seen = [];
  const states = [];
  const resets = [];
  const refusals = [];
  page.onSocket = onSocket ? (socket, number) => onSocket(log, socket, number) : (socket) => log.serve(socket);
  page.onFetch = async (url) => log.answer(url);
  const stream = connect("ws://site.test/ws/", options);
  t.after(() => stream.close());
  const follow = stream.follow(TOPIC, { epoch: 1, after: 0, ...position }, {
    onEvent: ({ seq, payload }) => {
      seen.push(seq);
      if (payload.text === "poison") throw new Error("the page stumbles");
    },
    onReset: (info) => {
      resets.push(info);
      return Promise.resolve({ epoch: info.epoch, after: info.head });
    },
    onState: (state, info) => states.push([state, info]),
    onRefused: (message) => refusals.push(message),
  });
  const sent = (type) => page.sockets.flatMap((socket) => socket.sent).filter((one) => one.type === type);
  return {
    page, log, seen, states, resets, refusals, stream, follow, sent,
    acks: () => sent("ack").map(({ seq }) => seq),
    names: () => states.map(([name]) => name),
    isPolling: () => Boolean(states.at(-1)?.[1].polling),
  };
}

const upTo = (last, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
const many = (count) => Array(count).fill("x");

/** Serve the first socket another way than those that follow it. */
const firstOtherwise = (other) => (log, socket, number) =>
  number === 1 ? other(log, socket) : log.serve(socket);

test("a server that falls silent is left for one that speaks", async (t) => {
  // Open, and mute from the first event on: nothing but the silence tells.
  const { page, log, seen, names } = await following(t, {
    onSocket: firstOtherwise((log, socket) => {
      let isMute = false;
      log.serve(socket, (frame) => {
        isMute ||= frame.type === "events";
        if (!isMute) socket.say(frame);
      });
    }),
  });
  await page.pass(100);
  log.write("unheard");
  await page.pass(4 * HEARTBEAT_MS);
  assert.deepEqual(seen, [1]);
  assert.equal(page.sockets.length, 2);
  assert.deepEqual(names().slice(0, 2), ["live", "reconnecting"]);
});

test("frames lost, doubled and out of order show nothing wrong", async (t) => {
  let frames = 0;
  const held = [];
  const { page, log, seen } = await following(t, {
    onSocket: (log, socket) =>
      log.serve(socket, (frame) => {
        if (frame.type !== "events") return socket.say(frame);
        frames += 1;
        if (frames % 4 === 0) return undefined; // lost
        if (frames % 4 === 2) return held.push(frame); // late
        if (frames % 4 === 1) socket.say(frame); // twice
        socket.say(frame);
        while (held.length) socket.say(held.pop());
        return undefined;
      }),
  });
  for (const number of upTo(24)) {
    log.write(`number ${number}`);
    await page.pass(20);
  }
  assert.ok(seen.length >= 20, "a gap is asked for at once");
  await page.pass(6 * HEARTBEAT_MS); // heartbeats tell of a lost tail
  assert.deepEqual(seen, upTo(24));
});

test("a server that says to try again later is not taken for blocked sockets", async (t) => {
  const { page, names, isPolling } = await following(t, {
    // One attempt more than makes a page poll.
    onSocket: (log, socket, number) => (number <= 4 ? socket.end(TRY_AGAIN_LATER) : log.serve(socket)),
  });
  await page.pass(60_000);
  assert.equal(names().at(-1), "live");
  assert.ok(!isPolling());
  assert.equal(page.sockets.length, 5);
  assert.deepEqual(page.asked, []);
});

for (const answers of [false, true]) {
  const said = answers ? "answers otherwise" : "is away";
  test(`a server that had sockets and long ${said} is not taken for blocked sockets`, async (t) => {
    let isAway = false;
    const { page, log, seen, states, names, isPolling } = await following(t, {
      onSocket: (log, socket) => (isAway ? socket.end() : log.serve(socket)),
      options: { socketAgainMs: 10 ** 9 },
    });
    await page.pass(100);
    isAway = true;
    if (!answers) page.onFetch = () => Promise.reject(new TypeError("nothing answers"));
    page.sockets[0].end();
    await page.pass(300_000); // many attempts at a socket, and some at polling
    assert.deepEqual([...new Set(names())], ["live", "reconnecting"]);
    assert.equal(states.at(-1)[0], answers ? "live" : "reconnecting");
    assert.ok(page.sockets.length > 5);
    isAway = false;
    log.write("y");
    await page.pass(60_000);
    assert.deepEqual(seen, [1]);
    assert.equal(names().at(-1), "live");
    assert.ok(!isPolling());
  });
}

test("where neither sockets nor answers get through, both are tried again by turns", async (t) => {
  const { page, log, seen } = await following(t, {
    onSocket: (log, socket) => socket.end(),
    options: { socketAgainMs: 10 ** 9 },
  });
  page.onFetch = () => Promise.reject(new TypeError("nothing answers"));
  await page.pass(300_000);
  assert.ok(page.sockets.length > 5);
  assert.ok(page.asked.length > 5);
  page.onSocket = (socket) => log.serve(socket);
  log.write("x");
  await page.pass(60_000);
  assert.deepEqual(seen, [1]);
});

test("a reset asks the page where to go on", async (t) => {
  const { page, log, seen, resets } = await following(t, { position: { after: 99 }, onSocket: (log, socket) => {
    log.write("x", "y");
    log.serve(socket);
  } });
  await page.pass(100);
  assert.deepEqual(resets, [{ epoch: 1, head: 2, reason: "future" }]);
  log.write("z");
  await page.pass(100);
  assert.deepEqual(seen, [3]);
});

test("another history is noticed by an open page", async (t) => {
  const { page, log, seen, resets } = await following(t);
  log.write("x");
  await page.pass(100);
  log.epoch = 2;
  page.sockets[0].say({ type: "reset", topic: TOPIC, epoch: 2, head: 1, reason: "epoch" });
  await page.pass(100);
  const former = { type: "events", topic: TOPIC, epoch: 1, events: [{ seq: 2, payload: {} }] };
  page.sockets[0].say(former); // was on its way
  await page.pass(100);
  assert.deepEqual(seen, [1]);
  log.write("y");
  await page.pass(100);
  assert.equal(resets.length, 1);
  assert.deepEqual(seen, [1, 2]);
});

test("a topic that is not for the reader is refused in the page", async (t) => {
  const { page, refusals, names } = await following(t, {
    onSocket: (log, socket) => {
      socket.onFrame = ({ topic }) => socket.say({ type: "error", code: "forbidden", message: "no", topic });
      socket.greet();
    },
  });
  await page.pass(1_000);
  assert.deepEqual(refusals, ["no"]);
  assert.deepEqual(names(), []);
});

test("a tab that slept catches up when it is looked at", async (t) => {
  // The retry is far away: only being looked at brings the connection back so soon.
  const { page, log, seen } = await following(t, { options: { firstRetryMs: 1e9, lastRetryMs: 1e9 } });
  await page.pass(100);
  page.sockets[0].end();
  log.write("while it slept");
  await page.pass(10_000);
  assert.deepEqual(seen, []);
  page.look();
  await page.pass(100);
  assert.deepEqual(seen, [1]);
});

test("a page that is looked at again does not wait for silence", async (t) => {
  // The first socket's network is gone, and nobody tells: what is said is heard by nobody.
  const { page, log, seen } = await following(t, {
    options: { silentHeartbeats: 1e4, answerMs: 200 },
    onSocket: firstOtherwise((log, socket) =>
      log.serve(socket, (frame) => ["events", "heartbeat"].includes(frame.type) || socket.say(frame)),
    ),
  });
  await page.pass(100);
  log.write("unheard");
  await page.pass(1_000);
  page.look();
  await page.pass(5_000);
  assert.deepEqual(seen, [1]);
  assert.equal(page.sockets.length, 2);
});

test("a page that stumbles over an event goes on with the next", async (t) => {
  const { page, log, seen } = await following(t);
  log.write("x", "poison", "y");
  await page.pass(100);
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(page.errors, ["the page stumbles"]);
});

test("retries are drawn from a growing bound", async (t) => {
  const opened = [];
  const { page } = await following(t, {
    drawn: 0.25,
    options: { firstRetryMs: 400, lastRetryMs: 1_600, failuresBeforePolling: 99 },
    onSocket: (log, socket) => {
      opened.push(Date.now());
      socket.end();
    },
  });
  await page.pass(3_000);
  const pauses = opened.slice(1, 6).map((at, nth) => at - opened[nth]);
  assert.deepEqual(pauses, [100, 200, 400, 400, 400]);
});

test("one socket too many asks instead", async (t) => {
  const { page, log, seen, isPolling, names } = await following(t, {
    options: { socketAgainMs: 1e9 },
    onSocket: (log, socket) => {
      socket.say({ type: "error", code: "too_many_connections", message: "no" });
      socket.end(4423);
    },
  });
  log.write("x");
  await page.pass(10_000);
  assert.deepEqual(seen, [1]);
  assert.equal(names().at(-1), "live");
  assert.ok(isPolling());
  assert.equal(page.sockets.length, 1);
});

test("what was applied is acknowledged cumulatively", async (t) => {
  const { page, log, acks } = await following(t);
  await page.pass(100);
  for (let count = 0; count < 10; count += 1) {
    log.write("x");
    await page.pass(50);
  }
  await page.pass(1_000);
  assert.ok(acks().length < 10);
  assert.deepEqual(acks(), [...acks()].sort((one, other) => one - other));
  assert.equal(acks().at(-1), 10);
});

test("what a hidden tab gets is acknowledged without a timer", async (t) => {
  // A hidden page's timers sleep for up to a minute; this one sleeps for good.
  const { page, log, seen, acks } = await following(t, { options: { ackMs: 1e9 } });
  await page.pass(100);
  page.look(false);
  log.write("alone");
  await page.pass(100);
  log.beat(page.sockets[0]);
  await page.pass(100);
  assert.deepEqual(seen, [1]);
  assert.deepEqual(acks(), [1]);
});

test("no window is ever full for a page that keeps up", async (t) => {
  const { page, log, seen, acks } = await following(t);
  await page.pass(100);
  for (let count = 0; count < 20; count += 1) {
    log.write(...many(100));
    await page.pass(40);
    assert.ok(log.head - log.places.get(page.sockets[0]).acked < WINDOW);
  }
  await page.pass(1_000);
  assert.deepEqual(seen, upTo(2_000));
  assert.equal(acks().at(-1), 2_000);
});

test("nothing is acknowledged before it is applied", async (t) => {
  const { page, log, seen, follow, acks } = await following(t);
  await page.pass(100);
  // No frame is drawn for a while: the page holds what it is sent, which is all it may be sent.
  page.draws = false;
  log.write(...many(1_000));
  await page.pass(200);
  assert.deepEqual(seen, []);
  assert.deepEqual(acks(), []);
  assert.equal(follow.waiting.length, WINDOW);
});

test("what is sent again is shown once and acknowledged again", async (t) => {
  const frames = [];
  const { page, log, seen, acks } = await following(t, {
    onSocket: (log, socket) =>
      log.serve(socket, (frame) => {
        if (frame.type === "events") frames.push(frame);
        socket.say(frame);
      }),
  });
  await page.pass(100);
  log.write("x", "y");
  await page.pass(1_000);
  const before = acks().length;
  assert.equal(acks().at(-1), 2);
  for (const frame of frames) page.sockets[0].say(frame);
  await page.pass(1_000);
  assert.ok(acks().slice(before).includes(2));
  assert.deepEqual(seen, [1, 2]);
});
