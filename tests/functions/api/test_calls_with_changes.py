"""Functions that read collections and ask for changes of them, called over HTTP."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.collections.definition import Settings, change_collection, create_collection
from functions.collections.items import add_item
from functions.models import AppliedRequest, Collection, Implementation, Item
from runner.sandbox import as_module
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.callers import callers, callers_socket, elected, implemented  # noqa: F401
from tests.support.threads import run_together

FINISH = """\
# collection tasks = Tasks?done=false&order=_id
def Finish(tasks, most=9):
    return {
        "finished": [task["value"]["text"] for task in tasks[:most]],
        "commands": [
            {"change": "Tasks", "id": one["id"], "version": one["version"], "patch": {"done": True}}
            for one in tasks[:most]
        ],
    }
"""
COUNT = """\
# collection tasks = Tasks
def Count(tasks):
    one = tasks[0]
    patch = {"n": one["value"].get("n", 0) + 1}
    about = {"id": one["id"], "version": one["version"]}
    return {"commands": [{"change": "Tasks", "patch": patch, **about}]}
"""
JAVASCRIPT = """\
// collection tasks = Tasks?done=false
function Finish(tasks) { return {commands: [], finished: tasks.map((one) => one.value.text)}; }
"""


@pytest.fixture
def tasks(callers: Path, mira: Caller) -> Collection:  # noqa: F811
    """Two tasks of mira's in a collection that the function Finish may change."""
    owner = make.user("olga")
    settings = Settings(pages=("finish", "Count"))
    collection = create_collection(actor=owner, name="Tasks", settings=settings)
    user = User.objects.get(username="mira")
    for text in ("tea", "milk"):
        add_item(actor=user, collection=collection, value={"text": text, "done": False})
    implemented("Finish", FINISH)
    return collection


def call(caller: Caller, name: str = "Finish", **body: Any) -> Any:
    return caller.post(f"/functions/{name}/call/", body)


def done() -> list[bool]:
    return [item.value["done"] for item in Item.objects.order_by("pk")]


@pytest.mark.usefixtures("tasks")
def test_a_function_gets_the_items_that_it_declares_and_changes_nothing_by_itself(
    mira: Caller,
) -> None:
    answer = call(mira).json()
    assert answer["result"]["finished"] == ["tea", "milk"]
    assert answer["applied"] is None
    own = [{"id": 1, "version": 1, "author": "x", "value": {"text": "own"}}]
    assert call(mira, kwargs={"tasks": own}).json()["result"]["finished"] == ["own"]
    assert done() == [False, False]


@pytest.mark.usefixtures("tasks")
def test_changes_are_made_for_the_caller_once_for_each_request(mira: Caller) -> None:
    body: Any = {"kwargs": {"most": 1}, "apply": True, "request_id": "r1"}
    assert call(mira, **body).json()["applied"] is True
    again = call(mira, **body).json()
    assert (again["applied"], again["result"]["finished"]) == (False, ["milk"])
    assert done() == [True, False]
    assert call(mira, apply=True).json()["applied"] is True
    assert call(mira, apply=True).json()["applied"] is False  # there is nothing left
    assert done() == [True, True]
    assert AppliedRequest.objects.count() == 2


def test_a_function_may_do_what_its_caller_and_the_owner_of_the_collection_allow(
    mira: Caller, otto: Caller, tasks: Collection
) -> None:
    assert_problem(call(otto, apply=True), 403, "not_yours")
    owner = tasks.owner
    change_collection(actor=owner, collection=tasks, settings=Settings())
    assert_problem(call(mira, apply=True), 403, "page_not_allowed")
    assert call(mira).status_code == 200  # everyone may read it
    private = Settings(may_read="author")
    change_collection(actor=owner, collection=tasks, settings=private)
    assert_problem(call(mira), 403, "page_not_allowed")
    assert done() == [False, False]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("tasks")
def test_calls_at_the_same_time_are_repeated_with_what_is_there(mira: Caller) -> None:
    implemented("Count", COUNT)
    answers = run_together(lambda _: call(mira, "Count", apply=True), range(3))
    made = [answer.status_code for answer in answers].count(200)
    assert made >= 2
    assert {answer.status_code for answer in answers} <= {200, 412}
    assert Item.objects.order_by("pk")[0].value["n"] == made


@pytest.mark.usefixtures("tasks")
@pytest.mark.parametrize("value", ["[]", "{'commands': 7}", "{'commands': [7]}"])
def test_what_is_no_list_of_changes_changes_nothing(mira: Caller, value: str) -> None:
    implemented("Wrong", f"def Wrong(): return {value}\n")
    answer = call(mira, "Wrong", apply=True)
    if value.endswith("[7]}"):
        assert_problem(answer, 422, "invalid_command")
    else:
        assert answer.json()["applied"] is False


@pytest.mark.usefixtures("tasks")
def test_items_are_given_to_whoever_tries_a_function_on_its_page(client: Client) -> None:
    shown = client.post("/functions/Finish/try/", {"args": "most=1"}).content.decode()
    assert "tea" in shown
    assert "milk" not in shown


@pytest.mark.usefixtures("tasks")
def test_a_function_in_javascript_declares_collections_too(mira: Caller) -> None:
    work = Implementation.objects.get(function__name="Finish")
    module = as_module(JAVASCRIPT)
    elected(work.function, module)
    Implementation.objects.filter(function=work.function).update(language="javascript")
    assert call(mira).json()["result"]["finished"] == ["tea", "milk"]
