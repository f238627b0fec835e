"""What the rewritten code asks at run time, and the builtins that user code gets."""

from __future__ import annotations

import builtins
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from runner.sandbox import names
from runner.sandbox.attributes import (
    ByTheGuard,
    guard_getattr,
    visible_classes,
)
from runner.sandbox.classes import OfferedABCMeta, OfferedType, build_class, class_of
from runner.sandbox.exhaustion import Exhausted, caught, has_run_out
from runner.sandbox.importable import is_importable
from runner.sandbox.members import SEALED_CLASSES, check_field_name, checked
from runner.sandbox.names import MARK
from runner.sandbox.ownership import (
    Forbidden,
    ForbiddenAttribute,
    ForbiddenImport,
    ForbiddenName,
    SimpleNamespace,
    check_written_name,
    guard_write,
    is_builtin,
    is_users_own,
    match_public_fields,
    quick_types,
    user_types,
)
from runner.sandbox.writing import delete_attribute, write_attribute

__all__ = [
    "MARK",
    "SEALED_CLASSES",
    "Exhausted",
    "Forbidden",
    "ForbiddenAttribute",
    "ForbiddenImport",
    "ForbiddenName",
    "OfferedABCMeta",
    "OfferedType",
    "SimpleNamespace",
    "caught",
    "check_field_name",
    "check_written_name",
    "checked",
    "guard_getattr",
    "guard_write",
    "has_run_out",
    "is_builtin",
    "is_snapshot_of",
    "is_users_own",
    "match_public_fields",
    "offered_builtins",
    "offered_dir",
    "user_types",
    "visible_classes",
]

_MISSING = object()


def offered_getattr(thing: Any, name: str, default: Any = _MISSING, /) -> Any:
    try:
        return guard_getattr(thing, name)
    except AttributeError:
        if default is _MISSING:
            raise
        return default


def offered_hasattr(thing: Any, name: str, /) -> bool:
    try:
        guard_getattr(thing, name)
    except AttributeError:
        return False
    return True


# --- names as data --------------------------------------------------------------------------------


class _Names(dict[str, Any]):
    """The names of a module or a class body: to be read; nobody would check what is written."""

    def _refuse(self, *_arguments: Any, **_keywords: Any) -> NoReturn:
        raise Forbidden(
            "names can't be set through `globals()` or `locals()`; assign them, or keep a dict"
        )

    __setitem__ = __delitem__ = __ior__ = update = setdefault = _refuse
    pop = popitem = clear = _refuse


def offered_globals() -> dict[str, Any]:
    return _Names(_of_user(_calling_frame().f_globals))


def is_snapshot_of(namespace: dict[str, Any], given: Any) -> bool:
    """Whether that is what `globals()` gives in a module of these names."""
    return type(given) is _Names and dict.get(given, "__name__") == namespace["__name__"]


def offered_locals() -> dict[str, Any]:
    frame = _calling_frame()
    of_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
    return (dict if of_function else _Names)(_of_user(frame.f_locals))


def offered_vars(thing: Any = _MISSING, /) -> Any:
    return offered_locals() if thing is _MISSING else guard_getattr(thing, "__dict__")


def offered_dir(thing: Any = _MISSING, /) -> list[str]:
    if thing is not _MISSING:
        return [name for name in dir(thing) if type(name) is str]
    return sorted(offered_locals())


def _calling_frame() -> types.FrameType:
    frame: Any = sys._getframe(1)  # noqa: SLF001
    while MARK not in frame.f_globals:
        frame = frame.f_back
    return frame  # type: ignore[no-any-return]


def _of_user(namespace: Any) -> Iterator[tuple[str, Any]]:
    # A class body may keep its names in a mapping of the user's own.
    for name in list(namespace):
        plain = ("__name__", "__doc__")
        if name in plain or not names.is_private_clash(name):
            yield name, namespace[name]


# --- leaving --------------------------------------------------------------------------------------


def leave(status: Any = None, /) -> NoReturn:
    raise SystemExit(status)


class ExitStatus(SystemExit):
    """A program left where it may, but not well."""


def left(status: Any = None, /) -> None:
    """In place of leaving by a program's very last statement: fine, unless it tells of a fault."""
    if status is not None and not (isinstance(status, int) and status == 0):
        raise ExitStatus(status)


def fail_to_import(why: str, module: str) -> NoReturn:
    """What an import does that the program is prepared to see fail."""
    if is_importable(module) or not module:
        raise ImportError(why, name=module or None)
    raise ModuleNotFoundError(why, name=module)


def _unavailable(name: str, instead: str) -> Callable[..., NoReturn]:
    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise ForbiddenName(f"`{name}` isn't available here: {instead}")

    return refuse


_PLAIN_BUILTINS = """
None True False Ellipsis NotImplemented abs aiter all anext any ascii bin bool bytearray bytes
callable chr classmethod complex delattr dict divmod enumerate filter float format frozenset hash
hex id int isinstance issubclass iter len list map max memoryview min next object oct ord pow
property range repr reversed round set slice sorted staticmethod str sum super tuple zip
""".split()


def offered_builtins() -> dict[str, Any]:
    """A fresh dict of the builtins that user code gets, but for `print`, `log` and imports."""
    offered = {name: getattr(builtins, name) for name in _PLAIN_BUILTINS}
    offered.update(
        (name, kind)
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, BaseException)
    )
    offered.update((name, _unavailable(name, why)) for name, why in names.UNAVAILABLE.items())
    offered.update(
        __build_class__=build_class,
        getattr=offered_getattr,
        hasattr=offered_hasattr,
        setattr=write_attribute,
        delattr=delete_attribute,
        globals=offered_globals,
        locals=offered_locals,
        vars=offered_vars,
        dir=offered_dir,
        exit=leave,
        quit=leave,
        type=OfferedType,
        _write_=guard_write,
        _getattr_=guard_getattr,
        _class_of_=class_of,
        _dunders_=ByTheGuard,
        _type_=type,
        _quick_=quick_types,
        _caught_=caught,
        _memory_error_=MemoryError,
        _left_=left,
        _no_import_=fail_to_import,
    )
    return offered
