"""Which names can be taken: none of ours, none that looks like another's, none that is no name."""

import importlib
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from socialcode.accounts.forms import SignUpForm
from socialcode.accounts.models import UsernameSkeleton
from socialcode.accounts.names.skeletons import skeleton_of
from socialcode.accounts.sign_in import adapter
from tests.socialcode.accounts.conftest import PASSWORD


def form_for(name: str) -> SignUpForm:
    return SignUpForm(data={"username": name, "password1": PASSWORD, "password2": PASSWORD})


def refusal_of(name: str) -> str:
    """Return the code with which the name is refused; empty if it isn't."""
    form = form_for(name)
    if form.is_valid():
        return ""
    ((field, errors),) = form.errors.as_data().items()
    assert field == "username"
    (error,) = errors
    return str(error.code)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        *("admin", "Admin", "ADMIN", "adm1n", "admin_", "аdmin".replace("а", "á"), "аԁміп"),
        *("staff", "api", "ap1", "root", "system", "support", "deleted", "socialcode", "0wner"),
        *("Social-Code", "social.code", "moderator", "anonymous", "me", "null", "ѕтаff".lower()),
        # The first words of our addresses.
        *("functions", "people", "accounts", "runs", "static", "ws", "metrics", "django-rq"),
    ],
)
def test_what_is_ours_is_reserved(name: str) -> None:
    assert refusal_of(name) in ("reserved", "mixed_scripts")


@pytest.mark.django_db
@pytest.mark.parametrize("name", [".", "..", "...", "-", "@", "_", ".-_+@"])
def test_a_name_has_a_letter_or_a_digit(name: str) -> None:
    assert refusal_of(name) == "no_letter"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("taken", "name"),
    [
        ("mira", "Mira"),
        ("mira", "m1ra"),
        ("mira", "mlra"),
        ("mira", "mIra"),
        ("mira", "rnira"),
        ("mira", "míra"),
        ("mira", "ｍｉｒａ"),
        ("mira", "mira_"),
        ("mira", "міга"),
        ("otto", "0tt0"),
        ("otto", "οττο"),
        ("otto", "отто"),
        ("отто", "otto"),
        ("anna.k", "anna-k"),
        ("anna.k", "anna_k"),
        ("Bill", "BiII"),
        ("w2", "vv2"),
        ("søren", "soren"),
        ("strauß", "strauss"),
        ("ロボ", "口ボ"),  # katakana, then the character of a mouth
    ],
)
def test_what_looks_like_another_name_is_refused(taken: str, name: str) -> None:
    User.objects.create_user(taken)
    code = refusal_of(name)
    is_same = unicodedata.normalize("NFKC", name).casefold() == taken.casefold()
    assert code == ("unique" if is_same else "look_alike")
    said = str(form_for(name).errors["username"])
    assert code == "unique" or f"This looks like {taken}, which is taken." in said


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("mirа", "mixed_scripts"),
        ("pαul", "mixed_scripts"),
        ("miraさん", "mixed_scripts"),
        ("한국ロボ", ""),  # together these are one
        ("ꓟꓲꓣꓮ", "odd_sign"),
        ("mirɐ", "odd_sign"),
        ("mira٥", "odd_sign"),  # a digit of another kind
    ],
)
def test_alphabets_are_not_mixed_and_are_known(name: str, code: str) -> None:
    assert refusal_of(name) == code


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        *("mira", "otto", "Zoë", "søren", "Łukasz", "Эльвира", "Νίκος", "王小明", "山田たろう"),
        *("김민수", "محمد", "נועם", "a", "7", "mira.k+work@example.org", "x" * 150, "administer"),
    ],
)
def test_names_that_people_have_can_be_taken(name: str) -> None:
    User.objects.create_user("somebody-else")
    form = form_for(name)
    assert form.is_valid(), form.errors


