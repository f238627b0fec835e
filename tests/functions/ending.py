"""Waiting for the end of batches, as the sweeper sees to it."""

import time

from runner.models import Batch
from runner.states import BatchState
from runner.sweeping import sweep

DEADLINE_SECONDS = 10
PAUSE_SECONDS = 0.1


def all_batches_end() -> bool:
    """Sweep until no batch is open; false if one still is after ten seconds.

    Who joins may be overtaken by somebody who then leaves it to the sweeper.
    """
    deadline = time.monotonic() + DEADLINE_SECONDS
    while Batch.objects.filter(state=BatchState.OPEN).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_SECONDS)
        sweep()
    return True
