"""`doctest` of our own, small: the examples of a module, run in a copy of its names."""

from __future__ import annotations

import collections
import io
import sys
import types
from collections.abc import Iterable
from typing import Any

from runner.sandbox import exhaustion, names
from runner.sandbox.compilation import Uncompilable, compile_text
from runner.sandbox.evaluating import error_of, with_texts
from runner.sandbox.guards import Forbidden, is_users_own
from runner.sandbox.ownership import calling_module, home_of
from runner.sandbox.standins import reporting, running, streams
from runner.sandbox.standins.examples import (
    FLAGS,
    Example,
    docstrings,
    examples_in,
    is_right,
    is_right_error,
)

TestResults = collections.namedtuple("TestResults", "failed attempted")  # noqa: PYI024
_STARS = "*" * 70


def testmod(
    m: Any = None,
    name: str | None = None,
    globs: Any = None,
    verbose: Any = None,
    report: bool = True,
    optionflags: int = 0,
    extraglobs: Any = None,
    **options: Any,
) -> Any:
    """doctest.testmod of the calling module."""
    module = calling_module()
    if m is not None or name is not None:
        raise Forbidden("`doctest.testmod` runs the examples of the module that calls it")
    if any(options.values()) or options.keys() - {"raise_on_error", "exclude_empty"}:
        raise Forbidden(f"`doctest.testmod` has no `{next(iter(options))}` here")
    found = docstrings(running.sources[module], module)
    base = running.namespaces[module] if globs is None else _chosen(module, globs)
    runner = _Runner(base | _checked(extraglobs or {}), optionflags, verbose=bool(verbose))
    for title, text, line in found:
        runner.run(title, text, line)
    if report:
        runner.report()
    return TestResults(runner.failed, runner.attempted)


def run_docstring_examples(
    f: Any,
    globs: Any,
    verbose: bool = False,
    name: str = "NoName",  # noqa: ARG001
    compileflags: Any = None,  # noqa: ARG001
    optionflags: int = 0,
) -> None:
    """doctest.run_docstring_examples of a function or class of the calling module."""
    module = calling_module()
    subject = f.__func__ if type(f) is types.MethodType else f
    if not is_users_own(subject) or home_of(subject) != module:
        raise Forbidden(
            "examples run in the module that has written them; give one of its functions"
        )
    # As it was written, whatever it is called by now.
    written = (
        subject.__code__.co_qualname if type(subject) is types.FunctionType else _name(subject)
    )
    runner = _Runner(_chosen(module, globs), optionflags, verbose=verbose)
    for title, text, line in docstrings(running.sources[module], module):
        if title == f"{module}.{written}":
            runner.run(title, text, line)


def _name(thing: Any) -> str:
    kind = thing if issubclass(type(thing), type) else type(thing)
    return str(type.__dict__["__qualname__"].__get__(kind))


def _chosen(module: str, globs: Any) -> dict[str, Any]:
    """Names that the user has chosen, with ours of the module."""
    namespace = running.namespaces[module]
    ours = {name: thing for name, thing in namespace.items() if names.is_private_clash(name)}
    return ours | _checked(globs)


def _checked(globs: Any) -> dict[str, Any]:
    """Rewritten code looks up what guards it among these names, so that none may be such a one."""
    if not isinstance(globs, dict):
        raise TypeError("the names for examples must be a dict")
    return {
        name: thing
        for name, thing in dict.items(globs)
        if type(name) is str and not names.is_private_clash(name)
    }


class _Runner:
    """Runs docstrings, tells what fails, and counts."""

    def __init__(self, base: dict[str, Any], flags: int, *, verbose: bool) -> None:
        self._base, self._flags, self._verbose = base, flags, verbose
        self._failures: dict[str, tuple[int, int]] = {}
        self.failed = self.attempted = 0

    def run(self, title: str, text: str, line: int) -> None:
        namespace = dict(self._base)
        namespace["__builtins__"] = with_texts(namespace, namespace["__builtins__"])
        examples = [*examples_in(text, line, self._flags)]
        failed = attempted = 0
        for number, example in enumerate(examples):
            if example.flags & FLAGS["SKIP"]:
                continue
            attempted += 1
            file = f"<doctest {title}[{number}]>"
            got, error, said = _outcome_of(example, namespace, file)
            problem = _problem(example, got, error, said)
            if problem:
                failed += 1
                self._tell(title, example, problem)
                if example.flags & FLAGS["FAIL_FAST"]:
                    break
            elif self._verbose:
                self._print(f"Trying:\n{_indented(example.source)}ok\n")
        self.failed += failed
        self.attempted += attempted
        if failed:
            self._failures[title] = failed, attempted

    def _tell(self, title: str, example: Example, problem: str) -> None:
        module = title.partition(".")[0]
        head = f'{_STARS}\nFile "{module}", line {example.line}, in {title}\nFailed example:\n'
        self._print(f"{head}{_indented(example.source)}{problem}")

    def report(self) -> None:
        if not self._failures:
            return
        many = len(self._failures)
        self._print(f"{_STARS}\n{many} items had failures:\n")
        for title, (failed, attempted) in sorted(self._failures.items()):
            self._print(f" {failed:3d} of {attempted:3d} in {title}\n")
        self._print(f"***Test Failed*** {self.failed} failures.\n")

    def _print(self, text: str) -> None:
        streams.offered_print(text, end="")


def _outcome_of(
    example: Example, namespace: dict[str, Any], file: str
) -> tuple[str, str | None, str]:
    """What was printed, the exception's last lines, and its traceback."""
    error: BaseException | None = None
    stdout, hook = streams.standard.stdout, sys.displayhook
    printed = streams.standard.stdout = io.StringIO()
    sys.displayhook = _display
    try:
        exec(compile_text(f"{example.source}\n", name=file, mode="single"), namespace)
    except KeyboardInterrupt:
        raise
    except Uncompilable as refused:
        error = error_of(refused, example.source, file)
    except BaseException as raised:
        exhaustion.caught()
        error = raised
    finally:
        streams.standard.stdout, sys.displayhook = stdout, hook
    got = printed.getvalue()
    if got and not got.endswith("\n"):
        got += "\n"
    if error is None:
        return got, None, ""
    *_, last = reporting.format_exception_only(error)
    return got, last, "".join(reporting.format_exception(error))


def _display(value: Any) -> None:
    if value is not None:
        streams.offered_print(repr(value))


def _problem(example: Example, got: str, error: str | None, said: str) -> str:
    """What there is to say of an example that came out wrong; "" if it didn't."""
    if error is None:
        if example.error is None and is_right(example.wanted, got, example.flags):
            return ""
        return _difference(example.wanted, got)
    if example.error is None:
        return f"Exception raised:\n{_indented(said)}"
    if is_right_error(example.error, error, example.flags):
        return ""
    return _difference(example.wanted, got + said)


def _difference(wanted: str, got: str) -> str:
    expected = f"Expected:\n{_indented(wanted)}" if wanted else "Expected nothing\n"
    return expected + (f"Got:\n{_indented(got)}" if got else "Got nothing\n")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in _lines(text))


def _lines(text: str) -> Iterable[str]:
    return text.removesuffix("\n").split("\n")


DOCTEST: dict[str, Any] = {
    **FLAGS,
    "TestResults": TestResults,
    "testmod": testmod,
    "run_docstring_examples": run_docstring_examples,
}
