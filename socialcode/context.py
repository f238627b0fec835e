"""Context processors of all pages."""

from collections.abc import Callable

from runner.operations.liveness import is_any_worker_alive


def workers(_request: object) -> dict[str, Callable[[], bool]]:
    """Return a function that returns whether no worker is running; templates call it on demand."""
    return {"is_nothing_run": lambda: not is_any_worker_alive()}
