"""How modules get each other's public names."""
# ruff: noqa: E501

from __future__ import annotations

import ast

import pytest

from runner.sandbox import Module, Outcome, Pool, Program, Verdict
from runner.sandbox.language.compilation import merely_imported


def run(pool: Pool, *modules: tuple[str, str, tuple[str, ...]]) -> Outcome:
    built = tuple(Module(name, source, binds) for name, source, binds in modules)
    return pool.run(Program(built, "test", built[0].name))


def test_public_names_reach_those_that_bind_them(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "def A(): return helper()\ndef helper(): return 1\n_private = 2\nimport math", ()),
        (
            "test",
            "assert A() + helper() == 2\nfor name in ('_private', 'math'): pass\n_private",
            ("A",),
        ),
    )
    assert outcome.message == "NameError: name '_private' is not defined"


def test_imports_are_not_passed_on(pool: Pool) -> None:
    outcome = run(
        pool, ("A", "import math\nA = math.pi", ()), ("test", "assert A > 3\nmath", ("A",))
    )
    assert outcome.message == "NameError: name 'math' is not defined. Did you forget `import math`?"


def test_names_bound_from_others_are_not_passed_on(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "A = 1", ()),
        ("B", "B = A + 1", ("A",)),
        ("test", "assert B == 2\nA", ("B",)),
    )
    assert outcome.message == "NameError: name 'A' is not defined"


def test_a_name_assigned_anew_is_the_modules_own(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "A = 1\nlimit = 1", ()),
        ("B", "limit = limit + 9\nB = 1", ("A",)),
        ("test", "assert limit == 10", ("B",)),
    )
    assert outcome.verdict is Verdict.PASSED


def test_only_direct_dependencies_are_bound(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "A = 1", ()),
        ("B", "def B(): return A", ("A",)),
        ("test", "assert B() == 1\nA", ("B",)),
    )
    assert outcome.message == "NameError: name 'A' is not defined"


def test_all_says_what_is_public(pool: Pool) -> None:
    source = "__all__ = ['A', '_shown']\nA = 1\n_shown = 2\nhidden = 3"
    outcome = run(pool, ("A", source, ()), ("test", "assert A + _shown == 3\nhidden", ("A",)))
    assert outcome.message == "NameError: name 'hidden' is not defined"


def test_all_may_list_only_what_is_there(pool: Pool) -> None:
    for listed in ("['A', 'B']", "['_write_']", "['A', 1]", "'A'"):
        outcome = run(pool, ("A", f"__all__ = {listed}\nA = 1", ()), ("test", "", ("A",)))
        assert outcome.verdict is Verdict.ERROR
        assert "`__all__`" in outcome.message


def test_two_bringers_of_a_name_are_both_named(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "A = 1\ndef helper(): return 1", ()),
        ("B", "B = 1\ndef helper(): return 2", ()),
        ("test", "assert A + B == 2\nhelper()", ("A", "B")),
    )
    assert outcome.verdict is Verdict.ERROR
    assert "`helper` is defined by both A and B" in outcome.message
    assert outcome.line == 2


@pytest.mark.parametrize(
    ("sly", "test"),
    [
        ("def check(*a): pass", "check(F() == 1)"),
        ("def range(*a): return ()", "for n in range(2): assert F() == 1"),
        ("def max(*a): return 1\n__all__ = ['F', 'max']", "assert max(F(), 2) == 1"),
    ],
)
def test_builtins_and_helpers_mean_the_same_whoever_defines_their_names(
    pool: Pool, sly: str, test: str
) -> None:
    outcome = run(pool, ("F", f"def F(): return 0\n{sly}", ()), ("test", test, ("F",)))
    assert outcome.verdict is Verdict.FAILED


def test_a_list_of_names_that_changes_is_no_list_of_names(pool: Pool) -> None:
    sly = "class L(list):\n    def __iter__(self): return iter([['F']])\n__all__ = L()\nF = 1"
    outcome = run(pool, ("F", sly, ()), ("test", "F", ("F",)))
    assert outcome.verdict is Verdict.ERROR
    assert "`__all__` must be a list" in outcome.message


def test_a_name_goes_to_its_namesake(pool: Pool) -> None:
    modules = {"A": "A = 1\nB = 'not me'", "B": "B = 'me'", "C": "C = 1\nB = 'nor me'"}
    for order in (("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B")):
        built = [(name, modules[name], ()) for name in order]
        outcome = run(pool, *built, ("test", "assert B == 'me'", order))
        assert outcome.verdict is Verdict.PASSED, outcome.message


def test_any_number_of_modules_have_names_and_texts_of_their_own(pool: Pool) -> None:
    many = [f"M{n}" for n in range(12)]
    source = "def {0}(): return eval('mine'), eval is other\nmine = '{0}'\nother = eval\n__all__ = ['{0}']"
    built = [(name, source.format(name), ()) for name in many]
    test = "".join(f"assert {name}() == ('{name}', True)\n" for name in many)
    outcome = run(pool, *built, ("test", f"mine = 'the test'\n{test}", tuple(many)))
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_functions_elected_as_a_circle_call_each_other(pool: Pool) -> None:
    outcome = run(
        pool,
        ("Even", "def Even(n): return n == 0 or Odd(n - 1)", ("Odd",)),
        ("Odd", "def Odd(n): return n != 0 and Even(n - 1)", ("Even",)),
        ("test", "assert Even(10) and not Odd(10)", ("Even", "Odd")),
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_a_modules_own_name_is_not_overwritten_by_a_later_one(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "def helper(): return 'a'\ndef A(): return helper()", ("B",)),
        ("B", "def helper(): return 'b'\ndef B(): return helper() + A()", ("A",)),
        ("test", "assert (A(), B()) == ('a', 'ba')", ("A", "B")),
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_each_module_is_executed_once(pool: Pool) -> None:
    outcome = run(
        pool,
        ("A", "log('A runs')\nA = []", ()),
        ("B", "B = A", ("A",)),
        ("C", "C = A", ("A",)),
        ("test", "assert B is C", ("B", "C")),
    )
    assert outcome.verdict is Verdict.PASSED
    assert [line.text for line in outcome.log] == ["A runs"]


def test_only_names_bound_by_nothing_but_imports_count_as_imported() -> None:
    source = (
        "import a, b.c\nfrom d import e as f\ntry:\n    import g\nexcept ImportError:\n    g = None\n"
        "def h():\n    import i\n    a = 1\nx = [a for a in ()]\nif (j := 1):\n    from k import j, l\n"
    )
    assert merely_imported(ast.parse(source)) == {"a", "b", "f", "l"}
