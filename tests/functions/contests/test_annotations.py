"""A signature that says what a function returns is part of what its tests judge."""

import pytest

from functions.authoring import define_function, revise_function
from functions.maintenance.verification import find_differences
from functions.models import Cell, Function
from functions.source.validation import returns_of
from runner.models import Execution
from runner.workers.drainer import Drainer
from tests.support.works import account, implement, publish_test

LYING = """\
class Sum:
    def __index__(self):
        return 3


def Add(a, b):
    return Sum()
"""
SAID = "returned an object of Sum, where its signature says"


@pytest.mark.parametrize(
    ("signature", "returns"),
    [
        ("(a: int, b: int) -> int", "int"),
        ("(n) → dict[str, list[int]]", "dict[str, list[int]]"),
        ("(f: Callable[[int], int], n: int)->bool", "bool"),
        ("(a, b)", ""),
        ("(a, b) ->", ""),
        ("", ""),
    ],
)
def test_the_annotation_comes_after_the_last_arrow(signature: str, returns: str) -> None:
    assert returns_of(signature) == returns


@pytest.mark.django_db(transaction=True)
def test_tests_are_run_anew_when_a_signature_says_something_else(worker: Drainer) -> None:
    olga = account("olga")
    add = define_function(actor=olga, name="Add", signature="(a, b) -> int")
    publish_test(add, "assert range(Add(1, 2)) == range(3)")
    implement(add, LYING)
    worker.drain()
    assert verdict() == ("error", f"{SAID} int")
    assert Function.objects.get().status == "not_implemented"
    for signature, said, executions in (
        ("(a, b) -> Sum", ("passed", ""), 1),
        ("(a, c) -> Sum", ("passed", ""), 0),
        (
            "(a, b) -> bool",
            ("error", f"{SAID} bool"),
            1,
        ),
    ):
        before = Execution.objects.count()
        add = revise_function(actor=olga, function=add, signature=signature, description="")
        worker.drain()
        assert verdict() == said
        assert Execution.objects.count() - before == executions
        assert list(find_differences()) == []
    assert Function.objects.get().status == "not_implemented"


def verdict() -> tuple[str, str]:
    """Return what the test has come to, and what is said of it."""
    (cell,) = Cell.objects.exclude(test=None)
    return cell.verdict, cell.message.removeprefix("TypeError: ")
