"""Runs a worker until it is stopped."""

import gc
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from runner.jobs import WorkerProcess
from runner.management.pools import log_interpreter, open_pool
from runner.management.preconditions import require_preconditions
from runner.management.statements import limit_statements
from runner.telemetry.gauges import start_publishing


class Command(BaseCommand):
    """`manage.py worker`."""

    help = "Run submitted programs until stopped (SIGTERM: within ten seconds)."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        # Without this, each garbage collection scans all loaded modules, which takes 70 ms.
        gc.freeze()
        limit_statements()
        pool = open_pool(settings.SANDBOX_SLOTS)
        require_preconditions()
        start_publishing("worker")
        log_interpreter()
        WorkerProcess(pool).serve()
