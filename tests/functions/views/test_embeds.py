"""Badges and cards of functions, for other sites."""

import pytest
from django.test import Client

from functions.models import Function
from tests.support import builders as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def add() -> Function:
    function = make.function(
        "Add", signature="(a: int, b: int) -> int", description="The sum & so."
    )
    Function.objects.update(description="The sum & so.")
    work, test = make.implementation(function), make.test_of(function, counts=True)
    make.cell(work, test, "passed")
    make.elect(work)
    function.refresh_from_db()
    return function


def test_a_badge_says_how_a_function_stands(client: Client, add: Function) -> None:
    answer = client.get("/functions/Add/badge.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "public, max-age=60"
    assert 'aria-label="Add: 1 of 1 passed"' in answer.content.decode()
    for status, words in (("blocked", "broken dependency"), ("not_implemented", "wanted")):
        Function.objects.update(status=status)
        assert f"Add: {words}" in client.get("/functions/Add/badge.svg").content.decode()
    assert client.get("/functions/Nowhere/badge.svg").status_code == 404


def test_a_card_is_shown_in_frames_of_other_sites_and_nothing_else_is(
    client: Client, add: Function
) -> None:
    answer = client.get("/functions/Add/embed/")
    card = answer.content.decode()
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert "The sum &amp; so." in card
    assert 'action="/functions/Add/#try"' in card
    page = client.get("/functions/Add/")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_a_functions_page_says_what_link_previews_show(client: Client, add: Function) -> None:
    page = client.get("/functions/Add/").content.decode()
    assert '<meta property="og:title" content="Add(a: int, b: int) -&gt; int">' in page
    assert "The sum &amp; so. 1 implementation, 1 test: implemented." in page
    assert "http://testserver/functions/Add/badge.svg" in page
