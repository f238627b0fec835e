"""Profiles: what people say about themselves, where it is shown, and what staff does about it."""

import re
from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test import Client

from functions.errors import Refusal
from functions.models import AuditEntry, Flag, Profile
from functions.moderation.flags import flag_item, resolve_flag
from functions.people.profiles import change_profile, clear_profile
from functions.read_models.contributions import by_month, counted_by_day, first_day
from functions.read_models.person import person_page
from tests.functions.views.conftest import SignedIn, as_person
from tests.support import builders as make
from tests.support.refusals import code_of
from tests.support.works import account

__all__ = ["as_person"]  # a fixture
pytestmark = pytest.mark.django_db

LINK = "https://mira.example/a?b=c#d"


def describe(about: str = "", *links: str, by: str = "mira") -> Profile:
    return change_profile(actor=account(by), about=about, links=links)


def test_a_profile_keeps_words_on_one_line_and_each_link_once() -> None:
    describe("gone soon")
    profile = describe(" Numbers,\r\n\tand \u202etext ", "", f" {LINK} ", LINK, "https://b.example")
    profile.refresh_from_db()
    assert profile.about == "Numbers, and \u202etext"
    assert profile.links == [LINK, "https://b.example"]
    assert Profile.objects.count() == 1


@pytest.mark.parametrize(
    ("about", "links", "field", "code"),
    [
        ("x" * 301, [], "about", "too_long"),
        ("a\0b", [], "about", "invalid_character"),
        ("", ["https://a.example"] * 6, "links", "too_many_links"),
        ("", ["", f"https://a.example/{'x' * 200}"], "links.1", "too_long"),
        *(
            ("", ["https://fine.example", link], "links.1", "invalid_link")
            for link in (
                "http://a.example",
                "javascript:alert(1)//https://a.example",
                "//a.example",
                "a.example",
                "https://",
                "https://a b.example",
                "https://a.example/\0",
                "https://bank.example@evil.example",
                "https://b\u0430nk.example",
                "https://a.example/\u202egnp.exe",
                'https://a.example"onmouseover=x',
            )
        ),
    ],
)
def test_what_is_too_long_or_leads_elsewhere_is_refused_at_its_field(
    about: str, links: list[str], field: str, code: str
) -> None:
    with pytest.raises(Refusal) as refused:
        describe(about, *links)
    assert [(one.field, one.code) for one in refused.value.errors] == [(field, code)]
    assert not Profile.objects.exists()


def test_all_mistakes_are_shown_beside_their_fields_and_nothing_typed_is_lost(
    as_person: SignedIn,
) -> None:
    mira = as_person("mira")
    typed = {"about": "a<b" * 101, "links.0": "http://a.example", "links.3": "mira.example"}
    answer = mira.post("/profile/", typed)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert set(re.findall(r'id="id_([\w.]+)_error"', page)) == set(typed)
    for kept in ("a&lt;b" * 101, 'value="http://a.example"', 'value="mira.example"'):
        assert kept in page
    assert mira.post("/profile/", {"about": "<i>Hi", "links.4": LINK})["Location"] == (
        "/people/mira/"
    )
    page = Client().get("/people/mira/").content.decode()
    assert "&lt;i&gt;Hi</p>" in page
    assert f'href="{LINK}" rel="nofollow ugc noopener">mira.example/a?b=c#d</a>' in page
    assert f'value="{LINK}"' in mira.get("/profile/").content.decode()
    assert Client().get("/profile/").status_code == 302


def test_a_suspended_persons_profile_is_not_shown() -> None:
    describe("Buy now", LINK)
    User.objects.filter(username="mira").update(is_active=False)
    assert b"Buy now" not in Client().get("/people/mira/").content


def test_an_offensive_profile_is_flagged_and_cleared_and_the_person_reads_why(
    as_person: SignedIn,
) -> None:
    mira = account("mira")
    flag = partial(flag_item, actor=account("fay"), kind="profile", item_id=mira.pk, reason="rude")
    assert code_of(flag) == "not_found"
    describe("Rude words", LINK)
    root, fay = account("root", is_staff=True), as_person("fay")
    assert f"/flags/profile/{mira.pk}/" in fay.get("/people/mira/").content.decode()
    fay.post(f"/flags/profile/{mira.pk}/", {"reason": "rude"})
    assert "mira" in fay.get("/flags/").content.decode()
    staff = as_person("root")
    assert 'href="/people/mira/"' in staff.get("/staff/flags/").content.decode()
    clear = partial(clear_profile, person=mira, reason="Rude.")
    for actor, code in ((AnonymousUser(), "nobody"), (mira, "not_staff")):
        assert code_of(partial(clear, actor=actor)) == code
    assert fay.get("/people/mira/clear/").status_code == 403
    assert staff.post("/people/mira/clear/", {"reason": ""}).status_code == 422
    staff.post("/people/mira/clear/", {"reason": "Rude."})
    assert code_of(partial(clear, actor=root)) == "empty_profile"
    assert b"Rude words" not in Client().get("/people/mira/").content
    resolve_flag(actor=root, flag=Flag.objects.get(), is_upheld=True, note="cleared")
    acts = AuditEntry.objects.order_by("pk").values_list("act", "person__username", "label")
    assert list(acts) == [("profile_cleared", "mira", ""), ("flag_upheld", None, "mira")]
    assert "cleared the profile of" in staff.get("/staff/audit/").content.decode()
    client = as_person("mira")
    assert "Rude." in client.get("/profile/").content.decode()
    describe("Kind words")
    assert "Rude." not in client.get("/profile/").content.decode()


def test_a_year_of_contributions_is_read_from_indexes_in_one_query() -> None:
    author = make.user("mira")
    today = make.SINCE.date()
    function = make.function(owner=author, created_at=make.SINCE)
    make.function(owner=author, created_at=make.SINCE, deleted_at=make.SINCE)
    for state in ("published", "withdrawn", "draft"):
        make.implementation(function, author=author, state=state)
    make.test_of(function, author=author)
    days = person_page(author, today=today).days
    assert {day.year: count for day, count in days.items()} == {2026: 4}
    months = list(by_month(days, today))
    assert (len(months), months[-1]) == (13, (today.replace(day=1), 4))
    with connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off")
    plan = counted_by_day(author, first_day(today)).explain()
    assert plan.count("published_at >=") == 2
    assert ("Seq Scan" in plan, "implementation_by_author" in plan) == (False, True)
