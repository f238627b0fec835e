"""A least-recently-used cache bounded by total size instead of number of entries."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SizedCache(Generic[Key, Value]):
    """Evicts the least recently used entries above a total size of `most`. Thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Return the entry with this key; None if there is none."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Store an entry; `size` includes its key."""
        with self._lock:
            _, former = self._entries.pop(key, (None, 0))
            self._entries[key] = (value, size)
            self._held += size - former
            while self._held > self._most:
                _, (_, forgotten) = self._entries.popitem(last=False)
                self._held -= forgotten
