"""The socket: authorises, replays and relays, and knows no rule beyond that.

Nothing is ever queued for a client. A connection remembers how far it has sent of each topic, and
one task reads on from there whenever there is news and the socket takes it; so what a slow client
costs does not grow, and replaying and going live are the same thing.
"""

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from channels.auth import get_user
from channels.consumer import AsyncConsumer
from channels.exceptions import StopConsumer
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from runner import feeds, messages, topics
from runner.feeds import DATABASE_AWAY, Feed, Gone, query
from runner.messages import CLOSE_CODES, Code, ProtocolError
from runner.registry import may_follow
from runner.topics import Actor, TopicState

log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
REAUTHORISE_SECONDS = 60.0
RETRY_SECONDS = 1.0
MAX_TOPICS = 50
FRAMES_PER_SECOND = 100
FRAMES_AT_ONCE = 300
TRY_AGAIN_LATER = 1013
UNEXPECTED = 1011

FORBIDDEN = "the topic is not there, or not for you"


@dataclass(slots=True, eq=False)
class Following:
    """How far one connection is with one topic."""

    feed: Feed
    sent: int
    acked: int
    ackable: int  # sent on this connection, also before the topic was last asked for
    is_caught_up: bool = False


class Allowance:
    """A rate, with room for a burst."""

    def __init__(self, per_second: float, at_once: float) -> None:
        self._per_second = per_second
        self._at_once = at_once
        self._left = at_once
        self._at = time.monotonic()

    def take(self) -> None:
        """Use one up; raises ProtocolError when there is none left."""
        now = time.monotonic()
        self._left = min(self._at_once, self._left + (now - self._at) * self._per_second)
        self._at = now
        if self._left < 1:
            raise ProtocolError(Code.TOO_MANY_FRAMES, f"at most {self._per_second} frames a second")
        self._left -= 1


def _authorised(actor: Actor, topic: str) -> TopicState | None:
    return topics.open_topic(topic) if may_follow(actor, topic) else None


def _forbidden(actor: Actor, followed: Iterable[str]) -> list[str]:
    return [topic for topic in followed if not may_follow(actor, topic)]


