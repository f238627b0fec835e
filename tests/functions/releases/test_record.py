"""Every change of what importing a function means is a release with the next number."""

import pytest

from functions.authoring import define_function, delete_function, withdraw
from functions.elections.releases import sweep_releases
from functions.models import Function, Release
from runner.workers.drainer import Drainer
from tests.functions.releases.conftest import publish
from tests.support.works import account, implement, publish_test, vote

pytestmark = pytest.mark.django_db(transaction=True)

ADD = "def Add(a, b):\n    return a + b\n"
OTHER_ADD = "def Add(a, b):\n    return b + a\n"
TWICE = "# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n"
FOUR = "# <<Twice>>\ndef Four():\n    return Twice(2)\n"


def releases(name: str) -> list[tuple[int, list[list[object]], str]]:
    rows = Release.objects.filter(name_key=name.lower()).order_by("number")
    return list(rows.values_list("number", "requires", "yanked"))


def test_a_change_is_a_release_of_the_function_and_of_all_that_import_it(worker: Drainer) -> None:
    publish(worker, "Add", ADD)
    publish(worker, "Twice", TWICE)
    publish(worker, "Four", FOUR)
    assert releases("Four") == [(1, [["Twice", 1]], "")]
    other = publish(worker, "Add", OTHER_ADD, author="eve")
    vote(other, up="mia")
    worker.drain()
    assert releases("Add") == [(1, [], ""), (2, [], "")]
    assert releases("Twice") == [(1, [["Add", 1]], ""), (2, [["Add", 2]], "")]
    assert releases("Four") == [(1, [["Twice", 1]], ""), (2, [["Twice", 2]], "")]
    found = Release.objects.get(name="Add", number=2)
    assert found.implementation == other
    assert bytes(found.digest) == bytes(found.function.closure_digest)


def test_what_changes_nothing_for_importers_is_no_release(worker: Drainer) -> None:
    publish(worker, "Add", ADD)
    function = Function.objects.get()
    publish_test(function, "assert Add(1, 1) == 2\n")
    worker.drain()
    publish(worker, "Add", "def Add(a, b):\n    return 0\n")
    assert releases("Add") == [(1, [], "")]


def test_releases_are_yanked_with_the_reason_and_count_again_with_the_choice(
    worker: Drainer,
) -> None:
    work = publish(worker, "Add", ADD)
    function = work.function
    test = publish_test(function, "assert Add(1, 1) == 3\n", author="olga")
    worker.drain()
    assert releases("Add") == [(1, [], "unseated")]
    withdraw(actor=test.author, work=test)
    worker.drain()
    assert releases("Add") == [(1, [], "")]
    withdraw(actor=work.author, work=work)
    worker.drain()
    assert releases("Add") == [(1, [], "withdrawn")]
    publish(worker, "Add", OTHER_ADD)
    delete_function(actor=account("olga"), function=function)
    assert releases("Add") == [(1, [], "withdrawn"), (2, [], "deleted")]
    publish(worker, "Add", ADD)
    assert releases("Add")[2:] == [(3, [], "")]


def test_a_circle_is_released_together_and_names_its_members(worker: Drainer) -> None:
    even = define_function(actor=account("olga"), name="IsEven")
    odd = define_function(actor=account("olga"), name="IsOdd")
    implement(even, "# <<IsOdd>>\ndef IsEven(n):\n    return n == 0 or IsOdd(n - 1)\n")
    implement(odd, "# <<IsEven>>\ndef IsOdd(n):\n    return n != 0 and IsEven(n - 1)\n")
    worker.drain()
    assert releases("IsEven") == [(1, [["IsOdd", 1]], "")]
    assert releases("IsOdd") == [(1, [["IsEven", 1]], "")]
    assert set(Release.objects.values_list("circle", flat=True)[0]) == {"IsEven", "IsOdd"}


def test_pages_and_what_uses_them_have_no_releases(worker: Drainer) -> None:
    page = define_function(actor=account("olga"), name="Home", kind="page")
    implement(page, "<p>Hello</p>\n")
    worker.drain()
    publish(worker, "Text", "# <<Home>>\ndef Text():\n    return Home().text\n")
    assert Function.objects.get(name="Text").status == "implemented"
    assert not Release.objects.exists()


def test_functions_that_were_implemented_before_get_their_releases_from_the_sweeper(
    worker: Drainer,
) -> None:
    for name, code in (("Add", ADD), ("Twice", TWICE), ("Four", FOUR)):
        publish(worker, name, code)
    kept = [releases(name) for name in ("Add", "Twice", "Four")]
    Release.objects.all().delete()
    cursor, rounds = 0, 0
    while rounds < 3:
        cursor, rounds = sweep_releases(cursor), rounds + 1
    assert [releases(name) for name in ("Add", "Twice", "Four")] == kept
    assert sweep_releases(0) == 0
    assert Release.objects.count() == 3
