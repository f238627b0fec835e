"""The API's description, as a page and for machines; and that answers are as described."""

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client

from functions.api.docs import forms, operations, type_of
from functions.api.scopes import SCOPES, scope_of
from functions.models import Function
from runner.models import Task
from socialcode.api import api
from tests.functions.api.conftest import API, Caller
from tests.functions.api.test_works import begin
from tests.support import builders as make
from tests.support.roles import api_entries

PROMISED = {
    *((method, "/tokens/") for method in ("GET", "POST")),
    ("DELETE", "/tokens/{id}/"),
    ("GET", "/functions/"),
    ("POST", "/functions/"),
    ("GET", "/functions/{name}/graph/"),
    ("GET", "/functions/{name}/application/"),
    ("POST", "/functions/{name}/run-again/"),
    ("GET", "/functions/{name}/"),
    ("GET", "/functions/{name}/export/"),
    ("GET", "/functions/{name}/releases/"),
    ("GET", "/functions/{name}/releases/changes/"),
    ("GET", "/functions/{name}/export/{filename}"),
    ("POST", "/functions/{name}/call/"),
    ("POST", "/functions/{name}/check/"),
    ("POST", "/functions/{name}/implementations/"),
    ("POST", "/functions/{name}/tests/"),
    *(("GET", f"/functions/{{name}}/{noun}/") for noun in ("implementations", "tests")),
    *(("GET", f"/{noun}/{{id}}/") for noun in ("implementations", "tests")),
    ("GET", "/drafts/"),
    *(
        (method, f"/{noun}/{{id}}/")
        for noun in ("implementations", "tests")
        for method in ("PATCH", "PUT")
    ),
    *(("POST", f"/{noun}/{{id}}/run/") for noun in ("implementations", "tests")),
    *(("POST", f"/{noun}/{{id}}/publish/") for noun in ("implementations", "tests")),
    *(("PUT", f"/{noun}/{{id}}/vote/") for noun in ("implementations", "tests")),
    ("POST", "/functions/{name}/preview/"),
    *(("POST", f"/{noun}/{{id}}/preview/") for noun in ("implementations", "tests")),
    ("GET", "/previews/{id}/"),
    ("POST", "/previews/{id}/tell/"),
    *(
        (method, f"/{on}/comments/")
        for on in ("functions/{name}", "implementations/{id}", "tests/{id}")
        for method in ("GET", "POST")
    ),
    *((method, "/comments/{id}/") for method in ("GET", "PATCH", "DELETE")),
    *((method, "/comments/{id}/replies/") for method in ("GET", "POST")),
    *(("POST", f"/comments/{{id}}/{act}/") for act in ("hide", "show")),
    ("PUT", "/comments/{id}/vote/"),
    ("POST", "/imports/"),
    ("POST", "/imports/preview/"),
    ("GET", "/acceptance-tests/"),
    ("POST", "/acceptance-tests/"),
    ("GET", "/acceptance-tests/{id}/"),
    ("PATCH", "/acceptance-tests/{id}/"),
    *(("POST", f"/acceptance-tests/{{id}}/{act}/") for act in ("publish", "withdraw")),
    ("GET", "/documents/"),
    *((method, "/documents/{name}/") for method in ("GET", "PUT", "PATCH")),
    ("GET", "/documents/{name}/versions/"),
    ("GET", "/documents/{name}/versions/{number}/"),
    ("POST", "/documents/{name}/versions/{number}/restore/"),
    *((method, "/document-templates/") for method in ("GET", "POST")),
    *((method, "/document-templates/{name}/") for method in ("GET", "PUT", "DELETE")),
    ("POST", "/document-templates/{name}/apply/"),
    ("GET", "/batches/"),
    ("GET", "/batches/{id}/"),
    *(("POST", f"/batches/{{id}}/{act}/") for act in ("cancel", "retry", "run-again")),
    ("GET", "/tasks/"),
    ("GET", "/tasks/{id}/"),
    ("GET", "/results/{key}/"),
    ("GET", "/results/{key}/compare/{other}/"),
    ("POST", "/results/{key}/run-again/"),
    *(("GET", f"/functions/{{name}}/{what}/") for what in ("why", "elections", "revisions")),
    ("GET", "/functions/{name}/revisions/{id}/"),
    ("POST", "/functions/{name}/revisions/{id}/restore/"),
    *(("GET", f"/{noun}/{{id}}/diff/") for noun in ("implementations", "tests")),
    ("GET", "/topics/{topic}/events"),
    ("PATCH", "/functions/{name}/"),
    ("DELETE", "/functions/{name}/"),
    *(("DELETE", f"/{noun}/{{id}}/") for noun in ("implementations", "tests")),
    *(("POST", f"/functions/{{name}}/{act}/") for act in ("archive", "unarchive", "rename")),
    *((method, "/functions/{name}/offer/") for method in ("PUT", "DELETE")),
    *(("POST", f"/functions/{{name}}/{act}/") for act in ("offer/accept", "transfer", "flag")),
    ("GET", "/functions/{name}/log/"),
    *(("POST", f"/{noun}/{{id}}/withdraw/") for noun in ("implementations", "tests")),
    *(("PUT", f"/{noun}/{{id}}/verdict/") for noun in ("implementations", "tests")),
    *(("POST", f"/{noun}/{{id}}/flag/") for noun in ("implementations", "tests", "comments")),
    ("GET", "/flags/"),
    *(("GET", f"/staff/{what}/") for what in ("flags", "audit", "suspensions")),
    ("POST", "/staff/flags/{id}/resolve/"),
    *((method, "/accounts/{username}/suspension/") for method in ("PUT", "DELETE")),
    ("GET", "/notifications/"),
    ("POST", "/notifications/read/"),
    *((method, "/notifications/digest/") for method in ("GET", "PUT")),
    ("GET", "/watches/"),
    *((method, "/watches/{name}/") for method in ("GET", "PUT")),
    *((method, "/webhooks/") for method in ("GET", "POST")),
    *((method, "/webhooks/{id}/") for method in ("GET", "PATCH", "DELETE")),
    *(("POST", f"/webhooks/{{id}}/{act}/") for act in ("secret", "ping")),
    ("GET", "/webhooks/{id}/deliveries/"),
    ("POST", "/webhooks/{id}/deliveries/{delivery}/resend/"),
    ("GET", "/people/{username}/"),
    ("GET", "/people/{username}/activity/"),
    *(("POST", f"/people/{{username}}/{act}/") for act in ("flag", "clear")),
    *((method, "/people/{username}/watch/") for method in ("GET", "PUT")),
    *((method, "/profile/") for method in ("GET", "PUT")),
    *((method, "/agents/") for method in ("GET", "POST")),
    ("GET", "/account/export/"),
    ("PUT", "/account/username/"),
    ("POST", "/account/deletion/"),
    ("POST", "/agents/{username}/token/"),
    ("DELETE", "/agents/{username}/"),
    *((method, "/account/agent-label/") for method in ("PUT", "DELETE")),
    *((method, "/accounts/{username}/agent-label/") for method in ("PUT", "DELETE")),
    ("GET", "/watched-people/"),
    *((method, "/canaries/") for method in ("GET", "POST")),
    *((method, "/canaries/{id}/") for method in ("GET", "PUT", "DELETE")),
    ("GET", "/canaries/{id}/changes/"),
    ("GET", "/votes/"),
    ("GET", "/votes/history/"),
    ("GET", "/wanted/"),
    ("GET", "/help-wanted/"),
    ("GET", "/use/"),
    ("GET", "/accounts/{username}/use/"),
    ("PUT", "/accounts/{username}/quotas/{resource}/"),
    ("POST", "/functions/{name}/clone/"),
    *((method, "/collections/") for method in ("GET", "POST")),
    *((method, "/views/") for method in ("GET", "POST")),
    *((method, "/views/{name}/") for method in ("GET", "DELETE")),
    *((method, "/collections/{name}/") for method in ("GET", "PATCH", "DELETE")),
    *((method, "/collections/{name}/items/") for method in ("GET", "POST")),
    *((method, "/collections/{name}/items/{id}/") for method in ("GET", "PUT", "PATCH", "DELETE")),
}


