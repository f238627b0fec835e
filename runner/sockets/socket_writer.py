"""The sending end of a socket: one frame at a time, and an end to waiting."""

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
    """What one client is sent.

    `give` is the server's: it waits until the frame before has left our memory, and then takes the
    whole of this one at once; nothing of it is sent when the waiting is given up.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._clock = asyncio.get_running_loop().time
        # When it last took what it had kept waiting: what came before was read only then.
        self.drained_at = 0.0

    async def accept(self) -> None:
        await self._send({"type": "websocket.accept"})

    async def send(self, text: str) -> None:
        """Send when the socket has drained; raises ProtocolError if it does not, for too long."""
        begun = self._clock()
        for _attempt in range(flow_control.MAX_RESENDS):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(flow_control.RESEND_SECONDS):
                    await self._send({"type": "websocket.send", "text": text})
                if self._clock() - begun > BLOCKED_SECONDS:
                    self.drained_at = self._clock()
                return
        raise ProtocolError(Code.PRESUMED_GONE, "what was sent has not been read")

    async def close_with_error(self, error: ProtocolError) -> None:
        """Say why, and close; one who does not read is closed without the words."""
        frame = frames.error(error.code, error.message)
        with contextlib.suppress(OSError):  # a timeout, too
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._send({"type": "websocket.send", "text": frame})
        await self.close(CLOSE_CODES[error.code], error.message)

    async def reject(self, code: int, reason: str) -> None:
        """Close before anything else; a code and a reason come only after an accept."""
        await self.accept()
        await self.close(code, reason)

    async def close(self, code: int, reason: str) -> None:
        with contextlib.suppress(OSError):
            async with asyncio.timeout(FAREWELL_SECONDS):
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
