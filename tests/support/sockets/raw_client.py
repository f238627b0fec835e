"""A client that does what libraries do not: stop reading, ping without end, and worse."""

import asyncio
import base64
import json
import os
import socket
import struct
from typing import Any, Self
from urllib.parse import urlsplit

from tests.patience import PATIENCE_SECONDS
from tests.support.sockets.server import Address

TEXT, CONTINUATION, CLOSE, PING, PONG = 1, 0, 8, 9, 10


def frame(opcode: int, payload: bytes = b"", *, is_last: bool = True) -> bytes:
    """Return a frame as clients send them; the mask is zero, which leaves all as it is."""
    start = bytes([opcode | (0x80 if is_last else 0)])
    if len(payload) < 126:
        return start + bytes([0x80 | len(payload)]) + bytes(4) + payload
    if len(payload) < 65_536:
        return start + bytes([0x80 | 126]) + struct.pack(">H", len(payload)) + bytes(4) + payload
    return start + bytes([0x80 | 127]) + struct.pack(">Q", len(payload)) + bytes(4) + payload


def text(kind: str, **fields: Any) -> bytes:
    return frame(TEXT, json.dumps({"type": kind, **fields}).encode())


def subscribe(topic: str, *, after: int = 0) -> bytes:
    return text("subscribe", topic=topic, epoch=1, after=after)


class Raw:
    """Bytes to and from the server; nothing is read unless the test says so."""

    def __init__(self, address: Address, *, cookie: str = "") -> None:
        self._address = address
        self._cookie = cookie

    async def __aenter__(self) -> Self:
        host, port = str(urlsplit(self._address.url).netloc).split(":")
        connection = socket.socket()
        # What the kernel takes for us is not to hide what we do not read.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, (host, int(port)))
        self._reader, self._writer = await asyncio.open_connection(sock=connection, limit=2**12)
        request = [
            "GET /ws/ HTTP/1.1",
            f"Host: {host}:{port}",
            f"Origin: {self._address.origin}",
            f"Cookie: {self._cookie}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        self._writer.write("\r\n".join([*request, "", ""]).encode())
        answer = await asyncio.wait_for(self._reader.readuntil(b"\r\n\r\n"), PATIENCE_SECONDS)
        assert b" 101 " in answer.splitlines()[0]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._writer.transport.abort()

    async def send(self, data: bytes, *, within: float = PATIENCE_SECONDS) -> None:
        """Send, if the server takes it."""
        self._writer.write(data)
        await asyncio.wait_for(self._writer.drain(), within)

    async def receive(self) -> tuple[int, bytes]:
        """Return the opcode and payload of the next frame."""
        first, length = await self._reader.readexactly(2)
        if length == 126:
            (length,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", await self._reader.readexactly(8))
        opcode, payload = first & 15, await self._reader.readexactly(length)
        if opcode == PING:
            self._writer.write(frame(PONG, payload))
        return opcode, payload

    async def receive_to_the_end(self) -> tuple[list[Any], int]:
        """Return all text frames up to the close, and its code."""
        frames: list[Any] = []
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                opcode, payload = await self.receive()
                if opcode == CLOSE:
                    (code,) = struct.unpack(">H", payload[:2])
                    return frames, code
                if opcode == TEXT:
                    frames.append(json.loads(payload))
