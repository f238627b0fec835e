"""Places for what a server does at once: limited in total, and for each owner."""

import contextlib
from collections import Counter
from collections.abc import Iterator

from runner.calls.frames import Busy


class Places:
    """At most `capacity` places at once, and `per_owner` of them for one owner."""

    def __init__(self, capacity: int, per_owner: int) -> None:
        self._capacity = capacity
        self._per_owner = per_owner
        self._owners: Counter[str] = Counter()

    def taken(self, owner: str) -> int:
        """Return how many places an owner has."""
        return self._owners[owner]

    @contextlib.contextmanager
    def one(self, owner: str) -> Iterator[None]:
        """Take a place. Raises Busy if there is none."""
        if self._owners[owner] >= self._per_owner:
            raise Busy(own=True)
        if self._owners.total() >= self._capacity:
            raise Busy(own=False)
        self._owners[owner] += 1
        try:
            yield
        finally:
            self._owners[owner] -= 1
            if not self._owners[owner]:
                del self._owners[owner]
