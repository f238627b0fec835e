"""A page that does nothing but follow a topic, and a site that can go away and come back."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page

from runner.registry import handlers
from runner.sockets import consumer, subscriptions
from runner.sockets.topic_log import query
from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.event_log import write
from tests.support.sockets.server import Server

TOPIC = "open:a"
PATIENCE_MS = PATIENCE_SECONDS * 1_000
T = TypeVar("T")
OPTIONS = {
    "firstRetryMs": 100,
    "lastRetryMs": 200,
    "pollMs": 100,
    "socketAgainMs": 300,
    "replayedMs": 300,
    # The site beats often, but where the machine is busy it may be late for that.
    "silentHeartbeats": 100,
}
FOLLOW = """
async ({ topic, position, options, after }) => {
  const { connect } = await import('/static/js/stream.js');
  window.seen = [];
  window.states = [];
  window.stream = connect(undefined, options);
  window.following = window.stream.follow(topic, position, {
    onEvent: ({ seq }) => window.seen.push(seq),
    onState: (state, info) => window.states.push([state, info]),
  });
}
"""


class StreamSite:
    """The site over real sockets on a loop of its own, so that it can go away and come back."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run_loop, daemon=True)
        self._thread.start()
        self.server = Server()
        self.run(self.server.start())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_SECONDS)

    def write(self, *texts: str) -> None:
        self.run(query(write, TOPIC, [{"text": text} for text in texts]))

    def stop(self) -> None:
        self.run(self.server.stop())

    def start_again(self) -> None:
        self.server = Server(port=self.server.port)
        self.run(self.server.start())

    def close(self) -> None:
        self.stop()
        self.run(self._cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run_loop(self) -> None:
        self._loop.run_forever()
        self._loop.close()

    async def _cancel_all(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def site(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[StreamSite]:
    """Start the site with a topic for everyone, which beats and looks often."""
    monkeypatch.setattr(subscriptions, "POLL_SECONDS", 0.3)
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.3)
    handlers.topic_permissions["open"] = lambda _actor, _row_id: True
    site = StreamSite()
    yield site
    site.close()
    del handlers.topic_permissions["open"]


@pytest.fixture
def follow(site: StreamSite, page: Page) -> Callable[..., None]:
    """Return what opens a page of the site that follows the topic."""

    def follow(*, after: int = 0, **options: float) -> None:
        page.goto(f"{site.server.origin}/static/js/stream.js")
        position = {"epoch": 1, "after": after}
        page.evaluate(
            FOLLOW, {"topic": TOPIC, "position": position, "options": {**OPTIONS, **options}}
        )

    return follow


def await_seen(page: Page, last: int) -> None:
    """Wait for the last event; what was seen is each event once, in order."""
    page.wait_for_function("last => window.seen.includes(last)", arg=last, timeout=PATIENCE_MS)
    seen = page.evaluate("window.seen")
    assert seen == list(range(seen[0], last + 1))


def await_state(page: Page, state: str) -> None:
    page.wait_for_function(
        "state => window.states.at(-1)?.[0] === state", arg=state, timeout=PATIENCE_MS
    )


def states(page: Page) -> list[str]:
    return [state for state, _ in page.evaluate("window.states")]
