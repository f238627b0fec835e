"""The orders in which works stand on a function's page; and what stands beside its dependencies."""

import re

import pytest
from django.test import Client

from functions.models import Function
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make

pytestmark = pytest.mark.django_db


def anchors(client: Client, query: str, letter: str) -> list[int]:
    """Return the numbers of the cards on Add's page, from above."""
    page = client.get(f"/functions/Add/{query}").content.decode()
    return [int(found) for found in re.findall(rf'<article[^>]* id="{letter}(\d+)"', page)]


def test_works_stand_in_other_orders_that_the_address_keeps(as_person: SignedIn) -> None:
    add, anonymous = make.function("Add"), Client()
    best = make.implementation(add, number=1, passed=2, cpu_us=900, code="x = 1" * 30)
    make.elect(best)
    make.implementation(add, number=2, passed=1, cpu_us=100, code="x = 1" * 20)
    make.implementation(add, number=3, passed=1, cpu_us=None, code="x = 1", score=-1)
    make.implementation(add, number=4, passed=2, cpu_us=1, code="x", state="withdrawn")
    for number, published in enumerate(add.implementations.order_by("pk")):
        published.published_at = make.SINCE.replace(day=1 + number)
        published.save()
    make.test_of(add, number=1, score=2, code="assert Add(1)")
    make.test_of(add, number=2, score=1, code="assert 1")
    make.test_of(add, number=3, score=9, code="", health="broken")

    for client in (anonymous, as_person("nora")):
        assert anchors(client, "", "I") == [1, 2, 3, 4]
        assert anchors(client, "?order=newest", "I") == [3, 2, 1, 4]
        assert anchors(client, "?order=fastest", "I") == [2, 1, 3, 4]
        assert anchors(client, "?order=shortest&tests=shortest", "I") == [3, 2, 1, 4]
        assert anchors(client, "?order=anything", "I") == [1, 2, 3, 4]
        assert anchors(client, "", "T") == [1, 2, 3]
        assert anchors(client, "?order=fastest&tests=newest", "T") == [2, 1, 3]
        assert anchors(client, "?tests=shortest", "T") == [2, 1, 3]
    page = anonymous.get("/functions/Add/?order=fastest&tests=newest").content.decode()
    assert 'href="?order=shortest&amp;tests=newest#implementations"' in page
    assert 'href="?tests=newest#implementations">usual order' in page
    assert 'href="?order=fastest#tests">usual order' in page
    assert 'data-order="fastest">fastest first' in page


def test_beside_each_dependency_stands_its_status() -> None:
    add, double = make.function("Add"), make.function("Double", untested=True)
    plus = make.implementation(add, number=7, score=12)
    make.elect(plus)
    current = make.implementation(double, number=1, code="# <<Add>> <<Lost>>")
    make.elect(current)
    make.dependency(current, "Add", add)
    make.dependency(current, "Lost", None)
    page = Client().get("/functions/Double/").content.decode()
    assert 'aria-label="Implemented"' in page
    assert 'aria-label="Does not exist"' in page
    assert 'can become current">untested' in page
    # It is as fresh as the target.
    Function.objects.filter(pk=add.pk).update(status="blocked")
    page = Client().get("/functions/Double/").content.decode()
    assert 'aria-label="Broken dependency"' in page
