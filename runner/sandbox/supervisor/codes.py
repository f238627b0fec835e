"""Keeps modules' compiled code, so that what many programs contain is compiled once."""

from __future__ import annotations

from collections import OrderedDict

from runner.sandbox.programs import Module

_MOST_BYTES = 16 * 1024 * 1024
_EACH = 400  # so many bytes go with one that is kept


class CodeCache:
    """Code by a module's name and source, the least recently used thrown away.

    It is never looked into here: a child made it before any user code ran there, and only children
    load it.
    """

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._codes: OrderedDict[tuple[str, str], bytes] = OrderedDict()

    def get(self, module: Module) -> bytes | None:
        key = (module.name, module.source)
        code = self._codes.get(key)
        if code is not None:
            self._codes.move_to_end(key)
        return code

    def put(self, module: Module, code: bytes) -> None:
        """Keep a module's code; what is kept already stays as it is."""
        key = (module.name, module.source)
        if key in self._codes:
            return
        self._codes[key] = code
        self._bytes += len(code) + len(module.source) + _EACH
        while self._bytes > self._most_bytes:
            (_, source), thrown = self._codes.popitem(last=False)
            self._bytes -= len(thrown) + len(source) + _EACH
