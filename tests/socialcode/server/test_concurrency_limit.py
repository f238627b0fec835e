"""Requests at once: so many, in turn by client, and none forgotten."""

import asyncio
import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialcode.server import concurrency_limit, request_handler
from socialcode.server.concurrency_limit import ConcurrencyLimit
from tests.socialcode.server.test_request_handler import answered, request

pytestmark = pytest.mark.django_db
MOST = 4


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@given(
    clients=st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, MOST)), max_size=40),
    chance=st.randoms(use_true_random=False),
)
def test_never_more_are_let_in_and_all_are_in_the_end_whoever_gives_up(
    clients: list[tuple[str, int]], chance: random.Random
) -> None:
    async def run() -> None:
        limit = ConcurrencyLimit(MOST, len(clients))
        inside = 0

        async def client(network: str, weight: int) -> None:
            nonlocal inside
            assert await limit.enter(network, weight)
            inside += weight
            try:
                assert inside <= MOST
                for _ in range(chance.randrange(3)):
                    await asyncio.sleep(0)
            finally:
                inside -= weight
                limit.leave(weight)

        tasks = [asyncio.create_task(client(*one)) for one in clients]
        for task in tasks:
            if chance.random() < 0.3:
                await asyncio.sleep(0)
                task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(end) for end in ended} <= {type(None), asyncio.CancelledError}
        assert await limit.enter("d", MOST)

    asyncio.run(run())


async def test_clients_take_turns_each_first_come_first_served() -> None:
    limit = ConcurrencyLimit(1, 100)
    served: list[str] = []

    async def client(network: str, name: str) -> None:
        await limit.enter(network)
        served.append(name)
        await asyncio.sleep(0)
        limit.leave()

    names = [*(("flood", f"f{number}") for number in range(6)), ("a", "a0"), ("b", "b0")]
    await asyncio.gather(*(client(*one) for one in names))
    assert served == ["f0", "f1", "a0", "b0", "f2", "f3", "f4", "f5"]


async def test_who_comes_to_a_full_line_or_waits_too_long_is_refused_and_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency_limit, "LONGEST_WAIT_SECONDS", 0.05)
    limit = ConcurrencyLimit(1, 1)
    assert await limit.enter("a")
    waiting = asyncio.create_task(limit.enter("b"))
    await settle()
    assert await limit.enter("c") is False
    assert await waiting is False
    limit.leave()
    assert await limit.enter("c")


async def test_one_that_goes_at_the_moment_when_it_is_let_in_leaves_its_place_to_the_next() -> None:
    limit = ConcurrencyLimit(1, 10)
    await limit.enter("a")
    going, next_one = (asyncio.create_task(limit.enter(name)) for name in "bc")
    await settle()
    limit.leave()
    going.cancel()
    assert await next_one
    assert going.cancelled()


@pytest.mark.parametrize("path", ["/accounts/login/", "/api/v1/functions/"])
async def test_a_busy_site_says_so_and_when_to_come_again(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    pages = request_handler.PageHandler()
    monkeypatch.setattr(pages, "_limit", ConcurrencyLimit(0, 0))
    page = request(path, application=pages)
    await page.send_input({"type": "http.request", "body": b""})
    start = await page.receive_output(5)
    body = (await page.receive_output(5))["body"].decode()
    headers = dict(start["headers"])
    assert start["status"] == 503
    assert headers[b"retry-after"] == b"5"
    if path.startswith("/api/"):
        assert headers[b"content-type"] == b"application/problem+json"
        assert json.loads(body)["code"] == "busy"
    else:
        assert "Try again in a few seconds" in body


async def test_a_body_without_end_is_refused_before_it_fills_memory_or_disk() -> None:
    page = request("/api/v1/functions/", "POST")
    piece: dict[str, Any] = {"type": "http.request", "body": b"a" * 500_000, "more_body": True}
    for _ in range(140):
        await page.send_input(piece)
    start = await page.receive_output(5)
    assert start["status"] == 413
    assert json.loads((await page.receive_output(5))["body"])["code"] == "too_large"
    assert (await answered(request()))[0] == 200
