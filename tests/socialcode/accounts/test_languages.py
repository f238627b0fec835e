"""The language of pages: the browser's, or the one that a visitor or user chose."""

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils.translation import override

from functions.models import Digest
from functions.notifications.digests import send_mail
from functions.recorded import SENTENCES, parse, recorded
from tests.support import builders as make

pytestmark = pytest.mark.django_db
GERMAN = {"accept-language": "de-AT,de;q=0.9,en;q=0.5"}


def language_of(client: Client, address: str = "/") -> str:
    page = client.get(address).content.decode()
    return page.partition('<html lang="')[2].partition('"')[0]


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        (None, "en"),
        ("de-AT,de;q=0.9,en;q=0.5", "de"),
        ("fr", "en"),
        ("en,de;q=0.8", "en"),
        ("x", "en"),
    ],
)
def test_a_page_has_the_browsers_language(accepted: str | None, expected: str) -> None:
    client = Client(headers={"accept-language": accepted} if accepted else {})
    answer = client.get("/")
    assert f'<html lang="{expected}"' in answer.content.decode()
    assert answer["Content-Language"] == expected
    assert "Accept-Language" in answer["Vary"]


def test_a_visitors_choice_is_kept_by_the_browser_and_leads_back() -> None:
    client = Client(headers=GERMAN)
    answer = client.post("/language/", {"language": "en", "next": "/runs/?q=a"})
    assert (answer.status_code, answer["Location"]) == (302, "/runs/?q=a")
    assert language_of(client) == "en"
    elsewhere = client.post("/language/", {"language": "en", "next": "//evil.example/"})
    assert "evil" not in elsewhere["Location"]
    client.post("/language/", {"language": "xx"})
    assert language_of(client) == "en"


def test_a_users_choice_goes_along_to_other_browsers() -> None:
    user = User.objects.create_user("mira", password="Rather-long-9")
    first = Client()
    first.force_login(user)
    first.post("/language/", {"language": "de"})
    other = Client()
    other.post("/accounts/login/", {"username": "mira", "password": "Rather-long-9"})
    assert language_of(other) == "de"
    other.post("/language/", {"language": "en"})
    third = Client(headers=GERMAN)
    third.post("/accounts/login/", {"username": "mira", "password": "Rather-long-9"})
    assert language_of(third) == "en"


def test_mail_is_written_in_the_users_language() -> None:
    user = make.user("mira")
    digest = Digest.objects.create(user=user, address="mira@example.org")
    send_mail(digest, "confirm", {"link": "https://example.org/"})
    client = Client()
    client.force_login(user)
    client.post("/language/", {"language": "de"})
    send_mail(Digest.objects.get(), "confirm", {"link": "https://example.org/"})
    english, german = (str(one.subject) for one in mail.outbox)
    assert english != german
    assert "bestätige" in (str(mail.outbox[1].body) + german).lower()


def test_who_signs_up_in_german_is_written_to_in_german() -> None:
    client = Client(headers=GERMAN)
    sent = {"username": "mira", "password1": "Rather-long-9", "password2": "Rather-long-9"}
    assert client.post("/accounts/signup/", sent).status_code == 302
    assert User.objects.get().chosen_language.code == "de"


def test_errors_are_told_in_the_readers_language_and_in_english_to_programs() -> None:
    german, program = Client(headers=GERMAN), Client()
    assert program.get("/api/v1/functions/Nope/").json()["detail"].startswith("There is")
    assert german.get("/api/v1/functions/Nope/").json()["detail"].startswith("Unter dieser")
    assert "Seite nicht gefunden" in german.get("/no/such/page/").content.decode()


def test_scripts_of_a_page_in_german_find_their_texts() -> None:
    client = Client(headers=GERMAN)
    page = client.get("/").content.decode()
    address = page.partition('<script src="/texts/')[2].partition('"')[0]
    answer = client.get(f"/texts/{address}")
    assert "Du bist offline" in answer.content.decode()
    assert "immutable" in answer["Cache-Control"]
    client.force_login(make.user("mira"))
    assert "immutable" in client.get(f"/texts/{address}")["Cache-Control"]
    assert client.get("/")["Cache-Control"] == "private, no-store"
    assert "/texts/" not in Client().get("/").content.decode()
    assert client.get("/texts/xx.js").status_code == 404


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        ("test T3 published", "Test T3"),
        ("votes on implementation #12: +1, to 3; Base changed", "#12"),
        ("does not pass T1, T2, T3 and 4 more", "4"),
        ("blocked: Half does not exist", "Half"),
        ("#3 became current: test T3 withdrawn", "#3"),
    ],
)
def test_a_kept_sentence_is_shown_in_the_readers_language(kept: str, shown: str) -> None:
    with override("de"):
        german = recorded(kept)
    assert german != kept
    assert shown in german
    assert not {"published", "changed", "more", "blocked", "became"} & set(german.split())
    with override("en"):
        assert recorded(kept) == kept


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_kept_sentence_is_found_again(sentence: str) -> None:
    values = {
        "function": "Half", "changed": "Base", "name": "Other", "run": "7", "level": "2",
        "difference": "+1", "score": "-3", "implementation": "#3", "test": "T4",
        "acceptance": "A5", "person": "mira", "work": "#9", "path": "A → B", "reason": "why",
        "cause": "a cause", "message": "oops", "tests": "T1, T2", "functions": "A and B",
        "count": "4",
    }  # fmt: skip
    found = parse(sentence % values, SENTENCES)
    assert found is not None
    assert found.sentence % found.values == sentence % values


def test_an_unknown_sentence_stays_as_it_is() -> None:
    with override("de"):
        assert recorded("line 3: what <b>Python</b> says; 100%") == (
            "line 3: what <b>Python</b> says; 100%"
        )
