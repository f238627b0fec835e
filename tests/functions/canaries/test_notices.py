"""Each change of what a canary has locked is told once, whatever comes twice or is killed."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from functions.authoring import delete_function, withdraw
from functions.canaries import notices
from functions.canaries.notices import PROPOSED, RELEASED, TELL, YANKED, sweep_canaries, tell
from functions.canaries.projects import register_canary, replace_canary
from functions.models import (
    Canary,
    Function,
    LockedRelease,
    Release,
    WebhookDelivery,
)
from runner.models import FollowUp
from runner.workers.drainer import Drainer
from tests.functions.releases.conftest import publish
from tests.support.works import account, implement

pytestmark = pytest.mark.django_db(transaction=True)
URL = "https://ci.example.org/hook"


def register(name: str = "shop", **numbers: int) -> Canary:
    return register_canary(
        actor=account("petra"), name=name, form="releases", lock=numbers, url=URL
    )


def told(canary: Canary) -> list[tuple[str, dict[str, Any]]]:
    """Return the deliveries to a canary: the event, and the changes by name."""
    rows = WebhookDelivery.objects.filter(payload__canary=canary.pk).order_by("pk")
    return [
        (row.event, {change["name"]: change for change in row.payload["changes"]}) for row in rows
    ]


def events(canary: Canary) -> list[str]:
    return [event for event, _changes in told(canary)]


def last_numbers(canary: Canary) -> dict[str, int | None]:
    """Return what a receiver knows to be current: what the deliveries said last of each name."""
    rows = canary.locked.select_related("release")
    known: dict[str, int | None] = {row.name_key: row.release.number for row in rows}
    for _event, changes in told(canary):
        known.update((name.lower(), change["current"]) for name, change in changes.items())
    return known


def assert_in_step(canary: Canary) -> None:
    """Assert that what was told is what is true, and that no key was used twice."""
    current = {
        row.name_key: Release.objects.filter(name_key=row.name_key, yanked="")
        .order_by("-number")
        .values_list("number", flat=True)
        .first()
        for row in canary.locked.all()
    }
    rows = canary.locked.values_list("name_key", "told_number", "told_yanked", "release__yanked")
    assert {key: number or None for key, number, _, _ in rows} == current
    assert all(was == now for _, _, was, now in rows)
    assert last_numbers(canary) == current
    keys = list(WebhookDelivery.objects.values_list("webhook", "key"))
    assert len(keys) == len(set(keys))


def change_add(worker: Drainer, text: str = "b + a", author: str = "eve") -> None:
    publish(worker, "Add", f"def Add(a, b):\n    return {text}\n", author=author)


def test_an_election_tells_all_that_it_reaches_and_is_locked(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary, other = register(Thrice=1), register("other", A__b=1)
    change_add(worker)
    released = [each for event, each in told(canary) if event == RELEASED]
    numbers = {
        name: (change["locked"], change["former"], change["current"])
        for each in released
        for name, change in each.items()
    }
    assert numbers == dict.fromkeys(("Add", "Thrice", "Twice"), (1, 1, 2))
    assert told(other) == []
    assert_in_step(canary)
    assert canary.locked.get(name_key="add").release.number == 1
    payload = WebhookDelivery.objects.filter(event=RELEASED).latest("pk").payload
    assert payload["url"] == f"/api/v1/canaries/{canary.pk}/changes/"
    assert "eve" not in str(payload)


def test_an_election_that_waits_is_told_with_its_candidates(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(Add=1)
    function = library["Add"]
    implement(function, "def Add(a, b):\n    return b + a\n", author="eve")
    Function.objects.filter(pk=function.pk).update(judging=True, due_to="implementation 2")
    notices.enqueue_notices([function])
    tell_all()
    tell_all()
    ((event, changes),) = told(canary)
    assert (event, changes["Add"]["candidates"]) == (PROPOSED, [2])
    worker.drain()
    assert_in_step(canary)
    assert events(canary)[-1] == RELEASED
    assert canary.locked.get().told_cause == ""


def test_yanked_and_deleted_releases_are_told(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(A__b=1, Add=1)
    work = Release.objects.get(name="A__b").implementation
    withdraw(actor=work.author, work=work)
    worker.drain()
    (yanked,) = [each for event, each in told(canary) if event == YANKED]
    assert yanked["A__b"]["yanked"] == "withdrawn"
    assert yanked["A__b"]["current"] is None
    delete_function(actor=account("olga"), function=library["Add"])
    worker.drain()
    assert [each["Add"]["yanked"] for event, each in told(canary) if "Add" in each] == ["deleted"]
    assert_in_step(canary)


def test_an_older_release_that_is_withdrawn_is_told(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(Add=1)
    first = Release.objects.get(name="Add").implementation
    change_add(worker)
    withdraw(actor=first.author, work=first)
    worker.drain()
    assert events(canary)[-1] == YANKED
    assert told(canary)[-1][1]["Add"]["current"] == 2
    assert_in_step(canary)


def test_what_comes_twice_or_is_rolled_back_tells_once(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(Thrice=1)
    change_add(worker)
    before = told(canary)
    for _ in range(2):
        with transaction.atomic():
            assert set(tell({"add": [], "twice": []})) == {"add", "twice"}
        assert sweep_canaries(0) == 0
    assert told(canary) == before
    LockedRelease.objects.filter(name_key="add").update(told_number=1)
    with transaction.atomic():
        tell({"add": []})
        connection.set_rollback(True)
    assert told(canary) == before
    tell_all()
    sweep_canaries(0)
    assert len(told(canary)) == len(before) + 1


def test_one_that_was_registered_during_an_election_is_told_by_the_sweeper(
    library: dict[str, Function], worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "CANARIES_AT_ONCE", 2)
    canaries = [register(f"shop {number}", Add=1) for number in range(5)]
    Release.objects.create(
        **{
            field: getattr(Release.objects.get(name="Add"), field)
            for field in ("function", "name", "name_key", "implementation", "source_sha256")
        },
        digest=bytes(32),
        number=2,
    )
    cursor = 0
    while cursor := sweep_canaries(cursor):
        pass
    assert [events(canary) for canary in canaries] == [[RELEASED]] * 5


def test_many_canaries_are_told_a_few_at_a_time(
    library: dict[str, Function], worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notices, "CANARIES_AT_ONCE", 2)
    canaries = [register(f"shop {number}", Add=1) for number in range(5)]
    change_add(worker)
    for canary in canaries:
        assert events(canary)[-1] == RELEASED
        assert_in_step(canary)
    assert not FollowUp.objects.filter(name=TELL).exists()


def test_an_election_of_what_nobody_locks_appends_nothing(
    library: dict[str, Function], worker: Drainer
) -> None:
    register(A__b=1)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        notices.enqueue_notices([library["Add"], library["Thrice"]])
        notices.enqueue_notices([])
    assert len(queries) == 1
    assert not FollowUp.objects.filter(name=TELL).exists()


def test_a_lock_that_has_moved_on_is_told_what_comes_after(
    library: dict[str, Function], worker: Drainer
) -> None:
    canary = register(Thrice=1)
    change_add(worker)
    count = len(told(canary))
    replace_canary(
        actor=canary.owner,
        canary=canary,
        name="shop",
        form="releases",
        lock={"Thrice": 2},
        url=URL,
    )
    worker.drain()
    sweep_canaries(0)
    assert len(told(canary)) == count
    change_add(worker, "sum((a, b))", author="fay")
    assert told(canary)[-1][1]["Thrice"]["locked"] == 2
    assert_in_step(canary)


def tell_all() -> None:
    """Run the follow-ups of canaries alone, as a worker does."""
    names = FollowUp.objects.filter(name=TELL).values_list("target", flat=True)
    with transaction.atomic():
        tell({name: [] for name in names} or {"add": []})