@pytest.fixture
def schema() -> dict[str, Any]:
    described: dict[str, Any] = Client().get(f"{API}/openapi.json").json()
    return described


class Page(HTMLParser):
    """Gathers a page's ids, links and what it loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.inline: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif "src" in given or (tag == "link" and "href" in given):
            self.loaded.append(given.get("src") or given["href"])
        elif tag in ("script", "style"):
            self.inline.append(tag)
        if "style" in given or any(name.startswith("on") for name in given):
            self.inline.append(tag)


def test_every_promised_operation_is_described(schema: dict[str, Any]) -> None:
    described = {(one.method, one.path.removeprefix(API)) for one in operations(schema)}
    assert described == PROMISED


def test_every_operation_says_how_it_may_fail(schema: dict[str, Any]) -> None:
    for operation in operations(schema):
        assert operation.answers, operation.id
        assert "503" in operation.failures, operation.id
        assert ("401" in operation.failures) >= operation.needs_somebody, operation.id
        # Some of what is read is one's own, or staff's.
        is_reading = operation.method == "GET"
        assert is_reading or operation.needs_somebody or operation.id == "create_token"


def test_every_operation_needs_one_scope(schema: dict[str, Any]) -> None:
    described = operations(schema)
    scopes = {f"{one.method} {one.path.removeprefix(f'{API}/')}": one.scope for one in described}
    assert [one for one, scope in scopes.items() if scope not in SCOPES] == []
    assert set(scopes.values()) == set(SCOPES)
    # And as it is looked up when a request comes, by route.
    by_route = {
        re.sub(r"<(?:[a-z]+:)?([a-z]+)>", r"{\1}", entry.name): scope_of(*entry.name.split(" ", 1))
        for entry in api_entries()
    }
    assert scopes == by_route


def test_operations_have_names_of_their_own(schema: dict[str, Any]) -> None:
    names = [operation.id for operation in operations(schema)]
    assert len(names) == len(set(names))


def test_the_page_describes_all_of_it_and_loads_nothing_from_elsewhere(
    db: None, schema: dict[str, Any]
) -> None:
    response = Client().get(f"{API}/docs")
    assert response.status_code == 200
    page = Page(response.content.decode())
    assert len(page.ids) == len(set(page.ids))
    assert all(url.startswith("/static/") for url in page.loaded), page.loaded
    assert page.inline == []
    for target in (link.removeprefix("#") for link in page.links if link.startswith("#")):
        assert target in page.ids, target
    assert {one.id for one in operations(schema)} <= set(page.ids)
    assert {f"form-{one.name}" for one in forms(schema)} <= set(page.ids)
    assert "invalid_marker" in page.ids


def conforms(value: Any, spec: dict[str, Any], schema: dict[str, Any], at: str) -> None:
    """Check a value against a JSON schema, as far as ours go; no field may be undescribed."""
    if "$ref" in spec:
        spec = schema["components"]["schemas"][spec["$ref"].rsplit("/", 1)[-1]]
    if "anyOf" in spec:
        spec = spec["anyOf"][1 if value is None else 0]
        return conforms(value, spec, schema, at)
    kinds: dict[str, Any] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
        "array": list,
        "object": dict,
    }
    assert isinstance(value, kinds[spec["type"]]), f"{at}: {value!r} is no {type_of(spec)}"
    assert not (isinstance(value, bool) and spec["type"] != "boolean"), at
    if spec.get("format") == "date-time":
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value), f"{at}: {value}"
    if isinstance(value, list):
        for number, item in enumerate(value):
            conforms(item, spec["items"], schema, f"{at}[{number}]")
    if isinstance(value, dict) and "properties" in spec:
        assert value.keys() == spec["properties"].keys(), at
        for name, item in value.items():
            conforms(item, spec["properties"][name], schema, f"{at}.{name}")
    return None


def test_answers_are_as_described(
    mira: Caller, otto: Caller, add: Function, schema: dict[str, Any]
) -> None:
    work, test = make.implementation(add, cpu_us=5), make.test_of(add)
    make.cell(work, test, "passed")
    make.dependency(work, "Gone", None)
    execution = make.execution(verdict="failed")
    batch = make.batch(add.topic, execution)
    make.attempt(execution, 1, "failed", at=batch.created_at, error="It broke")
    waiting = make.batch(add.topic, make.execution(verdict=""), owner=mira.user)
    task = Task.objects.get(batch=batch)
    draft = begin(mira, "implementations")
    mira.post("/collections/", {"name": "Wares"})
    items = "/collections/Wares/items/"
    item = mira.post(items, {"a": 1}).json()["id"]
    answers = [
        ("GET", "/collections/", mira.get("/collections/")),
        ("GET", "/collections/{name}/items/", mira.get(items)),
        ("PATCH", "/collections/{name}/items/{id}/", mira.patch(f"{items}{item}/", {"a": 2})),
        ("GET", "/functions/", mira.get("/functions/")),
        ("GET", "/functions/{name}/", mira.get("/functions/Add/")),
        ("GET", "/batches/{id}/", mira.get(f"/batches/{batch.pk}/")),
        ("GET", "/batches/", mira.get("/batches/?limit=1")),
        ("GET", "/batches/", mira.get("/batches/?cursor=x")),
        ("GET", "/tasks/", mira.get("/tasks/?limit=1")),
        ("GET", "/tasks/{id}/", mira.get(f"/tasks/{task.pk}/")),
        (
            "POST",
            "/batches/{id}/cancel/",
            mira.post(f"/batches/{waiting.pk}/cancel/"),
        ),
        (
            "POST",
            "/batches/{id}/cancel/",
            mira.post(f"/batches/{batch.pk}/cancel/"),
        ),
        ("GET", "/results/{key}/", mira.get(f"/results/{bytes(execution.key).hex()}/")),
        ("GET", "/topics/{topic}/events", mira.get(f"/topics/{add.topic}/events")),
        ("GET", "/people/{username}/", mira.get("/people/mira/")),
        ("GET", "/people/{username}/activity/", mira.get("/people/mira/activity/")),
        ("GET", "/wanted/", mira.get("/wanted/")),
        ("GET", "/help-wanted/", mira.get("/help-wanted/")),
        ("GET", "/functions/{name}/", mira.get("/functions/Missing/")),
        ("POST", "/functions/", mira.post("/functions/", {"name": "class"})),
        ("POST", "/functions/", mira.post("/functions/", {"name": "Halve"})),
        ("POST", "/functions/{name}/tests/", mira.post("/functions/Add/tests/", {"code": "1"})),
        *(
            (method, f"/implementations/{{id}}{path}", response)
            for method, path, response in (
                ("PATCH", "/", mira.patch(f"/implementations/{draft['id']}/", {"title": "x"})),
                ("POST", "/run/", mira.post(f"/implementations/{draft['id']}/run/")),
                ("POST", "/publish/", mira.post(f"/implementations/{draft['id']}/publish/")),
                ("POST", "/publish/", mira.post(f"/implementations/{draft['id']}/publish/")),
                ("PUT", "/vote/", otto.put(f"/implementations/{work.pk}/vote/", {"value": 1})),
            )
        ),
    ]
    for method, path, response in answers:
        described = schema["paths"][f"{API}{path}"][method.lower()]["responses"]
        content_type = response["Content-Type"].partition(";")[0]
        spec = described[str(response.status_code)]["content"][content_type]["schema"]
        conforms(response.json(), spec, schema, f"{method} {path} {response.status_code}")


def test_the_description_is_made_of_the_routes_in_use(schema: dict[str, Any]) -> None:
    assert schema["info"]["title"] == api.title
    assert schema["info"]["version"] == "1"
