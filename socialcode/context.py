"""What all pages know."""

from collections.abc import Callable

from runner.operations.liveness import is_any_worker_alive


def workers(_request: object) -> dict[str, Callable[[], bool]]:
    """Return whether nothing is run just now; asked by those pages alone that say it."""
    return {"is_nothing_run": lambda: not is_any_worker_alive()}
