"""A module in JavaScript: its context in QuickJS, and the calls between it and Python.

There is no limit inside: the process has limits of time and memory, which no code can catch.
"""

from __future__ import annotations

import builtins
import json
import random
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any

from runner.sandbox.javascript.engine import STACK_BYTES, JSException, is_there, new_context
from runner.sandbox.javascript.errors import AddCalls, Exceptions, names_of
from runner.sandbox.javascript.parameters import most_arguments, parameters_of
from runner.sandbox.javascript.values import Reader, Writer, iterated, merge

_PRELUDE = Path(__file__).with_name("prelude.js").read_text(encoding="utf-8")
_ENTRIES = ("Invoke", "Settled", "Next", "Export", "Bind", "BindLater", "Source")
# Of the 1 MiB that a thread has.
_THREAD_STACK_BYTES = 640 << 10
_MUTABLE = frozenset({list, dict, set})
_UNDEFINED = '{"$":["u"]}'

# Attaches the trace of an exception to it.
Describe = Callable[[BaseException], None]


class _Begun:
    """A context in which no module was executed yet; `answer` answers its requests."""

    def __init__(self) -> None:
        self.answer: Callable[[str, Any, str], str] = _unanswered
        self.engine = new_context()
        self.engine.add_callable("$pyCall", self._relay)
        self.engine.add_callable("$pyPrint", _print)
        self.engine.add_callable("$pyRandom", _random)
        self.engine.eval(_PRELUDE)
        self.entries = {name: self.engine.get(f"$py{name}") for name in _ENTRIES}
        self.engine.eval("".join(f"delete globalThis.$py{name};" for name in _ENTRIES) + "0")

    def _relay(self, kind: str, number: Any, text: str) -> str:
        return self.answer(kind, number, text)


# Made before the zygote forks.
_begun: list[_Begun] = []


def prepare() -> None:
    """Begin a context for the first module in JavaScript of each process."""
    if is_there():
        _begun.append(_Begun())


def forget() -> None:
    """Drop what `prepare` has begun."""
    _begun.clear()


def _unanswered(*_: object) -> str:
    return ""


def _random() -> float:
    # Looked up each time: a test may have replaced it.
    return random.random()  # noqa: S311


