"""Compiles and executes the modules of one process of a run."""

from __future__ import annotations

import contextlib
import marshal
import re
from collections.abc import Callable, Collection
from typing import Any

from runner.sandbox.javascript.context import Context, Describe
from runner.sandbox.javascript.engine import require_engine
from runner.sandbox.javascript.source import code_of
from runner.sandbox.language import environment
from runner.sandbox.language.compilation import Compiled, Uncompilable, compile_module
from runner.sandbox.language.namespace import Namespace
from runner.sandbox.process.output import Output
from runner.sandbox.report import results
from runner.sandbox.report.explanation import asserting
from runner.sandbox.report.results import Result, result_of
from runner.sandbox.report.trace import Source, add_calls
from runner.sandbox.supervisor.protocol import Content

# A declaration at the beginning of a line of JavaScript.
_DECLARED = re.compile(
    r"^(?:async\s+)?(?:function\b\s*\*?|class\b|const\b|let\b|var\b)\s*([A-Za-z]\w*)",
    re.MULTILINE,
)


class Ended(Exception):
    """The run has ended with this result, whose verdict is not passed."""

    def __init__(self, result: Result) -> None:
        super().__init__()
        self.result = result


class Modules:
    """The modules of a process, in the order of execution."""

    def __init__(self, content: Content, output: Output) -> None:
        self._content = content
        self._compiled: dict[str, Compiled | Uncompilable] = {}
        self.namespaces: dict[str, Namespace] = {}
        # The modules that frames may belong to; of other processes' modules only names are known.
        self._sources: dict[str, Source] = {
            name: Namespace(name, "", ()) for name in content["names"]
        }
        for name, source, binds, _ in content["modules"]:
            text = source.replace("\r\n", "\n").replace("\r", "\n")
            namespace = Namespace(name, code_of(text), binds)
            self.namespaces[name] = self._sources[name] = namespace
        self._compile(output)

    def _compile(self, output: Output) -> None:
        """Load or compile all modules; send the code of the first one compiled to the supervisor.

        The supervisor caches it for other programs, so no user code may have run in this process.
        Only the first is sent: its source could have corrupted the compiler for all later ones.
        """
        is_first = True
        for place, (name, source, _, known) in enumerate(self._content["modules"]):
            if known is not None:
                self._compiled[name] = marshal.loads(known)  # noqa: S302
                continue
            try:
                compiled = compile_module(source, name=name)
                self._compiled[name] = compiled
                if is_first:
                    output.compiled(place, marshal.dumps(compiled))
            except Uncompilable as refused:
                self._compiled[name] = refused
            is_first = False
        environment.begin_program(
            self._content["limits"]["recursion"], self._content["seed"], self._content["role"]
        )
        output.started(self._content["began"])

    def execute_all(self) -> None:
        """Execute all modules; raises Ended if one fails."""
        for name in self.namespaces:
            self.execute(name)

    def execute(self, name: str, *, as_main: bool = False) -> None:
        """Execute one module, and bind its public names in the modules that receive them."""
        namespace = self.namespaces[name]
        compiled = self._compiled[name]
        if isinstance(compiled, Uncompilable):
            raise Ended(_refusal(compiled, name))
        code, imported = compiled
        helpers = asserting(namespace.source) | namespace.tests.helpers
        environment.begin_module(namespace, helpers, as_main=as_main)
        passing = SystemExit if as_main else Ended
        if isinstance(code, str):
            require_engine()  # a failure of ours is no verdict
            self.call(_execute_javascript, namespace, self.describe, passing=passing)
        else:
            self.call(exec, code, namespace.globals, passing=passing)
        namespace.settle(imported)
        namespace.offered = self.call(namespace.public)
        self.give(name, namespace.offered)

    def give(self, giver: str, names: dict[str, Any], skip: Collection[str] = ()) -> None:
        """Bind a module's names in the modules that receive them, but not those to skip."""
        for other in self.namespaces.values():
            if giver in other.binds:
                other.receive(giver, {n: t for n, t in names.items() if n not in skip})

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        passing: type[BaseException] = Ended,
        **keywords: Any,
    ) -> Any:
        """Call a function that runs user code; raises Ended for exceptions other than `passing`."""
        try:
            return function(*arguments, **keywords)
        except passing:
            raise
        except BaseException as error:
            result = self.result_of(error)
        raise Ended(result)

    def result_of(self, error: BaseException) -> Result:
        """Return the result of a run that was ended by this exception."""
        allowed_bytes = self._content["limits"]["memory_bytes"]
        return results.result_of_exception(error, self._sources, allowed_bytes=allowed_bytes)

    def execute_script(self, name: str) -> Result | None:
        """Execute a module as a script, which may call `sys.exit`; return None for passed."""
        try:
            self.execute(name, as_main=True)
        except SystemExit as status:
            return results.result_of_exit(status, self._sources)
        return None

    def describe(self, error: BaseException) -> None:
        """Attach its trace to an exception that is about to cross to another process."""
        with contextlib.suppress(Exception):
            vars(error)["border_trace"] = results.border_trace_of(error, self._sources)


def _refusal(refused: Uncompilable, module: str) -> Result:
    first, *more = refused.complaints
    place = f"column {first.column}" + (f", and {len(more)} more" if more else "")
    message = f"{first.message} ({place})"
    if first.code == "policy":
        return result_of("policy", message, module, first.line)
    return result_of("error", f"SyntaxError: {message}", module, first.line)


def _execute_javascript(namespace: Namespace, describe: Describe) -> None:
    """Execute a module, and define in its namespace what it declares at the beginning of a line."""
    module = (namespace.name, namespace.source, namespace.globals)
    context = Context(*module, describe, add_calls)
    for name in dict.fromkeys((*namespace.binds, *namespace.received)):
        context.bind(name)
    context.execute()
    for name in dict.fromkeys(_DECLARED.findall(namespace.source)):
        try:
            namespace.globals[name] = context.value_of(name)
        except NameError:
            continue
        except (TypeError, ValueError):
            # It can't leave JavaScript, which matters only if others need it.
            if name == namespace.name:
                raise
