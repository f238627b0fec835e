"""Clients of a site behind its proxy."""

import asyncio
import contextlib
import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from functions.models import Function
from tests.patience import PATIENCE_SECONDS
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
        ask = (self._publish, self._publish, self._read)
        self._threads = [threading.Thread(target=self._repeat, args=(act,)) for act in ask]
        self._threads.append(threading.Thread(target=lambda: asyncio.run(self._follow())))
        for thread in self._threads:
            thread.start()

    def end_requests(self) -> None:
        """Let nobody ask any more; the follower follows on."""
        self._ending.set()
        for thread in self._threads[:-1]:
            thread.join(PATIENCE_SECONDS)

    def end(self, head: int) -> None:
        """Let the follower receive all up to this event."""
        self._head = head
        self._threads[-1].join(PATIENCE_SECONDS)

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
        with urlopen(request, timeout=PATIENCE_SECONDS) as answer:
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
