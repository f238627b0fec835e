"""How long tests wait for what is bound to come."""

import time
from collections.abc import Callable

import pytest

# Whoever waits for something sees it as soon as it is there; only a failure takes so long. So this
# is no promise about speed: it has room for a machine that is busy with much else.
PATIENCE_SECONDS = 30.0


def await_that(
    holds: Callable[[], object], *, patience_seconds: float = PATIENCE_SECONDS, what: str = ""
) -> None:
    """Wait until this holds, or fail."""
    deadline = time.monotonic() + patience_seconds
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {patience_seconds} s: {what or holds}")
        time.sleep(0.01)
