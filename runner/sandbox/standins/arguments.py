"""`argparse`: the original's text, compiled under the policy as if a user had written it.

It sets and reads attributes by names that its caller chooses, of objects that its caller gives;
here it can do so no more than the caller. What it keeps private in objects of its own classes is
its own, so for these there are guards that let it; and for the program its classes are the
library's: nobody can change them.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import difflib
import hashlib
import importlib.util
import marshal
import os
import re
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

from runner.sandbox import names
from runner.sandbox.compilation import compile_source
from runner.sandbox.guards import guard_getattr, guard_write, offered_builtins
from runner.sandbox.ownership import owner_of
from runner.sandbox.standins import streams
from runner.sandbox.standins.system import leave
from runner.sandbox.version import RUNTIME_VERSION

_NAME = "argparse"
_WIDTH = 80
# Compiling it takes longer than all else that a zygote does before it is ready. It stands beside
# what Python has compiled of our own files, and is trusted no more and no less than these.
_KEPT = Path(importlib.util.cache_from_source(__file__, optimization=_NAME))
_SEAL_BYTES = 32
_OFFERED = (
    "ArgumentParser ArgumentError ArgumentTypeError BooleanOptionalAction HelpFormatter "
    "ArgumentDefaultsHelpFormatter RawDescriptionHelpFormatter RawTextHelpFormatter "
    "MetavarTypeHelpFormatter Namespace Action ONE_OR_MORE OPTIONAL PARSER REMAINDER SUPPRESS "
    "ZERO_OR_MORE"
).split()


class _Streams:
    """What the original knows as `sys`: looked up when it is needed, for it may be redirected."""

    exit = staticmethod(leave)

    def __getattr__(self, name: str) -> Any:
        return getattr(streams.standard, name)


class _Colourless:
    """A theme of Python 3.14 and later; what is printed here goes to no terminal."""

    def __getattr__(self, name: str) -> str:
        return ""


def _program_name(given: str | None = None) -> str:
    return os.path.basename(str(streams.standard.argv[0])) if given is None else given  # noqa: PTH119


def _warn(*_arguments: Any, **_options: Any) -> None:
    """Nobody sees what the original warns of."""


_TERMINAL = types.SimpleNamespace(get_terminal_size=lambda: types.SimpleNamespace(columns=_WIDTH))

# In place of its imports, most of which lead to the system or cost more than they are worth. What
# only some versions of Python ask for is there for all.
_IMPORTS: dict[str, Any] = {
    "_os": types.SimpleNamespace(
        path=types.SimpleNamespace(basename=lambda path: str(path).rpartition("/")[2])
    ),
    "_re": re,
    "_sys": _Streams(),
    "_": lambda text: text,
    "ngettext": lambda one, many, count: one if count == 1 else many,
    **dict.fromkeys(("shutil", "_shutil"), _TERMINAL),
    "textwrap": textwrap,
    "can_colorize": lambda: False,
    "copy": types.SimpleNamespace(copy=lambda thing: thing[:]),
    "decolor": str,
    "difflib": difflib,
    "get_theme": lambda **_: types.SimpleNamespace(argparse=_Colourless()),
    "_prog_name": _program_name,
    "warnings": types.SimpleNamespace(warn=_warn),
    "warn": _warn,
}


class _Bare(ast.NodeTransformer):
    """Takes away what it imports, asserts and says about itself, and what is replaced."""

    def visit(self, node: ast.AST) -> Any:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_replaced = isinstance(node, ast.FunctionDef) and node.name in _IMPORTS
        if is_text or is_replaced or isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
            return ast.Pass()
        return super().visit(node)


def _code() -> types.CodeType:
    """As some process has compiled it before, or by one of its own, and then kept."""
    found: Any = importlib.util.find_spec(_NAME)
    source: str = found.loader.get_source(_NAME)
    kept = _kept(source)
    code = _compiled_elsewhere(source) if kept is None else kept
    loaded: types.CodeType = marshal.loads(code)  # noqa: S302
    if kept is None:
        _keep(_seal(source, code) + code)
    return loaded


def _kept(source: str) -> bytes | None:
    try:
        content = _KEPT.read_bytes()
    except OSError:
        return None
    seal, code = content[:_SEAL_BYTES], content[_SEAL_BYTES:]
    return code if seal == _seal(source, code) else None


def _seal(source: str, code: bytes) -> bytes:
    """Say of what it was compiled, by which compiler, and that it is whole."""
    return hashlib.sha256(b"\0".join((RUNTIME_VERSION.encode(), source.encode(), code))).digest()


def _keep(content: bytes) -> None:
    """Write all of it or nothing; where nobody may write, each compiles it."""
    fresh = _KEPT.with_name(f"{_KEPT.name}.{os.urandom(8).hex()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(_KEPT)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink()


def _compiled_elsewhere(source: str) -> bytes:
    """By a process of its own: compiling takes megabytes, and every fork to come would pay."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(marshal.dumps(_compiled(source)))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        code = pipe.read()
    os.waitpid(pid, 0)
    return code


def _compiled(source: str) -> types.CodeType:
    return compile_source(ast.unparse(_Bare().visit(ast.parse(source))), name=f"<{_NAME}>")


def _guards(own: list[type]) -> dict[str, Any]:
    """Of attributes: what is private in objects of these classes can be read and written too."""

    def is_own(thing: Any) -> bool:
        return issubclass(type(owner_of(thing)), (*own,))

    def read(thing: Any, name: str, *default: Any) -> Any:
        is_private = type(name) is str and name.startswith("_") and not names.is_dunder(name)
        try:
            if is_private and any(thing is kind for kind in own):
                return getattr(thing, name)
            if (is_private or name == "__dict__") and is_own(thing):
                return getattr(thing, name)
            return guard_getattr(thing, name)
        except AttributeError:
            if not default:
                raise
            return default[0]

    def has(thing: Any, name: str) -> bool:
        missing = object()
        return read(thing, name, missing) is not missing

    def write(thing: Any, changed: str = "") -> Any:
        return thing if is_own(thing) else guard_write(thing, changed)

    return {
        "_getattr_": read,
        "_write_": write,
        "getattr": read,
        "hasattr": has,
        "vars": lambda thing: read(thing, "__dict__"),
        "locals": lambda: dict(sys._getframe(1).f_locals),
    }


def _run() -> tuple[dict[str, Any], list[type]]:
    """What the original defines, and all classes that it makes."""
    own: list[type] = []

    def build_class(*arguments: Any) -> type:
        own.append(builtins.__build_class__(*arguments))
        return own[-1]

    quick: set[type] = {dict, list}
    offered = {**offered_builtins(), **_guards(own)}
    offered |= {"__build_class__": build_class, "_quick_": quick}
    contents = {"__name__": _NAME, "__builtins__": offered, **_IMPORTS}
    exec(_code(), contents)
    quick.update(own)
    return contents, own


_contents, _own = _run()
ARGPARSE: dict[str, Any] = {name: _contents[name] for name in _OFFERED}
NAMESPACE: type = _contents["Namespace"]
# Those whose attributes a program may set.
WRITABLE: set[type] = {*_own}
