"""Every page, operation and topic, tried as each role, does what docs/roles.md promises."""

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver

from runner.registry import may_follow
from tests.support import builders as make
from tests.support.roles import (
    DJANGOS,
    ROLES,
    Entry,
    World,
    api_entries,
    page_entries,
    patterns,
    promised,
    topic_kinds,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WORDS = {401: "sign in", 403: "no", 404: "hidden", 409: "rule", 422: "rule"}
REFUSED = ("405", "sign in", "no")
# In these tests there is no process for calls, and the documentation may not be built.
UNAVAILABLE = {
    *("POST try-function", "POST functions/<name>/call/", "POST functions/<name>/check/"),
    *("GET page", "POST page"),
    *("GET page-preview", "POST page-preview", "GET page-visit", "POST page-visit"),
    *("GET documentation", "GET document"),
}


def word_for(entry: Entry, answer: HttpResponse) -> str:
    status = answer.status_code
    if status == 302 and answer["Location"].startswith("/accounts/login/"):
        return "sign in"
    if status < 400 or (status == 503 and entry.name in UNAVAILABLE):
        return "yes"
    return WORDS.get(status, str(status))


@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_the_table_says_and_nothing_else(role: str) -> None:
    world = World(role)
    table = {name: roles[role] for _, name, roles in promised()}
    found = {entry.name: word_for(entry, world.request(entry)) for entry in entries()}
    for kind in topic_kinds():
        found[f"topic {kind}"] = "yes" if may_follow(*world.followed(kind)) else "no"
    # What isn't in the table is a method that the page doesn't take, if it gets that far.
    unlisted = {name: found.pop(name) for name in found.keys() - table.keys()}
    assert {name: word for name, word in unlisted.items() if word not in REFUSED} == {}
    differing = {name: (table[name], word) for name, word in found.items() if table[name] != word}
    assert differing == {}
    assert found.keys() == table.keys()


def entries() -> list[Entry]:
    return [*api_entries(), *page_entries()]


def test_djangos_own_pages_are_for_staff_only() -> None:
    routes = [route for route, name, _ in patterns(get_resolver()) if name.startswith(DJANGOS)]
    addresses = {f"/{route}" for route in routes if not set("<(") & set(route)}
    open_to_all = {"/staff/login/", "/staff/logout/", "/staff/jsi18n/"}
    assert len(addresses) > 10
    for actor in (None, make.user("member")):
        client = Client()
        if actor:
            client.force_login(actor)
        seen = {one for one in addresses if client.get(one).status_code == 200}
        assert seen <= open_to_all
