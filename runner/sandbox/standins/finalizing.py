"""weakref.finalize; behind a program's end nothing runs, so that it is heard of before or never."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

_Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class finalize:
    """Calls a function when an object is gone, once."""

    atexit = True

    def __init__(self, obj: Any, func: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        self._call: _Call | None = (func, args, kwargs)
        # Whom the object's end is told must be there by then, though nobody else keeps it.
        self._of = weakref.ref(obj, lambda _gone: self())
        _alive.add(self)

    def __call__(self, _: Any = None) -> Any:
        """Call it now, unless that has been done."""
        call = self._taken()
        return call[0](*call[1], **call[2]) if call is not None else None

    def detach(self) -> tuple[Any, ...] | None:
        there = self.peek()
        return there if there is not None and self._taken() else None

    def peek(self) -> tuple[Any, ...] | None:
        thing = self._of()
        return (thing, *self._call) if thing is not None and self._call is not None else None

    @property
    def alive(self) -> bool:
        return self._call is not None

    def _taken(self) -> _Call | None:
        _alive.discard(self)
        call, self._call = self._call, None
        return call


_alive: set[finalize] = set()
