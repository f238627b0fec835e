"""Clients of a site behind its proxy."""

import asyncio
import contextlib
import itertools
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from django.db.models import QuerySet

from chaos.invariants import violations
from functions.models import Cell, Function, Implementation
from runner.models import Attempt, Batch, Event, Incident
from runner.states import BatchState
from tests.patience import PATIENCE_SECONDS, await_that
from tests.support.site import becomes_quiet
from tests.support.sockets.client import StreamClient

CODE = "def Add(a, b):\n    return a + b + 0 * {}\n"


@dataclass
class Load:
    """Two who publish, one who reads, and one who follows a function."""

    port: int
    token: str
    function: Function
    failures: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    reads: int = 0
    seen: list[tuple[int, Any]] = field(default_factory=list)
    connections: int = 0
    _head: int | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _ending: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Begin, in a thread for each."""
        ask = [partial(self._repeat, act) for act in (self._publish, self._publish, self._read)]
        follow = partial(asyncio.run, self._follow())
        self._threads = [threading.Thread(target=act, daemon=True) for act in (*ask, follow)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Ask no more, and follow until all that was caused has ended."""
        self._ending.set()
        for thread in self._threads[:-1]:
            thread.join(PATIENCE_SECONDS)
        assert becomes_quiet()
        self._head = self._events().count()
        self._threads[-1].join(PATIENCE_SECONDS)

    def assert_nothing_lost(self) -> None:
        """Compare what clients were told with the tables."""
        assert not self.failures, "\n".join(self.failures[:5])
        assert self.reads > 20
        assert self.connections > 1
        assert self.seen == list(self._events().values_list("seq", "payload"))
        assert [seq for seq, _ in self.seen] == list(range(1, len(self.seen) + 1))
        published = Implementation.objects.filter(state="published").count()
        assert published == len(self.batches) > 10
        # What is submitted while both releases run may be given up by a worker of the former one,
        # which can't run it. Then it is judged with everything else that the other runtime needs.
        ended = Batch.objects.filter(pk__in=self.batches).exclude(state=BatchState.OPEN)
        assert ended.count() == len(self.batches)
        await_that(lambda: not list(self._unjudged()), patience_seconds=4 * PATIENCE_SECONDS)
        assert violations() == []
        # The former release doesn't run programs of this one's runtime; the sweeper has them
        # prepared again.
        broken = Attempt.objects.filter(outcome__in=("lost", "failed"))
        others = broken.exclude(error__contains="RuntimeMismatch")
        assert list(others.values_list("outcome", "error")) == []
        assert not Incident.objects.exists()

    def _unjudged(self) -> QuerySet[Cell]:
        cells = Cell.objects.filter(implementation__state="published", test__isnull=False)
        return cells.exclude(verdict="passed")

    def _events(self) -> QuerySet[Event]:
        return Event.objects.filter(topic__name=self.function.topic).order_by("seq")

    def _repeat(self, act: Callable[[], None]) -> None:
        while not self._ending.is_set():
            try:
                act()
            except HTTPError as error:
                self.failures.append(f"{error.url}: {error.code} {error.read()[:300]!r}")
            except OSError as error:
                self.failures.append(repr(error))
            time.sleep(0.1)

    def _ask(self, path: str, body: Any = None) -> bytes:
        request = Request(f"https://localhost:{self.port}{path}")
        request.add_header("Authorization", f"Bearer {self.token}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        # Without a context, urlopen keeps the certificates of the process's first request.
        context = ssl.create_default_context()
        with urlopen(request, timeout=PATIENCE_SECONDS, context=context) as answer:
            return bytes(answer.read())

    def _publish(self) -> None:
        code = CODE.format(next(self._numbers))
        draft = json.loads(self._ask("/api/v1/functions/Add/implementations/", {"code": code}))
        published = self._ask(f"/api/v1/implementations/{draft['id']}/publish/", {})
        self.batches.append(json.loads(published)["batch"])
        time.sleep(0.5)

    def _read(self) -> None:
        assert b"Add" in self._ask("/functions/Add/")
        self.reads += 1

    async def _follow(self) -> None:
        async with StreamClient(
            f"wss://localhost:{self.port}/ws/",
            origin="https://localhost",
            first_retry_seconds=0.1,
            last_retry_seconds=0.5,
        ) as client:
            await client.follow(self.function.topic)
            while self._head is None or len(self.seen) < self._head:
                with contextlib.suppress(TimeoutError):
                    event = await asyncio.wait_for(client.next_event(), 0.2)
                    self.seen.append((event.seq, event.payload))
            self.connections = client.connections
