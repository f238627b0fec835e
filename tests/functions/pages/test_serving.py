"""Serving pages: what they get and give, how they are kept apart, what happens when they fail."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from functions.authoring import start_draft
from functions.models import Function, Implementation
from functions.views.pages import preview_url
from runner.programs.program import source_hash
from runner.quotas import CALLS, read_use
from tests.functions.pages.conftest import GREETING, HOME
from tests.support import builders as make
from tests.support.callers import callers, callers_socket, implemented  # noqa: F401 - fixtures
from tests.support.limits import limits  # noqa: F401 - a fixture

ECHO = """\
{% set data = {"path": path, "query": query, "form": form} -%}
{{ method }} {{ path }} {{ data|tojson }}
{%- if path == "away" %}{% set response.location = query.to %}{% endif -%}
{%- if path == "style.css" %}{% set response.content_type = "text/css" %}{% endif -%}
{%- if path == "teapot" %}{% set response.status = 418 %}{% endif -%}
"""


def page_of(name: str, template: str, *uses: Function) -> Function:
    """Return a page with a current implementation."""
    function = make.function(name, kind="page")
    module = "{#page#}" + template
    work = make.implementation(function, code=template, generated=module)
    work.source_sha256 = source_hash(module)
    work.save(update_fields=["source_sha256"])
    for used in uses:
        make.dependency(work, used.name, used)
    make.elect(work)
    function.refresh_from_db(fields=["elected", "status"])
    return function


@pytest.fixture
def echo(callers: Path, transactional_db: None) -> Function:  # noqa: F811
    return page_of("Echo", ECHO)


def test_a_page_gets_path_query_form_and_method(client: Client, echo: Function) -> None:
    assert client.get("/p/Echo/").content.startswith(b"GET  {")
    assert client.get("/p/echo/a?b=c").url == "/p/Echo/a"  # type: ignore[attr-defined]
    answer = client.post("/p/Echo/a/b?q=1&q=2", {"text": "<b>"})
    assert answer.content.decode().startswith("POST a/b ")
    assert "\\u003cb\\u003e" in answer.content.decode()
    data = client.get("/p/Echo/x/?q=2", headers={"accept": "application/json"}).json()
    assert data == {"path": "x/", "query": {"q": "2"}, "form": {}}
    assert client.head("/p/Echo/").content == b""
    assert client.put("/p/Echo/").status_code == 405
    assert client.get("/p/Echo/teapot").status_code == 418
    assert client.get("/p/Echo/style.css")["Content-Type"] == "text/css; charset=utf-8"


@pytest.mark.parametrize(
    ("to", "leads"),
    [
        ("there?x=1", "/p/Echo/there?x=1"),
        ("/p/Echo/é", "/p/Echo/%C3%A9"),
        ("https://elsewhere.example/", None),
        ("//elsewhere.example/", None),
        ("../../accounts/login/", None),
        ("/p/Other/", None),
    ],
)
def test_a_page_redirects_within_itself_only(
    client: Client, echo: Function, to: str, leads: str | None
) -> None:
    answer = client.get("/p/Echo/away", {"to": to})
    assert (answer.status_code, answer.get("Location")) == ((303, leads) if leads else (422, None))


def test_a_page_is_kept_apart_also_when_it_is_opened_directly(
    client: Client, echo: Function
) -> None:
    client.force_login(make.user("visitor"))
    client.cookies["other"] = "secret"
    seen = page_of("Seen", "{{ lipsum.__globals__.keys()|list }}")
    for address in ("/p/Echo/", "/p/Echo/teapot", f"/p/{seen.name}/", "/p/Absent/"):
        answer = client.get(address, headers={"authorization": "Bearer none"})
        assert not answer.cookies
        assert "Cookie" not in answer.get("Vary", "")
        assert answer["X-Content-Type-Options"] == "nosniff"
        policy = dict(
            part.strip().partition(" ")[::2]
            for part in answer["Content-Security-Policy"].split(";")
        )
        assert policy["sandbox"] == "allow-scripts allow-forms"
        assert policy["default-src"] == "'none'"
        base = f"http://testserver{'/'.join(address.split('/')[:3])}/"
        assert policy["connect-src"] == policy["form-action"] == base
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Credentials" not in answer


def test_pages_may_have_a_host_of_their_own(
    client: Client, echo: Function, settings: Settings
) -> None:
    settings.PAGES_HOST, settings.ALLOWED_HOSTS = "pages.example", ["*"]
    moved = client.post("/p/Echo/a?b=c", {"d": "e"})
    address = "http://pages.example/p/Echo/a?b=c"
    assert (moved.status_code, moved["Location"]) == (307, address)
    there: dict[str, Any] = {"headers": {"host": "pages.example"}}
    assert client.get("/p/Echo/", **there).status_code == 200
    assert client.get("/p/client.js", **there).status_code == 200
    for path in ("/", "/accounts/login/", "/api/v1/functions/", "/staff/"):
        assert client.get(path, **there).status_code == 404


@pytest.mark.parametrize(
    ("template", "says", "line"),
    [
        ("<p>\n{{ 1 / 0 }}\n", "ZeroDivisionError", 2),
        pytest.param(
            "{% for i in range(10**8) %}{% for i in range(10**8) %}{% endfor %}{% endfor %}",
            "are allowed|the limit for one run",  # on a busy machine, time passes first
            0,
            marks=pytest.mark.slow,
        ),
        ("\n{{ 'x' * 2_000_000 }}", "bytes of JSON", 0),
        ("{{ 'x' * 10**12 }}", "memory", 0),
    ],
)
def test_a_failure_tells_visitors_nothing_and_the_author_where(
    client: Client, echo: Function, template: str, says: str, line: int
) -> None:
    page = page_of("Faulty", template)
    answer = client.get("/p/Faulty/")
    assert answer.status_code == 500
    assert "This page failed" in answer.content.decode()
    assert "Error:" not in answer.content.decode()
    assert "sandbox" in answer["Content-Security-Policy"]
    assert page.elected
    seen = client.get(preview_url(page.elected)).content.decode()
    assert re.search(says, seen)
    if line:
        assert f"<mark>{line}  {{{{ 1 / 0 }}}}</mark>" in seen


FORGE = """
import sys

