"""The environment of programs: the standard library, and a few changes and additions.

`prepare` changes the interpreter of this process; it is called once, before files are denied.
"""

from __future__ import annotations

import atexit
import builtins
import concurrent.futures
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.resources
import io
import linecache
import os
import pkgutil
import platform
import random
import signal
import sys
import threading
import types
import zoneinfo
import zoneinfo._common
from collections.abc import Sequence
from typing import Any, NoReturn

from runner.sandbox.language import event_loop
from runner.sandbox.language.importable import IMPORTABLE, REFUSED, WHOLE, why_not
from runner.sandbox.language.namespace import Namespace

_THREAD_STACK_BYTES = 1 << 20
# Python's default.
_RECURSION = 1_000
# Imported by the standard library only when first needed.
_LAZILY_IMPORTED = """
_strptime _pydecimal linecache traceback stringprep unicodedata encodings.ascii encodings.latin_1
encodings.utf_8 encodings.utf_8_sig encodings.utf_16 encodings.utf_16_le encodings.utf_16_be
encodings.utf_32 encodings.utf_32_le encodings.utf_32_be encodings.cp1252 encodings.cp437
encodings.idna encodings.punycode encodings.hex_codec encodings.base64_codec encodings.rot_13
encodings.zlib_codec encodings.unicode_escape encodings.raw_unicode_escape encodings.quopri_codec
_ast_unparse _sha2 _suggestions codeop concurrent.futures.thread unittest.async_case unittest.main
_pyrepl zoneinfo._zoneinfo _zoneinfo _bz2 _lzma _elementtree pyexpat _locale _json _pickle _csv
""".split()

_set_recursion_limit = sys.setrecursionlimit


def check(condition: Any, message: Any = "") -> None:
    """Raise AssertionError unless the condition is true."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


def prepare(output: Any) -> None:
    """Load all importable modules, and restrict the interpreter to them.

    `output` has a method `write` for text.
    """
    inside = [name for package in sorted(WHOLE) for name in _names_within(package)]
    for name in (*sorted(IMPORTABLE), *_LAZILY_IMPORTED, *inside):
        # Some modules are missing in some releases of Python or on some systems.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Without this, `from concurrent.futures import *` would fail.
    names = (name for name in concurrent.futures.__all__ if name != "ProcessPoolExecutor")
    vars(concurrent.futures).update(__all__=tuple(names))
    # Removed, so that importing them fails with a reason; the library has loaded what it needs.
    # `resource` stays, because waiting for a process imports it.
    for name in REFUSED.keys() - {"resource"}:
        sys.modules.pop(name, None)
    _keep_time_zones()
    event_loop.install()
    platform.uname()
    threading.stack_size(_THREAD_STACK_BYTES)
    # Without this, asyncio would install a handler.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    stream, nothing = _stream(output), io.StringIO()
    vars(sys).update(stdout=stream, stderr=stream, __stdout__=stream, __stderr__=stream)
    vars(sys).update(stdin=nothing, __stdin__=nothing)
    vars(builtins).update(check=check, log=print)
    sys.argv = ["program"]
    sys.path.clear()
    sys.meta_path[:] = [
        importlib.machinery.BuiltinImporter,
        importlib.machinery.FrozenImporter,
        _Finder(),
    ]
    os.environ.clear()
    # Exit handlers of libraries must not run in the processes of runs.
    atexit._clear()  # noqa: SLF001
    # Called by lookups of module files and by thread pools.
    vars(os).update(getcwd=lambda: "/", cpu_count=lambda: 1, process_cpu_count=lambda: 1)


def _keep_time_zones() -> None:
    """Load all time zones into memory."""
    data = importlib.resources.files("tzdata")
    keys = (data / "zones").read_text("ascii").split()
    contents = {key: (data / "zoneinfo" / key).read_bytes() for key in keys}

    def load(key: str) -> io.BytesIO:
        if key not in contents:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(contents[key])

    zoneinfo.reset_tzpath(to=())
    vars(zoneinfo._common).update(load_tzdata=load)  # noqa: SLF001
    vars(zoneinfo).update(available_timezones=lambda: {*contents})


def _names_within(package: str) -> list[str]:
    """Return the names of all modules in a package except its tests."""
    path = importlib.import_module(package).__path__
    found = (module.name for module in pkgutil.walk_packages(path, f"{package}."))
    return [name for name in found if {"__main__", "test"}.isdisjoint(name.split("."))]


def begin_program(most_frames: int, seed: bytes, role: str) -> None:
    """Set the initial state of a program, which may raise its recursion limit to `most_frames`.

    Random numbers are determined by the seed; those of the system by the seed and the role.
    """
    system_random: random.Random | None = None

    def setrecursionlimit(limit: int) -> None:
        _set_recursion_limit(min(limit, most_frames))

    def urandom(size: int) -> bytes:
        nonlocal system_random
        # Made on demand, because that takes a while.
        system_random = system_random or random.Random(seed + role.encode())  # noqa: S311
        return system_random.randbytes(size)

    os.urandom = urandom
    vars(random).update(_urandom=urandom)
    sys.setrecursionlimit = setrecursionlimit
    _set_recursion_limit(min(most_frames, _RECURSION))
    random.seed(int.from_bytes(seed))


def begin_module(namespace: Namespace, extra: dict[str, object], *, as_main: bool) -> None:
    """Register a module and its source under its name, like an imported one."""
    name = "__main__" if as_main else namespace.name
    if name in sys.modules and not as_main:
        name += " (function)"
    module = types.ModuleType(name)
    names = vars(module)
    names.update(namespace.globals)
    names["__builtins__"] = vars(builtins)
    names["__file__"] = namespace.name
    names.update(extra)
    namespace.globals = names
    # `__main__` is the module that is executed last.
    sys.modules[name] = sys.modules["__main__"] = module
    lines = namespace.source.splitlines(keepends=True)
    linecache.cache[namespace.name] = (len(namespace.source), None, lines, namespace.name)


def _stream(output: Any) -> io.TextIOWrapper:
    raw: Any = _Raw(output)
    return io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", line_buffering=True)


class _Raw(io.RawIOBase):
    """Passes printed bytes to the output as text."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._output.write(bytes(content).decode("utf-8", "backslashreplace"))
        return len(content)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds nothing, because all importable modules are loaded; raises with a reason."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: Any = None,  # noqa: ARG002
    ) -> NoReturn:
        why = why_not(fullname) or f"No module named {fullname!r}"
        raise ModuleNotFoundError(why, name=fullname)
