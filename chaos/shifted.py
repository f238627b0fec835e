"""Runs a management command with a wrong clock.

python -m chaos.shifted SECONDS worker
"""

import datetime as dt
import sys
import time
from collections.abc import Callable
from typing import Any

TrueDatetime = dt.datetime


def patch_clocks() -> Callable[[float], None]:
    """Patch `time` and `datetime`; return the function that shifts them by seconds."""
    true_time = time.time
    offset = dt.timedelta()

    class AnyDatetime(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, TrueDatetime)

    class Shifted(TrueDatetime, metaclass=AnyDatetime):
        def __new__(cls, *given: Any, **named: Any) -> Any:
            return TrueDatetime(*given, **named)

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return TrueDatetime.now(tz) + offset

        @classmethod
        def utcnow(cls) -> Any:
            return TrueDatetime.now(dt.UTC).replace(tzinfo=None) + offset

    def shift(seconds: float) -> None:
        nonlocal offset
        offset = dt.timedelta(seconds=seconds)

    time.time = lambda: true_time() + offset.total_seconds()
    dt.datetime = Shifted  # type: ignore[misc]
    return shift


def shift_before(owner: Any, name: str, shift: Callable[[], None]) -> None:
    """Shift when this method is called."""
    method = getattr(owner, name)

    def shifted(*given: Any, **named: Any) -> Any:
        shift()
        return method(*given, **named)

    setattr(owner, name, shifted)


if __name__ == "__main__":
    shift = patch_clocks()
    # Imported here, so that its imports get the patched clocks.
    import django
    from django.core.management import execute_from_command_line

    django.setup()
    from runner.jobs import WorkerProcess

    # Not sooner, because a worker refuses to start with a clock that is so wrong.
    shift_before(WorkerProcess, "serve", lambda: shift(float(sys.argv[1])))
    execute_from_command_line(["manage.py", *sys.argv[2:]])
