"""The `sys` of user code: facts about this Python, standard streams, the recursion limit.

And of `gc`, `importlib`, `os` and `shutil` what needs no system.
"""

from __future__ import annotations

import abc
import gc
import os
import sys
import types
from typing import Any, NoReturn

from runner.sandbox.guards import ForbiddenImport
from runner.sandbox.importable import why_not
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


# --- importlib, os, shutil -------------------------------------------------------------------


def import_module(name: str, package: str | None = None) -> Any:  # noqa: ARG001
    """What an import statement would bind."""
    if type(name) is not str or name not in running.modules:
        raise ForbiddenImport(why_not(str(name)))
    return running.modules[name]


def get_terminal_size(fallback: tuple[int, int] = (80, 24)) -> os.terminal_size:
    return os.terminal_size(fallback)


def fspath(path: Any) -> Any:
    """os.fspath, which the system's own module has."""
    return os.fspath(path)


class PathLike(abc.ABC):
    """os.PathLike."""

    @abc.abstractmethod
    def __fspath__(self) -> str | bytes:
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, kind: type) -> Any:
        if cls is not PathLike:
            return NotImplemented
        return any("__fspath__" in base.__dict__ for base in kind.__mro__)

    __class_getitem__: Any = classmethod(types.GenericAlias)


# What names are made of. Of an environment there is none.
NAMES: dict[str, Any] = {
    "fspath": fspath,
    "PathLike": PathLike,
    "cpu_count": lambda: 1,
    "environ": types.MappingProxyType({}),
    "getenv": lambda _key, default=None: default,
    **{
        name: getattr(os, name)
        for name in ("altsep curdir extsep linesep name pardir pathsep sep".split())
    },
}
