"""A draft, its runs, its records and its previews are not there for anybody but their author.

Every address and every verb that takes a number or key is tried, found from the addresses, with
what is somebody else's and with what is not there: nobody can tell one from the other.
"""

import json
import re
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from functions.models import AcceptanceTest, Implementation, Preview, Test, Work
from runner.models import Batch, Execution, Task
from runner.registry import may_follow
from runner.states import State
from tests.support import builders as make
from tests.support.pages import routes

pytestmark = pytest.mark.django_db

NUMBERED = (Implementation, Test, AcceptanceTest, Preview, Batch, Task)
VERBS = ("get", "post", "put", "patch", "delete")
NOWHERE, NO_KEY = 987_654_321, "ab" * 32
# Beside each address with a number: what is asked for by a query.
SECRET = "the_secret_of_mira"
# What can be sent to any form, and to each address of the API.
FORM = {
    "value": "1",
    "verdict": "accept",
    "change": "withdraw",
    "code": "x = 1",
    "title": "t",
    "reason": "It is spam.",
    "text": "Hello.",
    "version": "1",
}
BODIES: tuple[tuple[str, Any], ...] = (
    (r"/vote/$", {"value": 1}),
    (r"/verdict/$", {"acceptable": True}),
    (r"/flag/$", {"reason": "It is spam."}),
    (r"/comments/$", {"text": "Hello."}),
    (r"/preview/$", {"change": "publish"}),
    (r"/preview/$", {"change": "withdraw"}),
    (r"/preview/$", {"change": "accept"}),
    (r"\d/$", {"code": "x = 1"}),
    (r"", None),
)


