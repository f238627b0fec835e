"""The `sys` of user code: facts about this Python, standard streams, the recursion limit; `gc`."""

from __future__ import annotations

import gc
import sys
from typing import Any, NoReturn

from runner.sandbox.standins import running, streams

# Below it our own code, which runs on the same stack, would fail before user code does.
_FEWEST_FRAMES = 200


def leave(status: Any = None, /) -> NoReturn:
    raise SystemExit(status)


def setrecursionlimit(limit: int, /) -> None:
    """As deep as asked for, within what a program may have."""
    if type(limit) is not int:
        raise TypeError("an integer is required")
    if limit < 1:
        raise ValueError("recursion limit must be greater or equal than 1")
    sys.setrecursionlimit(min(max(limit, _FEWEST_FRAMES), running.most_frames))


FACTS: dict[str, Any] = {
    "argv": ["program"],
    "exit": leave,
    "platform": "linux",
    **streams.STANDARD,
    "setrecursionlimit": setrecursionlimit,
    **{
        name: getattr(sys, name)
        for name in (
            "byteorder copyright exc_info exception float_info float_repr_style "
            "getdefaultencoding getfilesystemencoding get_int_max_str_digits getrecursionlimit "
            "getrefcount getsizeof hash_info hexversion implementation int_info intern maxsize "
            "maxunicode set_int_max_str_digits version version_info"
        ).split()
    },
}


# What a program believes of the collector, which goes on as our own machinery has it.
_collects = True


def enable() -> None:
    global _collects  # noqa: PLW0603
    _collects = True


def disable() -> None:
    global _collects  # noqa: PLW0603
    _collects = False


def collect(generation: int = 2) -> int:
    return gc.collect(generation)


GARBAGE: dict[str, Any] = {
    "collect": collect,
    "enable": enable,
    "disable": disable,
    "isenabled": lambda: _collects,
    "get_count": lambda: (0, 0, 0),
}
