"""Functions and tests in JavaScript: values, errors, limits and attacks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runner.sandbox import Limits, Module, Outcome, Program, Verdict, as_module
from runner.sandbox.javascript.syntax import complaints, is_empty
from runner.sandbox.pool import Pool
from tests.sandbox.javascript.table import ATTACKS, ERRORS, HONEST, PROGRAMS, TEST, VALUES

DOCS = Path(__file__).parents[2] / "docs"
SHORT = Limits(cpu_ms=300, wall_ms=2_000, memory_bytes=64 << 20, output_bytes=20_000)


def program(source: str, test: str, *others: Module, limits: Limits | None = None) -> Program:
    """A program that tests `F`; the sources may be of both languages."""
    names = tuple(other.name for other in others)
    modules = (*others, Module("F", source, names), Module("test", test, ("F",)))
    return Program(modules, "test", "F", limits or Limits())


def passed(outcome: Outcome) -> bool:
    assert outcome.verdict is Verdict.PASSED, (outcome.message, outcome.line)
    return True


@pytest.mark.parametrize(("code", "test"), PROGRAMS.values(), ids=PROGRAMS)
def test_little_functions_pass_tests_in_python(pool: Pool, code: str, test: str) -> None:
    assert passed(pool.run(program(as_module(code), test)))


def test_values_cross_as_the_same_in_both_directions(pool: Pool) -> None:
    for javascript, python in VALUES:
        code = f"const F = (x) => {{ assert.equal(x, {javascript}); return {javascript}; }};"
        test = f"value = {python}\nfound = F(value)\nassert found == value, found\n"
        test += "assert type(found) is type(value) and repr(found) == repr(value)"
        assert passed(pool.run(program(as_module(code), test))), javascript


@pytest.mark.parametrize(("code", "verdict", "text", "line"), ERRORS.values(), ids=ERRORS)
def test_errors_have_their_line(
    pool: Pool, code: str, verdict: str, text: str, line: int | None
) -> None:
    outcome = pool.run(program(as_module(code), "F()"))
    assert (outcome.verdict, text in outcome.message) == (verdict, True), outcome.message
    assert line is None or (outcome.module, outcome.line) == ("F", line)


CASES = """
function test_sum() {
  assert.equal(F([1, 2]), { sum: 3 });
}

async function test_waiting() {
  await null;
  assert(F([]).sum === 0, "the empty sum");
}

const test_wrong = () => {
  console.log("now", [1, { a: 2 }]);
  assert.equal(F([1]).sum, 2);
};

