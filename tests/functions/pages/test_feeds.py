"""Atom feeds: of a function, of a person, of what a person's work depends on."""

from xml.etree import ElementTree as ET

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from functions.models import Comment, Election
from functions.models.release import Release
from tests.support import builders as make

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def titles(path: str) -> list[str]:
    response = Client().get(path)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(response.content)  # noqa: S314 - the site's own
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id", "") for entry in entries]
    assert len(set(ids)) == len(ids)
    assert all(one.startswith("tag:") for one in ids)
    assert all(entry.find(f"{ATOM}link") is not None for entry in entries)
    return [entry.findtext(f"{ATOM}title", "") for entry in entries]


@pytest.fixture
def ida() -> User:
    """The author of a test that uses `Halve`, which Ben owns."""
    ida, ben = make.user("ida"), make.user("ben")
    halve, other = make.function("Halve", owner=ben), make.function("Other", owner=ben)
    work = make.implementation(halve, author=ben, number=1, code="\x0c raise\n", title="Shift")
    Election.objects.create(function=halve, elected=work, cause="#1 published")
    Election.objects.create(function=halve, previous=work, cause="T2 published")
    Release.objects.create(
        function=halve,
        name="Halve",
        name_key="halve",
        number=1,
        digest=b"d" * 32,
        implementation=work,
        yanked="unseated",
        yanked_at=timezone.now(),
    )
    make.implementation(other, author=ben, state="draft")
    test = make.test_of(other, author=ida, number=2)
    make.dependency(test, "Halve", halve)
    for text, fields in (("Hm.", {}), ("Gone", {"hidden_at": timezone.now()})):
        Comment.objects.create(function=halve, author=ida, text=text, **fields)
    return ida


HALVE = {
    "Halve: releases were yanked",
    "Halve: a comment by ida",
    "Halve has no current implementation any more",
    "Halve: #1 became current",
    "Halve: new implementation #1 Shift",
}


@pytest.mark.usefixtures("ida")
def test_a_function_tells_elections_breakages_works_and_comments() -> None:
    found = titles("/functions/halve/feed.atom")
    assert set(found) == HALVE
    assert found[-1] == "Halve: new implementation #1 Shift"
    assert titles("/functions/Other/feed.atom") == ["Other: new test T2"]


@pytest.mark.usefixtures("ida")
def test_a_person_tells_what_they_did() -> None:
    assert set(titles("/people/ben/feed.atom")) == {
        "Halve was defined",
        "Other was defined",
        "Halve: new implementation #1 Shift",
        "Halve: #1 became current",
    }
    assert set(titles("/people/ida/feed.atom")) == {
        "Other: new test T2",
        "Halve: a comment by ida",
    }


@pytest.mark.usefixtures("ida")
def test_what_a_persons_work_depends_on() -> None:
    assert set(titles("/people/ida/dependencies.atom")) == HALVE
    assert titles("/people/ben/dependencies.atom") == []


@pytest.mark.usefixtures("ida")
def test_what_is_known_is_not_sent_again() -> None:
    client = Client()
    etag = client.get("/functions/Halve/feed.atom")["ETag"]
    again = client.get("/functions/Halve/feed.atom", headers={"If-None-Match": etag})
    assert (again.status_code, again.content) == (304, b"")
    for missing in ("/functions/Nothing/feed.atom", "/people/nobody/feed.atom"):
        assert client.get(missing).status_code == 404
