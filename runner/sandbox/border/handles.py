"""Our own objects that the other process has been told of, by number."""

from __future__ import annotations

import threading
from typing import Any

from runner.sandbox.border.plain import Malformed

MOST_HANDLES = 200_000


class Handles:
    """Keeps what was sent by handle until the other side has released it."""

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        # The object, and how often it was sent: a release may cross another sending.
        self._held: dict[int, list[Any]] = {}
        self._next = 1
        self._lock = threading.RLock()  # an object that is forgotten may make calls

    def send(self, thing: object) -> int:
        """Return the number of an object that is about to be sent."""
        with self._lock:
            number = self._numbers.get(id(thing))
            if number is not None:
                self._held[number][1] += 1
                return number
            if len(self._held) >= MOST_HANDLES:
                raise RecursionError(
                    f"more than {MOST_HANDLES:,} objects are in use by another process"
                )
            number, self._next = self._next, self._next + 1
            self._numbers[id(thing)] = number
            self._held[number] = [thing, 1]
            return number

    def find(self, number: object) -> Any:
        """Return the object of a number that the other side gives; raises Malformed."""
        held = self._held.get(number) if type(number) is int else None
        if held is None:
            raise Malformed("a handle that nobody has given")
        return held[0]

    def release(self, number: object, times: object) -> None:
        """Forget an object that the other side has received so often, and uses no more."""
        if type(number) is not int or type(times) is not int:
            raise Malformed("a release of something else than a handle")
        with self._lock:
            held = self._held.get(number)
            if held is None or not 0 < times <= held[1]:
                raise Malformed("a release of what isn't held")
            held[1] -= times
            if not held[1]:
                del self._held[number], self._numbers[id(held[0])]
