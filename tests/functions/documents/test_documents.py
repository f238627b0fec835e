"""Documents: JSON that links other documents, is expanded, judged by tests, and stays fresh."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from functions.acceptance import publish_acceptance_test, start_acceptance_test
from functions.authoring import define_function, delete_function, withdraw
from functions.collections.definition import Settings, create_collection
from functions.collections.items import add_item
from functions.document_views.ownership import create_view
from functions.document_views.updates import joiner
from functions.document_views.verification import find_wrong_views, read_groups
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import Document, Function, Implementation, Test
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make
from tests.support.works import implement, publish_test

Publish = Callable[..., Implementation]


@pytest.fixture
def ana(transactional_db: None) -> User:
    return make.user("ana")


@pytest.fixture
def publish(ana: User, worker: Drainer) -> Publish:
    """Publish a document, its transform or a test by name, and run what follows."""

    def publish(
        name: str, code: str, *, kind: str = "document", model: Any = Implementation
    ) -> Any:
        function = Function.objects.filter(name=name, deleted_at=None).first()
        function = function or define_function(actor=ana, name=name, kind=kind)
        write = publish_test if model is Test else implement
        work = write(function, code, author="ana")
        worker.drain()
        return work

    return publish


def expanded(name: str) -> Any:
    return Document.objects.get(function__name=name, function__deleted_at=None).expanded


def test_links_are_expanded_through_any_depth_and_kept_fresh(publish: Publish) -> None:
    publish("City", '{"name": "Bern"}')
    publish("Address", '{"city": {"key": "City"}, "street": "Main"}')
    publish("Person", '{"homes": [{"key": "Address"}, 1]}')
    assert expanded("Person") == {"homes": [{"city": {"name": "Bern"}, "street": "Main"}, 1]}
    publish("City", '{"name": "Basel"}')
    assert expanded("Person") == {"homes": [{"city": {"name": "Basel"}, "street": "Main"}, 1]}


def test_a_missing_link_says_so_until_its_target_is_there(
    ana: User, publish: Publish, worker: Drainer
) -> None:
    publish("Person", '{"home": {"key": "Home"}}')
    missing = {"home": {"key": "Home", "link_missing": True}}
    assert expanded("Person") == missing
    assert Function.objects.get(name="Person").status == Function.Status.IMPLEMENTED
    home = publish("Home", '{"street": "Main"}')
    assert expanded("Person") == {"home": {"street": "Main"}}
    withdraw(actor=ana, work=home)
    worker.drain()
    assert expanded("Person") == missing
    publish("Home", '{"street": "High"}')
    delete_function(actor=ana, function=Function.objects.get(name="Home"))
    worker.drain()
    assert expanded("Person") == missing
    publish("Home", '{"street": "New"}')
    assert expanded("Person") == {"home": {"street": "New"}}


def test_a_transform_changes_what_is_linked_and_is_applied_anew_when_it_changes(
    publish: Publish,
) -> None:
    publish("Price", '{"net": 100}')
    publish("Gross", "def Gross(data):\n    return data['net'] * 2\n", kind="function")
    publish("Offer", '{"price": {"key": "Price", "transform": "Gross"}}')
    assert expanded("Offer") == {"price": 200}
    publish("Gross", "def Gross(data):\n    return data['net'] * 3\n")
    assert expanded("Offer") == {"price": 300}
    publish("Basket", '[{"key": "Offer"}]')
    publish("Price", '{"net": 5}')
    assert (expanded("Offer"), expanded("Basket")) == ({"price": 15}, [{"price": 15}])


def test_a_document_is_judged_by_tests_that_see_it_expanded(publish: Publish) -> None:
    publish("City", '{"name": "Bern"}')
    publish("Person", '{"city": {"key": "City"}}')
    publish("Person", 'assert data["city"]["name"] == "Bern"\nassert Person == data', model=Test)
    assert Document.objects.filter(function__name="Person").exists()
    publish("City", '{"name": "Basel"}')
    assert not Document.objects.filter(function__name="Person").exists()
    assert Implementation.objects.get(function__name="Person").standing == "failing"


def test_an_acceptance_test_says_what_a_document_needs_of_one_that_it_links(
    ana: User, publish: Publish, worker: Drainer
) -> None:
    publish("City", '{"name": "Bern"}')
    publish("Person", '{"city": {"key": "City"}}')
    person = Function.objects.get(name="Person")
    code = 'assert data["name"] == City["name"] == Person["city"]["name"]\nassert len(City) == 1'
    test = start_acceptance_test(actor=ana, function=person, target="City", code=code)
    publish_acceptance_test(actor=ana, test=test)
    worker.drain()
    test.refresh_from_db()
    assert test.verdict == "passed", test.message
    publish("City", '{"name": "Basel", "canton": "BS"}')
    test.refresh_from_db()
    assert test.verdict == "failed"
    assert expanded("Person") == {"city": {"name": "Basel", "canton": "BS"}}  # it bars nothing


def test_a_view_over_documents_follows_their_elections(
    ana: User, publish: Publish, worker: Drainer
) -> None:
    values = {"n": "count", "rooms": {"sum": "rooms"}}
    definition = {"from": "documents", "where": {"rooms": {"gt": 0}}, "group_by": "in.city"}
    view = create_view(actor=ana, name="Homes", definition={**definition, "values": values})
    publish("Bern", '{"city": "Bern"}')
    publish("Home", '{"in": {"key": "Bern"}, "rooms": 3}')
    flat = publish("Flat", '{"in": {"key": "Bern"}, "rooms": 2}')
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert read_groups(view) == {'"Bern"': {"n": 2, "rooms": 5}}
    publish("Bern", '{"city": "Berne"}')
    withdraw(actor=ana, work=flat)
    worker.drain()
    assert joiner.wait_idle(PATIENCE_SECONDS)
    assert read_groups(view) == {'"Berne"': {"n": 1, "rooms": 3}}
    assert list(find_wrong_views()) == []


def test_a_cycle_is_found_and_named(publish: Publish) -> None:
    publish("Egg", '{"from": {"key": "Hen"}}')
    hen = publish("Hen", '{"from": {"key": "Egg"}}')
    hen.refresh_from_db()
    assert (hen.standing, hen.standing_reason) == ("circular", "through Egg")
    assert expanded("Egg") == {"from": {"key": "Hen", "link_missing": True}}


def test_documents_that_would_grow_beyond_bounds_keep_their_links(publish: Publish) -> None:
    publish("D0", f'{{"text": "{"x" * 90_000}"}}')
    links = ", ".join(['{"key": "D0"}'] * 12)
    publish("D1", f"[{links}]")
    assert expanded("D1") == [{"key": "D0", "link_too_large": True}] * 12


@pytest.mark.parametrize(
    ("code", "line", "message"),
    [
        ('{"a": 1,\n "a": 2}', 2, 'the name "a" occurs twice'),
        ('{"a":\n NaN}', 2, "NaN is not JSON"),
        ('{"a":\n }', 2, "Expecting value"),
        (f'{{"a": {"9" * 5_000}}}', 1, "a number is too large"),
        ('"text"', 1, "a document is an object or"),
        ('{"a": {"key": "no name"}}', 1, "is not a valid name"),
        ('{"a": {"key": "Function"}}', 1, "is no document"),
        ('{"a": {"key": "X", "transform": "Own"}}', 1, "is a document"),
        ('{"a": {"key": "Self"}}', 1, "names the function itself"),
        ('{"a": {"key": "own"}}', 1, "is spelled"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(ana: User, code: str, line: int, message: str) -> None:
    make.function("Function")
    make.function("Own", kind="document")
    function = define_function(actor=ana, name="Self", kind="document")
    with pytest.raises(Refusal) as refused:
        implement(function, code, author="ana")
    assert refused.value.errors[0].line == line
    assert message in refused.value.errors[0].message


def test_a_deleted_document_is_kept_no_more(ana: User, publish: Publish) -> None:
    publish("Home", '{"street": "Main"}')
    delete_function(actor=ana, function=Function.objects.get(name="Home"))
    assert not Document.objects.exists()


def test_what_is_stale_is_found(publish: Publish) -> None:
    publish("City", '{"name": "Bern"}')
    publish("Person", '{"city": {"key": "City"}}')
    assert not [*find_differences()]
    Document.objects.filter(function__name="Person").update(expanded={"city": {"name": "Basel"}})
    assert [*find_differences()] == [
        "Person: the stored document is not the current one with its links expanded"
    ]


def test_a_document_is_the_schema_of_a_collection_in_its_current_form(
    ana: User, publish: Publish
) -> None:
    settings = Settings(schema_document="ware")  # whatever the case
    with pytest.raises(Refusal) as refused:
        create_collection(actor=ana, name="Wares", settings=settings)
    assert (refused.value.code, refused.value.field) == ("no_such_document", "schema_document")
    publish("Name", '{"type": "string", "minLength": 2}')
    publish("Ware", '{"properties": {"name": {"key": "Name"}}, "required": ["name"]}')
    wares = create_collection(actor=ana, name="Wares", settings=settings)

    def add(value: Any) -> str:
        try:
            add_item(actor=ana, collection=wares, value=value)
        except Refusal as refusal:
            return f"{refusal.errors[0].field}: {refusal.message}"
        return ""

    assert add({"name": "Pen"}) == ""
    assert add({"name": "P"}).startswith("value/name: ")
    publish("Name", '{"type": "string", "minLength": 4}')
    assert add({"name": "Pen"}).startswith("value/name: ")
    publish("Name", '{"type": "number is no type"}')
    assert "is the document Ware: /properties/name/type" in add({"name": "Pencil"})
    delete_function(actor=ana, function=Function.objects.get(name="Name"))
    publish("Ware", '{"properties": {"name": {"key": "Name"}}}')
    assert "its link to Name leads nowhere" in add({"name": "Pencil"})
    delete_function(actor=ana, function=Function.objects.get(name="Ware"))
    assert "it has no current implementation" in add({"name": "Pencil"})
