"""Implementations and tests in JavaScript compete with those in Python, and judge them."""

import itertools
import re
from typing import Any

import pytest
from django.test import Client

from functions.analysis.client import check_code
from functions.authoring import copy, define_function, publish, start_draft
from functions.authoring.clone import clone_function
from functions.errors import Conflict, Refusal
from functions.kinds import JAVASCRIPT
from functions.kinds.javascript_lexer import tokens
from functions.models import Function, Implementation, Test
from functions.read_models.exports import load_release
from functions.source.lexer import Kind
from functions.source.markers import find_markers
from functions.views.markup import line_markup
from runner.sandbox import as_module
from runner.workers.drainer import Drainer
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.works import account, implement, publish_test, vote

TEST = "function test_sum() {\n  assert.equal(Add(1, 2), 3);\n}\n"
ADD = "function Add(a, b) {\n  return a + b;\n}\n"
TWICE = "// <<Add>>\nconst Twice = (a) => Add(a, a);\n"


def write(
    function: Function, model: type[Implementation | Test], code: str, author: str = "ida"
) -> Any:
    """Publish a work in JavaScript."""
    draft = start_draft(
        actor=account(author), function=function, model=model, code=code, language="javascript"
    )
    publish(actor=draft.author, draft=draft)
    draft.refresh_from_db()
    return draft


@pytest.mark.django_db(transaction=True)
def test_both_languages_compete_in_one_election_and_depend_on_each_other(worker: Drainer) -> None:
    add = define_function(actor=account("olga"), name="Add", signature="(a: int, b: int) -> int")
    twice = define_function(actor=account("olga"), name="Twice")
    write(add, Test, TEST, "olga")
    publish_test(twice, "assert Twice(4) == 8")
    python = implement(add, "def Add(a, b):\n    return a + b\n")
    wrong = write(add, Implementation, ADD.replace("+", "-"))
    javascript = write(add, Implementation, ADD)
    user = write(twice, Implementation, TWICE)
    worker.drain()
    for work, standing in ((python, "eligible"), (wrong, "failing"), (javascript, "eligible")):
        work.refresh_from_db()
        assert work.standing == standing, work.standing_reason
    for function, current in ((add, javascript), (twice, user)):
        function.refresh_from_db()
        assert (function.status, function.elected_id) == ("implemented", current.pk)
    vote(python, up="ann bob")
    worker.drain()
    for function, current in ((add, python), (twice, user)):
        function.refresh_from_db()
        assert (function.status, function.elected_id) == ("implemented", current.pk)
    with pytest.raises(Conflict) as refused:
        load_release(twice, owner="1")
    assert refused.value.code == "not_python"


@pytest.mark.django_db
def test_the_page_begins_drafts_in_the_chosen_language_and_shows_it(client: Client) -> None:
    function = make.function("Add", signature="(a: int, b: int = 2) -> int")
    client.force_login(account("ida"))
    page = client.get("/functions/Add/").content.decode()
    assert "New implementation in JavaScript" in page
    for noun, code in (
        ("implementation", "function Add(a, b = 2) {\n"),
        ("test", "  assert.equal(Add(2), undefined);  // int\n"),
    ):
        posted = client.post(f"/functions/Add/{noun}s/new/", {"language": "javascript"})
        shown = client.get(posted.headers["Location"]).content.decode()
        model: Any = {"implementation": Implementation, "test": Test}[noun]
        draft = model.objects.get()
        assert code in draft.code
        assert (draft.language, 'data-language="javascript"' in shown) == ("javascript", True)
        assert "data-format-button" not in shown
        answer = client.post(f"/drafts/{noun}/{draft.pk}/format/", HTTP_ACCEPT="application/json")
        assert answer.status_code == 422
    published = write(function, Implementation, ADD)
    page = client.get("/functions/Add/").content.decode()
    assert '<span class="tag">JavaScript</span>' in page
    assert '<span class="k">function</span> <span class="nf">Add</span>' in page
    assert "/* javascript */" not in page
    assert copy(actor=account("bob"), work=published).language == "javascript"


