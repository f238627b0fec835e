"""Clones: a function like another, under a name of its own."""

import pytest

from functions.authoring import clone_function, delete_function, withdraw
from functions.errors import Refusal
from functions.models import Function, Implementation, Test
from functions.moderation.acceptability import judge_work
from runner.workers.drainer import Drainer
from tests.functions.views.conftest import SignedIn, as_person  # noqa: F401 - a fixture
from tests.support.works import account, define, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def multiply(worker: Drainer) -> Function:
    """Publish `Times`, elected by votes, with a dependency and works that a clone leaves out."""
    implement(define("Add"), "def Add(a, b):\n    return a + b\n")
    function = define("Times", signature="(a: int, b: int) -> int")
    publish_test(function, "def test_six():\n    assert Times(2, 3) == 6\n", author="tess")
    gone = publish_test(function, "assert Times(0, 0) == 0", author="tess")
    slow = "# <<Add>>\ndef Times(a, b):\n    return Add(Times(a, b - 1), a) if b else 0\n"
    best = implement(function, slow, author="ida")
    implement(function, "def Times(a, b):\n    return a * b\n", author="nora")
    bad = implement(function, "def Times(a, b):\n    return 6\n", author="otto")
    worker.drain()
    vote(best, up="wren")
    withdraw(actor=account("tess"), work=gone)
    judge_work(actor=account("olga"), work=bad, acceptable=False, reason="It cheats.")
    worker.drain()
    return Function.objects.get(name="Times")


def test_a_clone_has_the_tests_and_works_and_elects_the_same(
    worker: Drainer, multiply: Function
) -> None:
    clone = clone_function(actor=account("zoe"), original=multiply, name="Product")
    worker.drain()
    clone.refresh_from_db()
    assert (clone.owner, clone.cloned_from) == (account("zoe"), multiply)
    assert (clone.signature, clone.status) == (multiply.signature, "implemented")
    test = Test.objects.get(function=clone)
    assert "assert Product(2, 3) == 6" in test.code
    assert test.title == "(from Times T1 by tess)"
    works = Implementation.objects.filter(function=clone, state="published")
    assert works.count() == 2
    assert clone.elected
    assert "return Add(Product(a, b - 1), a)" in clone.elected.code
    assert clone.elected.title == "(from Times #1 by ida)"
    assert multiply.last_test_number == 2  # untouched


def test_what_cannot_be_published_stays_a_draft(worker: Drainer) -> None:
    function = define("Twice")
    publish_test(function, "assert Twice(1) == 2")
    implement(function, "# <<Both>>\ndef Twice(a):\n    return Both(a, a)\n")
    worker.drain()
    clone = clone_function(actor=account("zoe"), original=function, name="Both")
    works = Implementation.objects.filter(function=clone)
    assert [work.state for work in works] == ["draft"]  # it would name itself


def test_a_name_that_is_taken_clones_nothing(multiply: Function) -> None:
    with pytest.raises(Refusal, match="There is a function Add already"):
        clone_function(actor=account("zoe"), original=multiply, name="add")
    assert Function.objects.count() == 2


def test_the_page_clones_and_says_from_what(
    worker: Drainer,
    multiply: Function,
    as_person: SignedIn,  # noqa: F811 - the fixture
) -> None:
    zoe = as_person("zoe")
    assert b"Clone Times" in zoe.get("/functions/Times/clone/").content
    assert zoe.post("/functions/Times/clone/", {"name": "Add"}).status_code == 422
    assert zoe.post("/functions/Times/clone/", {"name": "Prod"})["Location"] == "/functions/Prod/"
    assert "Cloned from" in zoe.get("/functions/Prod/").content.decode()
    worker.drain()
    delete_function(actor=account("olga"), function=multiply)
    assert "Cloned from Times" in zoe.get("/functions/Prod/").content.decode()
