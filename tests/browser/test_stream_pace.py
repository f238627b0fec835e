"""When the browser's client speaks: it comes back spread, wakes at once, acknowledges in time."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute

from runner.sockets import consumer
from tests.support.browser.topic_page import (
    PATIENCE_MS,
    StreamSite,
    await_seen,
    await_state,
    states,
)

# Says in which pauses the client tries again, of which only the randomness is fixed.
WATCH_RETRIES = """
window.pauses = [];
Math.random = () => 0.25;
const later = window.setTimeout;
window.setTimeout = (action, pause) => {
  if (String(action).includes('action()')) window.pauses.push(pause);
  return later(action, pause);
};
"""
HIDE = """
Object.defineProperty(document, 'hidden', { get: () => window.isAway ?? false });
Object.defineProperty(document, 'visibilityState', {
  get: () => (window.isAway ? 'hidden' : 'visible'),
});
window.leave = (isAway) => {
  window.isAway = isAway;
  document.dispatchEvent(new Event('visibilitychange'));
};
"""


@pytest.fixture
def sent(page: Page) -> list[Any]:
    """Collect the frames that the page sends."""
    frames: list[Any] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: frames.append(json.loads(frame))),
    )
    return frames


def acks(sent: list[Any]) -> list[int]:
    return [frame["seq"] for frame in sent if frame["type"] == "ack"]


def test_retries_are_drawn_from_a_growing_bound(page: Page, follow: Callable[..., None]) -> None:
    page.route_web_socket("**/ws/", lambda route: route.close())
    page.add_init_script(WATCH_RETRIES)
    follow(firstRetryMs=400, lastRetryMs=1_600, failuresBeforePolling=99)
    page.wait_for_function("window.pauses.filter(p => p <= 400).length >= 5", timeout=PATIENCE_MS)
    pauses = [pause for pause in page.evaluate("window.pauses") if pause <= 400]
    assert pauses[:5] == [100, 200, 400, 400, 400]


def test_a_tab_that_slept_catches_up_with_one_request(
    site: StreamSite,
    page: Page,
    follow: Callable[..., None],
    sent: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A page that has not moved between two heartbeats asks again, and should. Where heartbeats are
    # as short as in other tests, a busy machine alone makes it stand still for that long.
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 10.0)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(HIDE)
    follow(firstRetryMs=10**9, lastRetryMs=10**9)
    await_state(page, "live")
    page.evaluate("window.leave(true)")
    site.stop()
    await_state(page, "reconnecting")
    site.start_again()
    site.write(*[f"number {number}" for number in range(2_000)])  # many times the window
    sent.clear()
    asked.clear()
    page.evaluate("window.leave(false)")
    await_seen(page, 2_000)
    await_state(page, "live")
    assert [frame["after"] for frame in sent if frame["type"] == "subscribe"] == [0]
    assert asked == []
    assert "replayed" in states(page)


def test_a_page_that_is_looked_at_again_does_not_wait_for_silence(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    sockets: list[WebSocketRoute] = []

    def go_deaf(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        sockets.append(route)
        is_first = len(sockets) == 1
        # The first socket's network is gone, and nobody tells: what is said is heard by nobody.
        route.on_message(
            lambda message: None if is_first and "ping" in str(message) else server.send(message)
        )
        server.on_message(
            lambda message: (
                None
                if is_first and json.loads(message)["type"] in ("events", "heartbeat")
                else route.send(message)
            )
        )

    page.route_web_socket("**/ws/", go_deaf)
    follow(silentHeartbeats=10**6, answerMs=200)
    await_state(page, "live")
    site.write("unheard")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await_seen(page, 1)
    assert len(sockets) == 2


def test_what_a_hidden_tab_gets_is_acknowledged_without_a_timer(
    site: StreamSite, page: Page, follow: Callable[..., None], sent: list[Any]
) -> None:
    page.add_init_script(HIDE)
    # A hidden page's timers sleep for up to a minute; this one sleeps for good.
    follow(ackMs=10**9)
    await_state(page, "live")
    page.evaluate("window.leave(true)")
    site.write("alone")
    await_seen(page, 1)
    page.wait_for_timeout(1_000)  # some heartbeats
    assert acks(sent) == [1]


def test_no_window_is_ever_full_for_a_page_that_keeps_up(
    site: StreamSite, page: Page, follow: Callable[..., None], sent: list[Any]
) -> None:
    follow()
    await_state(page, "live")
    for _ in range(20):
        site.write(*["x"] * 100)
    await_seen(page, 2_000)
    page.wait_for_timeout(500)
    assert acks(sent)[-1] == 2_000
    assert acks(sent) == sorted(acks(sent))


def test_nothing_is_acknowledged_before_it_is_applied(
    site: StreamSite, page: Page, follow: Callable[..., None], sent: list[Any]
) -> None:
    follow()
    await_state(page, "live")
    # No frame is drawn for a while: the page holds what it is sent, which is all it may be sent.
    page.evaluate("window.requestAnimationFrame = () => 0; window.setTimeout = () => 0")
    site.write(*["x"] * 1_000)
    page.wait_for_timeout(1_000)
    assert page.evaluate("window.seen") == []
    assert acks(sent) == []
    assert page.evaluate("window.following.waiting.length") <= 256


def test_what_is_sent_again_is_shown_once_and_acknowledged_again(
    site: StreamSite, page: Page, follow: Callable[..., None], sent: list[Any]
) -> None:
    frames: list[str] = []
    routes: list[WebSocketRoute] = []

    def keep(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        routes.append(route)

        def from_page(message: str | bytes) -> None:
            sent.append(json.loads(message))
            server.send(message)

        def from_server(message: str | bytes) -> None:
            if json.loads(message)["type"] == "events":
                frames.append(str(message))
            route.send(message)

        route.on_message(from_page)
        server.on_message(from_server)

    page.route_web_socket("**/ws/", keep)
    follow()
    await_state(page, "live")
    site.write("x", "y")
    await_seen(page, 2)
    page.wait_for_timeout(500)
    assert acks(sent)[-1] == 2
    sent.clear()
    for frame in frames:
        routes[0].send(frame)
    page.wait_for_timeout(500)
    assert 2 in acks(sent)
    assert page.evaluate("window.seen") == [1, 2]


def test_one_socket_too_many_asks_instead(
    site: StreamSite, page: Page, follow: Callable[..., None]
) -> None:
    tried = 0

    def turn_away(route: WebSocketRoute) -> None:
        nonlocal tried
        tried += 1
        route.send(json.dumps({"type": "error", "code": "too_many_connections", "message": "no"}))
        route.close(code=4423)

    page.route_web_socket("**/ws/", turn_away)
    follow(socketAgainMs=10**9)
    site.write("x")
    await_seen(page, 1)
    await_state(page, "live")
    assert page.evaluate("window.states.at(-1)[1].polling")
    assert tried == 1
