"""Serves analyses of source text."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from typing import Any

from runner.analysis.pool import Analysis, AnalysisPool, Ended, Finding
from runner.analysis.queue import QueueFull, QueueLimits, Slot, SlotQueue
from runner.calls.addresses import Address
from runner.calls.connections import serve_frames
from runner.sandbox import SandboxBroken, SandboxUnavailable
from runner.telemetry.counters import count
from runner.telemetry.families import SANDBOX_FAILURES

log = logging.getLogger(__name__)

STOP_SECONDS = 2.0
MAX_CPU_MS = 10_000


class AnalysisServer:
    """Runs analyses for clients. Closes the given pool."""

    def __init__(self, pool: AnalysisPool, limits: QueueLimits | None = None) -> None:
        self._pool = pool
        self._slots = SlotQueue(limits)

    async def serve(self, address: Address, stop: asyncio.Event) -> None:
        """Serve until `stop` is set; then let running analyses finish."""
        await serve_frames(address, self.answer, stop, stop_seconds=STOP_SECONDS)

    def close(self) -> None:
        """End the zygote and its children."""
        self._pool.close()

    async def answer(self, content: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the content of the response frame; cancelled when the client disconnects."""
        analysis = Analysis(**content["analysis"])
        if not 0 < analysis.cpu_ms <= MAX_CPU_MS:
            raise ValueError(f"an analysis may use at most {MAX_CPU_MS} ms of CPU time")
        try:
            slot = await self._slots.acquire(str(content["owner"]))
            try:
                finding = await self._run(analysis, slot)
            finally:
                self._slots.release(slot)
        except QueueFull as full:
            return {"busy": full.own}
        except (SandboxBroken, SandboxUnavailable, OSError) as error:
            log.exception("an analysis could not be run")
            count(SANDBOX_FAILURES, "analysis")
            return {"broken": str(error)}
        if finding.ended is Ended.FAILED:
            log.error("analysis %s failed: %s", analysis.name, finding.text)
        return {"ended": finding.ended.value, "text": finding.text}

    async def _run(self, analysis: Analysis, slot: Slot) -> Finding:
        running = asyncio.create_task(self._pool.run(analysis, lambda: self._slots.mark_slow(slot)))
        slot.stop = running.cancel
        try:
            return await running
        except asyncio.CancelledError:
            if not slot.is_preempted:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
                raise
            raise QueueFull(own=False) from None
