"""Runs one program to its end, inside the child: its modules, its cases, the call."""

from __future__ import annotations

import json
import marshal
import random
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, cast

from runner.sandbox.binding import Namespace
from runner.sandbox.compilation import Compiled, Uncompilable, compile_module
from runner.sandbox.explaining import asserting
from runner.sandbox.expressing import Inexpressible, as_text, from_text
from runner.sandbox.guards import MARK, ExitStatus, has_run_out
from runner.sandbox.judging import judge, out_of_memory, result_of
from runner.sandbox.output import Output
from runner.sandbox.protocol import LONGEST_MESSAGE, MOST_CASES, Content
from runner.sandbox.standins import running

# What a program starts with, as in Python.
_RECURSION = 1_000


class _Ended(Exception):
    """The run has ended with another verdict than passed; carries the result out."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__()
        self.result = result


def check(condition: Any, message: Any = "") -> None:
    """An assertion as a function."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


_Modules = Sequence[tuple[str, str, tuple[str, ...], bytes | None]]
_generator = cast("random.Random", random.seed.__self__)  # type: ignore[attr-defined]
_seed_generator = super(random.Random, _generator).seed


def seed_random(seed: bytes) -> None:
    """Let `random` begin anew; every run begins with b"", and its last module with its own seed."""
    _seed_generator(int.from_bytes(seed))


def _gone() -> None:
    raise NameError("the test function was deleted by an earlier one")