def Forge(value):
    frame = sys._getframe()
    while "template" not in frame.f_locals:
        frame = frame.f_back
    result = {"verdict": "passed", "message": "", "module": None, "line": None, "trace": []}
    template, content = frame.f_locals["template"], frame.f_locals["content"]
    template.output.result({**result, "value": value}, content["token"])
    while True: pass
"""


@pytest.mark.parametrize(
    "value", ["none", "[]", '[200, "text/html", "", 5, none, []]', '[42, "", "", "", none, []]']
)
def test_an_answer_that_a_page_s_function_forged_is_a_failure_unless_it_is_a_page(
    client: Client, echo: Function, value: str
) -> None:
    forge = implemented("Forge", FORGE)
    page = page_of("Forged", f"{{# <<Forge>> #}}{{{{ Forge({value}) }}}}", forge)
    answer = client.get("/p/Forged/")
    assert answer.status_code == 500
    assert "This page failed" in answer.content.decode()
    assert page.elected
    assert "gave what is no page" in client.get(preview_url(page.elected)).content.decode()


def test_a_draft_is_previewed_at_an_address_of_its_author_s(client: Client, echo: Function) -> None:
    greeting = implemented("Greeting", GREETING)
    function = make.function("Home", kind="page")
    draft = start_draft(actor=function.owner, function=function, model=Implementation, code=HOME)
    address = preview_url(draft)
    assert "Hello, you" in client.get(address).content.decode()
    assert "Hello, Ada" in client.get(f"{address}deep/?name=Ada").content.decode()
    draft.code = "<<Greeting>> {# <<Absent>> #}"
    draft.save()
    assert client.get(address).status_code == 404
    assert client.get(reverse("page", args=["Home", ""])).status_code == 409
    assert client.get(address.replace("~", "~x")).status_code == 404
    assert greeting.elected


def test_visits_count_for_the_owner_and_are_limited(
    client: Client,
    echo: Function,
    settings: Settings,
    limits: None,  # noqa: F811
) -> None:
    settings.CALLS_PER_DAY = 2
    answers = [client.get(f"/p/Echo/{number}") for number in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "sandbox" in answers[2]["Content-Security-Policy"]
    assert not answers[1].cookies


def test_a_page_is_opened_from_that_of_its_function(client: Client, echo: Function) -> None:
    client.force_login(make.user("caller"))
    shown = client.get("/functions/Echo/").content.decode()
    assert 'href="/functions/Echo/open/"' in shown
    assert "/p/~" not in shown
    assert client.get("/functions/Echo/export/").status_code == 409  # it needs the site
    client.force_login(echo.owner)
    assert "/p/~" in client.get("/functions/Echo/").content.decode()


@pytest.mark.parametrize(
    ("repeated", "path", "calls"),
    [
        pytest.param({}, "/p/Echo/a?q=1", 1, id="the same"),
        pytest.param({"method": "HEAD"}, "/p/Echo/a?q=1", 1, id="without a body"),
        pytest.param({}, "/p/Echo/a?q=2", 2, id="another query"),
        pytest.param({}, "/p/Echo/b?q=1", 2, id="another path"),
        pytest.param({"HTTP_ACCEPT": "application/json"}, "/p/Echo/a?q=1", 2, id="data"),
        pytest.param({"method": "POST"}, "/p/Echo/a?q=1", 2, id="a form"),
    ],
)
def test_the_same_request_is_rendered_once_for_a_while(
    client: Client,
    echo: Function,
    monkeypatch: pytest.MonkeyPatch,
    repeated: dict[str, Any],
    path: str,
    calls: int,
) -> None:
    monkeypatch.setattr("functions.calls.page.KEEP_SECONDS", 600)
    first = client.get("/p/Echo/a?q=1")
    answer = client.generic(**{"method": "GET", "path": path, **repeated})
    assert (answer.content == first.content) == (calls == 1 and "method" not in repeated)
    assert _calls_of(echo) == calls
    newer = make.implementation(echo, code="changed", generated="{#page#}changed")
    newer.source_sha256 = source_hash("{#page#}changed")
    newer.save(update_fields=["source_sha256"])
    make.elect(newer)
    assert client.get("/p/Echo/a?q=1").content == b"changed"


def test_a_page_is_rendered_anew_for_its_request_id_and_after_a_while(
    client: Client, echo: Function, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = page_of("Dice", "{{ request_id }}")
    assert client.get("/p/Dice/").content != client.get("/p/Dice/").content
    assert _calls_of(dice) == 2
    monkeypatch.setattr("functions.calls.page.KEEP_SECONDS", 0)
    for _ in range(2):
        client.get("/p/Echo/")
    assert _calls_of(echo) == 2


def _calls_of(function: Function) -> float:
    return read_use(function.owner_id, [CALLS])[CALLS.name].used
