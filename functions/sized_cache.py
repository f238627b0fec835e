"""A cache of what was made lately, bounded by its size rather than by its number."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SizedCache(Generic[Key, Value]):
    """Forgets what was used longest ago once all is larger than `most`; threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> Value | None:
        """Return what is kept under this key; None if nothing is."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep this, which takes up so many characters or bytes, its key included."""
        with self._lock:
            _, former = self._entries.pop(key, (None, 0))
            self._entries[key] = (value, size)
            self._held += size - former
            while self._held > self._most:
                _, (_, forgotten) = self._entries.popitem(last=False)
                self._held -= forgotten
