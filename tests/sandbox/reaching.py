"""What code under the policy could read its way to, from all that can be imported.

Run as a program, since it takes a process that is made for programs; prints what should not have
been reached, a path on each line, and at last how many objects it has looked at.
"""

# ruff: noqa: BLE001, S110, S112

from __future__ import annotations

import builtins
import importlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from runner.sandbox import guards
from runner.sandbox.classes import build_class
from runner.sandbox.shims import make_shims
from runner.sandbox.standins.shim import Shim

_DEPTH = 4
_WIDTH = 200
# Modules whose functions act on the system, or on the interpreter.
_SYSTEM = {
    *("posix", "os", "_posixsubprocess", "_socket", "_ssl", "_ctypes", "ctypes", "_imp", "marshal"),
    *("_signal", "signal", "fcntl", "select", "resource", "subprocess", "socket", "importlib"),
    *("importlib._bootstrap", "importlib._bootstrap_external", "gc", "_thread", "pickle", "code"),
}
# Of these, one that only works on texts; `os.path.normpath` from Python 3.12 on.
_HARMLESS = {"posix._path_normpath"}
_NEVER = {
    id(getattr(builtins, name)): name
    for name in (
        "type exec eval compile open __import__ getattr setattr delattr vars dir globals locals "
        "input breakpoint __build_class__"
    ).split()
}
_INSIDES = (types.ModuleType, types.FrameType, types.CodeType, types.CellType)
_FUNCTIONS = (types.BuiltinFunctionType, types.FunctionType)
_OFFERED_KINDS = {guards.OfferedType, guards.OfferedABCMeta}
_ARGUMENTS: tuple[tuple[Any, ...], ...] = ((), ("a",), (1,), ([],), (len,), ("a", "b"), ("a", [1]))


def _shared_containers() -> set[int]:
    return {
        id(thing)
        for name, module in list(sys.modules.items())
        if module is not None and name != "__main__"
        for thing in list(vars(module).values())
        if type(thing) in (dict, list, set, bytearray)
    }


def _problem(thing: Any, shared: set[int]) -> str:
    kind = type(thing)
    home = kind.__module__
    found = ""
    if id(thing) in _NEVER:
        found = f"the builtin {_NEVER[id(thing)]}"
    elif isinstance(thing, _INSIDES):
        found = f"a {kind.__name__}"
    elif isinstance(thing, type) and issubclass(thing, type) and thing not in _OFFERED_KINDS:
        found = f"the metaclass {thing.__name__}"
    elif kind in _FUNCTIONS and thing.__module__ in _SYSTEM:
        name = f"{thing.__module__}.{thing.__name__}"
        found = "" if name in _HARMLESS else name
    elif id(thing) in shared:
        found = "a container that a module keeps"
    elif home.startswith("runner.sandbox.") and not home.startswith(_OF_USERS):
        found = f"our own {home}.{kind.__name__}"
    return found


# Where what user code gets is defined.
_OF_USERS = tuple(
    f"runner.sandbox.{name}"
    for name in "standins. shims guards ownership attributes classes formatting writing".split()
)


_METHODS = (
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.BuiltinMethodType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)


def _next(thing: Any) -> Iterator[tuple[str, Any]]:
    # There are many of them, all alike.
    of_methods = ("__self__", "__func__", "__wrapped__", "__objclass__")
    for name in of_methods if isinstance(thing, _METHODS) else dir(thing):
        try:
            yield f".{name}", guards.guard_getattr(thing, name)
        except Exception:
            continue
    if type(thing) in (list, tuple, set, frozenset):
        yield from ((f"[{place}]", item) for place, item in enumerate([*thing][:_WIDTH]))
    if type(thing) in (dict, types.MappingProxyType):
        try:
            items = [*thing.items()][:_WIDTH]
        except Exception:
            # A view of what isn't a dictionary.
            items = []
        yield from ((f"[{key!r:.20}]", item) for key, item in items)
    if isinstance(thing, type):
        yield from _instances(thing)


def _instances(kind: type) -> Iterator[tuple[str, Any]]:
    """Of the class itself, and of one that a user would derive from it."""
    kinds = [kind]
    try:
        derived = build_class(lambda: None, "Derived", kind)
    except Exception:
        pass
    else:
        guards.user_types.add(derived)
        kinds.append(derived)
    for each in kinds:
        for arguments in _ARGUMENTS:
            try:
                made = each(*arguments)
            except BaseException:
                continue
            yield "()" if each is kind else "<derived>()", made
            if each is not kind:
                yield from (
                    (f"<derived>().{name}", value)
                    for name, value in getattr(made, "__dict__", {}).items()
                    if not name.startswith("__")
                )
            break


def _key(thing: Any) -> object:
    """What makes it another thing to look at; methods are made anew whenever they are read."""
    if isinstance(thing, (*_METHODS, types.MethodType)):
        return type(thing), thing.__qualname__, type(getattr(thing, "__self__", None))
    return id(thing)


def main(planted: list[str]) -> None:
    shims = make_shims()
    for name in planted:
        kind: Any = type("Shim", (Shim,), {"inner": importlib.import_module(name), "__slots__": ()})
        shims[f"planted.{name}"] = kind()
    shared = _shared_containers()
    seen: dict[object, Any] = {}
    level = [(name, shim) for name, shim in shims.items() if isinstance(shim, Shim)]
    problems: dict[str, str] = {}
    for _ in range(_DEPTH):
        deeper = []
        for path, thing in level:
            key = _key(thing)
            if key in seen:
                continue
            seen[key] = thing
            if problem := _problem(thing, shared):
                problems.setdefault(problem, path)
                continue
            if isinstance(thing, int | str | float | bytes | complex | None):
                continue
            deeper += [(f"{path}{step}", found) for step, found in _next(thing)]
        level = deeper
    for problem, path in problems.items():
        print(f"{path}: {problem}")
    print(len(seen))


if __name__ == "__main__":
    main(sys.argv[1:])
