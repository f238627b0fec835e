"""Badges and cards of functions, for other sites."""

from io import BytesIO

import pytest
from django.test import Client
from PIL import Image

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


def test_a_picture_shows_the_results(client: Client, add: Function) -> None:
    answer = client.get("/functions/Add/picture.png")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "public, max-age=300")
    picture = Image.open(BytesIO(answer.content))
    assert picture.size == (1200, 630)
    # The square of the only result, and beside it nothing.
    assert picture.getpixel((68, 250)) == (0xD5, 0xEC, 0xDC)
    assert picture.getpixel((200, 270)) == (0xFB, 0xFB, 0xF8)
    page = client.get("/functions/Add/").content.decode()
    assert "http://testserver/functions/Add/picture.png" in page
    assert client.get("/functions/Nowhere/picture.png").status_code == 404


def test_a_picture_has_room_for_any_name_and_signature(client: Client) -> None:
    make.function("A" * 80, signature=f"({', '.join(f'argument_{n}: int' for n in range(24))})")
    assert client.get(f"/functions/{'A' * 80}/picture.png").status_code == 200
