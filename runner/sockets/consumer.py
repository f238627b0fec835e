"""Serves one socket: authorises its client and sends the events of the topics it follows.

No events are queued for a client. A connection stores the position up to which it has sent each
topic; one task reads the next events when there are any, the socket has drained and the topic's
window has room. So a slow client costs a constant amount of memory, and replaying old events and
sending new ones is the same. See docs/streams.md.
"""

import asyncio
import logging
import math
import random
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any

from runner.events import topics
from runner.events.topics import Actor, TopicState
from runner.sockets import frames, topic_log
from runner.sockets.authorization import AccessCheck, permissions
from runner.sockets.cookies import session_key_of
from runner.sockets.flow_control import Window
from runner.sockets.frames import Code, ProtocolError
from runner.sockets.limits import TokenBucket, connection_limits
from runner.sockets.socket_writer import Send, SocketWriter
from runner.sockets.subscriptions import subscription_manager
from runner.sockets.topic_log import DATABASE_AWAY, LogReset, TopicLog

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
REAUTHORISE_SECONDS = 60.0
TICK_SECONDS = 0.25  # timers are rounded up to this, so that connections share wake-ups
MAX_TOPICS = 50
MAX_REPLIES = 2 * MAX_TOPICS
FRAMES_PER_SECOND = 100
FRAMES_AT_ONCE = 300
SUBSCRIBE_COST = 5  # in frames; it queries the database
TRY_AGAIN_LATER = 1013
UNEXPECTED = 1011

FORBIDDEN = "this topic doesn't exist, or you may not follow it"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


@dataclass(slots=True, eq=False)
class Subscription:
    """One connection's subscription to one topic."""

    log: TopicLog
    window: Window
    catch_up_seq: int | None  # the head at the time of subscription, until it is reached