function test_raising() {
  const error = assert.throws(() => F(null), TypeError);
  assert.throws(() => F(null), /not iterable/);
  assert(error instanceof Error);
  F([3]).missing.what;
}
"""


def test_cases_in_javascript_are_reported_with_their_lines(pool: Pool) -> None:
    source = "def F(xs):\n    return {'sum': sum(xs)}\n"
    outcome = pool.run(program(source, as_module(CASES)))
    assert [(case.name, case.verdict.value, case.line) for case in outcome.cases] == [
        ("test_sum", "passed", None),
        ("test_waiting", "passed", None),
        ("test_wrong", "failed", 13),
        ("test_raising", "error", 20),
    ]
    assert outcome.message == "test_wrong: 1 == 2"
    assert [line.text for line in outcome.log] == ["now [1, { a: 2 }]"]


PYTHON = (
    "def {0}(xs, f=None):\n    xs.append(len(xs))\n    return [f(x) for x in xs] if f else xs\n"
)
JAVASCRIPT = (
    "function {0}(xs, f) {{\n  xs.push(xs.length);\n  return f ? xs.map((x) => f(x)) : xs;\n}}\n"
)


@pytest.mark.parametrize("inner", [PYTHON, as_module(JAVASCRIPT)], ids=["python", "javascript"])
@pytest.mark.parametrize("outer", ["python", "javascript"])
@pytest.mark.parametrize("judge", ["python", "javascript"])
def test_both_languages_depend_on_and_judge_each_other(
    pool: Pool, inner: str, outer: str, judge: str
) -> None:
    """Arguments are changed in place, and callbacks called, through all three."""
    sources = {
        "python": "def F(xs):\n    return Inner(xs, lambda x: x * 2)\n",
        "javascript": as_module("function F(xs) {\n  return Inner(xs, (x) => x * 2);\n}\n"),
    }
    tests = {
        "python": "xs = [5]\nassert F(xs) == [10, 2]\nassert xs == [5, 1]\n",
        "javascript": as_module(
            "const xs = [5];\nassert.equal(F(xs), [10, 2]);\nassert.equal(xs, [5, 1]);\n"
        ),
    }
    other = Module("Inner", inner.format("Inner"))
    assert passed(pool.run(program(sources[outer], tests[judge], other)))


def test_exceptions_keep_their_class_and_lines_through_both_languages(pool: Pool) -> None:
    other = Module("Inner", "def Inner(x):\n    return {}[x]\n")
    code = as_module("function F(x) {\n  return Inner(x);\n}")
    test = "import pytest\nwith pytest.raises(KeyError):\n    F('a')\nF('b')"
    outcome = pool.run(program(code, test, other))
    assert outcome.message == "KeyError: 'b'"
    places = [(module, line) for module, line, *_ in outcome.trace]
    assert places == [("test", 4), ("F", 2), ("Inner", 2)]


def test_a_circle_of_both_languages_calls_each_other(pool: Pool) -> None:
    even = Module("F", as_module("const F = (n) => n === 0 || Odd(n - 1);"), ("Odd",))
    odd = Module("Odd", "def Odd(n):\n    return n != 0 and F(n - 1)\n", ("F",))
    test = Module("test", "assert F(10) and not F(7)", ("F",))
    assert passed(pool.run(Program((even, odd, test), "test", "F")))


def test_a_call_from_outside_returns_json(pool: Pool) -> None:
    code = as_module("const F = (a, b) => ({ sum: a + b, list: [a, b] });")
    arguments = {"args": [1], "kwargs": {"b": 2}}
    called = Program((Module("F", code),), "call", "F", arguments=arguments, returns="dict")
    assert pool.run(called).value == {"sum": 3, "list": [1, 2]}


def test_the_honest_implementation_passes_the_test_of_the_attacks(pool: Pool) -> None:
    assert passed(pool.run(program(as_module(HONEST), TEST)))


@pytest.mark.parametrize(("code", "verdicts"), ATTACKS.values(), ids=ATTACKS)
def test_attacks_fail_with_their_verdict(pool: Pool, code: str, verdicts: set[str]) -> None:
    outcome = pool.run(program(as_module(code), TEST, limits=SHORT))
    assert outcome.verdict in verdicts, outcome.message


def test_a_test_in_javascript_is_changed_by_no_implementation(pool: Pool) -> None:
    """What crosses is data: it reaches no prototype of the judge's context."""
    source = (
        "def F(given, call):\n    given['__proto__'] = {'equals': True, 'length': 9}\n"
        "    call({'__proto__': {'polluted': 1}, 'constructor': {'prototype': {'polluted': 1}}})\n"
        "    return {'__proto__': {'polluted': 1}}\n"
    )
    test = as_module(
        "const given = {};\nlet seen;\nconst found = F(given, (x) => { seen = x; });\n"
        "assert({}.polluted === undefined && [].polluted === undefined);\n"
        "assert(Object.getPrototypeOf(given) === Object.prototype && given.length === undefined);\n"
        "assert(seen.polluted === undefined && found.polluted === undefined);\n"
        "assert.throws(() => assert.equal(found, {}), AssertionError);\n"
    )
    assert passed(pool.run(program(source, test)))


@pytest.mark.parametrize(
    ("code", "line", "column", "text"),
    [
        ("let a = ;", 1, 9, "unexpected token"),
        ("\nfunction F( {\n", 3, 1, ""),
        ("const a = 1;\nexport const F = 2;", 2, 1, "leave it out"),
        ("import x from 'y';", 1, 8, "<<Name>>"),
        ("function F() {}\nwhile (true) F();", 0, 0, ""),
    ],
)
def test_syntax_errors_are_found_without_running_the_code(
    code: str, line: int, column: int, text: str
) -> None:
    found = complaints(code)
    assert [(one.line, one.column) for one in found] == ([(line, column)] if line else [])
    assert not found or text in found[0].message


@pytest.mark.parametrize("folder", ["", "de"])
def test_the_examples_of_the_guide_are_right(pool: Pool, folder: str) -> None:
    text = (DOCS / folder / "javascript.md").read_text(encoding="utf-8")
    code, test = re.findall(r"```javascript\n(.*?)```", text, re.DOTALL)
    modules = (
        Module("Sorted", "def Sorted(numbers):\n    return sorted(numbers)\n"),
        Module("Median", as_module(code), ("Sorted",)),
        Module("test", as_module(test), ("Median",)),
    )
    outcome = pool.run(Program(modules, "test", "Median"))
    assert passed(outcome)
    assert len(outcome.cases) == 2


def test_code_of_blanks_and_comments_is_empty() -> None:
    assert is_empty(" // a\n/* b **/\n")
    assert not is_empty("/* a */ 1")
