"""Wherever code is shown, what its markers bring are links, and each leads to a card."""

import re

import pytest
from django.test import Client

from functions.models import AcceptanceTest, Function, Implementation, Test
from runner.models import Source
from tests.support import builders as make
from tests.support.pages import Rows, addresses

pytestmark = pytest.mark.django_db

CODE = "# <<Used0>>\nx = Used0(1)\n"
BLOCK = re.compile(r'<pre\b.*?</pre>|<table class="diff.*?</table>', re.DOTALL)
USE = re.compile(r'<a class="use" data-status="\w+" href="/functions/Used0/"[^>]*>Used0</a>\(')
# Pages that certainly show code, each in another way; all others that do are found.
SHOWN = (
    *("/functions/Crowd/", "/functions/Crowd/cards/", "/acceptance-tests/", "/comments/"),
    *("/results/", "/implementations/", "/drafts/implementation/"),
)


def fill_with_code(rows: Rows) -> None:
    """Have all code of the site mark and use one name."""
    used = Function.objects.get(name="Used0")
    works = Implementation.objects.exclude(function__kind="document")
    works.update(code=CODE)
    works.filter(pk=rows.work.pk).update(code=f"{CODE}y = 1\n")
    for rows_of in (Test.objects, AcceptanceTest.objects):
        rows_of.update(code=CODE)
    for work in works.exclude(dependencies__name_key="used0"):
        make.dependency(work, "Used0", used)
    for test in Test.objects.all():
        make.dependency(test, "Used0", used)
    AcceptanceTest.objects.update(names=["used0"])
    Source.objects.update(text=CODE)
    rows.comment.text = f"```\n{CODE}```"
    rows.comment.save()


def test_code_has_links_on_every_page_that_shows_it() -> None:
    rows, client = Rows(make.user("reader")), Client()
    rows.grow(2)
    fill_with_code(rows)
    client.force_login(rows.reader)
    bare, linked = {}, set()
    for address in (*addresses(rows), f"/functions/Crowd/cards/?open=I{rows.work.number}"):
        answer = client.get(address)
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        for block in BLOCK.findall(answer.content.decode()):
            text = re.sub(r"<[^>]*>", "", USE.sub("", block))
            if re.search(r"\bUsed0\(", text):
                bare[address] = text[:200]
            elif USE.search(block):
                linked.add(address)
    assert bare == {}
    for start in SHOWN:
        assert any(address.startswith(start) for address in linked), (start, linked)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Add", ["Add", "(a, b)", "Implemented", "The sum.", "Owner olga", "1 test", "score 3"]),
        ("add", ["<b>Add</b>"]),
        ("Gone", ["Does not exist", "1 function uses it"]),
    ],
)
def test_a_card_says_what_there_is_to_a_name(
    django_assert_max_num_queries: object, name: str, said: list[str]
) -> None:
    olga = make.user("olga")
    add = make.function(
        "Add", owner=olga, signature="(a, b)", description="The *sum*.\n\nMore.", dependents=2
    )
    work = make.implementation(add, score=3)
    make.elect(work)
    make.test_of(add)
    make.dependency(work, "Gone", None)
    with django_assert_max_num_queries(2):  # type: ignore[operator]
        answer = Client().get(f"/functions/{name}/summary/")
    shown = answer.content.decode()
    text = " ".join(re.sub(r"<(?!/?b>)[^>]*>", "", shown).split())
    assert [part for part in said if part not in text] == []
    assert answer.headers["Cache-Control"] == "private, max-age=60"
    assert "<a" not in shown  # it is a tooltip


def test_what_is_no_name_has_no_card() -> None:
    assert Client().get("/functions/1x/summary/").status_code == 404
