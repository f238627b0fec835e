"""Views under writers at the same time, processes that die, and changes that come twice."""

import random
import signal
from collections.abc import Iterator
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import transaction
from django.db.models.functions import Now
from django.test import Client

from functions.collections.definition import Settings, create_collection, delete_collection
from functions.collections.items import add_item, merge_item
from functions.document_views.changes import Change, record_changes
from functions.document_views.ownership import create_view, delete_view
from functions.document_views.updates import apply_changes, joiner, sweep_changes
from functions.document_views.verification import find_wrong_views, read_groups
from functions.models import DocumentView, DocumentViewChange, DocumentViewEntry
from runner.models import Event
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.crashes import Crash, failing_at, in_child
from tests.support.records import (
    OTHER_SOURCE,
    SOURCE,
    expected_groups,
    make_view,
    put,
    record_table,
)
from tests.support.threads import run_together
from tests.support.works import account

SUMS = {
    "from": SOURCE,
    "group_by": "group",
    "values": {
        "n": "count",
        "total": {"sum": "price"},
        "cheapest": {"min": "price"},
        "best": {"top": 2, "by": "price"},
    },
}
JOIN = {
    "join": [SOURCE, OTHER_SOURCE],
    "on": ["id", "person"],
    "group_by": "numbers.group",
    "values": {"n": "count", "total": {"sum": "others.price"}, "last": {"max": "others.price"}},
}
# More than an application of changes has; a test that counts them says so when that changes.
STATEMENTS = 9


@pytest.fixture
def table(transactional_db: None) -> Iterator[None]:
    with record_table():
        yield
        assert joiner.wait_idle(PATIENCE_SECONDS)


def settle(view: DocumentView) -> None:
    """Apply what has arrived, and require that the view is what its records come to."""
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert apply_changes(view.pk)
    assert not DocumentViewChange.objects.exists()
    assert read_groups(view) == expected_groups(view)
    assert list(find_wrong_views()) == []


def build_all(worker: Drainer) -> None:
    """Have new views filled, which wait for the transactions of now."""
    while DocumentView.objects.filter(built_at=None).exists():
        worker.drain()


