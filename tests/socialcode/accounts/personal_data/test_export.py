"""The export: a ZIP with everything but secrets, made in little memory."""

import io
import json
import tracemalloc
import zipfile
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from functions.models import Implementation
from socialcode.accounts.models import ApiToken
from socialcode.accounts.personal_data import archive
from socialcode.accounts.personal_data.records import installed
from socialcode.accounts.sessions import Session
from tests.functions.api.conftest import Caller, assert_problem
from tests.socialcode.accounts.personal_data.conftest import ADDRESS, NAME
from tests.support import builders as make
from tests.support.limits import limits  # noqa: F401 - a fixture
from tests.support.pages import Rows
from tests.support.proofs import prove

pytestmark = pytest.mark.django_db


def exported(person: User) -> zipfile.ZipFile:
    client = Client()
    client.force_login(person)
    asked = client.post("/accounts/data/export/")
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    answer = prove(client).post("/accounts/data/export/")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    return zipfile.ZipFile(io.BytesIO(b"".join(answer)))


def lines(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(f"{name}.jsonl").decode().splitlines()]


def test_it_has_what_the_person_wrote_set_and_was_told(rows: Rows, zebedee: User) -> None:
    found = exported(zebedee)
    assert found.testzip() is None
    account = json.loads(found.read("account.json"))
    assert (account["username"], account["email"]) == (NAME, ADDRESS)
    codes = {row["code"]: row["state"] for row in lines(found, "implementations")}
    assert {"draft", "published"} <= set(codes.values())
    assert "# by an agent\n" in codes
    assert {row["function__name"] for row in lines(found, "implementations")} >= {"Crowd"}
    assert "first" in [row["text"] for row in lines(found, "comments")]
    assert [row["name"] for row in lines(found, "tokens")] == ["of my laptop", ""]
    assert lines(found, "mail-digest")[0]["address"] == ADDRESS
    # All kinds of which the person has something, by its own count.
    owners = [zebedee.pk, *zebedee.agents.values_list("user", flat=True)]
    for record in installed():
        count = record.rows.filter(**{f"{record.field}__in": owners}).count()
        if record.file and count:
            assert len(lines(found, record.file)) == count, record
        else:
            assert f"{record.file}.jsonl" not in found.namelist()
    assert len(found.namelist()) >= 22
    assert NAME in found.read("README.txt").decode()


def test_no_secret_is_in_it(rows: Rows, zebedee: User) -> None:
    found = exported(zebedee)
    everything = b"".join(map(found.read, found.namelist()))
    secrets = [zebedee.password, *(bytes(one.digest).hex() for one in ApiToken.objects.all())]
    secrets += Session.objects.values_list("pk", flat=True)
    assert len(secrets) >= 4
    assert [one for one in secrets if one.encode() in everything] == []


def test_nothing_of_others_is_in_it(rows: Rows, zebedee: User) -> None:
    other = make.user("other.person")
    make.implementation(make.function("Theirs", owner=other), author=other, code="# theirs\n")
    found = exported(zebedee)
    everything = b"".join(map(found.read, found.namelist()))
    assert b"# theirs" not in everything
    assert b"other.person" not in everything


def test_pages_of_rows_follow_each_other(
    rows: Rows, zebedee: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "PAGE_ROWS", 2)
    ids = [row["id"] for row in lines(exported(zebedee), "implementations")]
    own = Implementation.objects.filter(author__in=[zebedee, zebedee.agents.get().user])
    assert ids == list(own.order_by("pk").values_list("pk", flat=True))
    assert len(ids) > 4


def test_it_takes_the_memory_of_a_page(zebedee: User) -> None:
    crowd = make.function("Crowd")
    code = "#" * 60_000
    for number in range(300):
        make.implementation(crowd, author=zebedee, state="draft", code=f"{code}{number}")
    pieces = archive.export_account(actor=zebedee)
    tracemalloc.start()
    try:
        sizes = [len(piece) for piece in pieces]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(sizes) > 0
    assert peak < 12_000_000  # of 18 MB of code, whose JSON and rows are copies


def test_it_is_limited_and_for_people_only(
    rows: Rows,
    zebedee: User,
    limits: None,  # noqa: F811 - the fixture
) -> None:
    caller = Caller(zebedee)
    statuses = [caller.get("/account/export/").status_code for _ in range(6)]
    assert statuses == [200] * 5 + [429]
    assert_problem(Caller(zebedee.agents.get().user).get("/account/export/"), 403, "agent")
