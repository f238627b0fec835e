"""A proxy between a worker and its database; while paused, it neither forwards nor disconnects.

python -m chaos.proxy LISTEN TARGET        # two Unix sockets
"""

import asyncio
import contextlib
import sys


async def main(listen: str, target: str) -> None:
    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            its_reader, its_writer = await asyncio.open_unix_connection(target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(_forward(reader, its_writer), _forward(its_reader, writer))

    server = await asyncio.start_unix_server(connect, listen)
    await server.serve_forever()


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while some := await reader.read(65_536):
            writer.write(some)
            await writer.drain()
    with contextlib.suppress(OSError):
        writer.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:3]))
