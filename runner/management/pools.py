"""Starts sandboxes for commands, or says why none can be had."""

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

# What can only pass where programs are really run.
TRIAL = Program((Module("Trial", "def Trial():\n    return sum([1, 2])\n"),), "load", "Trial")


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
    _run_trial(pool)
    return pool


def _run_trial(pool: Pool) -> None:
    """Run a program for real: nobody is to be told that programs are run where none can be."""
    try:
        outcome = pool.run(TRIAL)
    except SandboxBroken as broken:
        pool.close()
        said = f"no program is run here, because the first one broke: {broken}"
        raise CommandError(said) from broken
    if outcome.verdict != Verdict.PASSED:
        pool.close()
        raise CommandError(
            f"no program is run here, because the first one came to {outcome.verdict.value}"
            f" where it should have passed: {outcome.message}"
        )
