"""A proxy as sites have them: it tells who connected to it, behind what it was told itself."""

import asyncio
import re
from typing import Self


class ForwardingProxy:
    """Listens at an address of this machine, and connects from there to the next one."""

    def __init__(self, address: str, target: tuple[str, int], *, scheme: str = "") -> None:
        self.address = address
        self.port = 0
        self._target = target
        self._scheme = scheme  # said where it is not empty; else left as it came

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connect, self.address, 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._server.close()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        its_reader, its_writer = await asyncio.open_connection(
            *self._target, local_addr=(self.address, 0)
        )
        head = await reader.readuntil(b"\r\n\r\n")
        its_writer.write(self._with_headers(head, writer.get_extra_info("peername")[0]))
        await asyncio.gather(_pipe(reader, its_writer), _pipe(its_reader, writer))

    def _with_headers(self, head: bytes, peer: str) -> bytes:
        """Append who connected; say by which scheme."""
        lines = [f"X-Forwarded-For: {peer}".encode()]
        if self._scheme:
            head = re.sub(rb"(?i)\r\nx-forwarded-proto:[^\r]*", b"", head)
            lines.append(f"X-Forwarded-Proto: {self._scheme}".encode())
        return head.removesuffix(b"\r\n") + b"\r\n".join(lines) + b"\r\n\r\n"


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
