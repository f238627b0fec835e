"""Every address that takes what is written has a limit, of which the manual tells the truth."""

import re
from collections.abc import Iterator
from inspect import getclosurevars, isfunction
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from functions.people.quotas import RESOURCES
from functions.rate_limits import Limit
from functions.request_limits import (
    EXEMPT,
    LIMITS,
    OTHER,
    SECOND,
    limit_of_call,
    limit_of_page,
)
from runner.quotas import Resource
from socialcode.accounts.security.guesses import CODES, PASSWORDS, GuessLimits
from socialcode.throttle import READING, each, spoken

MANUAL = Path(__file__).resolve().parents[2] / "docs/limits.md"
API = "api/v1/"
# What stands for a variable part of an address, by its kind; nothing is there.
SOMETHING = {
    "int": "1",
    "noun": "implementation",
    "votable": "implementation",
    "key": "0" * 64,
    "short_key": "0" * 16,
}


def routes(resolver: Any, before: str = "", space: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield each address with its name and its view."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from routes(pattern, route, inner)
        elif isinstance(pattern, URLPattern):
            yield route, f"{space}{pattern.name or ''}", pattern.callback


def pages() -> list[tuple[str, str]]:
    """Return the addresses of pages with their names; staff's are counted as a whole."""
    found = routes(get_resolver())
    return [
        (route, name)
        for route, name, _ in found
        if not route.startswith(API) and not name.startswith(("admin:", "django_rq:"))
    ]


def calls() -> dict[str, Any]:
    """Return what the API takes that isn't reading."""
    return {
        f"{method} {route.removeprefix(API)}": operation
        for route, _, view in routes(get_resolver())
        if route.startswith(API) and isfunction(view)
        for operation in getattr(getclosurevars(view).nonlocals.get("self"), "operations", ())
        for method in operation.methods
        if method not in READING
    }


def takes_writing(browser: Client, route: str) -> bool:
    part = re.compile(r"<(?:(\w+):)?\w+>")
    path = part.sub(lambda found: SOMETHING.get(found[1] or "", "x"), route)
    return browser.post(f"/{path}").status_code != 405


def test_every_page_that_takes_a_post_has_its_limit_or_is_exempt_for_a_reason(db: None) -> None:
    browser, staff = Client(raise_request_exception=False), User.objects.create_superuser("sam")
    lacking, taking = [], set()
    for route, name in pages():
        browser.force_login(staff)
        if takes_writing(browser, route):
            taking.add(name)
            if limit_of_page(name) is OTHER:
                lacking.append(f"{name}: /{route}")
    assert lacking == []
    listed = {page for limit in LIMITS for page in limit.pages} | set(EXEMPT)
    assert {name for name in listed if ":" not in name} == taking
    assert all(EXEMPT.values())


def test_every_operation_of_the_api_that_writes_has_its_limit() -> None:
    listed = [call for limit in LIMITS for call in limit.api]
    assert sorted(listed) == sorted(calls())
    silent = [call for call, operation in calls().items() if 429 not in operation.response_models]
    assert silent == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("admin:login", "acts of staff"),
        ("admin:logout", None),
        ("admin:auth_user_change", "acts of staff"),
        ("django_rq:actions", "acts of staff"),
        ("a page of tomorrow", "other writes"),
    ],
)
def test_staff_have_one_limit_for_all_and_what_is_unknown_has_one_too(
    name: str, expected: str | None
) -> None:
    limit = limit_of_page(name)
    assert (limit.what if limit else None) == expected
    assert limit_of_call("POST", "unheard/of/") is OTHER


def row_of(limit: Limit) -> str:
    def often(rate: Any) -> str:
        return f"{rate.tries:,} {each(rate.seconds)}" if rate else "no account yet"

    what = ", ".join(f"`{one}`" for one in (*limit.pages, *limit.api))
    user = often(limit.user) + (
        f"; without an account {limit.visitor.tries}" if limit.visitor else ""
    )
    agent = often(limit.agent) if limit.agent else "–"
    return f"| {limit.what} | {user} | {agent} | {often(limit.address)} | {what} |"


def quota_row(resource: Resource) -> str:
    name = f"`SOCIALCODE_{resource.setting}`"
    return f"| {resource.label} | {name}, {resource.default_limit:,} |"


def guesses_row(limits: GuessLimits) -> str:
    said = [
        f"{one.guesses}, then one every {one.drain.total_seconds():.0f} seconds"
        for one in (limits.name_from_address, limits.address, limits.name)
    ]
    return f"| {limits.secret}s | {' | '.join(said)} |"


def test_the_manual_has_the_table_and_nothing_else() -> None:
    expected = [row_of(limit) for limit in (*LIMITS, OTHER)]
    expected += [
        f"| {what} | {rate.tries:,} {each(rate.seconds)} |" for what, rate in SECOND.items()
    ]
    expected += [guesses_row(limits) for limits in (PASSWORDS, CODES)]
    expected += [quota_row(resource) for resource in RESOURCES.values()]
    expected += [f"| `{name}` | {why} |" for name, why in EXEMPT.items()]
    rows = [line for line in MANUAL.read_text("utf-8").splitlines() if line.startswith("| ")]
    heads = [
        row
        for row in rows
        if row.startswith(("| action", "| what", "| guesses at", "| quota", "| page"))
    ]
    assert len(heads) == 5
    # What follows a quota is in words.
    rows = [re.sub(r"(_PER_\w+`, [\d,]+ \|).*", r"\1", row) for row in rows]
    assert [row for row in rows if row not in heads] == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(1, "1 second"), (59, "59 seconds"), (60, "1 minute"), (61, "2 minutes"), (3600, "1 hour")],
)
def test_times_are_said_as_people_say_them(seconds: int, expected: str) -> None:
    assert spoken(seconds) == expected
