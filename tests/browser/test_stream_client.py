"""The browser's client of the streams, in a real browser: nothing lost, nothing doubled."""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from playwright.sync_api import Page, WebSocketRoute

from runner import consumers, feeds, registry
from runner.feeds import query
from runner.models import Topic
from runner.registry import register_topic
from tests.patience import PATIENCE_SECONDS
from tests.streams.conftest import Server
from tests.streams.journal import write

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
  window.resets = [];
  window.refusals = [];
  window.stream = connect(undefined, options);
  window.following = window.stream.follow(topic, position, {
    onEvent: ({ seq, payload }) => {
      window.seen.push(seq);
      if (payload.text === 'poison') throw new Error('the page stumbles');
    },
    onReset: (info) => {
      window.resets.push(info);
      return Promise.resolve({ epoch: info.epoch, after: info.head });
    },
    onState: (state, info) => window.states.push([state, info]),
    onRefused: (message) => window.refusals.push(message),
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
    monkeypatch.setattr(feeds, "LOOK_SECONDS", 0.3)
    monkeypatch.setattr(consumers, "HEARTBEAT_SECONDS", 0.3)
    register_topic("open", lambda _actor, _row_id: True)
    site = StreamSite()
    yield site
    site.close()
    del registry.topics["open"]


@pytest.fixture
def follow(site: StreamSite, page: Page) -> Callable[..., None]:
    """Return what opens a page of the site that follows the topic."""

    def follow(topic: str = TOPIC, *, after: int = 0, epoch: int = 1, **options: float) -> None:
        page.goto(f"{site.server.origin}/static/js/stream.js")
        position = {"epoch": epoch, "after": after}
        page.evaluate(
            FOLLOW, {"topic": topic, "position": position, "options": {**OPTIONS, **options}}
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


def test_what_came_between_rendering_and_following_is_seen(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    site.write("in the page", "missed", "missed too")
    follow(after=1)
    await_seen(page, 3)
    site.write("live")
    await_seen(page, 4)
    assert page.evaluate("window.seen") == [2, 3, 4]
    await_state(page, "live")
    assert states(page) == ["live"]


def test_a_server_that_went_away_is_caught_up_with(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    site.write("x")
    follow()
    await_seen(page, 1)
    await_state(page, "live")
    site.stop()
    await_state(page, "reconnecting")
    site.write("y", "z")
    site.start_again()
    await_seen(page, 3)
    await_state(page, "live")
    assert states(page) == ["live", "reconnecting", "replayed", "live"]
    assert page.evaluate("window.states[2][1].count") == 2


def test_a_server_that_falls_silent_is_left_for_one_that_speaks(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    sockets: list[WebSocketRoute] = []

    def silence_the_first(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        sockets.append(route)
        if len(sockets) > 1:
            return
        # Open, and mute from the first event on: nothing but the silence tells.
        is_mute = False

        def pass_on(message: str | bytes) -> None:
            nonlocal is_mute
            is_mute = is_mute or json.loads(message)["type"] == "events"
            if not is_mute:
                route.send(message)

        server.on_message(pass_on)

    page.route_web_socket("**/ws/", silence_the_first)
    follow(silentHeartbeats=10)
    await_state(page, "live")
    site.write("unheard")
    await_seen(page, 1)
    assert len(sockets) > 1
    assert states(page)[:2] == ["live", "reconnecting"]


def test_frames_lost_doubled_and_out_of_order_show_nothing_wrong(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    held: list[str] = []

    def disturb(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        frames = 0

        def pass_on(message: str | bytes) -> None:
            nonlocal frames
            if json.loads(message)["type"] != "events":
                route.send(message)
                return
            frames += 1
            match frames % 4:
                case 0:  # lost
                    return
                case 1:  # twice
                    route.send(message)
                case 2:  # late
                    held.append(str(message))
                    return
            route.send(message)
            while held:
                route.send(held.pop())

        server.on_message(pass_on)

    page.route_web_socket("**/ws/", disturb)
    follow()
    for number in range(1, 25):
        site.write(f"number {number}")
        page.wait_for_timeout(20)
    await_seen(page, 24)  # also the last ones: the heartbeat tells of a lost tail


def test_where_sockets_are_blocked_the_same_events_come_by_polling(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    blocked = True

    def block(route: WebSocketRoute) -> None:
        if blocked:
            route.close()
        else:
            route.connect_to_server()

    page.route_web_socket("**/ws/", block)
    site.write(*["many"] * 650)
    follow()
    await_seen(page, 650)
    await_state(page, "live")
    assert page.evaluate("window.states.at(-1)[1].polling")
    site.write("x")
    await_seen(page, 651)
    blocked = False
    page.wait_for_function("!window.states.at(-1)[1].polling", timeout=PATIENCE_MS)
    site.write("y")
    await_seen(page, 652)


def test_a_server_that_stays_away_long_is_not_taken_for_blocked_sockets(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    follow(socketAgainMs=10**9)
    await_state(page, "live")
    site.stop()
    page.wait_for_timeout(2_000)  # many attempts at a socket, and some at polling
    assert states(page) == ["live", "reconnecting"]
    site.write("y")
    site.start_again()
    await_seen(page, 1)
    page.wait_for_function(
        "window.states.at(-1)[0] === 'live' && !window.states.at(-1)[1].polling",
        timeout=PATIENCE_MS,
    )


def test_a_reset_asks_the_page_where_to_go_on(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    site.write("x", "y")
    follow(after=99)
    await_state(page, "live")
    assert page.evaluate("window.resets") == [{"epoch": 1, "head": 2, "reason": "future"}]
    site.write("z")
    await_seen(page, 3)


def test_a_topic_that_is_not_for_the_reader_is_refused_in_the_page(
    page: Page, follow: Callable[..., None]
) -> None:
    follow("private:1")
    page.wait_for_function("window.refusals.length === 1")
    assert states(page) == []


def test_a_tab_that_slept_catches_up_when_it_is_looked_at(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    # The retry is far away: only being looked at brings the connection back so soon.
    follow(firstRetryMs=10**9, lastRetryMs=10**9)
    await_state(page, "live")
    site.stop()
    await_state(page, "reconnecting")
    site.start_again()
    site.write("while it slept")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await_seen(page, 1)


def test_a_page_that_stumbles_over_an_event_goes_on_with_the_next(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.message))
    follow()
    site.write("x", "poison", "y")
    await_seen(page, 3)
    assert errors == ["the page stumbles"]


def test_what_was_applied_is_acknowledged_cumulatively(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    sent: list[Any] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame))),
    )
    follow()
    await_state(page, "live")
    for _ in range(10):
        site.write("x")
    await_seen(page, 10)
    page.wait_for_timeout(400)
    acks = [frame["seq"] for frame in sent if frame["type"] == "ack"]
    assert acks
    assert len(acks) < 10
    assert acks == sorted(acks)
    assert acks[-1] == 10


def test_another_history_is_noticed_by_an_open_page(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    site.write("x")
    follow()
    await_seen(page, 1)
    site.run(query(Topic.objects.filter(name=TOPIC).update, epoch=2))
    page.wait_for_function("window.resets.length === 1", timeout=PATIENCE_MS)
    site.write("y")
    await_seen(page, 2)