async def serve_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one socket (an ASGI application) until it is closed."""
    session_key = session_key_of(scope["headers"])
    try:
        actor = await permissions().user_of_session(session_key)
        limit = await permissions().socket_limit(actor)
    except DATABASE_AWAY as error:
        log.warning("socket rejected, the database does not answer: %r", error)
        await receive()  # websocket.connect
        await SocketWriter(send).reject(TRY_AGAIN_LATER, "try again later")
        return
    await TopicsConsumer(actor, session_key, receive, send).serve(scope.get("client"), limit)


class TopicsConsumer:
    """One socket, which follows up to MAX_TOPICS topics.

    One task reads the client's frames and never waits for the socket to drain; another one sends.
    """

    def __init__(self, actor: Actor, session_key: str, receive: Receive, send: Send) -> None:
        self.actor = actor
        self.subscriptions: dict[str, Subscription] = {}
        self._session_key = session_key
        self._receive = receive
        self._writer = SocketWriter(send)
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.time
        self._notified: dict[str, None] = {}  # topics with new events, in order
        self._replies: dict[tuple[str, str], str] = {}  # frames, by topic and kind
        self._wakeup = asyncio.Event()
        self._rate = TokenBucket(FRAMES_PER_SECOND, FRAMES_AT_ONCE)
        self._present: set[str] = set()  # topics in whose presence it is shown
        self.alive_at = self._clock()  # when the socket last accepted a heartbeat
        self._rechecks = 0
        self._recheck_due = self._heartbeat_due = False
        # Random, because clients that reconnected together should not all be checked together.
        first_check_seconds = REAUTHORISE_SECONDS * random.uniform(0.5, 1)  # noqa: S311
        self._recheck_timer = self._call_later(first_check_seconds, self.recheck)
        self._heartbeat_timer = self._call_later(HEARTBEAT_SECONDS, self._mark_heartbeat_due)

    async def serve(self, client: tuple[str, int] | None, limit: int) -> None:
        """Serve until the connection is closed.

        `client` is its address and port, if known; `limit` how many sockets its user may have.
        """
        await self._receive()  # websocket.connect
        try:
            slot = connection_limits.take(self.actor, client[0] if client else "", limit)
        except ProtocolError as error:
            self._end()
            await self._writer.accept()
            await self._writer.close_with_error(error)
            return
        try:
            await self._open()
            await self._run()
        finally:
            connection_limits.leave(slot)
            self._end()

    async def _open(self) -> None:
        # Before the first frame, so that an open socket always ends with its session.
        await subscription_manager().add_connection(self)
        await self._writer.accept()
        await self._writer.send(frames.hello(HEARTBEAT_SECONDS))

    async def _run(self) -> None:
        """Read and send until the client disconnects or a task fails."""
        tasks = [asyncio.create_task(self._read_client()), asyncio.create_task(self._send_all())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            # Both must have ended before anything else is sent.
            errors = await asyncio.gather(*tasks, return_exceptions=True)
        for error in errors:
            match error:
                case ProtocolError():
                    await self._writer.close_with_error(error)
                case asyncio.CancelledError() | OSError() | None:
                    pass
                case _ if isinstance(error, DATABASE_AWAY):
                    log.warning("socket closed, the database does not answer: %r", error)
                    await self._writer.close(TRY_AGAIN_LATER, "try again later")
                case _:
                    log.error("socket failed", exc_info=error)
                    await self._writer.close(UNEXPECTED, "internal error")

    def _end(self) -> None:
        self._recheck_timer.cancel()
        self._heartbeat_timer.cancel()
        subscription_manager().remove_connection(self)
        for topic in [*self.subscriptions, *self._present]:
            self._leave(topic)

    # --- From the client ----------------------------------------------------------------------

    async def _read_client(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            self._rate.take()
            if len(self._replies) >= MAX_REPLIES:
                raise ProtocolError(Code.TOO_MANY_FRAMES, "read the replies before sending more")
            await self._handle(frames.decode(message.get("text")))

    async def _handle(self, message: frames.ClientMessage) -> None:
        match message:
            case frames.Subscribe(topic):
                self._rate.take(SUBSCRIBE_COST - 1)
                await self._subscribe(topic, message)
            case frames.Unsubscribe(topic):
                self._leave(topic)
            case frames.Ack(topic, seq):
                subscription = self.subscriptions.get(topic)  # None: crossed with a reset
                if subscription and subscription.window.acknowledge(seq, self._clock()):
                    self.notify(topic)
            case frames.Ping():
                self._reply("", "heartbeat", self._heartbeat())

    async def _subscribe(self, topic: str, message: frames.Subscribe) -> None:
        if topic not in self.subscriptions and len(self.subscriptions) >= MAX_TOPICS:
            raise ProtocolError(Code.TOO_MANY_TOPICS, f"a socket has at most {MAX_TOPICS} topics")
        before = self._unfollow(topic)
        rechecks = self._rechecks
        state = await permissions().open_topic(self.actor, topic)
        if state is None:
            self._reject_topic(topic)
            return
        reason = topics.reset_reason(state, message.epoch, message.after)
        if reason:
            self._reset(topic, reason, state)
            return
        followed = subscription_manager().follow(topic, state, self)
        window = Window(message.after, ackable=before.window.ackable if before else 0)
        self.subscriptions[topic] = Subscription(followed, window, catch_up_seq=state.head_seq)
        if rechecks != self._rechecks:
            self.recheck()  # permissions may have changed while we waited
        self.notify(topic)
        if message.is_present and topic not in self._present:
            self._present.add(topic)
            subscription_manager().presence.join(self, topic)

    def _unfollow(self, topic: str) -> Subscription | None:
        subscription = self.subscriptions.pop(topic, None)
        if subscription is not None:
            subscription_manager().leave(subscription.log, self)
        return subscription

    def _leave(self, topic: str) -> None:
        self._unfollow(topic)
        if topic in self._present:
            self._present.discard(topic)
            subscription_manager().presence.leave(self, topic)
        # Drop unsent frames of the topic; replies to the client's request are added after this.
        self._replies = {key: text for key, text in self._replies.items() if key[0] != topic}

    def _reject_topic(self, topic: str) -> None:
        self._leave(topic)
        self._reply(topic, "error", frames.error(Code.FORBIDDEN, FORBIDDEN, topic))

    def _reset(self, topic: str, reason: str, state: TopicState) -> None:
        self._leave(topic)
        frame = frames.reset(topic, state.epoch, state.head_seq, reason)
        self._reply(topic, "reset", frame)

    # --- To the client ------------------------------------------------------------------------

    def notify(self, topic: str) -> None:
        """Send the topic's new events as soon as the client accepts them."""
        self._notified[topic] = None
        self._wakeup.set()

    def recheck(self) -> None:
        """Check permissions before any more events are sent."""
        self._rechecks += 1
        self._recheck_due = True
        self._wakeup.set()

    def _mark_heartbeat_due(self) -> None:
        self._heartbeat_due = True
        self._wakeup.set()

    def _call_later(self, seconds: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        """Call `act` after this time, rounded up to a tick."""
        tick = math.ceil((self._clock() + seconds) / TICK_SECONDS)
        return self._loop.call_at(tick * TICK_SECONDS, act)

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Send this frame before any more events; it replaces an unsent one of its kind."""
        if topic in self._present:
            self._reply(topic, kind, frame)

    def _reply(self, topic: str, kind: str, frame: str) -> None:
        self._replies[topic, kind] = frame
        self._wakeup.set()

    async def _send_all(self) -> None:
        """Send replies first, then one frame of each topic in turn."""
        while True:
            try:
                await self._wait_for_work()
                await self._send_replies()
                if self._heartbeat_due:
                    await self._send_heartbeat()
                if self._recheck_due:
                    await self._recheck_access()
                if self._notified:
                    await self._send_topic(next(iter(self._notified)))
            except DATABASE_AWAY as error:
                log.warning("socket waits, the database does not answer: %r", error)
                await asyncio.sleep(topic_log.RETRY_SECONDS)

    async def _wait_for_work(self) -> None:
        if not (self._notified or self._replies or self._heartbeat_due or self._recheck_due):
            self._wakeup.clear()
            await self._wakeup.wait()

    async def _send_replies(self) -> None:
        while self._replies:
            topic, kind = next(iter(self._replies))
            frame = self._replies.pop((topic, kind))
            await self._writer.send(frame)

    async def _send_topic(self, topic: str) -> None:
        """Send the topic's next frame; more of them follow after other topics."""
        del self._notified[topic]  # first, so that notifications during the read count
        subscription = self.subscriptions.get(topic)
        if subscription is None:
            return
        window = subscription.window
        if subscription.catch_up_seq is not None and window.sent >= subscription.catch_up_seq:
            subscription.catch_up_seq = None
            self.notify(topic)
            await self._writer.send(frames.caught_up(topic, window.sent))
            return
        if not window.has_room:
            return  # an ack will notify the topic again
        try:
            frame = await subscription.log.next_frame(window.sent, self)
        except DATABASE_AWAY:
            self.notify(topic)
            raise
        except LogReset as reset:
            if self.subscriptions.get(topic) is subscription:
                self._reset(topic, reset.reason, reset.state)
            return
        if frame is None or self.subscriptions.get(topic) is not subscription:
            return  # no more events, or unsubscribed or resubscribed during the read
        # Before sending, because the ack may arrive first.
        window.add(frame, self._clock())
        self.notify(topic)
        await self._writer.send(frame.text)

    async def _send_heartbeat(self) -> None:
        self._heartbeat_due = False
        self._heartbeat_timer = self._call_later(HEARTBEAT_SECONDS, self._mark_heartbeat_due)
        await self._writer.send(self._heartbeat())
        self.alive_at = self._clock()
        self._resend_overdue()

    def _heartbeat(self) -> str:
        heads = {topic: subscription.log.head for topic, subscription in self.subscriptions.items()}
        return frames.heartbeat(heads)

    def _resend_overdue(self) -> None:
        """Send again the events that have not been acknowledged for long.

        Called after a heartbeat was accepted, so all earlier frames have drained.
        """
        now = self._clock()
        for topic, subscription in self.subscriptions.items():
            if subscription.window.is_overdue(now, self._writer.drained_at):
                subscription.window.rewind(now)
                self.notify(topic)

    async def _recheck_access(self) -> None:
        """End subscriptions that are no longer allowed, or the socket if its session has ended."""
        # Reset first, because a signal that arrives during the check may announce another change.
        self._recheck_due = False
        self._recheck_timer.cancel()
        self._recheck_timer = self._call_later(REAUTHORISE_SECONDS, self.recheck)
        try:
            check = AccessCheck(self.actor, self._session_key, [*self.subscriptions])
            result = await permissions().check(check)
        except DATABASE_AWAY:
            self.recheck()
            raise
        if result.is_signed_out:
            raise ProtocolError(Code.SIGNED_OUT, "this session has ended")
        for topic in result.forbidden:
            self._reject_topic(topic)