@pytest.mark.django_db
def test_the_reason_is_beside_the_field_and_what_was_typed_is_kept(browser: Client) -> None:
    sent = {"username": "adm1n", "password1": PASSWORD, "password2": PASSWORD}
    page = browser.post("/accounts/signup/", sent).content.decode()
    assert "This name is reserved." in page
    assert 'value="adm1n"' in page
    assert not User.objects.exists()


@pytest.mark.django_db
def test_looking_for_look_alikes_is_one_query_by_an_index() -> None:
    User.objects.create_user("mira")
    form = form_for("m1ra")
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert not form.is_valid()
    asked = [query["sql"] for query in captured if "usernameskeleton" in query["sql"]]
    assert len(asked) == 1
    with connection.cursor() as cursor:
        cursor.execute("set local enable_seqscan = off")
        cursor.execute(f"explain {asked[0]}")
        plan = "\n".join(line for (line,) in cursor)
    assert "Index" in plan
    assert "skeleton" in plan


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("names", [("mira", "m1ra"), ("mira", "Mira"), ("otto", "отто")])
def test_of_two_who_take_look_alikes_at_once_one_is_told(
    names: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    barrier = threading.Barrier(2)

    def sign_up(name: str) -> str:
        sent = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
        page = Client().post("/accounts/signup/", sent).content.decode()
        connection.close()
        return page

    # Both find the name free before either takes it.
    monkeypatch.setattr(adapter, "check_username", lambda _name: barrier.wait())
    with ThreadPoolExecutor(2) as threads:
        pages = sorted(threads.map(sign_up, names), key=len)
    assert User.objects.count() == UsernameSkeleton.objects.count() == 1
    assert pages[0] == ""
    assert "or one that looks like it, already exists" in pages[1]


@pytest.mark.django_db
def test_whoever_has_such_a_name_already_goes_on_and_the_oldest_has_the_look(
    browser: Client,
) -> None:
    for name in ("admin", "mira", "m1ra", "mirа"):
        User.objects.create_user(name, password=PASSWORD)
    UsernameSkeleton.objects.all().delete()
    migration = importlib.import_module("socialcode.accounts.migrations.0005_username_skeletons")
    migration.claim_for_all(apps, None)
    kept = UsernameSkeleton.objects.order_by("pk").values_list("user__username", "skeleton")
    assert list(kept) == [("admin", skeleton_of("admin")), ("mira", skeleton_of("mira"))]
    for name in ("admin", "mira", "m1ra", "mirа"):
        answer = browser.post("/accounts/login/", {"username": name, "password": PASSWORD})
        assert answer.status_code == 302, name
        user = User.objects.get(username=name)
        user.first_name = "M."
        user.save()
        browser.logout()
    assert UsernameSkeleton.objects.count() == 2


@pytest.mark.django_db
def test_staff_make_no_such_accounts_either_and_may_change_others_that_have_one(
    admin_client: Client,
) -> None:
    mira = User.objects.create_user("mira")
    odd = User.objects.create_user("support", password=PASSWORD)
    new = {"usable_password": "true", "password1": PASSWORD, "password2": PASSWORD}
    for name, reason in (("m1ra", "looks like mira"), ("staff", "reserved")):
        page = admin_client.post("/staff/auth/user/add/", {**new, "username": name})
        assert reason in page.content.decode()
    joined = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
    address = f"/staff/auth/user/{odd.pk}/change/"
    kept = admin_client.post(address, {**joined, "username": "support", "first_name": "S."})
    assert kept.status_code == 302
    page = admin_client.post(address, {**joined, "username": "rnira"})
    assert "looks like mira" in page.content.decode()
    renamed = admin_client.post(address, {**joined, "username": "Sophie"})
    assert renamed.status_code == 302
    # With the new name comes its look, and the former one stays theirs.
    claimed = UsernameSkeleton.objects.filter(user=odd).values_list("skeleton", flat=True)
    assert set(claimed) == {skeleton_of("support"), skeleton_of("sophie")}
    assert UsernameSkeleton.objects.get(user=mira).skeleton == skeleton_of("mira")
