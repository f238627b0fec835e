"""The browser's client of the streams against the real server; see tests/frontend for its rules."""

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


def test_a_tab_that_slept_catches_up_with_one_request(
    site: StreamSite,
    page: Page,
    follow: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A page that has not moved between two heartbeats asks again, and should. Where heartbeats are
    # as short as in other tests, a busy machine alone makes it stand still for that long.
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 10.0)
    asked: list[str] = []
    sent: list[Any] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: sent.append(json.loads(frame))),
    )
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
