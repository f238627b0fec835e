"""How many functions use another is counted where it changes."""

import pytest

from functions.authoring import delete_function, withdraw
from functions.maintenance.verification import find_differences
from functions.models import Function, Usage
from runner.models import OutboxEvent
from tests.support.works import account, constant, define, implement, publish_test

pytestmark = pytest.mark.django_db


def dependents(name: str) -> int:
    return Usage.objects.get(function__name=name, function__deleted_at=None).dependents


def uses(name: str, *others: str) -> str:
    return "".join(f"# <<{other}>>\n" for other in others) + constant(name, 1)


def wrong_counts() -> list[str]:
    return [said for said in find_differences() if "dependents" in said]


def test_each_function_that_names_another_counts_once_for_as_long_as_its_works_do() -> None:
    inner, outer, other = define("Inner"), define("Outer"), define("Other")
    implement(inner, constant("Inner", 1))
    first = implement(outer, uses("Outer", "Inner", "Other"))
    second = publish_test(outer, "# <<Inner>>\nassert Outer()")
    implement(other, uses("Other", "Inner"))
    assert (dependents("Inner"), dependents("Other"), dependents("Outer")) == (2, 1, 0)
    withdraw(actor=first.author, work=first)
    assert (dependents("Inner"), dependents("Other")) == (2, 0)
    withdraw(actor=second.author, work=second)
    assert dependents("Inner") == 1
    delete_function(actor=account("olga"), function=other)
    assert dependents("Inner") == 0
    assert wrong_counts() == []


def test_each_change_of_the_dependents_is_published() -> None:
    inner, outer = define("Inner"), define("Outer")

    def published() -> int:
        rows = OutboxEvent.objects.filter(topic__name=inner.topic)
        return sum(one[0] == "dependents.changed" for row in rows for one in row.events)

    first = implement(outer, uses("Outer", "Inner"))
    assert published() == 1
    implement(outer, f"{uses('Outer', 'Inner')}# other\n")
    assert published() == 1
    withdraw(actor=first.author, work=first)
    assert published() == 1
    delete_function(actor=account("olga"), function=outer)
    assert published() == 2


def test_a_name_that_is_defined_later_has_those_who_waited_for_it() -> None:
    implement(define("Outer"), uses("Outer", "Late"))
    publish_test(define("Another"), "# <<Late>>\nassert True")
    late = define("Late")
    assert dependents("Late") == 2
    delete_function(actor=account("olga"), function=late)
    delete_function(actor=account("olga"), function=Function.objects.get(name="Outer"))
    define("Late")
    assert dependents("Late") == 1
    assert wrong_counts() == []
    Usage.objects.update(dependents=7)
    assert len(wrong_counts()) == 2
