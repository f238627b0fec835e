"""Starts sandboxes for commands, or says why none can be had."""

import logging

from django.core.management.base import CommandError

from runner.sandbox import Pool, SandboxUnavailable

log = logging.getLogger(__name__)


def open_pool(size: int) -> Pool:
    """Start a pool, and write how programs are confined here and what this machine lacks."""
    try:
        pool = Pool(size)
    except SandboxUnavailable as unavailable:
        raise CommandError(
            f"no program is run here, because it could not be confined: {unavailable}"
        ) from unavailable
    if (layers := pool.layers) is not None:
        log.info("programs are confined, started through: %s", layers.launcher)
        for loss in layers.lost():
            log.warning("confinement has lost a layer: %s", loss)
    return pool