def change_at_random(seed: int, times: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be the same each time
    for _ in range(times):
        record, price = f"r{chance.randrange(6)}", chance.choice([0.1, 2, 5, "x", None])
        value = {"group": chance.choice("ab"), "price": price, "person": f"r{chance.randrange(6)}"}
        source = chance.choice([SOURCE, OTHER_SOURCE])
        put(record, None if chance.random() < 0.2 else value, source=source)


@pytest.mark.parametrize("definition", [SUMS, JOIN], ids=["one source", "joined"])
def test_a_view_is_exact_after_writers_at_the_same_time(
    table: None, definition: dict[str, object]
) -> None:
    view = make_view(definition)
    barrier = Barrier(8, timeout=PATIENCE_SECONDS)

    def write(seed: int) -> None:
        barrier.wait()
        change_at_random(seed, 20)

    run_together(write, range(8))
    settle(view)


def test_writers_of_a_group_do_not_wait_for_each_other(table: None) -> None:
    view = make_view(SUMS)
    with transaction.atomic():
        put("r1", {"group": "a", "price": 1})
        # Another writer commits, and its change is applied, while this transaction is open.
        run_together(lambda _: put("r2", {"group": "a", "price": 2}), [0])
        assert run_together(lambda _: apply_changes(view.pk), [0]) == [True]
        assert read_groups(view)['"a"']["total"] == 2
    settle(view)
    assert read_groups(view)['"a"']["total"] == 3


def test_a_hundred_changes_are_one_batch_with_one_event(table: None) -> None:
    view = make_view(SUMS)
    changes = [Change(f"r{n}", None, {"group": "a", "price": n}) for n in range(100)]
    with transaction.atomic():
        record_changes(SOURCE, changes)
    assert joiner.wait_idle(PATIENCE_SECONDS)
    told = Event.objects.filter(type="view.changed")
    assert [event.payload for event in told] == [{"groups": 1, "changes": 100}]
    assert read_groups(view)['"a"']["total"] == 4950


def test_changes_that_the_view_does_not_see_are_not_stored(table: None) -> None:
    make_view(SUMS)
    put("r1", {"group": "a", "price": 1, "color": "red"})
    assert joiner.wait_idle(PATIENCE_SECONDS)
    with transaction.atomic():
        put("r1", {"group": "a", "price": 1, "color": "blue"})
        assert not DocumentViewChange.objects.exists()


@pytest.mark.parametrize("kill", [False, True], ids=["raises", "killed"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("statement", range(1, STATEMENTS, 2))
def test_a_crash_while_changes_are_applied_loses_and_doubles_nothing(
    table: None, statement: int, *, after: bool, kill: bool
) -> None:
    view = make_view(SUMS)
    put("r1", {"group": "a", "price": 1})
    settle(view)
    with transaction.atomic():  # not joined by this process
        put("r1", {"group": "b", "price": 2})
        put("r2", {"group": "a", "price": 3})
        transaction.get_connection().run_on_commit.clear()
    before = read_groups(view)

    def crash() -> None:
        with failing_at(statement, after=after, kill=kill):
            apply_changes(view.pk)

    if kill:
        assert in_child(crash) == -signal.SIGKILL
    else:
        with pytest.raises(Crash):
            crash()
    assert read_groups(view) == before
    assert list(find_wrong_views()) == []  # they are on their way
    settle(view)


def test_applying_changes_has_as_many_statements_as_were_tried(table: None) -> None:
    view = make_view(SUMS)
    put("r1", {"group": "a", "price": 1})
    with failing_at(0) as statements:
        apply_changes(view.pk)
    assert len(statements) <= STATEMENTS


def test_what_a_killed_writer_has_left_is_applied_by_the_sweeper(table: None) -> None:
    view = make_view(SUMS)

    def write_and_die() -> None:
        with transaction.atomic():
            put("r1", {"group": "a", "price": 1})
            transaction.on_commit(lambda: None)
            transaction.get_connection().run_on_commit.clear()

    assert in_child(write_and_die) == 0
    sweep_changes(0)
    assert read_groups(view) == {}  # the writer's process may be about to apply it
    DocumentViewChange.objects.update(arrived_at=Now() - timedelta(minutes=1))
    sweep_changes(0)
    settle(view)


def test_a_change_that_is_delivered_twice_counts_once(table: None) -> None:
    view = make_view(SUMS)
    put("r1", {"group": "a", "price": 1})
    value = {"group": "a", "price": 1}
    for _ in range(2):
        with transaction.atomic():
            record_changes(SOURCE, [Change("r1", None, value), Change("r1", None, value)])
        run_together(lambda _: apply_changes(view.pk), range(2))
    settle(view)
    assert read_groups(view)['"a"']["n"] == 1


def test_a_new_view_has_what_was_there_and_what_is_written_meanwhile(worker: Drainer) -> None:
    with record_table():
        change_at_random(1, 30)
        barrier = Barrier(4, timeout=PATIENCE_SECONDS)
        made: list[DocumentView] = []

        def act(number: int) -> None:
            barrier.wait()
            if number:
                change_at_random(number, 30)
                return
            made.append(create_view(actor=account("olga"), name="Sums", definition=JOIN))
            worker.drain()

        run_together(act, range(4))
        build_all(worker)
        settle(made[0])


def test_a_transaction_that_does_not_know_a_new_view_is_waited_for(worker: Drainer) -> None:
    with record_table():
        with transaction.atomic():
            put("r1", {"group": "a", "price": 1})  # there is no view yet
            run_together(
                lambda _: create_view(actor=account("olga"), name="Sums", definition=SUMS), [0]
            )
            run_together(lambda _: worker.drain(), [0])
            assert DocumentView.objects.get().built_at is None
        build_all(worker)
        settle(DocumentView.objects.get())


def test_changes_of_a_deleted_view_are_removed(table: None) -> None:
    view = make_view(SUMS)
    put("r1", {"group": "a", "price": 1})
    with transaction.atomic():
        put("r2", {"group": "a", "price": 1})  # which still knows the view
        run_together(lambda _: delete_view(actor=view.owner, view=view), [0])
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert not DocumentViewChange.objects.exists()
    assert not DocumentViewEntry.objects.exists()


def test_a_view_follows_the_items_of_a_collection_and_goes_with_it(worker: Drainer) -> None:
    olga = account("olga")
    people = create_collection(actor=olga, name="people", settings=Settings())
    orders = create_collection(actor=olga, name="orders", settings=Settings())
    ann = add_item(actor=olga, collection=people, value={"city": "Cork"})
    client = Client()
    client.force_login(olga)
    definition = {
        "join": ["collection:People", "collection:orders"],
        "as": ["people", "orders"],
        "on": ["name", "person"],
        "group_by": "people.city",
        "values": {"total": {"sum": "orders.price"}},
    }
    named = {"city": "Cork", "name": "Ann"}
    merge_item(actor=olga, collection=people, item_id=ann.pk, patch=named, expected_version=None)
    body = {"name": "Spent", "definition": definition}
    posted = client.post("/api/v1/views/", body, "application/json")
    assert (posted.status_code, posted.json()["state"]) == (201, "building")
    build_all(worker)
    for price in (5, 7.5):
        add_item(actor=olga, collection=orders, value={"person": "Ann", "price": price})
    assert joiner.wait_idle(PATIENCE_SECONDS)
    read = client.get("/api/v1/views/spent/").json()
    assert (read["name"], read["state"], read["pending"]) == ("Spent", "ready", 0)
    assert list(read["definition"]) == list(definition)  # in the order given
    assert read["items"] == [{"group": "Cork", "count": 2, "values": {"total": 12.5}}]
    assert list(find_wrong_views()) == []
    shown = Client().get("/views/Spent/").content.decode()
    assert "12.5" in shown
    delete_collection(actor=olga, collection=orders)
    assert client.get("/api/v1/views/Spent/").status_code == 404
