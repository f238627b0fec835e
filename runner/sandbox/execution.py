"""Runs one program to its end, inside the child: modules, cases, the call, and what went wrong."""

from __future__ import annotations

import json
import random
import sys
import types
from collections.abc import Callable
from typing import Any

from runner.sandbox.binding import Namespace
from runner.sandbox.compilation import Uncompilable, compile_source
from runner.sandbox.explaining import Assertions
from runner.sandbox.guards import MARK, offered_builtins
from runner.sandbox.judging import OUT_OF_MEMORY, judge, result_of
from runner.sandbox.output import Output
from runner.sandbox.protocol import LONGEST_MESSAGE, LONGEST_VALUE_BYTES, MOST_CASES


class _Ended(Exception):
    """The run has ended with another verdict than passed; carries the result out."""

    def __init__(self, result: dict[str, Any]) -> None:
        super().__init__()
        self.result = result


def check(condition: Any, message: Any = "") -> None:
    """An assertion as a function."""
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")


def _gone() -> None:
    raise NameError("the test function was deleted by an earlier one")


class Execution:
    """One program; `run` gives the result as it goes into the last frame."""

    def __init__(
        self, program: dict[str, Any], output: Output, offered_import: Callable[..., Any]
    ) -> None:
        self._entry: str = program["entry"]
        self._subject: str = program["subject"]
        self._arguments: dict[str, Any] = program["arguments"]
        self._output = output
        self._builtins = offered_builtins()
        self._builtins.update(
            __import__=offered_import, print=output.print, log=output.print, check=check
        )
        self._namespaces = {
            name: Namespace(name, source.replace("\r\n", "\n").replace("\r", "\n"), tuple(binds))
            for name, source, binds in program["modules"]
        }
        for namespace in self._namespaces.values():
            namespace.globals["__builtins__"] = self._builtins
        self._encode = json.JSONEncoder(allow_nan=False).encode
        random.seed(bytes.fromhex(program["seed"]))

    def run(self) -> dict[str, Any]:
        """The result; what it raises is a fault of ours, never of user code."""
        try:
            value = self._run()
        except _Ended as ended:
            return ended.result
        except MemoryError:
            return result_of("memory_limit", OUT_OF_MEMORY)
        return result_of("passed", value=value)

    def _users(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call what user code has a hand in: its exceptions are the run's result."""
        try:
            return call(*arguments, **keywords)
        except BaseException as error:
            if isinstance(error, _Ended):
                raise
            raise _Ended(judge(error, self._namespaces)) from None

    def _run(self) -> Any:
        *modules, last = self._namespaces.values()
        for namespace in modules:
            self._execute(namespace)
        if self._entry == "test":
            self._look_for_subject()
            self._execute(last)
            self._run_cases(last)
            return None
        self._execute(last, as_main=self._entry == "script")
        if self._entry == "script":
            return None
        subject = self._look_for_subject()
        if self._entry == "call":
            return self._call(subject)
        return None

    def _execute(self, namespace: Namespace, *, as_main: bool = False) -> None:
        code = self._compile(namespace)
        shown_name = "__main__" if as_main else namespace.name
        if shown_name in sys.modules and not as_main:
            shown_name += " (function)"
        # Helpers of the standard library look their caller's module up; this one is empty.
        sys.modules[shown_name] = types.ModuleType(shown_name)
        namespace.globals |= {
            "__name__": shown_name,
            MARK: True,
            **Assertions(namespace.source).names(),
        }
        self._users(exec, code, namespace.globals)
        namespace.settle()
        offered = self._users(namespace.public)
        for other in self._namespaces.values():
            if namespace.name in other.binds:
                other.receive(namespace.name, offered)

    def _compile(self, namespace: Namespace) -> types.CodeType:
        try:
            return compile_source(namespace.source, name=namespace.name)
        except Uncompilable as refused:
            first = refused.complaints[0]
            more = len(refused.complaints) - 1
            message = f"{first.message} (and {more} more)" if more else first.message
            verdict = "policy" if first.code == "policy" else "error"
            if verdict == "error":
                message = f"SyntaxError: {message}"
            raise _Ended(result_of(verdict, message, namespace.name, first.line)) from None

    def _look_for_subject(self) -> Any:
        namespace = self._namespaces[self._subject]
        if self._subject not in namespace.own:
            raise _Ended(result_of("error", f"does not define {self._subject}", self._subject))
        self._output.loaded()
        return namespace.globals[self._subject]

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
                self._users(test.globals.get(name, _gone))
                self._output.case(name, "passed", "", None)
            except _Ended as ended:
                result = ended.result
                self._output.case(name, result["verdict"], result["message"], result["line"])
                first = first or result | {"message": f"{name}: {result['message']}"}
        if first:
            raise _Ended(first)

    def _call(self, subject: Any) -> Any:
        arguments = self._arguments
        returned = self._users(subject, *arguments.get("args", ()), **arguments.get("kwargs", {}))
        encoded = self._users(self._encoded, returned)
        if len(encoded) > LONGEST_VALUE_BYTES:
            message = f"{self._subject} returned more than {LONGEST_VALUE_BYTES // 1024} KiB"
            raise _Ended(result_of("output_limit", message, self._subject))
        # From text, so that nothing of the user's own runs when the result is written.
        return json.loads(encoded)

    def _encoded(self, returned: Any) -> str:
        try:
            return self._encode(returned)
        except (TypeError, ValueError, RecursionError) as error:
            message = f"{self._subject} returned what JSON can't express: {error}"
            raise _Ended(result_of("error", message[:LONGEST_MESSAGE], self._subject)) from None
