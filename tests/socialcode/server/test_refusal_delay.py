"""Refusals of the kind *too often* are sent a little later; all else is sent at once."""

import asyncio
import time
from typing import Any

import pytest

from socialcode.server import refusal_delay
from socialcode.server.refusal_delay import LARGEST_KEPT_BYTES, SlowRefusals

DELAY_SECONDS = 0.2


@pytest.mark.parametrize(
    ("status", "size", "is_slow"),
    [(429, 100, True), (200, 100, False), (503, 100, False), (429, LARGEST_KEPT_BYTES + 1, False)],
)
def test_only_small_refusals_wait_and_nobody_works_for_them_meanwhile(
    monkeypatch: pytest.MonkeyPatch, status: int, size: int, is_slow: bool
) -> None:
    monkeypatch.setattr(refusal_delay, "SHORTEST_SECONDS", DELAY_SECONDS)
    monkeypatch.setattr(refusal_delay, "LONGEST_SECONDS", DELAY_SECONDS)
    times: dict[str, float] = {}
    sent: list[Any] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": bytes(size)})
        times["ended"] = time.monotonic()

    async def send(message: Any) -> None:
        times.setdefault("sent", time.monotonic())
        sent.append(message)

    asyncio.run(SlowRefusals(application)({"type": "http"}, None, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert (times["sent"] - times["ended"] >= DELAY_SECONDS) == is_slow
