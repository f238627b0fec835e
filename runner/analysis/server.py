"""Serves analyses over a Unix socket, each in a process of its own."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from runner.analysis.places import Full, Place, Places, Room
from runner.analysis.pool import Analysis, AnalysisPool, Ended, Finding
from runner.calls.lines import serve_frames
from runner.sandbox import SandboxBroken, SandboxUnavailable

log = logging.getLogger(__name__)

STOP_SECONDS = 2.0
MOST_CPU_MS = 10_000


class AnalysisServer:
    """Has analyses run for whoever asks; owns the pool it is given."""

    def __init__(self, pool: AnalysisPool, room: Room | None = None) -> None:
        self._pool = pool
        self._places = Places(room)

    async def serve(self, path: Path, stop: asyncio.Event) -> None:
        """Serve until told to stop; then let what runs come to its end."""
        await serve_frames(path, self.answer, stop, stop_seconds=STOP_SECONDS)

    def close(self) -> None:
        """End the zygote and every child."""
        self._pool.close()

    async def answer(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return how it ended; cancelled where nobody waits for it any more."""
        analysis = Analysis(**content["analysis"])
        if not 0 < analysis.cpu_ms <= MOST_CPU_MS:
            raise ValueError(f"an analysis may compute for {MOST_CPU_MS} ms at most")
        try:
            place = await self._places.take(str(content["owner"]))
            try:
                finding = await self._run(analysis, place)
            finally:
                self._places.leave(place)
        except Full as full:
            return {"busy": full.own}
        except (SandboxBroken, SandboxUnavailable, OSError) as error:
            log.exception("an analysis could not be run")
            return {"broken": str(error)}
        if finding.ended is Ended.FAILED:
            log.error("the analysis %s has failed: %s", analysis.name, finding.text)
        return {"ended": finding.ended.value, "text": finding.text}

    async def _run(self, analysis: Analysis, place: Place) -> Finding:
        running = asyncio.create_task(
            self._pool.run(analysis, lambda: self._places.note_slow(place))
        )
        place.end = running.cancel
        try:
            return await running
        except asyncio.CancelledError:
            if not place.is_displaced:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
                raise
            raise Full(own=False) from None