class Drafts:
    """What mira has begun, and had run and foretold for herself."""

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            for first, model in enumerate(NUMBERED, 1):
                # Numbers that nothing else in a page is taken for.
                table, at = model._meta.db_table, first * 100_000_000
                cursor.execute("select setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, at])
        self.mira, self.otto = make.user("mira"), make.user("otto")
        self.add = make.function("Add", owner=self.otto)
        code = f"{SECRET} = 1"
        kept = {"author": self.mira, "state": "draft", "title": SECRET, "code": code}
        self.implementation = make.implementation(self.add, **kept)
        self.test = make.test_of(self.add, **kept)
        self.shown = make.implementation(self.add, author=self.mira)
        self.acceptance = AcceptanceTest.objects.create(
            **{**kept, "function": self.add, "target": make.function("Multiply")}
        )
        self.execution = make.execution(code)
        self.other = make.execution()
        make.batch("function:1", self.other)
        topic = f"draft:implementation-{self.implementation.pk}"
        self.batch = make.batch(topic, self.execution, owner=self.mira, private=True)
        self.task = Task.objects.get(batch=self.batch)
        self.preview = Preview.objects.create(
            owner=self.mira,
            function=self.add,
            change="publish",
            batch=make.batch("preview:1", owner=self.mira, private=True),
        )

    def number_for(self, before: str) -> list[int]:
        """Return what a number in an address may mean, by what stands before it."""
        numbers = {
            "implementations": [self.implementation.pk],
            "tests": [self.test.pk],
            "acceptance-tests": [self.acceptance.pk],
            "previews": [self.preview.pk],
            "runs": [self.batch.pk],
            "batches": [self.batch.pk],
            "tasks": [self.task.pk],
        }
        for noun in ("implementation", "test"):
            numbers |= {noun: numbers[f"{noun}s"], f"drafts/{noun}": numbers[f"{noun}s"]}
        return numbers.get(before, [])


WORDS = {"noun": ("implementation", "test"), "votable": ("implementation", "test")}


def spelled(route: str) -> list[str]:
    """Return the address for each noun, and with a function's name."""
    found = [re.sub(r"<(?:str:)?name>", "Add", f"/{route}")]
    for word in ("<noun:noun>", "<votable:noun>", "<str:kind>"):
        found = [one.replace(word, noun) for one in found for noun in ("implementation", "test")]
    return list(dict.fromkeys(found))


def pairs(drafts: Drafts) -> list[tuple[str, str]]:
    """Return each address of what is mira's, with the same of what is not there."""
    found: set[tuple[str, str]] = set()
    for route in routes():
        for address in spelled(route):
            if number := re.search(r"<int:\w+>", address):
                before = address[: number.start()].rstrip("/").rpartition("/")[2]
                for value in drafts.number_for(before):
                    shown, missing = (
                        address.replace(number[0], str(one)) for one in (value, NOWHERE)
                    )
                    found.add((shown, missing))
            if "key>" in address or ":other>" in address:
                own, seen = (bytes(one.key).hex() for one in (drafts.execution, drafts.other))
                for first, second in ((own, seen), (seen, own)):
                    parts = re.split(r"<[^>]+>", address)
                    shown = "".join(map("".join, zip_longest(parts, (first, second), fillvalue="")))
                    shown = shown if len(parts) > 2 else parts[0] + first + parts[1]
                    if own in shown:
                        found.add((shown, shown.replace(own, NO_KEY)))
    return sorted(found)


def queries(drafts: Drafts) -> list[tuple[str, str]]:
    """Return addresses that take a draft's number besides, in the same way."""
    shown, draft = drafts.shown.pk, drafts.implementation.pk
    asked = [
        ("/implementations/{shown}/diff/?against={draft}"),
        ("/api/v1/implementations/{shown}/diff/?against={draft}"),
        ("/functions/Add/?open=I{draft}"),
        ("/api/v1/topics/draft:implementation-{draft}/events?after=0"),
        ("/api/v1/topics/preview:{draft}/events?after=0"),
    ]
    return [
        (one.format(shown=shown, draft=draft), one.format(shown=shown, draft=NOWHERE))
        for one in asked
    ]


def answer_of(client: Client, verb: str, address: str, body: Any) -> tuple[int, str]:
    """Return status and text, less what was asked for."""
    if address.startswith("/api/"):
        sent = "" if body is None else json.dumps(body)
        answer = client.generic(verb.upper(), address, sent, "application/json")
    else:
        form = urlencode(FORM) if verb == "post" else ""
        answer = client.generic(verb.upper(), address, form, "application/x-www-form-urlencoded")
    text = answer.content.decode() + answer.get("Location", "")
    if SECRET in text:
        text = "told"
    for part in re.findall(r"[0-9a-f]{64}|\d{8,}", address):
        text = text.replace(part, "…")
    return answer.status_code, re.sub(r'value="[^"]{64}"|nonce="[^"]*"|intent=\w+', "", text)


@pytest.mark.parametrize("reader", ["nobody", "otto", "staff"])
def test_drafts_of_others_are_not_there_by_any_address_and_verb(reader: str) -> None:
    drafts, client = Drafts(), Client()
    staff = make.user("sophie", is_staff=True)
    if reader != "nobody":
        client.force_login(drafts.otto if reader == "otto" else staff)
    tried, told = 0, []
    for shown, missing in [*pairs(drafts), *queries(drafts)]:
        bodies = [body for pattern, body in BODIES if re.search(pattern, shown)]
        for verb in VERBS:
            for body in bodies if shown.startswith("/api/") else [None]:
                answers = [answer_of(client, verb, one, body) for one in (shown, missing)]
                tried += 1
                if answers[0] != answers[1]:
                    told.append((verb, shown, body, answers[0][0], answers[1][0]))
    assert told == [], "\n".join(map(str, told))
    assert tried > 300
    # And nothing of it was changed.
    assert {
        type(work).objects.get(pk=work.pk).state
        for work in (drafts.implementation, drafts.test, drafts.acceptance)
    } == {Work.State.DRAFT}
    drafts.implementation.refresh_from_db()
    assert drafts.implementation.code == f"{SECRET} = 1"
    assert Execution.objects.filter(state=State.SUCCEEDED).count() == 2


def test_the_author_finds_it_by_these_addresses() -> None:
    drafts, client = Drafts(), Client()
    client.force_login(drafts.mira)
    found = {
        shown
        for shown, _ in [*pairs(drafts), *queries(drafts)]
        if client.get(shown).status_code == 200
    }
    assert len(found) >= 12


def test_topics_of_drafts_are_their_authors_alone() -> None:
    drafts = Drafts()
    topics = [
        f"draft:implementation-{drafts.implementation.pk}",
        f"draft:test-{drafts.test.pk}",
        f"preview:{drafts.preview.pk}",
    ]
    for topic in topics[:2]:
        assert may_follow(drafts.mira, topic), topic
    for topic in topics:
        assert not may_follow(drafts.otto, topic), topic
        assert not may_follow(User(), topic), topic
