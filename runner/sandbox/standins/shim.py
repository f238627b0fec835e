"""The class of what stands in for a module."""

from __future__ import annotations

import inspect
from typing import Any

from runner.sandbox.guards import Forbidden


class Copied:
    """An attribute that is read as a copy: what one module changes of it is for no other to see."""

    __slots__ = ("_contents",)

    def __init__(self, contents: Any) -> None:
        self._contents = contents

    def __get__(self, _thing: object, _kind: type | None = None) -> Any:
        return self._contents.copy()


class Shim:
    """A module's stand-in: an instance of a class that has the module's contents, and no other.

    It has no dictionary, which the library could be brought to fill; and no `__name__`, or
    importing from it would try `sys.modules`.
    """

    __slots__ = ()
    _title = ""

    def __str__(self) -> str:
        return self._title

    def __repr__(self) -> str:
        return f"<module '{self}'>"

    def __dir__(self) -> list[str]:
        return [name for name in dir(type(self)) if not isinstance(_found(self, name), property)]

    def __setattr__(self, name: str, value: Any) -> None:
        raise Forbidden("modules can't be changed")

    def __delattr__(self, name: str) -> None:
        raise Forbidden("modules can't be changed")

    def __reduce__(self) -> str:
        raise Forbidden("modules can't be copied")


def _found(shim: Shim, name: str) -> Any:
    return inspect.getattr_static(type(shim), name)
