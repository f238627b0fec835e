"""What pages keep: items that they read, and changes that they make for their visitors."""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from pytest_django import Settings

from functions.calls.commands import KEEP_DAYS, remove_old_requests
from functions.collections.definition import (
    Settings as CollectionSettings,
)
from functions.collections.definition import change_collection, create_collection
from functions.collections.items import add_item
from functions.models import AppliedRequest, Collection, Item, Test
from functions.views.page_visits import visit_url
from tests.functions.pages.conftest import Publish
from tests.functions.pages.test_serving import page_of
from tests.support import builders as make
from tests.support.callers import callers, callers_socket  # noqa: F401 - fixtures
from tests.support.limits import limits  # noqa: F401 - a fixture
from tests.support.threads import run_together

TODO = """\
{# collection Tasks?order=_id -#}
{# collection open = Tasks?done=false -#}
{% if form.done %}{% do commands.change("Tasks", form.done|int, form.version|int, {"done": true}) %}
{% elif form.gone %}{% do commands.delete("Tasks", form.gone|int, form.version|int) %}
{% elif form.text %}{% do commands.add("Tasks", {"text": form.text, "done": false}) %}
{% endif %}
{% if form.twice %}{% do commands.extend([{"add": form.twice, "value": {}}]) %}{% endif %}
{% set data = {"all": Tasks, "open": open|length, "request": request_id} %}
{% for task in Tasks %}<li>{{ task.value.text }}, by {{ task.author }}</li>{% endfor %}
"""
COUNTER = """\
{# collection Tasks #}{% set one = Tasks[0] %}
{% do commands.change("Tasks", one.id, one.version, {"n": one.value.n + 1}) %}
"""
JSON = {"accept": "application/json"}


@pytest.fixture
def olga(callers: Path, transactional_db: None) -> User:  # noqa: F811
    return make.user("olga")


@pytest.fixture
def tasks(olga: User) -> Collection:
    """A collection that the page Todo may change."""
    settings = CollectionSettings(pages=("todo", "Counter"))
    return create_collection(actor=olga, name="Tasks", settings=settings)


@pytest.fixture
def todo(tasks: Collection) -> str:
    return page_of("Todo", TODO).name


@pytest.fixture
def visit(client: Client, todo: str) -> str:
    """Mira's address of the page."""
    return visit_url(todo, make.user("mira"))


def texts() -> list[tuple[str, str]]:
    rows = Item.objects.order_by("pk").select_related("author")
    return [(row.value["text"], row.author.username) for row in rows]


def test_a_visitor_changes_items_through_a_page(client: Client, visit: str) -> None:
    made = client.post(visit, {"text": "<b>Buy tea</b>"})
    assert (made.status_code, made["Location"]) == (303, visit)
    shown = client.get(visit).content.decode()
    assert "<li>&lt;b&gt;Buy tea&lt;/b&gt;, by mira</li>" in shown
    item = Item.objects.get()
    data = client.post(visit, {"done": item.pk, "version": 1}, headers=JSON).json()
    assert [one["value"]["done"] for one in data["all"]] == [True]
    assert data["open"] == 0
    assert client.post(visit, {"gone": item.pk, "version": 2}).status_code == 303
    assert not Item.objects.exists()
    applied = AppliedRequest.objects.order_by("pk").values_list("commands", flat=True)
    kinds = [{"add", "change", "delete"} & command.keys() for [command] in applied]
    assert kinds == [{"add"}, {"change"}, {"delete"}]


def test_a_page_may_do_what_its_visitor_and_the_owner_of_the_collection_allow(
    client: Client, visit: str, tasks: Collection, olga: User
) -> None:
    add_item(actor=olga, collection=tasks, value={"text": "hers"})
    item = Item.objects.get()
    # Everyone reads, nobody writes unless signed in, and only the author changes.
    assert "hers, by olga" in client.get("/p/Todo/").content.decode()
    assert client.post("/p/Todo/", {"text": "mine"}).status_code == 403
    assert client.post(visit, {"gone": item.pk, "version": 1}).status_code == 403
    other = page_of("Other", TODO)
    assert client.post(visit_url(other.name, olga), {"text": "x"}).status_code == 403
    change_collection(actor=olga, collection=tasks, settings=CollectionSettings(may_read="owner"))
    assert client.get("/p/Todo/").status_code == 404
    assert client.get(visit).status_code == 404
    olga.is_active = False
    olga.save()
    assert client.get(visit_url("Todo", olga)).status_code == 404
    assert client.get(visit.replace("@", "@x")).status_code == 404
    assert texts() == [("hers", "olga")]


def test_a_page_gets_nothing_that_its_visitor_alone_may_read(
    client: Client, visit: str, tasks: Collection, olga: User
) -> None:
    add_item(actor=olga, collection=tasks, value={"text": "secret"})
    private = CollectionSettings(may_read="owner", pages=("Todo",))
    change_collection(actor=olga, collection=tasks, settings=private)
    spy = visit_url(page_of("Spy", TODO).name, olga)
    for address in (spy, visit_url("Todo", olga)):
        answer = client.get(address)
        is_listed = address != spy
        assert ("secret" in answer.content.decode()) == is_listed
        assert answer.status_code == (200 if is_listed else 403)


