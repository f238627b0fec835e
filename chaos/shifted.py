"""Runs a management command with a wrong clock.

python -m chaos.shifted SECONDS worker
"""

import datetime as dt
import sys
import time
from typing import Any

TrueDatetime = dt.datetime


def shift(seconds: float) -> None:
    """Shift the clock of this process by patching `time` and `datetime`."""
    true_time = time.time
    offset = dt.timedelta(seconds=seconds)

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

    time.time = lambda: true_time() + seconds
    dt.datetime = Shifted  # type: ignore[misc]


if __name__ == "__main__":
    shift(float(sys.argv[1]))
    # Imported here, so that its imports get the shifted clock.
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", *sys.argv[2:]])
