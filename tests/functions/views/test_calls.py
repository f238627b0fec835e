"""Trying a function on its page: what may be typed, what is shown, and when nothing runs."""

import re
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from functions.errors import Refusal
from functions.models import Function
from functions.source.literals import read_literals
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make
from tests.support.callers import callers, callers_socket, implemented  # noqa: F401 - fixtures


@pytest.fixture
def pair(callers: Path) -> Function:  # noqa: F811
    code = "def Pair(a, b=None):\n    print('got', a)\n    return {(a, b): a / 2}\n"
    return implemented("Pair", code)


def tried(client: Client, args: str, name: str = "Pair") -> tuple[int, str]:
    response = client.post(f"/functions/{name}/try/", {"args": args})
    text = re.sub(r"<[^>]+>", "", response.content.decode().split("data-try-result")[1])
    return response.status_code, re.sub(r"\s+", " ", text)


def test_literals_of_python_and_json_are_called_with_and_shown_as_python_writes_them(
    as_person: SignedIn, pair: Function
) -> None:
    mira = as_person("mira")
    status, shown = tried(mira, "4,\r\n b=(null, b'x')")
    assert status == 200
    assert "{(4, (None, b&#x27;x&#x27;)): 2.0}" in shown
    assert "got 4" in shown
    assert "of computing" in shown
    assert "{(1, &#x27;y&#x27;): 0.5}" in tried(mira, '{"args": [1], "kwargs": {"b": "y"}}')[1]
    status, shown = tried(mira, "[]")
    assert status == 200
    assert "Error on line 3 of Pair." in shown
    status, shown = tried(mira, "")
    assert "missing 1 required positional argument" in shown
    assert "of call" not in shown
    implemented("Long", "def Long(): return 'x' * 30_000\n")
    assert "… and 10002 characters more" in tried(mira, "", "Long")[1]
    # A function may bear the name of what is put around it.
    implemented("call", "def call(): return 'mine'\n")
    assert "mine" in tried(mira, "", "call")[1]


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("1,\n 2, x", 2, 5, "`x` is not a literal"),
        ("'é', open('/etc')", 1, 6, "`open('/etc')` is not a literal"),
        ("1)\nimport os\n(2", 2, 1, "invalid syntax"),
        ("1)(2", 1, 1, "a closing bracket has no opening one"),
        ("1), (2", 1, 1, "a closing bracket has no opening one"),
        ("1,,2", 1, 3, "invalid syntax"),
        ("**{}", 1, 3, "`**` is not a literal"),
        ("*[1]", 1, 1, "`*[1]` is not a literal"),
        ("{**{}}", 1, 1, "`**` is not a literal"),
        ("f'{1}'", 1, 1, "is not a literal"),
        ("x for x in y", 1, 1, "a generator is not a literal"),
        ("a=1, 2", 1, 1, "positional argument follows keyword argument"),
        ("-" * 5_000 + "1", 1, 1, "Line 1, column 1: "),  # newer Pythons can read it
        ("\ud800", 1, 1, "this is not valid Python"),
        ("\0", 1, 1, "null bytes"),
    ],
)
def test_what_is_no_literal_is_refused_with_its_place(
    text: str, line: int, column: int, said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        read_literals(text)
    (complaint,) = refused.value.errors
    assert (complaint.line, complaint.column) == (line, column)
    assert said in complaint.message


def test_what_cannot_be_tried_is_said_on_the_page(
    as_person: SignedIn, pair: Function, settings: Settings
) -> None:
    mira = as_person("mira")
    status, shown = tried(mira, "1,\n x")
    assert status == 422
    assert "Line 2, column 2: `x` is not a literal." in shown
    assert tried(mira, "x" * 20_001)[0] == 413
    make.function("Bare")
    status, shown = tried(mira, "", "Bare")
    assert status == 409
    assert "Bare has no current implementation yet." in shown
    settings.CALLERS_SOCKET = "/nowhere/callers"
    response = mira.post("/functions/Pair/try/", {"args": "1"})
    assert response.status_code == 503
    assert response["Retry-After"] == "1"
    assert mira.post("/functions/Nowhere/try/").status_code == 404


def test_a_visitor_may_call_a_few_times_a_minute(
    client: Client, as_person: SignedIn, pair: Function, settings: Settings
) -> None:
    settings.RATE_LIMITS = True
    assert b">Call</button>" in client.get("/functions/Pair/").content
    status, shown = tried(client, "1, 2")
    assert (status, "(1, 2)" in shown) == (200, True)
    for _ in range(20):
        refused = client.post("/functions/Pair/try/", {"args": "1, 2"})
    assert refused.status_code == 429
    assert "At most 20 calls without an account a minute" in refused.content.decode()
    assert tried(as_person("mira"), "1, 2")[0] == 200


def test_what_cannot_be_called_has_no_button_but_says_what_to_do(
    as_person: SignedIn, pair: Function
) -> None:
    mira = as_person("mira")
    bare, blocked = make.function("Bare"), make.function("Blocked")
    make.elect(make.implementation(blocked))
    Function.objects.filter(pk=blocked.pk).update(status="blocked", blocked_by="Bare")
    said = {
        "Bare": '<a href="/functions/Bare/#implementations">Write one</a>',
        "Blocked": f'depends on <a href="{bare.get_absolute_url()}">Bare</a>, which can’t',
    }
    for client in (mira, Client()):
        for name in ("Pair", "Bare", "Blocked"):
            panel = client.get(f"/functions/{name}/").content.decode()
            panel = panel.split('id="try"')[1].split("</section>")[0]
            # What does not hold is there for scripts, which may find that it does by now.
            parts = dict(re.findall(r'<(?:p|form|div)[^>]* data-while="(\w+)"( data-off)?>', panel))
            shown = {status for status, is_off in parts.items() if not is_off}
            status = Function.objects.get(name=name).status
            assert (len(parts), shown) == (3, {status})
            assert said.get(name, "") in panel


def test_a_link_fills_the_arguments_in_and_runs_nothing(
    as_person: SignedIn, pair: Function, settings: Settings
) -> None:
    # Whatever asked for a run would find nobody, and say so.
    settings.CALLERS_SOCKET = "/nowhere/callers"
    mira, link = as_person("mira"), "?args=1%2C%20%3Cb%3E%22"
    for page in ("/functions/Pair/", "/functions/Pair/try/"):
        response = mira.get(page + link)
        assert response.status_code == 200
        text = response.content.decode()
        assert "1, &lt;b&gt;&quot;</textarea>" in text
        assert "just now" not in text.split('id="try"')[1].split("</section>")[0]
    nobody = Client().get("/functions/Pair/" + link).content.decode()
    assert "1, &lt;b&gt;&quot;</textarea>" in nobody
