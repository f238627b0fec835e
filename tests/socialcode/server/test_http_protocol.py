"""Requests as they come over a connection: what one client may have us keep is little."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from socialcode.server import connection_limits, http_protocol
from socialcode.server.http_protocol import LARGEST_HEAD_BYTES, MOST_AHEAD, RequestProtocol
from tests.patience import PATIENCE_SECONDS

GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
GET_WHOLE = b"GET /whole HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
GET_LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
# More than kernels hold for two ends of a connection.
LARGE_BYTES, PIECE = 32 * 2**20, b"x" * 2**16


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with how long the body is; below /large with so much, by the piece, or whole."""
    length, more = 0, True
    while more:
        message = await receive()
        length, more = length + len(message["body"]), message["more_body"]
    if scope["path"] == "/whole":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(LARGE_BYTES)})
        return
    if scope["path"] == "/large":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for _ in range(LARGE_BYTES // len(PIECE)):
            await send({"type": "http.response.body", "body": PIECE, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        return
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


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the server's patience measured in tenths of seconds."""
    monkeypatch.setattr(connection_limits, "SWEEP_SECONDS", 0.1)
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "ANSWER_SECONDS"):
        monkeypatch.setattr(http_protocol, name, 0.5)


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
    http_protocol = [post + head + b"\r\n" + body, GET + head + b"\r\n", GET + head + b"\r\n"]
    answered = await exchange(port, *http_protocol, GET + b"Connection: close\r\n\r\n")
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


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("pause_seconds", [0.0, 0.05])
async def test_who_reads_is_sent_all_of_it_and_who_stops_is_let_go(
    port: int, pause_seconds: float
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**16)
    writer.write(GET_LARGE)
    idler, idle_writer = await asyncio.open_connection("127.0.0.1", port, limit=2**16)
    idle_writer.write(GET_LARGE)
    read = 0
    async with asyncio.timeout(PATIENCE_SECONDS):
        while piece := await reader.read(2**18):
            read += len(piece)
            await asyncio.sleep(pause_seconds)
    assert read > LARGE_BYTES
    await asyncio.sleep(2 * http_protocol.ANSWER_SECONDS)
    left = 0
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while piece := await idler.read(2**18):
                left += len(piece)
    except ConnectionError:
        pass
    assert left < LARGE_BYTES
    writer.close()
    idle_writer.close()


async def test_answers_that_nobody_reads_are_dropped_when_they_take_too_much_memory(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_limits, "SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(connection_limits, "MOST_UNREAD_BYTES", 3 * LARGE_BYTES)
    idle = [await asyncio.open_connection("127.0.0.1", port, limit=2**16) for _ in range(6)]
    for _, writer in idle:
        writer.write(GET_WHOLE)
    await asyncio.sleep(1)
    assert len(await exchange(port, GET_WHOLE)) > LARGE_BYTES
    whole = 0
    for reader, writer in idle:
        read = 0
        with suppress(ConnectionError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                while piece := await reader.read(2**18):
                    read += len(piece)
        whole += read > LARGE_BYTES
        writer.close()
    assert 1 <= whole <= 4  # kernels hold a part of each


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize(
    ("pause_seconds", "status"), [(0.01, b"200 OK"), (0.45, b"408 Request Timeout")]
)
async def test_a_body_may_be_slow_but_not_endless(
    port: int, pause_seconds: float, status: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    pieces = 100
    writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (100 * pieces))

    async def send() -> None:
        for _ in range(pieces):
            writer.write(b"x" * 100)
            await asyncio.sleep(pause_seconds)

    sending = asyncio.create_task(send())
    async with asyncio.timeout(PATIENCE_SECONDS):
        said = await reader.readline()
    sending.cancel()
    writer.close()
    assert said == b"HTTP/1.1 " + status + b"\r\n"


@pytest.mark.usefixtures("hurry")
async def test_a_server_that_had_no_clients_for_a_while_watches_the_next(port: int) -> None:
    for _ in range(3):
        assert b"200 OK" in await exchange(port, GET + b"Connection: close\r\n\r\n")
        await asyncio.sleep(2 * connection_limits.SWEEP_SECONDS)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await reader.read() == b""
    writer.close()
