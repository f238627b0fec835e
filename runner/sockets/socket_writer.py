"""Writes frames to one socket, with a timeout for clients that stop reading."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from runner.sockets import flow_control, frames
from runner.sockets.frames import CLOSE_CODES, Code, ProtocolError

BLOCKED_SECONDS = 1.0
FAREWELL_SECONDS = 2.0

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


class SocketWriter:
    """Writes to one client.

    `send` is the ASGI server's: it waits until the previous frame has left this process, then
    accepts this one. If the wait is cancelled, nothing of the frame is sent.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._clock = asyncio.get_running_loop().time
        # When a frame that had to wait was last accepted; earlier frames were read only then.
        self.drained_at = 0.0

    async def accept(self) -> None:
        await self._send({"type": "websocket.accept"})

    async def send(self, text: str) -> None:
        """Send when the socket has drained; raises ProtocolError if that takes too long."""
        began = self._clock()
        for _attempt in range(flow_control.MAX_RESENDS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(flow_control.RESEND_SECONDS):
                    await self._send({"type": "websocket.send", "text": text})
                if self._clock() - began > BLOCKED_SECONDS:
                    self.drained_at = self._clock()
                return
        raise ProtocolError(Code.PRESUMED_GONE, "the client doesn't read")

    async def close_with_error(self, error: ProtocolError) -> None:
        """Send the error, unless the client doesn't read, and close."""
        frame = frames.error(error.code, error.message)
        with contextlib.suppress(OSError):  # a timeout, too
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._send({"type": "websocket.send", "text": frame})
        await self.close(CLOSE_CODES[error.code], error.message)

    async def reject(self, code: int, reason: str) -> None:
        """Close at once; accepts first, because a code and reason can only be sent then."""
        await self.accept()
        await self.close(code, reason)

    async def close(self, code: int, reason: str) -> None:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
