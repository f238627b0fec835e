"""Items: who may do what, what fits, versions, counts and limits, and events."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection

from functions.collections.definition import (
    Settings,
    change_collection,
    create_collection,
    delete_collection,
)
from functions.collections.items import add_item, delete_item, merge_item, replace_item
from functions.collections.rules import readable_items
from functions.errors import Refusal
from functions.json_data.query import parse_query
from functions.json_data.query_sql import render
from functions.models import Collection, Item
from runner.events.sequencer import sequence_topics
from runner.events.topics import read_events
from runner.models import Topic
from runner.registry import Actor
from tests.support import builders as make

pytestmark = pytest.mark.django_db

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name"],
}


@pytest.fixture
def people() -> dict[str, Any]:
    return {
        "nobody": AnonymousUser(),
        "owner": make.user("owner"),
        "author": make.user("author"),
        "other": make.user("other"),
        "staff": make.user("staff", is_staff=True),
    }


def collect(owner: Any, name: str = "People", **settings: Any) -> Collection:
    return create_collection(actor=owner, name=name, settings=Settings(**settings))


def code_of(act: Callable[[], object]) -> str:
    try:
        act()
    except Refusal as refusal:
        return refusal.code
    return "ok"


@pytest.mark.parametrize(
    ("may_read", "may_add", "may_change", "expected"),
    [
        # What nobody, another user and the author are told: of reading, adding, changing.
        ("everyone", "signed_in", "author",
         ("ok nobody nobody", "ok ok not_yours", "ok ok ok")),
        ("everyone", "owner", "owner",
         ("ok nobody nobody", "ok not_yours not_yours", "ok not_yours not_yours")),
        ("signed_in", "signed_in", "signed_in",
         ("nobody nobody nobody", "ok ok ok", "ok ok ok")),
        ("author", "signed_in", "author",
         ("nobody nobody nobody", "none ok not_found", "ok ok ok")),
        ("owner", "owner", "owner",
         ("not_found not_found not_found", "not_found not_found not_found",
          "not_found not_found not_found")),
    ],
)  # fmt: skip
def test_rules_say_who_may_read_add_and_change(
    people: dict[str, Any], may_read: str, may_add: str, may_change: str, expected: tuple[str]
) -> None:
    rules = {"may_read": may_read, "may_add": may_add, "may_change": may_change}
    collection = collect(people["owner"], **rules)
    item = Item.objects.create(
        collection=collection, author=people["author"], value={"n": 1}, bytes=7
    )
    Collection.objects.update(item_count=1, item_bytes=7)
    everything = "ok ok ok"
    told = dict(zip(["nobody", "other", "author"], expected, strict=True))
    for name, codes in {**told, "owner": everything, "staff": everything}.items():
        actor = people[name]

        def read(actor: Actor = actor) -> None:
            if not readable_items(actor, collection).exists():
                raise Refusal("none", "")

        def change(actor: Actor = actor) -> None:
            merge_item(
                actor=actor, collection=collection, item_id=item.pk, patch={}, expected_version=None
            )

        def add(actor: Actor = actor) -> None:
            added = add_item(actor=actor, collection=collection, value={})
            added.delete()

        assert " ".join(map(code_of, (read, add, change))) == codes, name


def test_a_changed_item_has_a_new_version_and_each_change_one_event(
    people: dict[str, Any],
) -> None:
    owner = people["owner"]
    collection = collect(owner, schema=PERSON)
    item = add_item(actor=owner, collection=collection, value={"name": "Ann", "age": 41})
    about: dict[str, Any] = {"actor": owner, "collection": collection, "item_id": item.pk}
    merge_item(**about, patch={"age": None}, expected_version=1)
    merge_item(**about, patch={"age": None}, expected_version=2)  # changes nothing
    with pytest.raises(Refusal) as outdated:
        replace_item(**about, value={"name": "Bo"}, expected_version=1)
    assert (outdated.value.code, outdated.value.status) == ("precondition_failed", 412)
    replace_item(**about, value={"name": "Bo"}, expected_version=2)
    collection.refresh_from_db()
    assert (collection.item_count, collection.item_bytes) == (1, len('{"name":"Bo"}'))
    delete_item(**about, expected_version=3)
    sequence_topics({Topic.objects.get(name=collection.topic).pk})
    told = [event.payload for event in read_events(collection.topic, 0)]
    assert [(one["change"], one["version"], one["value"]) for one in told] == [
        ("added", 1, {"name": "Ann", "age": 41}),
        ("changed", 2, {"name": "Ann"}),
        ("changed", 3, {"name": "Bo"}),
        ("deleted", 4, None),
    ]
    collection.refresh_from_db()
    assert (collection.item_count, collection.item_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ({"age": -1, "name": 5}, {"value/age": "invalid_value", "value/name": "invalid_value"}),
        ({}, {"value": "invalid_value"}),
        ([], {"value": "invalid_value"}),
        ({"name": "x" * 70_000}, {"value": "too_large"}),
        ({"name": "\0"}, {"value": "invalid_character"}),
        ({"name": "\ud800"}, {"value": "invalid_character"}),
        ({"name": "x", "n": float("inf")}, {"value": "invalid_number"}),
        ({"name": "x", "n": 10**310}, {"value": "invalid_number"}),
        (json.loads('{"name": "x", "n": ' + "[" * 70 + "]" * 70 + "}"), {"value": "too_deep"}),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(
    people: dict[str, Any], value: Any, codes: dict[str, str]
) -> None:
    collection = collect(people["owner"], schema=PERSON)
    with pytest.raises(Refusal) as refused:
        add_item(actor=people["owner"], collection=collection, value=value)
    assert {one.field: one.code for one in refused.value.errors} == codes


def test_limits_hold(people: dict[str, Any], settings: Any) -> None:
    settings.COLLECTIONS_PER_USER, settings.ITEMS_PER_COLLECTION = 2, 2
    settings.COLLECTION_BYTES_PER_USER = 30
    owner = people["owner"]
    first, second = collect(owner), collect(owner, "Places")
    assert code_of(lambda: collect(owner, "Third")) == "too_many_collections"
    add_item(actor=owner, collection=first, value={"a": "12345678"})
    big = {"a": "123456789"}
    assert code_of(lambda: add_item(actor=owner, collection=second, value=big)) == "too_many_bytes"
    add_item(actor=owner, collection=first, value={})
    assert code_of(lambda: add_item(actor=owner, collection=first, value={})) == "too_many_items"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("people", "name_taken"),
        ("new", "reserved_name"),
        ("for", "reserved_name"),
        ("json", "reserved_name"),
        ("_p", "invalid_name"),
        ("a/b", "invalid_name"),
        ("", "invalid_name"),
    ],
)
def test_names_are_as_those_of_functions(people: dict[str, Any], name: str, code: str) -> None:
    collect(people["owner"])
    assert code_of(lambda: collect(people["other"], name)) == code


def test_only_the_owner_changes_and_deletes_a_collection(people: dict[str, Any]) -> None:
    collection = collect(people["owner"])
    item = add_item(actor=people["other"], collection=collection, value={})
    closed = Settings(state="closed")
    for act in (
        lambda actor: change_collection(actor=actor, collection=collection, settings=closed),
        lambda actor: delete_collection(actor=actor, collection=collection),
    ):
        assert code_of(lambda act=act: act(people["other"])) == "not_yours"  # type: ignore[misc]
    change_collection(actor=people["owner"], collection=collection, settings=closed)
    add: dict[str, Any] = {"actor": people["owner"], "collection": collection, "value": {}}
    assert code_of(lambda: add_item(**add)) == "collection_closed"
    wrong = Settings(may_add="everyone", schema={"pattern": "(a+)+$"})
    change: dict[str, Any] = {"actor": people["owner"], "collection": collection, "settings": wrong}
    assert code_of(lambda: change_collection(**change)) == "invalid_choice"
    delete_collection(actor=people["owner"], collection=collection)
    assert not Item.objects.filter(pk=item.pk).exists()


@pytest.mark.slow
def test_equality_and_containment_use_the_index_among_fifty_thousand_items(
    people: dict[str, Any],
) -> None:
    collection = collect(people["owner"])
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO functions_item"
            " (collection_id, author_id, value, bytes, version, created_at, changed_at)"
            " SELECT %s, %s, jsonb_build_object('n', n, 'zip', (n %% 1000)::text, 'tags',"
            " jsonb_build_array('t' || n %% 500, 'all')), 50, 1, now(), now()"
            " FROM generate_series(1, 50000) AS n",
            [collection.pk, people["owner"].pk],
        )
        cursor.execute("ANALYZE functions_item")
    for asked, found in (
        ({"n": "77"}, 1),
        ({"zip": "7", "order": "-n"}, 50),
        ({"tags": "t7", "zip__in": "7,507"}, 100),
    ):
        query = parse_query(asked.items())
        rendered = render(query)
        where = f"collection_id = %(collection)s AND {rendered.where}"
        statement = (
            f"SELECT id, {rendered.position} FROM functions_item"  # noqa: S608
            f" WHERE {where} ORDER BY {rendered.order_by} LIMIT 51"
        )
        parameters = {**rendered.parameters, "collection": collection.pk}
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            plan = json.dumps(cursor.fetchone()[0])
            assert '"Index Name": "item_values"' in plan, plan
            assert '"Node Type": "Seq Scan"' not in plan
            counted = f"SELECT count(*) FROM functions_item WHERE {rendered.matches}"  # noqa: S608
            cursor.execute(counted, parameters)
            assert cursor.fetchone() == (found,)
