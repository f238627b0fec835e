"""Requests that may get no response, and users who repeat a form until it gets one."""

import asyncio
import contextlib
import itertools
import json
import random
import re
import time
from collections.abc import Mapping
from typing import Any

from benchmarks.site import HOST
from chaos.invariants import WRONG, Violation

ANSWER_SECONDS = 10.0
AWAY_SECONDS = 0.3
PAUSE_SECONDS = 0.6
NOT_ANSWERED = (OSError, EOFError)
ACCEPTED, UNAVAILABLE = (200, 201, 202), 503
CODE = """# {number}
def {name}(x):
    for line in range(20):
        print({number}, line, flush=True)
    return x + 1
"""


class Insistent:
    """A user of the API who repeats each request until it is accepted."""

    def __init__(self, port: int, token: str) -> None:
        self.complaints: list[Violation] = []
        self.accepted_at: list[float] = []
        self._port = port
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._may_go = asyncio.Event()
        self._rests = asyncio.Event()

    def go_on(self) -> None:
        self._may_go.set()

    async def rest(self) -> None:
        """Start nothing more, and wait for the responses to what was started."""
        self._may_go.clear()
        await self._rests.wait()

    async def _turn(self) -> None:
        """Wait until something may be started."""
        self._rests.set()
        await self._may_go.wait()
        self._rests.clear()

    async def _insist(self, method: str, path: str, body: Any, key: str = "") -> dict[str, Any]:
        """Repeat a request until it gets a response."""
        headers = {**self._headers, "Idempotency-Key": key} if key else self._headers
        while True:
            with contextlib.suppress(*NOT_ANSWERED):
                status, answer = await request(self._port, method, path, headers, body)
                if status in ACCEPTED:
                    self.accepted_at.append(time.time())
                    return dict(answer)
                if status != UNAVAILABLE:
                    text = f"{method} {path} under {key!r}: {status} {answer}"
                    self.complaints.append(Violation("forms are accepted", WRONG, text))
                    return {}
            await asyncio.sleep(AWAY_SECONDS)


class Poster(Insistent):
    """A user who edits and runs a draft."""

    def __init__(self, place: int, port: int, draft: int, name: str, token: str) -> None:
        super().__init__(port, token)
        self.place = place
        self.draft = draft
        self.asked: dict[str, set[int]] = {}  # returned batches by request key
        self.under_way = ""  # request key of the form in progress
        self._name = name

    async def run(self, chance: random.Random) -> None:
        path = f"/api/v1/implementations/{self.draft}/"
        for number in itertools.count(1):
            await self._turn()
            code = CODE.format(number=number, name=self._name)
            await self._insist("PATCH", path, {"code": code})
            key = f"post-{self.draft}-{number}"
            answered = self.asked[key] = set()
            for _ in range(chance.choice((1, 1, 2))):
                self.under_way = key
                answer = await self._insist("POST", f"{path}run/", {}, key)
                self.under_way = ""
                answered.add(answer.get("batch", 0))
            await asyncio.sleep(chance.expovariate(1 / PAUSE_SECONDS))


async def request(
    port: int, method: str, path: str, headers: Mapping[str, str] | None = None, body: Any = None
) -> tuple[int, Any]:
    """Return status and body. Raises one of NOT_ANSWERED unless the response is complete."""
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}:{port}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines.append(f"Content-Length: {len(content)}")
    async with asyncio.timeout(ANSWER_SECONDS):
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode() + content)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            answer = await reader.readexactly(int(length[1]) if length else 0)
        finally:
            writer.close()
    return int(head.split()[1]), json.loads(answer or b"null")
