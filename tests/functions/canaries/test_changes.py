"""What differs between a lock and what is current, with the cause."""

import pytest

from functions.authoring import withdraw
from functions.models import Function, Release
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller
from tests.functions.releases.conftest import publish

pytestmark = pytest.mark.django_db(transaction=True)


def register(caller: Caller, **numbers: int) -> str:
    made = caller.post("/canaries/", {"name": "shop", "releases": numbers})
    assert made.status_code == 201, made.content
    address: str = made["Location"].removeprefix("/api/v1")
    return address


def test_nothing_differs_from_a_lock_of_what_is_current(outside: Caller) -> None:
    address = register(outside, Thrice=1, IsOdd=1)
    assert outside.get(f"{address}changes/").json() == {"items": []}


def test_a_change_is_told_where_it_is_made_and_where_it_reaches(
    outside: Caller, worker: Drainer
) -> None:
    address = register(outside, Thrice=1, A__b=1)
    former = Release.objects.get(name="Add").implementation
    work = publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
    items = outside.get(f"{address}changes/").json()["items"]
    assert [(one["name"], one["former"], one["latter"]) for one in items] == [
        ("Add", 1, 2),
        ("Thrice", 1, 2),
        ("Twice", 1, 2),
    ]
    assert [one["difference"] for one in items] == ["own", *["through_others"] * 2]
    assert [one["through"] for one in items] == [[], ["Add"], ["Add"]]
    assert items[0]["diff_url"] == f"/implementations/{work.pk}/diff/?against={former.pk}"
    assert "implementation" in items[0]["cause"]
    assert (items[0]["by"], items[1]["diff_url"]) == ("eve", None)
    assert outside.client.get(items[0]["diff_url"]).status_code == 200
    assert outside.get(address).json()["differing"] == 3
    assert outside.get("/canaries/").json()["items"][0]["differing"] == 3


def test_what_has_no_release_any_more_is_gone_and_comes_back_with_the_same(
    outside: Caller, library: dict[str, Function], worker: Drainer
) -> None:
    address = register(outside, A__b=1)
    work = Release.objects.get(name="A__b").implementation
    withdraw(actor=work.author, work=work)
    worker.drain()
    (item,) = outside.get(f"{address}changes/").json()["items"]
    assert (item["latter"], item["difference"]) == (None, "gone")
    assert item["yanked"] == "withdrawn"
    publish(worker, "A__b", "def A__b():\n    return 2\n")
    (item,) = outside.get(f"{address}changes/").json()["items"]
    assert (item["latter"], item["difference"], item["yanked"]) == (2, "own", "withdrawn")


def test_a_lock_of_an_older_state_differs_until_it_moves_on(
    outside: Caller, worker: Drainer
) -> None:
    publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
    address = register(outside, Thrice=1)
    assert outside.get(address).json()["differing"] == 3
    outside.put(address, {"name": "shop", "releases": {"Thrice": 2}})
    assert outside.get(f"{address}changes/").json() == {"items": []}
