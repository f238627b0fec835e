"""The browser's client of the streams, in a real browser: nothing lost, nothing doubled."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

from runner.models import Topic
from runner.sockets.topic_log import query
from tests.support.browser.topic_page import (
    PATIENCE_MS,
    TOPIC,
    StreamSite,
    await_seen,
    await_state,
    states,
)


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


def test_a_server_that_says_to_try_again_later_is_not_taken_for_blocked_sockets(
    page: Page, follow: Callable[..., None]
) -> None:
    attempts = 0

    def turn_away(route: WebSocketRoute) -> None:
        nonlocal attempts
        attempts += 1
        if attempts <= 4:  # one more than make a page poll
            route.close(code=1013, reason="try again later")
        else:
            route.connect_to_server()

    page.route_web_socket("**/ws/", turn_away)
    follow(socketAgainMs=10**9)
    await_state(page, "live")
    assert not page.evaluate("window.states.at(-1)[1].polling")
    assert attempts == 5


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
