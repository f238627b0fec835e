"""An LRU cache of texts by hash."""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

_OVERHEAD_BYTES = 200  # per entry


class TextCache:
    """Texts by hexadecimal hash, limited in total size. Thread-safe."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the cached texts by hash; missing ones are left out."""
        with self._lock:
            cached = {sha256: self._texts[sha256] for sha256 in hashes if sha256 in self._texts}
            for sha256 in cached:
                self._texts.move_to_end(sha256)
        return cached

    def keep(self, texts: Mapping[str, str]) -> None:
        """Add these texts."""
        with self._lock:
            for sha256 in texts.keys() - self._texts.keys():
                self._texts[sha256] = texts[sha256]
                self._bytes += _size_of(texts[sha256])
            while self._bytes > self._max_bytes:
                self._bytes -= _size_of(self._texts.popitem(last=False)[1])


def _size_of(text: str) -> int:
    return len(text) + _OVERHEAD_BYTES
