"""What is answered to somebody is kept by nobody; what anybody gets may be."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from socialcode.accounts.tokens import create_token
from tests.socialcode.accounts.conftest import PASSWORD
from tests.support import builders as make
from tests.support.pages import Rows, addresses

pytestmark = pytest.mark.django_db

PUBLIC = ("/", "/wanted/", "/functions/Crowd/", "/people/reader/", "/api/v1/functions/", "/runs/")


def kept(answer: object) -> str:
    return str(getattr(answer, "headers", {}).get("Cache-Control", ""))


@pytest.fixture
def rows() -> Rows:
    found = Rows(make.user("reader", is_staff=True))
    found.grow(1)
    return found


def test_every_answer_to_somebody_who_is_signed_in_is_kept_nowhere(rows: Rows) -> None:
    client = Client()
    client.force_login(rows.reader)
    pages = [*addresses(rows), "/staff/auth/user/", "/django-rq/", "/nowhere/", "/api/v1/nowhere/"]
    assert len(pages) > 80
    left = {page for page in pages if kept(client.get(page)) != "private, no-store"}
    # The same for all.
    assert left == {"/texts/de.js", "/p/client.js", "/p/Paper1000/"}
    assert kept(client.get("/texts/xx.js")) == "private, no-store"
    posted = {page for page in pages[:40] if kept(client.post(page)) != "private, no-store"}
    assert posted == set()


def test_answers_to_a_token_are_kept_nowhere(rows: Rows) -> None:
    _, text = create_token(user=rows.reader, name="")
    for token in (text, "sc_unknown"):
        client = Client(headers={"Authorization": f"Bearer {token}"})
        for page in ("/api/v1/functions/", "/api/v1/notifications/", "/api/v1/batches/1/"):
            assert kept(client.get(page)) == "private, no-store", page


@pytest.mark.parametrize("address", PUBLIC)
def test_what_anybody_gets_may_be_kept(rows: Rows, address: str) -> None:
    answer = Client().get(address)
    assert answer.status_code == 200
    assert "no-store" not in kept(answer)


def test_signing_in_is_kept_nowhere() -> None:
    User.objects.create_user("ana", password=PASSWORD)
    answer = Client().post("/accounts/login/", {"username": "ana", "password": PASSWORD})
    assert answer.status_code == 302
    assert "no-store" in kept(answer)


def test_static_files_are_everybodys_also_of_somebody(rows: Rows) -> None:
    client = Client()
    before = kept(client.get("/static/css/main.css"))
    client.force_login(rows.reader)
    assert kept(client.get("/static/css/main.css")) == before != "private, no-store"