class TopicsConsumer(AsyncConsumer):  # type: ignore[misc]  # channels has no types
    """One socket, following any number of topics up to MAX_TOPICS."""

    # The process listens once for all its sockets (`feeds`); a socket needs no channel of its own.
    channel_layer_alias = ""

    def __init__(self) -> None:
        self.followings: dict[str, Following] = {}
        self.actor: Actor = AnonymousUser()
        self._news: dict[str, None] = {}  # in the order of their coming
        self._has_news = asyncio.Event()
        self._allowance = Allowance(FRAMES_PER_SECOND, FRAMES_AT_ONCE)
        self._check_at = 0.0  # when permission is looked at again, on the event loop's clock
        self._is_closed = False
        self._pump: asyncio.Task[None] | None = None

    async def __call__(
        self,
        scope: MutableMapping[str, Any],
        receive: Callable[[], Awaitable[Mapping[str, Any]]],
        send: Callable[[Mapping[str, Any]], Awaitable[None]],
    ) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Also when the server stops without a word to us.
            self._end()

    async def dispatch(self, message: Mapping[str, Any]) -> None:
        """Call the method for the message; unlike the base class, never visit a database thread."""
        match message["type"]:
            case "websocket.connect":
                await self._connect()
            case "websocket.receive":
                await self._receive(message.get("text"))
            case "websocket.disconnect":
                raise StopConsumer

    # --- From the client ----------------------------------------------------------------------

    async def _connect(self) -> None:
        self.actor = self.scope.get("user") or AnonymousUser()
        # Spread, or all who came with the same restart would be looked at in the same moment.
        first_check_seconds = REAUTHORISE_SECONDS * random.uniform(0.5, 1)  # noqa: S311
        self._check_at = asyncio.get_running_loop().time() + first_check_seconds
        if self.actor.pk is not None:
            # Before the client hears from us: whoever sees the socket open can rely on it to end.
            await feeds.hub().welcome(self.actor.pk, self)
        await self.send({"type": "websocket.accept"})
        await self._send(messages.hello(HEARTBEAT_SECONDS))
        self._pump = asyncio.create_task(self._relay_news())

    async def _receive(self, text: str | None) -> None:
        if self._is_closed:
            return
        try:
            self._allowance.take()
            await self._obey(messages.decode(text))
        except ProtocolError as error:
            await self._refuse(error)
        except DATABASE_AWAY as error:
            log.warning("a socket is sent away, the database does not answer: %r", error)
            await self._close(TRY_AGAIN_LATER, "try again later")

    async def _obey(self, message: messages.ClientMessage) -> None:
        match message:
            case messages.Subscribe(topic, epoch, after):
                await self._subscribe(topic, epoch, after)
            case messages.Unsubscribe(topic):
                self._unfollow(topic)
            case messages.Ack(topic, seq):
                self._acknowledge(topic, seq)
            case messages.Ping():
                await self._send_heartbeat()

    async def _subscribe(self, topic: str, epoch: int, after: int) -> None:
        if topic not in self.followings and len(self.followings) >= MAX_TOPICS:
            raise ProtocolError(Code.TOO_MANY_TOPICS, f"a socket has at most {MAX_TOPICS} topics")
        before = self._unfollow(topic)
        state = await query(_authorised, self.actor, topic)
        if state is None:
            await self._send(messages.error(Code.FORBIDDEN, FORBIDDEN, topic))
            return
        reason = topics.reset_reason(state, epoch, after)
        if reason:
            await self._send(messages.reset(topic, state.epoch, state.head_seq, reason))
            return
        # The log is read only after this: whatever is committed later wakes us.
        feed = await feeds.hub().follow(topic, state, self)
        # What is on its way to a client that has just asked again may yet be acknowledged.
        ackable = max(after, before.ackable if before else 0)
        self.followings[topic] = Following(feed, sent=after, acked=after, ackable=ackable)
        self.notify(topic)

    def _acknowledge(self, topic: str, seq: int) -> None:
        following = self.followings.get(topic)
        if following is None:  # crossed with a reset
            return
        if seq > following.ackable:
            raise ProtocolError(
                Code.ACK_BEYOND_SENT, f"{topic} was sent up to {following.ackable}, not {seq}"
            )
        following.acked = max(following.acked, seq)

    def _unfollow(self, topic: str) -> Following | None:
        following = self.followings.pop(topic, None)
        if following is not None:
            feeds.hub().leave(following.feed, self)
        return following

    # --- To the client ------------------------------------------------------------------------

    def notify(self, topic: str) -> None:
        """Have the topic's news sent as soon as the socket takes them."""
        self._news[topic] = None
        self._has_news.set()

    def recheck(self) -> None:
        """Have permission looked at before any more events are sent."""
        self._check_at = 0.0
        self._has_news.set()

    async def _relay_news(self) -> None:
        """Send what there is, topic after topic; between times, heartbeats and authorisation."""
        clock = asyncio.get_running_loop().time
        beat_at = clock() + HEARTBEAT_SECONDS
        while not self._is_closed:
            try:
                await self._wait_for_news(min(beat_at, self._check_at))
                if clock() >= beat_at:
                    beat_at = clock() + HEARTBEAT_SECONDS
                    await self._send_heartbeat()
                if clock() >= self._check_at:
                    await self._reauthorise()
                if self._news:
                    await self._relay(next(iter(self._news)))
            except DATABASE_AWAY as error:
                log.warning("a socket waits, the database does not answer: %r", error)
                await asyncio.sleep(RETRY_SECONDS)
            except OSError:  # the socket has gone; its reading side is told
                return
            except Exception:
                log.exception("relaying has failed")
                with contextlib.suppress(OSError):
                    await self._close(UNEXPECTED, "an error of ours")

    async def _wait_for_news(self, until: float) -> None:
        if not self._news:
            self._has_news.clear()
            try:
                async with asyncio.timeout_at(until):
                    await self._has_news.wait()
            except TimeoutError:
                return

    async def _relay(self, topic: str) -> None:
        """Send the topic's next frame; it is asked for again after all others had their turn."""
        del self._news[topic]  # before reading: what is noticed meanwhile counts as news again
        following = self.followings.get(topic)
        if following is None:
            return
        try:
            frame = await following.feed.next_frame(following.sent)
        except DATABASE_AWAY:
            self.notify(topic)
            raise
        except Gone as gone:
            if self.followings.get(topic) is following:
                await self._reset(topic, gone)
            return
        if self.followings.get(topic) is not following:
            return  # left, or asked for anew while we read: that has a notice of its own
        if frame is not None:
            following.sent = frame.last  # before sending: the ack may come before we go on
            following.ackable = max(following.ackable, frame.last)
            self.notify(topic)
            await self._send(frame.text)
        elif not following.is_caught_up:
            following.is_caught_up = True
            await self._send(messages.caught_up(topic, following.sent))

    async def _reset(self, topic: str, gone: Gone) -> None:
        self._unfollow(topic)
        state = gone.state
        await self._send(messages.reset(topic, state.epoch, state.head_seq, gone.reason))

    async def _send_heartbeat(self) -> None:
        heads = {topic: following.feed.head for topic, following in self.followings.items()}
        await self._send(messages.heartbeat(heads))

    async def _reauthorise(self) -> None:
        """Stop what is not allowed any more; a socket does not outlive its session."""
        # Before looking: a word that comes meanwhile may be about what is not seen yet.
        self._check_at = asyncio.get_running_loop().time() + REAUTHORISE_SECONDS
        if self.actor.is_authenticated and not await self._is_still_signed_in():
            await self._refuse(ProtocolError(Code.SIGNED_OUT, "this session has ended"))
            return
        for topic in await query(_forbidden, self.actor, list(self.followings)):
            self._unfollow(topic)
            await self._send(messages.error(Code.FORBIDDEN, FORBIDDEN, topic))

    async def _is_still_signed_in(self) -> bool:
        engine = import_module(settings.SESSION_ENGINE)
        session = engine.SessionStore(self.scope["session"].session_key)
        user = await get_user({"session": session})
        return bool(user.pk == self.actor.pk)

    async def _refuse(self, error: ProtocolError) -> None:
        await self._send(messages.error(error.code, error.message))
        await self._close(CLOSE_CODES[error.code], error.message)

    async def _send(self, text: str) -> None:
        if not self._is_closed:
            await self.send({"type": "websocket.send", "text": text})

    async def _close(self, code: int, reason: str) -> None:
        if not self._is_closed:
            self._is_closed = True
            await self.send({"type": "websocket.close", "code": code, "reason": reason})

    def _end(self) -> None:
        self._is_closed = True
        if self._pump is not None:
            self._pump.cancel()
        if self.actor.pk is not None:
            feeds.hub().dismiss(self.actor.pk, self)
        for topic in list(self.followings):
            self._unfollow(topic)
