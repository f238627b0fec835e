"""The socket: authorises, replays and relays, and knows no rule beyond that.

Nothing is ever queued for a client. A connection remembers how far it has sent of each topic, and
one task reads on from there whenever there is news and the client takes it: the socket has drained,
and the topic's window has room. So what a slow client costs does not grow, and replaying and going
live are the same thing. docs/streams.md tells how it all fits together.
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
from runner.sockets import frames, observers, subscriptions, topic_log
from runner.sockets.authorization import AccessCheck, permissions
from runner.sockets.cookies import session_key_of
from runner.sockets.flow_control import Window
from runner.sockets.frames import Code, ProtocolError
from runner.sockets.limits import TokenBucket, connection_limits
from runner.sockets.socket_writer import Send, SocketWriter
from runner.sockets.topic_log import DATABASE_AWAY, LogReset, TopicLog

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
REAUTHORISE_SECONDS = 60.0
TICK_SECONDS = 0.25  # what is to be done now and then waits for the next of these, with others
MAX_TOPICS = 50
MAX_REPLIES = 2 * MAX_TOPICS
FRAMES_PER_SECOND = 100
FRAMES_AT_ONCE = 300
SUBSCRIBE_COST = 5  # frames: it asks the database
TRY_AGAIN_LATER = 1013
UNEXPECTED = 1011

FORBIDDEN = "the topic is not there, or not for you"

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]


@dataclass(slots=True, eq=False)
class Subscription:
    """How far one connection is with one topic."""

    feed: TopicLog
    window: Window
    goal: int | None  # where the log ended when it was asked for, until that is reached


async def serve_socket(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one socket, as ASGI has it, until it is closed."""
    session_key = session_key_of(scope["headers"])
    try:
        actor = await permissions().identify(session_key)
    except DATABASE_AWAY as error:
        log.warning("a socket is turned away, the database does not answer: %r", error)
        await receive()  # that it wants to connect
        await SocketWriter(send).turn_away(TRY_AGAIN_LATER, "try again later")
        return
    await TopicsConsumer(actor, session_key, receive, send).serve(scope.get("client"))


