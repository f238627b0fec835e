"""Starts sandbox pools for commands, or raises a CommandError with the reason."""

import logging

from django.core.management.base import CommandError

from runner.sandbox import (
    Module,
    Pool,
    Program,
    SandboxBroken,
    SandboxUnavailable,
    Verdict,
)

log = logging.getLogger(__name__)

# Passes only if programs are really run.
TRIAL = Program((Module("Trial", "def Trial():\n    return sum([1, 2])\n"),), "load", "Trial")


def open_pool(size: int) -> Pool:
    """Start and test a pool of this size; log the confinement and its missing layers."""
    try:
        pool = Pool(size)
    except SandboxUnavailable as unavailable:
        raise CommandError(
            f"programs can't be confined on this machine, so none are run: {unavailable}"
        ) from unavailable
    if (layers := pool.layers) is not None:
        log.info("programs are confined, started by %s", layers.launcher)
        for loss in layers.lost():
            log.warning("a layer of confinement is missing: %s", loss)
    _run_trial(pool)
    return pool


def _run_trial(pool: Pool) -> None:
    """Run a trial program, so that a worker doesn't start if programs can't be run."""
    try:
        outcome = pool.run(TRIAL)
    except SandboxBroken as broken:
        pool.close()
        message = f"the sandbox broke on a trial program, so none are run: {broken}"
        raise CommandError(message) from broken
    if outcome.verdict != Verdict.PASSED:
        pool.close()
        raise CommandError(
            f"the trial program's verdict is {outcome.verdict.value} instead of passed, so no"
            f" programs are run: {outcome.message}"
        )
