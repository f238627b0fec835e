"""The language agrees with Python: programs do under the policy what they do without it."""

from __future__ import annotations

import contextlib
import io
import marshal
import sys

from hypothesis import HealthCheck, given, settings

from runner.sandbox import Verdict
from runner.sandbox.evaluating import Homes
from runner.sandbox.execution import Execution
from runner.sandbox.guards import offered_builtins, user_types
from runner.sandbox.output import Output
from runner.sandbox.protocol import PAYLOAD_HEADER, encode_program
from tests.sandbox.conftest import RunSource, program_loading
from tests.sandbox.grammar import programs

# What a program has printed, and the class of the exception that ended it.
Behaviour = tuple[str, str]


class Silence(Output):
    def _send(self, frames: bytes | bytearray) -> None:
        """Nobody reads frames here."""


def in_python(source: str) -> Behaviour:
    printed = io.StringIO()
    ended = ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "F", "exec", dont_inherit=True), {"__name__": "F"})  # noqa: S102
        except Exception as error:  # noqa: BLE001
            ended = type(error).__name__
    return printed.getvalue(), ended


def under_the_policy(source: str) -> Behaviour:
    """In this very process, which is quick; the sandbox's own way of running a program."""
    payload = encode_program(program_loading(source + "\nF = None\n"), b"", [None])
    builtins = offered_builtins() | {"print": print}
    printed = io.StringIO()
    modules, recursion = set(sys.modules), sys.getrecursionlimit()
    try:
        content = marshal.loads(payload[PAYLOAD_HEADER.size :])  # noqa: S302
        execution = Execution(content, Homes(builtins), Silence(-1))
        execution.prepare(pass_on=False)
        with contextlib.redirect_stdout(printed):
            result = execution.run() or {"verdict": "passed", "message": ""}
    finally:
        sys.setrecursionlimit(recursion)
        user_types.clear()
        for name in set(sys.modules) - modules:
            del sys.modules[name]
    return printed.getvalue(), ending(result["verdict"], result["message"])


def ending(verdict: str, message: str) -> str:
    match verdict:
        case "passed":
            return ""
        case "failed":
            return "AssertionError"
        case "error":
            return message.partition(":")[0].partition("\n")[0]
    return f"{verdict}: {message}"


bounded = settings(
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@settings(bounded, max_examples=300)
@given(programs)
def test_a_program_does_what_it_does_in_python(source: str) -> None:
    assert under_the_policy(source) == in_python(source)


@settings(bounded, max_examples=40)
@given(source=programs)
def test_a_program_does_so_in_a_process_of_its_own_too(run_code: RunSource, source: str) -> None:
    outcome = run_code(source)
    printed, ended = in_python(source)
    assert outcome.verdict is not Verdict.CRASHED
    assert "\n".join(line.text for line in outcome.log) == printed.removesuffix("\n")
    assert ending(outcome.verdict, outcome.message) == ended
