"""Runs the call server and the analysis server."""

import asyncio
import gc
import logging
import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from runner.analysis.pool import AnalysisPool
from runner.analysis.server import AnalysisServer
from runner.calls.addresses import parse_address
from runner.calls.server import CallServer, ServerLimits
from runner.management.pools import log_interpreter, open_pool
from runner.management.preconditions import require_preconditions
from runner.operations.service_manager import notify_ready
from runner.telemetry.gauges import start_publishing

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """`manage.py callers`."""

    help = (
        "Serve calls of functions and analyses of source text, until stopped "
        "(SIGTERM: within ten seconds)."
    )
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        gc.freeze()  # as in `manage.py worker`
        require_preconditions(uses_database=False)
        start_publishing("callers")
        log_interpreter()
        # Pools of one slot, because a pool accepts no programs while a map is running.
        pools = [open_pool(1) for _ in range(settings.CALL_SLOTS)]
        per_minute = settings.CALLS_PER_MINUTE if settings.RATE_LIMITS else None
        callers = CallServer(pools, ServerLimits(per_minute=per_minute))
        analyses = AnalysisServer(AnalysisPool(settings.ANALYST))
        try:
            asyncio.run(_serve(callers, analyses))
        finally:
            callers.close()
            analyses.close()


async def _serve(callers: CallServer, analyses: AnalysisServer) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    log.info("calls are served at %s", settings.CALLERS_SOCKET)
    log.info("analyses are served at %s", settings.ANALYSIS_SOCKET)
    async with asyncio.TaskGroup() as serving:
        serving.create_task(callers.serve(parse_address(settings.CALLERS_SOCKET), stop))
        serving.create_task(analyses.serve(parse_address(settings.ANALYSIS_SOCKET), stop))
        await asyncio.sleep(0)  # both listen when they first wait
        notify_ready()
    log.info("calls and analyses are no longer served")
