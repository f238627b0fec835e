"""All clients, on a thread and behind a simulated network; and the violations they found."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from benchmarks.site import HOST
from chaos import watching
from chaos.clients import Follower, Liar, Onlooker, Poller
from chaos.forms import Poster
from chaos.guests import DRAFTED, Author, Guests
from chaos.invariants import LOST, WRONG, Violation
from chaos.network import Network
from chaos.site import rng
from chaos.transcripts import Applied, Transcript, applied, broken_lines

ON_ONE, ON_SOME, ON_ALL, POLLERS = 20, 16, 6, 4
AT_THE_HEAD_SECONDS = 10.0
PRESENCE_SECONDS = 30.0
CALL_SECONDS = 120.0
LOOK_SECONDS = 0.5
# Time after a fault within which a lag of clients is attributed to it.
NOTICED_SECONDS = 3.0

T = TypeVar("T")


class Fleet:
    """The clients; `async` methods run on the fleet's thread, by `call`."""

    def __init__(self, ports: Sequence[int], guests: Guests, seed: int, host: str = HOST) -> None:
        self.networks = [Network(host, port) for port in ports]
        self.followers: list[Follower] = []  # of public topics
        self.posters: list[Poster] = []
        self.authors: dict[str, tuple[Author, Follower]] = {}
        self._guests = guests
        self._chance = rng("fleet", seed)
        self._strangers: list[Follower] = []
        self._pollers: list[Poller] = []
        self._onlookers: list[Onlooker] = []
        self._liars = [Liar(host, port, guests.topics[0]) for port in ports]
        self._noted: list[Violation] = []
        self._behind: list[list[float]] = []  # [start, end] of periods in which a client lagged
        self._compared_event = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._database = ThreadPoolExecutor(1)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fleet", daemon=True)

    # --- From other threads -------------------------------------------------------------------

    def start(self) -> None:
        self._thread.start()
        self.call(self._come())

    def stop(self) -> None:
        self.call(self._leave())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._database.shutdown()

    def call(self, act: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the fleet's thread, and return its result."""
        return asyncio.run_coroutine_threadsafe(act, self._loop).result(CALL_SECONDS)

    def do(self, act: Callable[[], object]) -> None:
        """Call a function soon on the fleet's thread."""
        self._loop.call_soon_threadsafe(act)

    def note(self, law: str, kind: str, text: str) -> None:
        """Record a violation."""
        self._noted.append(Violation(law, kind, text))

    def listening(self, place: int | None = None) -> list[Follower]:
        """Return the followers that have just received events, from this web server or any."""
        return [
            follower
            for follower in self.followers
            if follower.place == place or place is None
            if follower.has_just_heard(LOOK_SECONDS)
        ]

    def add(self, *runs: Coroutine[Any, Any, None]) -> None:
        """Run further clients until the fleet stops."""
        for run in runs:
            self.do(partial(self._add, run))

    def hold(self) -> None:
        """Wait for responses to submitted forms, and submit no more."""
        for poster in self.posters:
            self.call(poster.rest())

    def go_on(self) -> None:
        for poster in self.posters:
            self.do(poster.go_on)

    def seconds_behind(self, since: float, until: float) -> float:
        """Return the seconds that clients lagged behind the log, by a fault between these times."""
        spells = [
            (begun, end)
            for begun, end in self._behind
            if end > since and begun < until + NOTICED_SECONDS
        ]
        return max((end - max(since, begun) for begun, end in spells), default=0.0)

    def await_heads(self) -> list[Violation]:
        """Wait up to ten seconds for all clients to reach the present heads; return laggards."""
        late = self.call(self._await_heads(watching.heads()))
        return [Violation("S2 at the head ten seconds later", LOST, text) for text in late]

    def judge(self, healed_at: float) -> list[Violation]:
        """Return all violations; the site is quiet, and the last fault ended at `healed_at`."""
        found = self.await_heads()
        rows = watching.events_since(self._compared_event)
        logs: dict[str, list[Applied]] = {}
        for pk, topic, event in rows:
            logs.setdefault(topic, []).append(applied(event))
            self._compared_event = max(self._compared_event, pk)
        found += broken_lines((topic, event) for _, topic, event in rows)
        found += self.call(self._compare(logs))
        found += self._judge_forms()
        found += self.call(self._judge_presence(healed_at + PRESENCE_SECONDS))
        noted, self._noted = self._noted, []
        return found + noted

    def in_words(self) -> str:
        """Return a summary of the clients' activity."""
        forms = sum(len(poster.asked) for poster in self.posters)
        return (
            f"{len(self._transcripts())} clients applied"
            f" {sum(transcript.count for transcript in self._transcripts())} events; {forms} forms;"
            f" {sum(liar.times_closed for liar in self._liars)} lying acks closed"
        )

    def _judge_forms(self) -> Iterator[Violation]:
        """Yield forms that created more or less than one batch."""
        answered = {key: ids for poster in self.posters for key, ids in poster.asked.items()}
        there = watching.batches_of(list(answered))
        for key, ids in answered.items():
            if {*there.get(key, ())} != ids or len(ids) != 1:
                text = f"{key}: batches {there.get(key)} exist, {sorted(ids)} were returned"
                yield Violation("a form creates one batch", WRONG, text)
        for poster in self.posters:
            yield from poster.complaints
            poster.complaints.clear()

    # --- On the fleet's thread ----------------------------------------------------------------

    async def drop_all(self) -> None:
        """Drop all connections at once."""
        for follower in self.followers:
            await follower.disconnect()

    async def part(self, followers: Sequence[Follower]) -> None:
        """Disconnect these followers."""
        await asyncio.gather(*(follower.leave() for follower in followers))

    async def return_(self, followers: Sequence[Follower]) -> None:
        """Reconnect these followers."""
        await asyncio.gather(*(follower.come() for follower in followers))

    async def _come(self) -> None:
        for network in self.networks:
            await network.open()
        self._gather_followers()
        self._gather_others()
        for place, author in enumerate(self._guests.authors):
            self._place_author(place % len(self.networks), author)
        everybody = [*self.followers, *self._strangers]
        everybody += [follower for _, follower in self.authors.values()]
        await self.return_(everybody)
        runs = [
            *(poller.run() for poller in self._pollers),
            *(onlooker.run() for onlooker in self._onlookers),
            *(liar.run() for liar in self._liars),
            *(poster.run(self._chance) for poster in self.posters),
            self._watch(),
        ]
        self._tasks = [asyncio.create_task(run) for run in runs]

    def _add(self, run: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(run))

    async def _leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        followers = [follower for _, follower in self.authors.values()]
        await self.part([*self.followers, *self._strangers, *followers])
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*self._tasks, *others, return_exceptions=True)

    def _gather_followers(self) -> None:
        topics = self._guests.topics
        choices = [topics[:1]] * ON_ONE + [topics] * ON_ALL
        choices += [self._chance.sample(topics, 2) for _ in range(ON_SOME)]
        for number, chosen in enumerate(choices):
            reader = self._chance.choice([*self._guests.readers, None])
            place = number % len(self.networks)
            transcript = Transcript(f"follower {number}", dict.fromkeys(chosen, 0))
            cookie = reader.cookie if reader else ""
            self.followers.append(Follower(place, self._port(place), transcript, cookie))

    def _gather_others(self) -> None:
        topics = self._guests.topics
        for number in range(POLLERS):
            chosen = self._chance.sample(topics, 2)
            transcript = Transcript(f"poller {number}", dict.fromkeys(chosen, 0))
            self._pollers.append(Poller(self._port(number), transcript))
        for place in range(len(self.networks)):
            sessions = [*self._guests.onlookers.values(), None]
            for cookie in (session.cookie if session else "" for session in sessions):
                onlooker = Onlooker(self._port(place), self._guests.looked_at, 0, cookie)
                self._onlookers.append(onlooker)

    def _place_author(self, place: int, author: Author) -> None:
        """Add clients of this author's draft: its author, and two without permission."""
        port = self._port(place)
        transcript = Transcript(author.name, {author.topic: 0})
        follower = Follower(place, port, transcript, author.session.cookie)
        self.authors[author.name] = author, follower
        self.posters.append(Poster(place, port, author.draft, DRAFTED, author.token))
        for cookie in ("", self._guests.readers[0].cookie):
            transcript = Transcript(f"stranger at {author.topic}", {author.topic: 0})
            self._strangers.append(Follower(place, port, transcript, cookie, insists=True))

    def _port(self, number: int) -> int:
        return self.networks[number % len(self.networks)].port

    async def _watch(self) -> None:
        """Record the periods in which a client lagged behind the log."""
        spell: list[float] | None = None
        while True:
            asked_at = time.monotonic()
            heads = await self._loop.run_in_executor(self._database, watching.heads)
            await asyncio.sleep(LOOK_SECONDS)
            now = time.monotonic()
            # A slow query of the log means that the database was unavailable.
            is_level = now - asked_at < 3 * LOOK_SECONDS and not self._lacking(heads)
            if is_level:
                spell = None
            elif spell is None:
                spell = [asked_at, now]
                self._behind.append(spell)
            else:
                spell[1] = now

    def _lacking(self, heads: Mapping[str, int]) -> list[str]:
        present = [follower for follower in self.followers if follower.reads]
        return [
            follower.transcript.lacks(heads)
            for follower in present
            if not follower.transcript.has(heads)
        ]

    async def _await_heads(self, heads: Mapping[str, int]) -> list[str]:
        deadline = self._loop.time() + AT_THE_HEAD_SECONDS
        while late := [one for one in self._transcripts() if not one.has(heads)]:
            if self._loop.time() > deadline:
                break
            await asyncio.sleep(0.1)
        return [transcript.lacks(heads) for transcript in late]

    def _transcripts(self) -> list[Transcript]:
        """Return the transcripts that must match the log."""
        followers = [*self.followers, *(follower for _, follower in self.authors.values())]
        return [
            *(follower.transcript for follower in followers),
            *(poller.transcript for poller in self._pollers),
        ]

    async def _compare(self, logs: Mapping[str, Sequence[Applied]]) -> list[Violation]:
        found: list[Violation] = []
        for transcript in self._transcripts():
            found += transcript.compare(logs)
            for reset in transcript.resets:
                text = f"{transcript.who}: {reset}"
                found.append(Violation("S5 no reset without a loss", WRONG, text))
            transcript.resets.clear()
        for follower in self.followers:
            if follower.refusals:
                text = f"{follower.transcript.who} was refused a public topic"
                found.append(Violation("S6 by permission", WRONG, text))
                follower.refusals = 0
        for stranger in self._strangers:
            if stranger.transcript.count:
                text = f"{stranger.transcript.who} got {stranger.transcript.count} events"
                found.append(Violation("S6 by permission", WRONG, text))
        for liar in self._liars:
            found += [Violation("S4 no ack beyond", WRONG, text) for text in liar.complaints]
            liar.complaints.clear()
        for task in self._tasks:
            if task.done() and not task.cancelled():
                found.append(Violation("clients go on", WRONG, repr(task.exception())))
        return found

    async def _judge_presence(self, deadline: float) -> list[Violation]:
        """Return onlookers without the right presence frame at the deadline."""
        nobody = len(self._onlookers) // (len(self._guests.onlookers) + 1)
        expected = (sorted(self._guests.onlookers), nobody)
        while seen := [one.sees for one in self._onlookers if one.sees != expected]:
            if time.monotonic() > deadline:
                return [
                    Violation("presence in time", WRONG, f"{each} is shown, not {expected}")
                    for each in seen
                ]
            await asyncio.sleep(0.1)
        return []