def test_a_page_knows_who_has_opened_it_on_the_site(client: Client, olga: User) -> None:
    name = page_of("Who", "{{ visitor or 'nobody' }}{{ query.visitor }}").name
    assert client.get(visit_url(name, olga)).content == b"olga"
    client.force_login(olga)
    assert client.get(f"/p/{name}/", {"visitor": "?"}).content == b"nobody?"


def test_a_visit_ends_with_the_password(client: Client, todo: str, olga: User) -> None:
    address = visit_url(todo, olga)
    assert client.get(address).status_code == 200
    olga.set_password("another one")
    olga.save()
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("request_id", ["\0", "x" * 65, "a b"])
def test_a_request_id_that_can_not_be_one_is_refused(
    client: Client, visit: str, request_id: str
) -> None:
    answer = client.post(visit, {"text": "a", "request_id": request_id})
    assert answer.status_code == 422
    assert not AppliedRequest.objects.exists()


def test_all_changes_of_a_request_are_made_or_none(client: Client, visit: str) -> None:
    for wrong in ("Absent", "Tasks?"):
        answer = client.post(visit, {"text": "a", "twice": wrong})
        assert answer.status_code in (403, 404)
    assert (Item.objects.count(), AppliedRequest.objects.count()) == (0, 0)
    assert client.post(visit, {"text": "a", "twice": "tasks"}).status_code == 303
    assert Item.objects.count() == 2


def test_a_request_that_comes_twice_makes_its_changes_once(client: Client, visit: str) -> None:
    form = {"text": "once", "request_id": "r1"}
    answers = run_together(lambda _: Client().post(visit, form), range(4))
    assert {answer.status_code for answer in answers} == {303}
    assert client.post(visit, form).status_code == 303
    assert texts() == [("once", "mira")]
    other = visit_url("Todo", make.user("otto"))
    client.post(other, form)
    assert texts() == [("once", "mira"), ("once", "otto")]


def test_changes_at_the_same_time_are_neither_lost_nor_made_to_what_is_gone(
    client: Client, visit: str, tasks: Collection, olga: User
) -> None:
    stale = add_item(actor=olga, collection=tasks, value={"n": 0})
    page_of("Counter", COUNTER)
    address = visit_url("Counter", olga)
    answers = run_together(lambda _: Client().post(address), range(4))
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses[303] >= 2, statuses
    assert set(statuses) <= {303, 412}
    stale.refresh_from_db()
    assert (stale.value["n"], stale.version) == (statuses[303], statuses[303] + 1)
    hers = visit_url("Todo", olga)
    assert client.post(hers, {"gone": stale.pk, "version": 1}).status_code == 412
    assert Item.objects.filter(pk=stale.pk).exists()


def test_what_was_applied_is_kept_for_a_while(client: Client, visit: str) -> None:
    client.post(visit, {"text": "a"})
    client.post(visit, {"text": "b"})
    first = AppliedRequest.objects.order_by("pk")[0]
    AppliedRequest.objects.filter(pk=first.pk).update(
        applied_at=Now() - timedelta(days=KEEP_DAYS + 1)
    )
    remove_old_requests(0)
    assert AppliedRequest.objects.count() == 1


def test_tests_see_what_a_page_asks_for(publish: Publish) -> None:
    publish("Todo", TODO)
    code = """
task = {"id": 7, "version": 3, "author": "ann", "value": {"text": "a", "done": False}}

def test_commands():
    assert render(Tasks=[task]).commands == []
    page = render(Tasks=[task], method="POST", form={"done": "7", "version": "3"})
    assert page.commands == [{"change": "Tasks", "id": 7, "version": 3, "patch": {"done": True}}]
    assert page.select("li")[0].text == "a, by ann"
"""
    publish("Todo", code, model=Test)
    work = publish("Todo", TODO + "\n")
    assert (work.standing, work.standing_reason) == ("eligible", "")


def test_a_page_is_opened_within_the_site(
    client: Client, visit: str, tasks: Collection, settings: Settings
) -> None:
    shown = client.get("/functions/todo/open/").content.decode()
    assert 'src="/p/Todo/"' in shown
    assert "Sign in" in shown
    client.force_login(User.objects.get(username="mira"))
    shown = client.get("/functions/Todo/open/").content.decode()
    assert 'src="/p/@' in shown
    assert tasks.topic in shown
    assert 'sandbox="allow-scripts allow-forms"' in shown
    settings.PAGES_HOST = "pages.example"
    shown = client.get("/functions/Todo/open/").content.decode()
    assert "//pages.example/p/@" in shown
    assert client.get("/functions/Absent/open/").status_code == 404
