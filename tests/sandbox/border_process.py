"""A process on the other side of a border, that offers what a source defines."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from runner.sandbox.border.peer import Peer
from runner.sandbox.border.protocol import Channel, Gone

MODULES = frozenset(
    {
        *("json", "math", "random", "asyncio", "decimal", "queue", "_queue", "threading"),
        *("asyncio.exceptions", "concurrent.futures._base"),
    }
)


@contextlib.contextmanager
def process(source: str, *, is_strict: bool = True) -> Iterator[tuple[Peer, dict[str, Any]]]:
    """Give the judge's end, and what the source defines under public names."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", __name__, str(theirs.fileno()), source]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as running:
        theirs.close()
        peer = Peer(Channel(ours.fileno()), modules=MODULES, is_judge=True, is_strict=is_strict)
        try:
            yield peer, peer.fetch(1)
        finally:
            running.kill()
            # Threads of this peer may still answer, on a descriptor that no other must have.
            ours.shutdown(socket.SHUT_RDWR)
            weakref.finalize(peer, os.close, ours.detach())


def main(descriptor: str, source: str) -> None:
    peer = Peer(Channel(int(descriptor)), modules=MODULES)
    module = sys.modules["subject"] = ModuleType("subject")
    names = vars(module)
    exec(source, names)  # noqa: S102
    peer.offer(
        {n: thing for n, thing in names.items() if n[0] != "_" and type(thing) is not type(socket)}
    )
    with contextlib.suppress(Gone):
        peer.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
