"""Starts sandbox pools for commands, or raises a CommandError with the reason."""

import logging

from django.core.management.base import CommandError

from runner.sandbox import (
    INTERPRETER,
    Module,
    Pool,
    Program,
    SandboxBroken,
    SandboxUnavailable,
    Verdict,
)
from runner.sandbox.interpreter_faults import open_faults
from runner.sandbox.jail.confinement import Layers
from runner.sandbox.status import find_better, summarise_interpreter
from runner.sandbox.supervisor.layers import lost_layers
from runner.sandbox.supervisor.remedies import find_remedies

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
        _log_layers(layers)
    _run_trial(pool)
    return pool


def log_interpreter() -> None:
    """Log which Python runs programs, its known faults, and whether a better one is here."""
    faults = open_faults(INTERPRETER.version)
    level = logging.WARNING if faults else logging.INFO
    log.log(level, "%s", summarise_interpreter(find_better()))


def _log_layers(layers: Layers) -> None:
    log.info(
        "programs are confined, started by %s; %s attempts to get out were stopped, in %s ms",
        layers.launcher,
        layers.attempts,
        layers.trial_ms,
    )
    for lost in lost_layers(layers):
        remedies = "; ".join(find_remedies(lost.name))
        log.warning(
            "a layer of confinement is missing: %s: %s. To get it: %s",
            lost.name,
            lost.without,
            remedies,
        )


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
