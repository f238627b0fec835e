"""Elections as they really happen: published, run in the sandbox, recorded, decided."""

import pytest

from functions.models import Election, Function
from runner.execution import Drainer
from tests.functions.writing import constant, define, implement, publish_test

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_only_implementation_that_passes_is_elected(worker: Drainer) -> None:
    add = define("Add")
    publish_test(add, "assert Add(2, 3) == 5")
    wrong = implement(add, constant("Add", 6))
    right = implement(add, "def Add(a, b):\n    return a + b\n")
    worker.drain()
    add.refresh_from_db()
    right.refresh_from_db()
    wrong.refresh_from_db()
    assert add.elected == right
    assert (add.status, add.untested, add.judging) == (Function.Status.IMPLEMENTED, False, False)
    assert (right.standing, right.passed, right.counting) == ("eligible", 1, 1)
    assert (wrong.standing, wrong.standing_reason) == ("failing", "does not pass T1")
    assert Election.objects.get().elected == right
