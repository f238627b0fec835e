"""Runs a worker: executes submitted programs in the sandbox until it is told to stop."""

import logging
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from runner.jobs import Server
from runner.sandbox import Pool, SandboxUnavailable

log = logging.getLogger(__name__)


class Command(BaseCommand):
    """`manage.py worker`."""

    help = "Execute submitted programs until told to stop (SIGTERM: within ten seconds)."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        try:
            pool = Pool(settings.SANDBOX_SLOTS)
        except SandboxUnavailable as unavailable:
            raise CommandError(
                f"no program is run here, because it could not be confined: {unavailable}"
            ) from unavailable
        _report(pool)
        Server(pool).serve()


def _report(pool: Pool) -> None:
    """Say how programs are confined here, and what this machine doesn't provide."""
    if (layers := pool.layers) is None:
        return
    log.info("programs are confined, started through: %s", layers.launcher)
    for loss in layers.lost():
        log.warning("confinement has lost a layer: %s", loss)
