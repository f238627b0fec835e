"""Analyses of source, served by a thread of this process over a real sandbox."""

import asyncio
import contextlib
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from runner.analysis.pool import AnalysisPool
from runner.analysis.queue import QueueLimits
from runner.analysis.server import AnalysisServer


class Hosted(NamedTuple):
    """Who serves, and where."""

    path: Path
    pool: AnalysisPool
    server: AnalysisServer


@contextlib.contextmanager
def hosted(run: str, room: QueueLimits | None = None) -> Iterator["Hosted"]:
    """Serve what this `Analyst` can do as long as this lasts."""
    with tempfile.TemporaryDirectory(prefix="analyses-") as folder:
        path = Path(folder) / "socket"
        loop, stop = asyncio.new_event_loop(), asyncio.Event()
        pool = AnalysisPool(run)
        server = AnalysisServer(pool, room)
        thread = threading.Thread(
            target=loop.run_until_complete, args=[server.serve(path, stop)], name="analyses"
        )
        thread.start()
        try:
            while not path.exists() and thread.is_alive():
                thread.join(0.01)
            yield Hosted(path, pool, server)
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            server.close()
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()
