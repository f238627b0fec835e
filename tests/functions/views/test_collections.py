"""Pages of collections: the table and its query, items as JSON text, settings."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.collections.definition import Settings, create_collection
from functions.collections.items import add_item
from functions.models import Collection, Item
from tests.support import builders as make

pytestmark = pytest.mark.django_db
PAGE = "/collections/Books/"


@pytest.fixture
def mira() -> User:
    return make.user("mira")


@pytest.fixture
def books(mira: User) -> Collection:
    schema = {"properties": {"title": {"type": "string"}}, "required": ["title"]}
    made = create_collection(actor=mira, name="Books", settings=Settings(schema=schema))
    for title in ("Emma", "Faust", "<b>"):
        add_item(actor=mira, collection=made, value={"title": title, "two words": 1})
    return made


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def rows(response: Any) -> list[str]:
    return [row["cells"][0][1] for row in response.context["rows"]]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Emma", "Faust", "<b>"]),
        ("?order=-title", ["Faust", "Emma", "<b>"]),
        ("?title__gt=Eve", ["Faust"]),
        ("?%22two+words%22=1&title=Emma", ["Emma"]),
        ("?limit=2&order=title", ["<b>", "Emma"]),
    ],
)
def test_the_table_shows_what_the_query_of_its_address_finds(
    books: Collection, query: str, titles: list[str]
) -> None:
    page = Client().get(PAGE + query)
    assert rows(page) == titles
    assert b"<b></td>" not in page.content
    if page.context["next_url"]:
        assert rows(Client().get(PAGE + page.context["next_url"])) == ["Faust"]


def test_the_builder_writes_the_condition_into_the_address(books: Collection) -> None:
    client = Client()
    form = {"_path": "title", "_operator": "in", "_value": "Emma,Faust", "order": "-title"}
    page: Any = client.get(PAGE, form, follow=True)
    assert page.redirect_chain[-1][0] == f"{PAGE}?order=-title&title__in=Emma%2CFaust"
    assert rows(page) == ["Faust", "Emma"]
    [chip] = page.context["chips"]
    assert (chip.text, chip.url) == ("title__in = Emma,Faust", "?order=-title")
    wrong = client.get(PAGE, {"_path": "a..b", "_operator": "eq", "_value": "1"})
    assert (wrong.status_code, rows(wrong)) == (400, [])
    assert b"This is not a path" in wrong.content


def test_an_item_is_edited_as_text_and_faults_have_their_places(
    books: Collection, mira: User
) -> None:
    client = signed_in(mira)
    item = Item.objects.get(value__title="Emma")
    address = item.get_absolute_url()
    for text, fault in (
        ('{"title":', "line 1"),
        ('{\n  "title": 5\n}', "/title (2): This must be of type string."),
        ("[]", "An item is a JSON object"),
    ):
        page = client.post(address, {"value": text, "version": 1})
        assert page.status_code == 422
        assert any(fault in error for error in page.context["form"].errors["value"])
    assert client.post(address, {"value": '{"title": "E"}', "version": 1}).status_code == 302
    assert client.post(address, {"value": '{"title": "F"}', "version": 1}).status_code == 422
    assert client.post(f"{address}delete/").status_code == 302
    other = signed_in(make.user())
    kept = Item.objects.get(value__title="Faust").get_absolute_url()
    assert b'name="value"' not in other.get(kept).content
    assert other.post(kept, {"value": "{}"}).status_code == 403
    assert Client().post(kept, {"value": "{}"})["Location"].startswith("/accounts/login/")


def test_a_collection_is_created_set_up_and_deleted(mira: User) -> None:
    client = signed_in(mira)
    form = {
        "name": "Books",
        "schema": "{",
        "may_read": "owner",
        "may_add": "owner",
        "may_change": "owner",
        "state": "open",
    }
    assert "schema" in client.post("/collections/new/", form).context["form"].errors
    assert client.post("/collections/new/", {**form, "schema": ""})["Location"] == PAGE
    assert Client().get(PAGE).status_code == 404
    settings = f"{PAGE}settings/"
    form |= {"schema": '{"type": "object"}', "may_read": "everyone"}
    assert client.post(settings, form)["Location"] == PAGE
    assert Collection.objects.get().schema == {"type": "object"}
    assert signed_in(make.user()).get(settings).status_code == 403
    assert client.post(f"{PAGE}delete/")["Location"] == "/collections/"
    assert not Collection.objects.exists()
