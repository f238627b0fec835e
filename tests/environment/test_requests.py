"""Requests as they come over a connection: what one client may have us keep is little."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn

from socialcode.requests import LARGEST_HEAD_BYTES, MOST_AHEAD, RequestProtocol
from tests.patience import PATIENCE_SECONDS

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


async def echo(_scope: Any, receive: Any, send: Any) -> None:
    """Answer with how long the body is."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message["body"]), message["more_body"]
    body = b"%08d" % length
    headers = [(b"content-length", b"8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
async def port() -> AsyncIterator[int]:
    config = uvicorn.Config(
        echo, http=RequestProtocol, port=0, lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has a flag, and no event
        await asyncio.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    await asyncio.wait_for(serving, PATIENCE_SECONDS)


async def exchange(port: int, *sent: bytes) -> bytes:
    """Send all of it, and return what comes until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            for piece in sent:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.001)
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_long_bodies_are_taken_and_many_requests_on_one_connection(port: int) -> None:
    body = b"x" * (3 * LARGEST_HEAD_BYTES)
    post = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % len(body)
    head = b"Cookie: " + b"x" * (LARGEST_HEAD_BYTES // 2) + b"\r\n"
    requests = [post + head + b"\r\n" + body, GET + head + b"\r\n", GET + head + b"\r\n"]
    answered = await exchange(port, *requests, GET + b"Connection: close\r\n\r\n")
    assert answered.count(b"HTTP/1.1 200 OK") == 4
    assert answered.count(b"%08d" % len(body)) == 1


@pytest.mark.parametrize(
    "endless",
    [
        GET + b"X-Long: ",
        b"GET /",
        GET + b"X-Short: 1\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Trailing: ",
    ],
    ids=["value", "address", "headers", "trailer"],
)
async def test_headers_without_end_are_refused(port: int, endless: bytes) -> None:
    piece = b"X-Short: 1\r\n" * 1000 if endless.endswith(b"\n") else b"x" * 12_000
    answered = await exchange(port, endless, *[piece] * 20)
    assert b" 200 " not in answered
    assert not answered or answered.startswith(b"HTTP/1.1 400")


async def test_requests_are_not_piled_up_before_the_first_is_answered(port: int) -> None:
    some = await exchange(port, (GET + b"\r\n") * MOST_AHEAD + GET + b"Connection: close\r\n\r\n")
    assert some.count(b"HTTP/1.1 200 OK") == MOST_AHEAD + 1
    many = await exchange(port, (GET + b"\r\n") * 3000)
    assert many.count(b"HTTP/1.1 200 OK") < 3000