class Execution:
    """One program: first `prepare`, then `run`, which gives the result for the last frame.

    Its modules can also be run once for several programs: `load` them, and in a fork for each
    `adopt` the program that has the last module.
    """

    def __init__(
        self, content: Content, homes: Callable[[], dict[str, Any]], output: Output
    ) -> None:
        modules = self._become(content)
        self._homes = homes
        self._output = output
        self._known: dict[str, bytes | None] = {}
        self._compiled: dict[str, Compiled | Uncompilable] = {}
        self._namespaces: dict[str, Namespace] = {}
        self._add(modules)

    def adopt(self, content: Content) -> None:
        """Become this program, whose other modules have been loaded; it too is to be prepared."""
        self._add(self._become(content))

    def _become(self, content: Content) -> _Modules:
        _, modules, self._entry, self._subject, self._limits, self._seed, *rest = content
        self._arguments, self._kind = rest
        return modules

    def _add(self, modules: _Modules) -> None:
        # Whether anything of these is.
        self.compiles = False
        for name, source, binds, known in modules:
            source = source.replace("\r\n", "\n").replace("\r", "\n")  # noqa: PLW2901
            namespace = Namespace(name, source, binds, self._homes())
            for giver in self._namespaces.values():
                if giver.offered is not None and giver.name in binds:
                    namespace.receive(giver.name, giver.offered)
            self._known[name] = known
            self.compiles = self.compiles or known is None
            self._namespaces[name] = namespace

    def prepare(self, *, pass_on: bool) -> None:
        """Get every module's code, and perhaps pass on what is compiled first.

        It is kept for other programs, so no user code may have run in this process. What is
        compiled after it isn't passed on: if somebody's source could break the compiler, it would
        have done so by then.
        """
        for place, (name, known) in enumerate(self._known.items()):
            if name in self._compiled:
                continue
            if known is not None:
                self._compiled[name] = marshal.loads(known)  # noqa: S302
                continue
            try:
                compiled = compile_module(self._namespaces[name].source, name=name)
            except Uncompilable as refused:
                self._compiled[name] = refused
            else:
                self._compiled[name] = compiled
                if pass_on:
                    self._output.compiled(place, marshal.dumps(compiled))
            pass_on = False

    def run(self) -> dict[str, Any] | None:
        """The result, None for passed; what it raises is a fault of ours, never of user code."""
        return self._result(self._run)

    def load(self) -> dict[str, Any] | None:
        """Run all modules, for programs to come; the result if that isn't possible."""
        return self._result(self._load)

    def _result(self, run: Callable[[], Any]) -> dict[str, Any] | None:
        running.most_frames = self._limits["recursion"]
        sys.setrecursionlimit(min(running.most_frames, _RECURSION))
        try:
            value = run()
        except _Ended as ended:
            return ended.result
        except MemoryError:
            return result_of("memory_limit", out_of_memory(self._limits["memory_bytes"]))
        return None if value is None else result_of("passed", value=value)

    def _users(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call what user code has a hand in: its exceptions are the run's result."""
        allowed = self._limits["memory_bytes"]
        result, returned = None, None
        try:
            returned = call(*arguments, **keywords)
        except BaseException as error:
            if isinstance(error, _Ended):
                raise
            result = judge(error, self._namespaces, allowed_bytes=allowed)
        if has_run_out():
            # Whatever came of catching that.
            result = result_of("memory_limit", out_of_memory(allowed))
        if result is not None:
            raise _Ended(result)
        return returned

    def _load(self) -> None:
        for namespace in self._namespaces.values():
            self._execute(namespace)
        self._look_for_subject()

    def _run(self) -> Any:
        *modules, last = self._namespaces.values()
        if modules and modules[-1].offered is None:
            for namespace in modules:
                self._execute(namespace)
            if self._entry == "test":
                self._look_for_subject()
        seed_random(self._seed)
        self._execute(last, as_main=self._entry == "script")
        match self._entry:
            case "test":
                self._run_cases(last)
            case "call":
                return self._call(self._look_for_subject())
            case "load":
                self._look_for_subject()
        return None

    def _execute(self, namespace: Namespace, *, as_main: bool = False) -> None:
        compiled = self._compiled[namespace.name]
        if isinstance(compiled, Uncompilable):
            raise _Ended(_refusal(compiled, namespace.name))
        code, imported = compiled
        shown_name = "__main__" if as_main else namespace.name
        if shown_name in sys.modules and not as_main:
            shown_name += " (function)"
        # Helpers of the standard library look their caller's module up; this one is empty.
        sys.modules[shown_name] = types.ModuleType(shown_name)
        namespace.globals |= asserting(namespace.source)
        namespace.globals |= {"__name__": shown_name, MARK: True}
        running.namespaces[shown_name] = namespace.globals
        running.sources[namespace.name] = running.sources[shown_name] = namespace.source
        self._users(_execute_script if as_main else exec, code, namespace.globals)
        namespace.settle(imported)
        namespace.offered = self._users(namespace.public)
        for other in self._namespaces.values():
            if namespace.name in other.binds:
                other.receive(namespace.name, namespace.offered)

    def _look_for_subject(self) -> Any:
        namespace = self._namespaces[self._subject]
        if self._subject not in namespace.own:
            raise _Ended(result_of("error", f"does not define {self._subject}", self._subject))
        subject = namespace.globals[self._subject]
        if self._kind == "class" and not issubclass(type(subject), type):
            raise _Ended(result_of("error", f"{self._subject} is no class", self._subject))
        self._output.loaded()
        return subject

    def _run_cases(self, test: Namespace) -> None:
        first: dict[str, Any] | None = None
        cases = [
            name
            for name in test.own
            if name.startswith("test_") and isinstance(test.globals[name], types.FunctionType)
        ]
        if len(cases) > MOST_CASES:
            message = f"has {len(cases)} test functions, {MOST_CASES} are allowed"
            raise _Ended(result_of("error", message, test.name))
        for name in cases:
            try:
                # Looked up anew: one case may replace what the next one is.
                returned = self._users(test.globals.get(name, _gone))
                self._finish_case(name, returned)
                self._output.case(name, "passed", "", None)
            except _Ended as ended:
                result = ended.result
                self._output.case(name, result["verdict"], result["message"], result["line"])
                first = first or result | {"message": f"{name}: {result['message']}"}
        if first:
            raise _Ended(first)

    def _finish_case(self, name: str, returned: Any) -> None:
        """What an `async def` or a generator returns has yet to be run."""
        if type(returned) is types.CoroutineType:
            self._users(running.run_coroutine[0], returned)
        elif type(returned) in (types.GeneratorType, types.AsyncGeneratorType):
            message = f"{name} has a `yield`, so nothing runs it; call what it should test"
            raise _Ended(result_of("error", message))

    def _call(self, subject: Any) -> Any:
        arguments: dict[str, Any] = json.loads(self._arguments) if self._arguments else {}
        returned = self._users(subject, *arguments.get("args", ()), **arguments.get("kwargs", {}))
        text = self._users(self._expressed, as_text, returned)
        if len(text) > self._limits["result_bytes"]:
            message = (
                f"{self._subject} returned {len(text):,} bytes of JSON, "
                f"{self._limits['result_bytes']:,} are allowed"
            )
            raise _Ended(result_of("output_limit", message, self._subject))
        # From text, so that nothing of the user's own runs when the result is written.
        return self._expressed(from_text, text)

    def _expressed(self, express: Callable[[Any], Any], returned: Any) -> Any:
        try:
            return express(returned)
        except Inexpressible as error:
            message = f"{self._subject} returned what JSON can't express: {error}"
            raise _Ended(result_of("error", message[:LONGEST_MESSAGE], self._subject)) from None


def _execute_script(code: types.CodeType, names: dict[str, Any]) -> None:
    """As Python runs a script, which may leave anywhere; only its status tells how it went."""
    try:
        exec(code, names)
    except SystemExit as error:
        # A class of the user's own could answer anything.
        if type(error) is not SystemExit:
            raise
        # `sys.exit(not good)` gives a bool.
        if error.code is None or (type(error.code) in (int, bool) and error.code == 0):
            return
        status = ExitStatus(error.code)
        status.__dict__.update(error.__dict__)
        raise status.with_traceback(error.__traceback__) from None


def _refusal(refused: Uncompilable, module: str) -> dict[str, Any]:
    first = refused.complaints[0]
    more = len(refused.complaints) - 1
    place = f"column {first.column}" + (f", and {more} more" if more else "")
    message = f"{first.message} ({place})"
    if first.code == "policy":
        return result_of("policy", message, module, first.line)
    return result_of("error", f"SyntaxError: {message}", module, first.line)
