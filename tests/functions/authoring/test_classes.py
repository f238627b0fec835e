"""Classes beside functions: defined, judged, imported as a base, and never called from outside."""

from pathlib import Path

import pytest
from django.test import Client

from functions.authoring import define_function
from functions.errors import Refusal
from functions.models import Function
from functions.read_models.browse import browse
from functions.source.signatures import outline
from functions.views.editor import starter_code
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.callers import callers, callers_socket, elected  # noqa: F401 - fixtures
from tests.support.works import account, implement, publish_test

STACK = """\
class Stack:
    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()
"""
BOUNDED = """\
# <<Stack>>
class BoundedStack(Stack):
    def push(self, item):
        if len(self.items) == 2:
            raise OverflowError("full")
        super().push(item)
"""
LAST_IN_FIRST_OUT = """\
def test_the_last_one_comes_first():
    stack = {name}()
    stack.push(1)
    stack.push(2)
    assert [stack.pop(), stack.pop()] == [2, 1]
"""


def define_class(name: str) -> Function:
    """Define a class."""
    return define_function(actor=account("olga"), name=name, kind="class")


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["", "function", "class"])
def test_a_kind_is_chosen_with_the_name_and_stays(client: Client, kind: str) -> None:
    client.force_login(account("olga"))
    typed = {"name": "Stack", "kind": kind, "signature": "", "description": ""}
    assert client.post("/functions/new/", typed).status_code == 302
    stays = Function.objects.get().kind
    assert stays == (kind or "function")
    assert f'<span class="tag">{stays}</span>' in client.get("/functions/Stack/").content.decode()
    client.post("/functions/Stack/edit/", {**typed, "kind": "function", "description": "new"})
    after = Function.objects.get()
    assert (after.description, after.kind) == ("new", stays)
    for found in (browse(kind="class"), browse(q="kind:class")):
        assert [row.function.name for row in found.rows] == ["Stack"] * (kind == "class")


@pytest.mark.django_db
def test_a_kind_that_there_is_not_is_refused_at_its_field(client: Client) -> None:
    with pytest.raises(Refusal) as refused:
        define_function(actor=account("olga"), name="Stack", kind="picture")
    assert (refused.value.code, refused.value.field) == ("invalid_kind", "kind")
    client.force_login(account("olga"))
    assert client.post("/functions/new/", {"name": "Stack", "kind": "picture"}).status_code == 422
    assert not Function.objects.exists()


@pytest.mark.parametrize("noun", ["test", "implementation"])
def test_a_draft_of_a_class_begins_with_python(noun: str) -> None:
    code = starter_code(Function(name="Stack", kind="class"), noun, owner="1")
    compile(code, "starter", "exec")
    assert ("class Stack:" in code) == (noun == "implementation")


@pytest.mark.django_db(transaction=True)
def test_a_class_is_judged_as_a_class_and_imported_as_a_base(worker: Drainer) -> None:
    stack, bounded = define_class("Stack"), define_class("BoundedStack")
    for function in (stack, bounded):
        publish_test(function, LAST_IN_FIRST_OUT.format(name=function.name))
    good, base = implement(bounded, BOUNDED), implement(stack, STACK)
    implement(stack, f"{STACK}\nmade = Stack\n\n\ndef Stack():\n    return made()\n")
    worker.drain()
    for function, current in ((stack, base), (bounded, good)):
        function.refresh_from_db()
        assert (function.status, function.elected_id) == ("implemented", current.pk)


@pytest.mark.django_db
def test_a_class_is_refused_with_what_can_be_called_instead(
    callers: Path,  # noqa: F811
) -> None:
    elected(make.function("Stack", kind="class"), STACK)
    answer = Caller(make.user("mira")).post("/functions/Stack/call/", {})
    problem = assert_problem(answer, 409, "not_callable")
    assert "Define a function that uses <<Stack>>" in problem["detail"]


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_class_shows_the_public_methods_of_the_current_one(client: Client) -> None:
    source = (
        "class Point:\n"
        '    """A point."""\n\n'
        "    def __init__(self, x, *, y=0): self.x, self.y = x, y\n\n"
        "    @property\n    def length(self) -> float: return 1.0\n\n"
        "    @length.setter\n    def length(self, value): pass\n\n"
        '    def moved(self, by: int, /) -> "Point":\n'
        '        """Return another.\n\n        More."""\n\n'
        "    @classmethod\n    def origin(cls): return cls(0)\n\n"
        "    @staticmethod\n    def parse(text): return Point(1)\n\n"
        "    async def wait(self): pass\n\n"
        "    def _hidden(self): pass\n\n"
        "    def __eq__(self, other): return True\n"
    )
    assert [(each.signature, each.summary) for each in outline(source, "Point")] == [
        ("Point(x, *, y=0)", ""),
        ("length -> float", ""),
        ("moved(by: int, /) -> 'Point'", "Return another."),
        ("origin()", ""),
        ("parse(text)", ""),
        ("async wait()", ""),
    ]
    assert outline(source, "Line") == []
    elected(make.function("Point", kind="class"), source)
    page = client.get("/functions/Point/").content.decode()
    assert "of the current implementation" in page
    assert "Return another." in page
    assert "_hidden" not in page.split('id="h-methods"')[1].split("</dl>")[0]
    assert "A class can’t be called from outside" in page
    assert "data-try " not in page


@pytest.mark.django_db
def test_the_page_of_a_function_shows_no_methods(client: Client) -> None:
    elected(make.function("Add"), "def Add(a, b):\n    return a + b\n")
    page = client.get("/functions/Add/").content.decode()
    assert "h-methods" not in page
