"""Errors of JavaScript as exceptions of Python, with the lines where they were thrown."""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Sequence
from typing import Any

_OUT_OF_MEMORY = "out of memory"
_TOO_DEEP = "Maximum call stack size exceeded"
# A line of a stack: the function, if it has a name, and the place.
_CALL = re.compile(r"^ *at (?:(?P<name>.+) )?\(?<input>:(?P<line>\d+)(?::(?P<column>\d+))?\)?$")
_STACK = re.compile(r"\n(?:    at [^\n]*\n?)*\Z")
_OURS = "$py"
_LONGEST_NAME = 80
_MOST_FRAMES = 60
_SHOWN_AGAIN = 2  # how often a call that repeats is shown

# The Python exceptions for errors of JavaScript, beside their own names.
_BASES: dict[str, type[Exception]] = {
    "Error": Exception,
    "EvalError": Exception,
    "InternalError": RuntimeError,
    "RangeError": ValueError,
    "ReferenceError": NameError,
    "SyntaxError": SyntaxError,
    "TypeError": TypeError,
    "URIError": ValueError,
}
# These would end a test early, or an iteration.
_NEVER = frozenset({"StopIteration", "StopAsyncIteration"})

# Module name and source lines.
Code = tuple[str, Sequence[str]]
# Module, line, function, source line.
Frame = tuple[str, int, str, str]
# Puts calls before those that an exception has gone through.
AddCalls = Callable[[BaseException, Sequence[Frame]], None]


class Exceptions:
    """Makes the exceptions of one module; an error's class is the same each time."""

    def __init__(self, code: Code, add_calls: AddCalls) -> None:
        self._code = code
        self._add_calls = add_calls
        self._classes: dict[tuple[str, ...], type[Exception]] = {}

    def make(self, content: dict[str, Any]) -> BaseException:
        """Return the exception of an error that `prelude.js` has described."""
        names, message = content["names"], content["message"]
        if names[:1] == ["InternalError"] and message == _OUT_OF_MEMORY:
            return MemoryError()
        error: Exception
        if "RangeError" in names and message == _TOO_DEEP:
            error = RecursionError(message)
        elif names:
            error = self._class_of(names)(message)
        else:
            error = self._class_of(["Error"])(f"{message} was thrown, which is no Error")
        self.add_stack(error, content["stack"], names)
        return error

    def from_text(self, text: str) -> BaseException:
        """Return the exception of an error that ended a script, of its text and stack."""
        stack = _STACK.search(text)
        said = text[: stack.start()] if stack else text
        name, separator, message = said.partition(": ")
        if said in ("null", "") or "Failed obtaining" in said:
            # An error can't be made without memory.
            return MemoryError()
        names = [name] if separator and name.isidentifier() else []
        content = {"names": names, "message": message if names else said}
        return self.make({**content, "stack": stack[0] if stack else ""})

    def add_stack(self, error: BaseException, stack: str, classes: Sequence[str] = ()) -> None:
        """Put the calls of a stack before those that the exception has gone through.

        Calls of constructors of these classes are left out.
        """
        self._add_calls(error, self._frames(stack, classes))

    def _frames(self, stack: str, classes: Sequence[str]) -> list[Frame]:
        """Return the author's calls in a stack, outermost first."""
        module, lines = self._code
        found: list[Frame] = []
        for text in stack.split("\n")[:_MOST_FRAMES]:
            call = _CALL.match(text)
            name = (call["name"] or "<anonymous>") if call else _OURS
            if name.startswith(_OURS) or (name in classes and not found):
                continue
            line = int(call["line"][:9]) if call else 0
            if 0 < line <= len(lines):
                name = "<module>" if name == "<eval>" else name[:_LONGEST_NAME]
                frame = (module, line, name, lines[line - 1].strip()[:200])
                if found[-_SHOWN_AGAIN:] != [frame] * _SHOWN_AGAIN:
                    found.append(frame)
        return found[::-1]

    def _class_of(self, names: Sequence[str]) -> type[Exception]:
        """Return the exception of these classes, the most special first."""
        key = tuple(names)
        if key not in self._classes:
            base = next(filter(None, map(_builtin, names)), Exception)
            own = _BASES.get(names[0], base) is not base or names[0] != base.__name__
            made = type(names[0], (base,), {"__module__": self._code[0]}) if own else base
            self._classes[key] = made
        return self._classes[key]


def _builtin(name: str) -> type[Exception] | None:
    if name in _BASES:
        return _BASES[name]
    found = getattr(builtins, name, None)
    is_exception = isinstance(found, type) and issubclass(found, Exception) and name not in _NEVER
    return found if is_exception else None


def names_of(error: BaseException) -> list[str]:
    """Return the names of an exception's classes, the most special first."""
    return [each.__name__ for each in type(error).__mro__ if issubclass(each, BaseException)]


def place_of(text: str) -> tuple[str, int, int]:
    """Return message, line and column of a syntax error, of its text and stack."""
    said, _, stack = text.partition("\n")
    call = _CALL.match(stack.split("\n")[0])
    line, column = (int(call["line"]), int(call["column"] or 1)) if call else (1, 1)
    return said.removeprefix("SyntaxError: "), line, column