class Context:
    """The context of one module; `names` are the names that others define, and may grow."""

    def __init__(
        self,
        module: str,
        code: str,
        names: Mapping[str, Any],
        describe: Describe,
        add_calls: AddCalls,
    ) -> None:
        self._module, self._code = module, code
        self._names, self._describe = names, describe
        self._exceptions = Exceptions((module, code.split("\n")), add_calls)
        self._writer = Writer(self._keep)
        self._reader = Reader(self._stand_in, self._thing)
        self._things: list[Any] = []  # of Python, by number
        self._most_arguments: list[int | None] = []  # that each of them takes; None: any number
        self._numbers: dict[int, int] = {}  # their numbers, by identity
        self._functions: dict[int, Any] = {}  # of JavaScript, by number
        self._of_functions: dict[Any, int] = {}
        self._passing: dict[int, BaseException] = {}  # exceptions that go through JavaScript
        self._fatal: BaseException | None = None
        # QuickJS is not thread-safe, and lets other threads of Python run.
        self._lock = threading.RLock()
        begun = _begun.pop() if _begun else _Begun()
        begun.answer = self._answer
        self._engine, self._entries = begun.engine, begun.entries

    # --- the module -------------------------------------------------------------------------------

    def bind(self, name: str) -> None:
        """Bind a name that another module defines, now or later."""
        if name in self._names:
            self._entries["Bind"](name, self._writer.write(self._names[name]))
        else:
            self._entries["BindLater"](name)

    def execute(self) -> None:
        """Execute the module. Raises an exception for an error."""
        try:
            with self._lock:
                self._engine.eval(self._code)
                self._run_jobs()
        except JSException as error:
            failure = self._exceptions.from_text(str(error))
        else:
            return self._check()
        self._check()
        raise failure

    def value_of(self, name: str) -> Any:
        """Return what the module has defined by this name. Raises NameError if nothing."""
        probe = f"typeof {name} === 'undefined' ? undefined : {name}"
        with self._lock:
            if self._engine.eval(f"typeof {name} === 'undefined'"):
                raise NameError(f"{name} is not defined")
            return self._read(self._entries["Export"](self._engine.eval(probe)))

    # --- calls from Python ------------------------------------------------------------------------

    def _stand_in(self, number: int, kind: str, name: str) -> Any:
        if number not in self._functions:
            made = self._function(number, name) if kind == "function" else self._iterator(number)
            self._functions[number] = made
            self._of_functions[made] = number
        return self._functions[number]

    def _function(self, number: int, name: str) -> FunctionType:
        def function(*args: Any, **kwargs: Any) -> Any:
            return self._invoke(number, args, kwargs)

        name = name if name.isidentifier() else "anonymous"
        function.__name__ = function.__qualname__ = name
        function.__module__ = self._module
        return function  # type: ignore[return-value]

    def _iterator(self, number: int) -> Any:
        return iterated(lambda: self._read(self._call("Next", number, "[]")))

    def _invoke(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        text = self._writer.write(args)
        if kwargs:
            text = self._with_keywords(number, text, kwargs)
        answer = self._call("Invoke", number, text)
        if answer[0] != "w":
            return self._read(answer)
        changed, value = self._reader.read(answer[1:])
        merge(args, changed)
        return value

    def _call(self, entry: str, number: int, text: str) -> str:
        """Call an entry, and what waits for its end; return its answer."""
        with self._lock:
            in_thread = threading.current_thread() is not threading.main_thread()
            self._engine.set_max_stack_size(_THREAD_STACK_BYTES if in_thread else STACK_BYTES)
            try:
                answer: str = self._entries[entry](number, text)
                self._run_jobs()
                if answer[0] == "p":
                    answer = self._entries["Settled"](int(answer[1:]))
            except JSException as error:
                failure = self._exceptions.from_text(str(error))
            else:
                self._check()
                if not answer:
                    raise RuntimeError("its promise never settles, because nothing is left to run")
                return answer
        self._check()
        raise failure

    def _run_jobs(self) -> None:
        while self._engine.execute_pending_job():
            self._check()

    def _check(self) -> None:
        """Raise what ends the run, if it has come up in a call from JavaScript."""
        if self._fatal is not None:
            raise self._fatal

    def _read(self, answer: str) -> Any:
        """Return the value of an answer, or raise its exception."""
        if answer[0] == "v":
            return self._reader.read(answer[1:])
        content = json.loads(answer[1:])
        passing = self._passing.pop(content.get("number", -1), None)
        if passing is None:
            raise self._exceptions.make(content)
        self._exceptions.add_stack(passing, content["stack"])
        raise passing

    def _with_keywords(self, number: int, text: str, kwargs: dict[str, Any]) -> str:
        """Return the arguments with keyword arguments in the places of the parameters."""
        with self._lock:
            names = parameters_of(json.loads(self._entries["Source"](number)))
        given = json.loads(text)
        places = {names.index(name): name for name in kwargs if name in names}
        unknown = kwargs.keys() - places.values()
        if unknown or min(places) < len(given):
            wrong = min(unknown) if unknown else places[min(places)]
            raise TypeError(f"{wrong!r} is no parameter, or is given twice; pass it by its place")
        parts = [json.dumps(each) for each in given]
        for place in range(len(given), max(places) + 1):
            is_given = place in places
            parts.append(self._writer.write(kwargs[places[place]]) if is_given else _UNDEFINED)
        return f"[{','.join(parts)}]"

    # --- calls from JavaScript --------------------------------------------------------------------

    def _keep(self, thing: Any) -> dict[str, Any]:
        """Return the reference to an object of Python."""
        if type(thing) is FunctionType and thing in self._of_functions:
            return {"$": ["j", self._of_functions[thing]]}
        number = self._numbers.get(id(thing))
        if number is None:
            number = self._numbers[id(thing)] = len(self._things)
            self._things.append(thing)
            self._most_arguments.append(most_arguments(thing))
        kind = "function" if callable(thing) else "object"
        if kind == "object" and hasattr(type(thing), "__next__"):
            kind = "iterator"
        return {"$": ["p", number, kind, type(thing).__name__]}

    def _thing(self, number: int, *_: Any) -> Any:
        return self._things[number]

    def _answer(self, kind: str, number: Any, text: str) -> str:
        """Answer a request; it never raises, because QuickJS would lose the exception."""
        try:
            self._check()
            return self._perform(kind, number, text)
        except Exception as error:
            return self._failure(error)
        except BaseException as error:
            # This ends the run, whatever is caught on the way.
            self._fatal = error
            return ""

    def _perform(self, kind: str, number: Any, text: str) -> str:
        if kind == "name":
            if number not in self._names:
                raise NameError(f"{number} is not defined")
            return "v" + self._writer.write(self._names[number])
        thing = self._things[int(number)]
        if kind == "next":
            return "v" + self._writer.write([*_first(thing)])
        args = self._reader.read(text)[: self._most_arguments[int(number)]]
        before = self._writer.write(args) if _MUTABLE.intersection(map(type, args)) else ""
        value = self._writer.write(thing(*args))
        after = self._writer.write(args) if before else ""
        return f"w[{after},{value}]" if after != before else "v" + value

    def _failure(self, error: Exception) -> str:
        if type(error) is MemoryError and not error.args:
            self._fatal = error
            return ""
        self._describe(error)
        error.with_traceback(None)
        self._passing[id(error)] = error
        try:
            message = str(error)
        except Exception:
            message = ""
        content = {"number": id(error), "names": names_of(error), "message": message}
        return "e" + json.dumps(content)


def _first(iterator: Any) -> Any:
    """Yield the next of an iterator, or nothing."""
    for each in iterator:
        yield each
        return


def _print(text: str) -> None:
    # Looked up each time: a test may have replaced it.
    builtins.print(json.loads(text))