class TopicsConsumer:
    """One socket, following any number of topics up to MAX_TOPICS.

    One task reads what the client sends, and never waits for the socket to take anything; one task
    does all the sending.
    """

    def __init__(self, actor: Actor, session_key: str, receive: Receive, send: Send) -> None:
        self.actor = actor
        self.followings: dict[str, Subscription] = {}
        self._session_key = session_key
        self._receive = receive
        self._outlet = SocketWriter(send)
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.time
        self._news: dict[str, None] = {}  # topics, in the order of their coming
        self._replies: dict[tuple[str, str], str] = {}  # frames, by topic and kind
        self._has_work = asyncio.Event()
        self._allowance = TokenBucket(FRAMES_PER_SECOND, FRAMES_AT_ONCE)
        self._attended: set[str] = set()  # the topics where attendants know us to be
        self._has_attended = False  # ever
        self._rechecks = 0
        self._owes_look = self._owes_beat = False
        # Spread, or all who came with the same restart would be looked at in the same moment.
        first_look_seconds = REAUTHORISE_SECONDS * random.uniform(0.5, 1)  # noqa: S311
        self._next_look = self._call_later(first_look_seconds, self.recheck)
        self._next_beat = self._call_later(HEARTBEAT_SECONDS, self._be_due)

    async def serve(self, client: tuple[str, int] | None) -> None:
        """Talk with the client, which is at this address and port as far as that is known."""
        await self._receive()  # that it wants to connect
        try:
            seat = connection_limits.take(self.actor, client[0] if client else "")
        except ProtocolError as error:
            self._end()
            await self._outlet.accept()
            await self._outlet.refuse(error)
            return
        try:
            await self._greet()
            await self._converse()
        finally:
            connection_limits.leave(seat)
            self._end()

    async def _greet(self) -> None:
        if self.actor.pk is not None:
            # Before the client hears from us: whoever sees the socket open can rely on it to end.
            await subscriptions.subscription_manager().welcome(self.actor.pk, self)
        await self._outlet.accept()
        await self._outlet.send(frames.hello(HEARTBEAT_SECONDS))

    async def _converse(self) -> None:
        """Read and send until the client leaves, or one side of the talk has had enough."""
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._relay())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            # Only then may anything else be sent.
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            match end:
                case ProtocolError():
                    await self._outlet.refuse(end)
                case asyncio.CancelledError() | OSError() | None:
                    pass
                case _ if isinstance(end, DATABASE_AWAY):
                    log.warning("a socket is sent away, the database does not answer: %r", end)
                    await self._outlet.close(TRY_AGAIN_LATER, "try again later")
                case _:
                    log.error("a socket has failed", exc_info=end)
                    await self._outlet.close(UNEXPECTED, "an error of ours")

    def _end(self) -> None:
        self._next_look.cancel()
        self._next_beat.cancel()
        if self.actor.pk is not None:
            subscriptions.subscription_manager().dismiss(self.actor.pk, self)
        for topic in [*self.followings, *self._attended]:
            self._leave(topic)
        if self._has_attended:
            observers.notify_closed(self)

    # --- From the client ----------------------------------------------------------------------

    async def _listen(self) -> None:
        while (message := await self._receive())["type"] == "websocket.receive":
            self._allowance.take()
            if len(self._replies) >= MAX_REPLIES:
                raise ProtocolError(Code.TOO_MANY_FRAMES, "read the answers before you ask on")
            await self._obey(frames.decode(message.get("text")))

    async def _obey(self, message: frames.ClientMessage) -> None:
        match message:
            case frames.Subscribe(topic):
                self._allowance.take(SUBSCRIBE_COST - 1)
                await self._subscribe(topic, message)
            case frames.Unsubscribe(topic):
                self._leave(topic)
            case frames.Ack(topic, seq):
                following = self.followings.get(topic)  # None: crossed with a reset
                if following and following.window.acknowledge(seq, self._clock()):
                    self.notify(topic)
            case frames.Ping():
                self._reply("", "heartbeat", self._heartbeat())

    async def _subscribe(self, topic: str, asked: frames.Subscribe) -> None:
        if topic not in self.followings and len(self.followings) >= MAX_TOPICS:
            raise ProtocolError(Code.TOO_MANY_TOPICS, f"a socket has at most {MAX_TOPICS} topics")
        before = self._unfollow(topic)
        rechecks = self._rechecks
        state = await permissions().open_topic(self.actor, topic)
        if state is None:
            self._forbid(topic)
            return
        reason = topics.reset_reason(state, asked.epoch, asked.after)
        if reason:
            self._reset(topic, reason, state)
            return
        # The log is read only after this: whatever is committed later wakes us.
        feed = await subscriptions.subscription_manager().follow(topic, state, self)
        window = Window(asked.after, ackable=before.window.ackable if before else 0)
        self.followings[topic] = Subscription(feed, window, goal=state.head_seq)
        if rechecks != self._rechecks:
            self.recheck()  # what we have seen may have been how it was before
        self.notify(topic)
        if asked.is_present and topic not in self._attended:
            self._attended.add(topic)
            self._has_attended = True
            observers.notify_joined(self, topic)

    def _unfollow(self, topic: str) -> Subscription | None:
        following = self.followings.pop(topic, None)
        if following is not None:
            subscriptions.subscription_manager().leave(following.feed, self)
        return following

    def _leave(self, topic: str) -> None:
        self._unfollow(topic)
        if topic in self._attended:
            self._attended.discard(topic)
            observers.notify_left(self, topic)
        # What was posted about it; answers to what is asked come after this.
        self._replies = {key: text for key, text in self._replies.items() if key[0] != topic}

    def _forbid(self, topic: str) -> None:
        self._leave(topic)
        self._reply(topic, "error", frames.error(Code.FORBIDDEN, FORBIDDEN, topic))

    def _reset(self, topic: str, reason: str, state: TopicState) -> None:
        self._leave(topic)
        frame = frames.reset(topic, state.epoch, state.head_seq, reason)
        self._reply(topic, "reset", frame)

    # --- To the client ------------------------------------------------------------------------

    def notify(self, topic: str) -> None:
        """Have the topic's news sent as soon as the client takes them."""
        self._news[topic] = None
        self._has_work.set()

    def recheck(self) -> None:
        """Have permission looked at before any more events are sent."""
        self._rechecks += 1
        self._owes_look = True
        self._has_work.set()

    def _be_due(self) -> None:
        self._owes_beat = True
        self._has_work.set()

    def _call_later(self, seconds: float, act: Callable[[], None]) -> asyncio.TimerHandle:
        """Have this called in a while, together with what is due for others at about that time."""
        tick = math.ceil((self._clock() + seconds) / TICK_SECONDS)
        return self._loop.call_at(tick * TICK_SECONDS, act)

    def post(self, topic: str, kind: str, frame: str) -> None:
        """Have this frame sent before any more events, if the topic is followed."""
        if topic in self.followings:
            self._reply(topic, kind, frame)

    def _reply(self, topic: str, kind: str, frame: str) -> None:
        self._replies[topic, kind] = frame
        self._has_work.set()

    async def _relay(self) -> None:
        """Send what there is: answers first, then the next frame of one topic after the other."""
        while True:
            try:
                await self._wait_for_work()
                await self._send_replies()
                if self._owes_beat:
                    await self._beat()
                if self._owes_look:
                    await self._reauthorise()
                if self._news:
                    await self._relay_topic(next(iter(self._news)))
            except DATABASE_AWAY as error:
                log.warning("a socket waits, the database does not answer: %r", error)
                await asyncio.sleep(topic_log.RETRY_SECONDS)

    async def _wait_for_work(self) -> None:
        if not (self._news or self._replies or self._owes_beat or self._owes_look):
            self._has_work.clear()
            await self._has_work.wait()

    async def _send_replies(self) -> None:
        while self._replies:
            topic, kind = next(iter(self._replies))
            frame = self._replies.pop((topic, kind))
            await self._outlet.send(frame)

    async def _relay_topic(self, topic: str) -> None:
        """Send the topic's next frame; it is asked for again after all others had their turn."""
        del self._news[topic]  # before reading: what is noticed meanwhile counts as news again
        following = self.followings.get(topic)
        if following is None:
            return
        window = following.window
        if following.goal is not None and window.sent >= following.goal:
            following.goal = None
            self.notify(topic)
            await self._outlet.send(frames.caught_up(topic, window.sent))
            return
        if not window.has_room:
            return  # an ack will bring us back
        try:
            frame = await following.feed.next_frame(window.sent, self)
        except DATABASE_AWAY:
            self.notify(topic)
            raise
        except LogReset as gone:
            if self.followings.get(topic) is following:
                self._reset(topic, gone.reason, gone.state)
            return
        if frame is None or self.followings.get(topic) is not following:
            return  # there is no more, or it was left, or asked for anew while we read
        # Before sending: the ack may come before we go on.
        window.add(frame, self._clock())
        self.notify(topic)
        await self._outlet.send(frame.text)

    async def _beat(self) -> None:
        self._owes_beat = False
        self._next_beat = self._call_later(HEARTBEAT_SECONDS, self._be_due)
        await self._outlet.send(self._heartbeat())
        self._resend_overdue()
        observers.notify_heartbeat(self, list(self._attended))

    def _heartbeat(self) -> str:
        heads = {topic: following.feed.head for topic, following in self.followings.items()}
        return frames.heartbeat(heads)

    def _resend_overdue(self) -> None:
        """Have what nobody has acknowledged for long sent again.

        What was sent before the last heartbeat has drained, else that would still be waiting.
        """
        now = self._clock()
        for topic, following in self.followings.items():
            if following.window.is_overdue(now, self._outlet.drained_at):
                following.window.rewind(now)
                self.notify(topic)

    async def _reauthorise(self) -> None:
        """Stop what is not allowed any more; a socket does not outlive its session."""
        # Before looking: a word that comes meanwhile may be about what is not seen yet.
        self._owes_look = False
        self._next_look.cancel()
        self._next_look = self._call_later(REAUTHORISE_SECONDS, self.recheck)
        try:
            look = AccessCheck(self.actor, self._session_key, [*self.followings])
            found = await permissions().look(look)
        except DATABASE_AWAY:
            self.recheck()
            raise
        if found.is_signed_out:
            raise ProtocolError(Code.SIGNED_OUT, "this session has ended")
        for topic in found.forbidden:
            self._forbid(topic)
