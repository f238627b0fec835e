"""The site's server, with a probe of the number of unwritten frames per client.

A separate measurement, as the probe has a cost.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any
from unittest.mock import patch

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from socialcode import web

_send = WebSocketsSansIOProtocol.send
_unwritten: dict[WebSocketsSansIOProtocol, int] = {}


def result_file() -> Path:
    """Return the file that gets the largest number."""
    return Path(os.environ["SOCIALCODE_VAR"]) / "most-unwritten-frames"


async def _watched_send(self: WebSocketsSansIOProtocol, message: Any) -> None:
    """Send, then count the frames since the kernel last accepted all of them.

    A partly accepted frame counts as unwritten.
    """
    await self.writable.wait()
    if self.transport.get_write_buffer_size() == 0:
        _unwritten[self] = 0
    await _send(self, message)
    if self.transport.get_write_buffer_size() and message["type"] == "websocket.send":
        _unwritten[self] = _unwritten.get(self, 0) + 1
        if _unwritten[self] > int(result_file().read_text("ascii")):
            result_file().write_text(str(_unwritten[self]), "ascii")


def serve(handle: int) -> None:
    """Serve on the listening socket with this file descriptor."""
    result_file().write_text("0", "ascii")
    with patch.object(WebSocketsSansIOProtocol, "send", _watched_send):
        web.serve(socket.socket(fileno=handle))
