"""Waiting for the end of batches, as the sweeper sees to it."""

import time

from runner.models import Batch
from runner.operations.sweeper import sweep
from runner.states import BatchState
from tests.patience import PATIENCE_SECONDS

PAUSE_SECONDS = 0.1


def all_batches_end() -> bool:
    """Sweep until no batch is open; false if one stays so for long.

    Who joins may be overtaken by somebody who then leaves it to the sweeper.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while Batch.objects.filter(state=BatchState.OPEN).exists():
        if time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_SECONDS)
        sweep()
    return True