@pytest.mark.django_db
def test_the_api_takes_and_shows_the_language() -> None:
    make.function("Add")
    make.function("Stack", kind="class")
    caller = Caller(make.user("mira"))
    path = "/functions/Add/implementations/"
    made = caller.post(path, {"code": ADD, "language": "javascript"})
    assert (made.status_code, made.json()["language"]) == (201, "javascript")
    assert caller.post(path, {"code": ""}).json()["language"] == "python"
    assert_problem(caller.post(path, {"code": "", "language": "perl"}), 422, "invalid_language")
    refused = caller.post("/functions/Stack/tests/", {"code": "", "language": "javascript"})
    assert_problem(refused, 422, "invalid_language")
    broken = caller.post(path, {"code": "let a = 1;\nlet b = (;\n", "language": "javascript"})
    problem = assert_problem(
        caller.post(f"/implementations/{broken.json()['id']}/publish/", {}), 422, "syntax_error"
    )
    assert (problem["errors"][0]["line"], problem["errors"][0]["column"]) == (2, 10)


@pytest.mark.django_db
def test_a_syntax_error_has_an_excerpt_and_a_caret() -> None:
    code = "let a = 1;\nlet b = (;\n"
    checked = check_code(code, owner="1", kind=JAVASCRIPT)
    assert checked.syntax_error is not None
    assert checked.syntax_error.excerpt == "let b = (;\n         ^"
    empty = check_code("// nothing", owner="1", kind=JAVASCRIPT)
    assert empty.is_empty


@pytest.mark.django_db(transaction=True)
def test_a_copy_of_a_function_keeps_the_language_and_changes_the_name(worker: Drainer) -> None:
    add = define_function(actor=account("olga"), name="Add")
    write(add, Implementation, ADD + "// isn't text: `Add`\n")
    worker.drain()
    made = clone_function(actor=account("ida"), original=add, name="Sum")
    draft = Implementation.objects.get(function=made)
    assert draft.language == "javascript"
    assert draft.code == ADD.replace("Add", "Sum") + "// isn't text: `Add`\n"


@pytest.mark.django_db(transaction=True)
def test_a_comparison_highlights_each_side_by_its_language(client: Client) -> None:
    add = define_function(actor=account("olga"), name="Add")
    one = implement(add, "def Add(a, b):\n    return a + b\n")
    two = write(add, Implementation, ADD)
    page = client.get(f"/implementations/{two.pk}/diff/?against={one.pk}").content.decode()
    assert '<span class="k">function</span> <span class="nf">Add</span>' in page
    assert '<span class="k">def</span> <span class="nf">Add</span>' in page
    assert "/* javascript */" not in page


def test_only_functions_are_written_in_javascript(db: None) -> None:
    function = make.function("Place", kind="document")
    with pytest.raises(Refusal) as refused:
        start_draft(
            actor=account("ida"), function=function, model=Test, code="", language="javascript"
        )
    assert refused.value.code == "invalid_language"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("// <<A>>\n/* <<B>>\n<<C>> */ a <<D>> b", "A B C"),
        ("'<<A>>' + \"<<B>>\" + `<<C>> ${'<<D>>' + {a: `<<E>>`}} <<F>>` // <<G>>", "A B C D E F G"),
        ("a / b // <<A>>\nreturn /'<<B>>/.test(x) / 2 // <<C>>", "A B C"),
        ("/[/'\"]/ // <<A>>\n'it\\'s <<B>>' // <<C>>", "A B C"),
        ("`${{}} <<A>>` + (1) / 2 / '<<B>>'", "A B"),
    ],
)
def test_markers_are_found_in_comments_and_texts(code: str, names: str) -> None:
    assert [each.name for each in find_markers(code, tokens).markers] == names.split()


@pytest.mark.parametrize("piece", ["/[", "`${", "/*", "'\\", "a/b", "`${`", "}`", "=/[=", "/\\"])
def test_lexing_takes_linear_time_and_keeps_the_order(piece: str) -> None:
    found = list(tokens(piece * 20_000))
    assert all(one.end <= two.start for one, two in itertools.pairwise(found))


def test_tokens_are_highlighted_by_kind() -> None:
    markup = line_markup(as_module("const a = /x/g, b = `y`; // z\nreturn null"), {})
    shown = "\n".join(
        re.sub(r'<span class="(\w+)">(.*?)</span>', r"\1:\2", line) for line in markup
    )
    assert shown == "k:const a = s:/x/g, b = s:`y`; c1:// z\nk:return kc:null"
    assert [token.kind for token in tokens("1.5 + x")] == [Kind.NUMBER, Kind.NAME]
