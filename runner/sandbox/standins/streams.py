"""Standard output as user code sees it: `print`, what it can be redirected to, and no more.

There is one place that says where printed text goes, `standard`. Until something is redirected,
that is the log.
"""

from __future__ import annotations

import io
import pprint
import sys
from types import SimpleNamespace, TracebackType
from typing import Any

from runner.sandbox.ownership import ForbiddenName


class LogStream:
    """A text stream into the log; it leads to nothing that could send a frame."""

    __slots__ = ("_name",)

    encoding = "utf-8"
    errors = "backslashreplace"
    newlines = None
    closed = False

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def name(self) -> str:
        return f"<{self._name}>"

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        # The process's own: written to by nothing but this.
        sys.stdout.write(text)
        return len(text)

    def writelines(self, lines: Any, /) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Lines are sent as they end."""

    def isatty(self) -> bool:
        return False

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        raise io.UnsupportedOperation("fileno")

    def __repr__(self) -> str:
        return f"<{self._name}: the log>"


STANDARD: dict[str, Any] = {
    "stdout": LogStream("stdout"),
    "stderr": LogStream("stderr"),
    "stdin": io.StringIO(),
}
# Where printed text goes; the stand-in for `sys` takes its place.
standard: Any = SimpleNamespace(**STANDARD)


def use(shim: Any) -> None:
    """Have the streams be those of this stand-in for `sys`."""
    global standard  # noqa: PLW0603
    standard = shim


def offered_print(
    *values: Any,
    sep: str | None = " ",
    end: str | None = "\n",
    file: Any = None,
    flush: bool = False,
) -> None:
    """print, into the log or whatever stands in its place."""
    for name, given in (("sep", sep), ("end", end)):
        if given is not None and not isinstance(given, str):
            raise TypeError(f"{name} must be None or a string, not {type(given).__name__}")
    stream = standard.stdout if file is None else file
    if stream is None:
        return
    text = str.join(" " if sep is None else sep, [str(value) for value in values])
    stream.write("".join((text, "\n" if end is None else end)))
    if flush:
        stream.flush()


def offered_input(prompt: Any = "", /) -> Any:
    """input, from what a program has put in place of standard input."""
    stream = standard.stdin
    if stream is STANDARD["stdin"]:
        raise ForbiddenName(
            "`input` isn't available here: nobody is there to type; pass the values as arguments, "
            "or put an io.StringIO in place of sys.stdin"
        )
    offered_print(prompt, end="")
    line = stream.readline()
    if not line:
        raise EOFError("EOF when reading a line")
    return line[:-1] if line[-1] == "\n" else line


class _Redirect:
    _name = ""

    def __init__(self, new_target: Any) -> None:
        self._target = new_target
        self._replaced: list[Any] = []

    def __enter__(self) -> Any:
        self._replaced.append(getattr(standard, self._name))
        setattr(standard, self._name, self._target)
        return self._target

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        setattr(standard, self._name, self._replaced.pop())


class redirect_stdout(_Redirect):
    """contextlib.redirect_stdout for `standard`; the original sets attributes of the real sys."""

    _name = "stdout"


class redirect_stderr(_Redirect):
    """The same for stderr."""

    _name = "stderr"


class PrettyPrinter:
    """pprint.PrettyPrinter as its options; the original hands out what it prints to."""

    def __init__(
        self,
        indent: int = 1,
        width: int = 80,
        depth: int | None = None,
        stream: Any = None,
        **options: Any,
    ) -> None:
        self._target = stream
        self._options = {"indent": indent, "width": width, "depth": depth, **options}

    def pformat(self, thing: Any) -> str:
        return pprint.pformat(thing, **self._options)

    def pprint(self, thing: Any) -> None:
        offered_print(self.pformat(thing), file=self._target)


def offered_pprint(thing: Any, stream: Any = None, **options: Any) -> None:
    """pprint.pprint onto what `print` writes to."""
    PrettyPrinter(stream=stream, **options).pprint(thing)


def offered_pp(thing: Any, *, sort_dicts: bool = False, **options: Any) -> None:
    offered_pprint(thing, sort_dicts=sort_dicts, **options)
