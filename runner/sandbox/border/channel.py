"""Messages over a stream socket: a length, then JSON. The other end may send anything."""

from __future__ import annotations

import json
import os
import struct
from typing import Any

from runner.sandbox.border.plain import Malformed

LONGEST_MESSAGE = 1 << 24  # bytes
_HEADER = struct.Struct("<I")
_PIECE = 1 << 16

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
_decode = json.JSONDecoder().decode


class Gone(ConnectionError):
    """The other process has ended, or closed its end."""


class TooLong(ValueError):
    """A message of ours that is longer than any may be."""


class Channel:
    """One end of a socket pair; one thread may send while another receives."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._pending = b""

    def send(self, message: list[Any]) -> None:
        """Send a message; raises TooLong, and Gone where nobody receives."""
        # Halves of surrogate pairs are texts, too.
        body = _encode(message).encode("utf-8", "surrogatepass")
        if len(body) > LONGEST_MESSAGE:
            raise TooLong(f"{len(body):,} bytes are more than the {LONGEST_MESSAGE:,} allowed")
        data = _HEADER.pack(len(body)) + body
        self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            sent = os.write(self.descriptor, data)
            while sent < len(data):
                sent += os.write(self.descriptor, memoryview(data)[sent:])
        except OSError:
            raise Gone("the other process has ended") from None

    def receive(self) -> Any:
        """Return the next message, of whatever shape; raises Malformed and Gone."""
        data = self._pending or self._read()
        while len(data) < _HEADER.size:
            data += self._read()
        (length,) = _HEADER.unpack_from(data)
        end = _HEADER.size + length
        if length > LONGEST_MESSAGE:
            raise Malformed("a message that is too long")
        if len(data) < end:
            data = self._read_rest(data, end)
        self._pending = data[end:]
        try:
            return _decode(data[_HEADER.size : end].decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            raise Malformed("a message that is no JSON") from None

    def _read_rest(self, data: bytes, end: int) -> bytes:
        pieces, size = [data], len(data)
        while size < end:
            pieces.append(self._read(end - size))
            size += len(pieces[-1])
        return b"".join(pieces)

    def _read(self, most: int = _PIECE) -> bytes:
        try:
            data = os.read(self.descriptor, max(most, _PIECE))
        except OSError:
            data = b""
        if not data:
            raise Gone("the other process has ended")
        return data
