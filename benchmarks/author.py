"""An author who publishes with the function's page open, and measures the time to the results."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.site import PrivateSite
from runner.sandbox import Verdict
from tests.support.sockets.client import StreamClient

TESTS = 20
TIMEOUT_SECONDS = 60.0
PAUSE_SECONDS = 0.3  # for background work to end
PLACE = re.compile(r'data-topic="([^"]+)" data-epoch="(\d+)" data-seq="(\d+)"')

IMPLEMENTATION = '''\
def {name}(values):
    """The values in rising order, by merging ever longer runs."""
    runs = [[value] for value in values]
    while len(runs) > 1:
        merged = []
        for left, right in zip(runs[::2], runs[1::2]):
            run = []
            while left and right:
                run.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
            merged.append(run + left + right)
        if len(runs) % 2:
            merged.append(runs[-1])
        runs = merged
    return runs[0] if runs else []
'''
TEST = """\
# Numbers in an order that looks like chance, {size} of them.
def test_sorts_like_the_builtin():
    values = [(number * 7919 + {number}) % 1009 for number in range({size})]
    assert {name}(list(values)) == sorted(values)

def test_keeps_what_is_sorted():
    assert {name}(list(range({size}))) == list(range({size}))
"""


class Published(NamedTuple):
    """Times from the request to the response, the cells and the election."""

    batch: int
    answer_ms: float
    first_square_ms: float
    last_square_ms: float
    elected_ms: float  # 0 if not measured


@dataclass(frozen=True, slots=True)
class Author:
    """An author who uses the site's API."""

    site: PrivateSite

    def prepare(self, name: str) -> None:
        """Create a function with published tests, and wait for their runs to end."""
        api = self.site.api
        function = {"name": name, "signature": "values: list[int]", "description": "Sorts."}
        api.request("POST", "functions/", function)
        for number in range(TESTS):
            code = TEST.format(name=name, number=number, size=20 + number)
            test = api.request("POST", f"functions/{name}/tests/", {"code": code})
            answer = api.request("POST", f"tests/{test['id']}/publish/")
        self.await_end(answer["batch"])
        time.sleep(PAUSE_SECONDS)

    def draft(self, name: str) -> int:
        """Create a draft of an implementation that passes; return its id."""
        code = {"code": IMPLEMENTATION.format(name=name)}
        draft = self.site.api.request("POST", f"functions/{name}/implementations/", code)
        return int(draft["id"])

    async def publish(
        self,
        name: str,
        draft_id: int,
        *,
        until_elected: bool = False,
        timeout_seconds: float = TIMEOUT_SECONDS,
    ) -> Published:
        """Publish with the page open, and measure the time until the last cell has its result."""
        shown = PLACE.search(self.site.api.page(f"/functions/{name}/"))
        if shown is None:
            raise ValueError("the page has no stream position")
        topic, epoch, seq = shown.groups()
        async with StreamClient(self.site.socket_url, origin=self.site.origin) as client:
            await client.follow(topic, epoch=int(epoch), after=int(seq))
            await asyncio.wait_for(client.wait_caught_up(topic), TIMEOUT_SECONDS)
            started = time.perf_counter()
            pressed = asyncio.create_task(asyncio.to_thread(self._press, draft_id))
            squares_ms: list[float] = []
            elected_ms = 0.0
            async with asyncio.timeout(timeout_seconds):
                while len(squares_ms) < TESTS + 1 or (until_elected and not elected_ms):
                    event = await client.next_event()
                    if event.type == "task.finished":
                        if event.payload["verdict"] != Verdict.PASSED:
                            raise ValueError(f"a program did not pass: {event.payload}")
                        squares_ms.append(ms_since(started))
                    elif event.type == "standing.changed" and event.payload["elected"]:
                        elected_ms = ms_since(started)
            batch, answered_at = await pressed
            answer_ms = (answered_at - started) * 1_000
            return Published(batch, answer_ms, squares_ms[0], squares_ms[-1], elected_ms)

    def _press(self, draft_id: int) -> tuple[int, float]:
        """Publish; return the batch, and the time of the response."""
        answer = self.site.api.request("POST", f"implementations/{draft_id}/publish/")
        return int(answer["batch"]), time.perf_counter()

    def await_end(self, batch: int) -> None:
        """Wait until the batch has ended."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.site.api.request("GET", f"batches/{batch}/")["state"] == "open":
            if time.monotonic() > deadline:
                raise TimeoutError(f"batch {batch} has not ended\n{self.site.logs()}")
            time.sleep(0.02)


def ms_since(started: float) -> float:
    """Return the milliseconds since an instant of the performance counter."""
    return (time.perf_counter() - started) * 1_000
