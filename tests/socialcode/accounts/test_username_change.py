"""Changing one's user name: the former one leads to its holder, and nobody else gets it."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from functions.errors import Conflict, Refusal
from functions.models import FormerName
from runner.pipelines.follow_ups import run_due_follow_ups
from socialcode.accounts.models import DeletedAccount, UsernameSkeleton
from socialcode.accounts.names.skeletons import skeleton_of
from socialcode.accounts.personal_data import erasure
from socialcode.accounts.personal_data.deletion import delete_account
from socialcode.accounts.tokens import create_token
from socialcode.accounts.username_change import change
from socialcode.accounts.username_change.change import change_username
from tests.functions.api.conftest import Caller, assert_problem
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.security_log import SecurityLog
from tests.socialcode.accounts.test_sign_in import is_signed_in
from tests.support import builders as make
from tests.support.proofs import prove
from tests.support.threads import run_together

PAGE = "/accounts/name/"


def take(name: str, *, who: User) -> str:
    """Change a name; return the code of the refusal, if it is refused."""
    try:
        change_username(actor=who, name=name)
    except Refusal as refusal:
        return refusal.code
    return ""


def sign_up(name: str) -> bool:
    sent = {"username": name, "password1": PASSWORD, "password2": PASSWORD}
    return Client().post("/accounts/signup/", sent).status_code == 302


@pytest.mark.django_db
def test_a_new_name_is_shown_everywhere_and_the_former_one_leads_there(
    browser: Client, ana: User
) -> None:
    crowd = make.function("Crowd", owner=ana)
    make.elect(make.implementation(crowd, author=ana))
    caller = Caller()
    caller.headers = {"Authorization": f"Bearer {create_token(user=ana)[1]}"}
    EmailAddress.objects.create(user=ana, email="a@example.org", verified=True, primary=True)
    browser.force_login(ana)
    pages = ("/functions/Crowd/?open=I1", "/", "/embed/Crowd/")
    before = [browser.get(page).content.decode() for page in pages]
    asked = browser.post(PAGE, {"username": "Dr.Ana"})
    assert asked["Location"] == "/accounts/reauthenticate/?next=%2Faccounts%2Fname%2F"
    assert User.objects.get().username == "ana"
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD, "next": PAGE})
    assert User.objects.get().username == "Dr.Ana"
    shown = browser.get(PAGE).content.decode()
    assert "You are Dr.Ana now." in shown
    assert "<li>ana</li>" in shown
    for page, former in zip(pages, before, strict=True):
        assert ">ana<" not in browser.get(page).content.decode(), page
        assert "Dr.Ana" not in former
    for name in ("ana", "ANA", "dr.ana"):
        answer = Client().get(f"/people/{name}/")
        assert (answer.status_code, answer["Location"]) == (302, "/people/Dr.Ana/")
        assert caller.get(f"/people/{name}/").json()["username"] == "Dr.Ana"
        found = caller.get(f"/functions/?q=author:{name}").json()["items"]
        assert [one["name"] for one in found] == ["Crowd"]
    (message,) = mail.outbox
    assert "The user name ana was changed to Dr.Ana." in str(message.body)
    other = Client()
    other.post("/accounts/login/", {"login": "ana", "password": PASSWORD})
    assert not is_signed_in(other)
    other.post("/accounts/login/", {"login": "dr.ana", "password": PASSWORD})
    assert is_signed_in(other)


@pytest.mark.django_db
def test_a_former_name_stays_its_holders(ana: User) -> None:
    otto = make.user("otto")
    assert take("mira", who=ana) == ""
    for name in ("ana", "Ana", "4na".replace("4", "á"), "ana_"):
        assert take(name, who=otto) == "invalid_name", name
        assert not sign_up(name)
    assert_problem(Caller(otto).post("/agents/", {"name": "ana"}), 422, "invalid_name")
    assert take("ANA", who=ana) == ""  # they take it again, also in another case
    assert take("mira", who=otto) == "invalid_name"
    assert Caller().get("/people/mira/").json()["username"] == "ANA"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("Ana", ""),
        ("an_a", ""),
        ("ana", "same_name"),
        ("otto", "invalid_name"),
        ("0tto", "invalid_name"),
        ("admin", "invalid_name"),
        ("a b", "invalid_name"),
        ("helper[agent]", "invalid_name"),
        ("deleted user 1", "invalid_name"),
        ("x" * 151, "invalid_name"),
        ("", "invalid_name"),
    ],
)
def test_a_new_name_follows_the_rules_of_names(ana: User, name: str, code: str) -> None:
    make.user("otto")
    assert take(name, who=ana) == code
    assert User.objects.get(pk=ana.pk).username == ("ana" if code else name)


@pytest.mark.django_db
def test_a_name_is_changed_three_times_a_month(
    browser: Client, ana: User, limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.force_login(ana)
    prove(browser)
    for name in ("one", "ana", "two", "otto."):
        answer = browser.post(PAGE, {"username": name})
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= change.PERIOD.total_seconds()
    assert "3 times in 30 days" in answer.content.decode()
    FormerName.objects.filter(name="one").update(given_up_at=timezone.now() - timedelta(days=31))
    assert browser.post(PAGE, {"username": "ana"}).status_code == 302


@pytest.mark.django_db
def test_a_program_needs_the_password(ana: User) -> None:
    caller = Caller(ana)
    wanted = {"username": "mira", "password": "wrong"}
    assert_problem(caller.put("/account/username/", wanted), 422, "wrong_password")
    answer = caller.put("/account/username/", {**wanted, "password": PASSWORD})
    assert (answer.status_code, answer.json()) == (200, {"username": "mira"})


@pytest.mark.django_db(transaction=True)
def test_the_security_log_has_both_names(ana: User, security_log: SecurityLog) -> None:
    change_username(actor=ana, name="mira")
    (line,) = [one for one in security_log.lines if one["event"] == "account_changed"]
    assert (line["user"], line["former_username"], line["fields"]) == ("mira", "ana", ["username"])


@pytest.mark.django_db(transaction=True)
def test_of_many_who_want_a_name_one_gets_it() -> None:
    people = [make.user(name, password=PASSWORD) for name in ("ana", "otto", "ida")]

    for turn in "234":
        names = [f"mira{turn}", f"Mira{turn}", f"rnira{turn}"]

        def want(place: int, names: list[str] = names) -> bool:
            name = names[place % 3]
            return sign_up(name) if place > 2 else not take(name, who=people[place])

        assert run_together(want, range(6)).count(True) == 1
        holder = User.objects.get(username__in=names)
        assert UsernameSkeleton.objects.get(skeleton=skeleton_of(names[0])).user == holder


@pytest.mark.django_db(transaction=True)
def test_changes_of_one_person_at_once_take_turns(ana: User, limits: None) -> None:
    names = ["one", "two", "three", "four", "five", "six"]
    done = run_together(lambda name: take(name, who=ana), names)
    assert sorted(done) == [""] * 3 + ["too_many_requests"] * 3
    assert FormerName.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_with_the_account_its_former_names_are_deleted_and_stay_reserved(
    ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "LAST_LOOK_AFTER", timedelta())
    add = make.function("Add", due_to="test T1 accepted by ana")
    change_username(actor=ana, name="mira")
    delete_account(actor=ana, work=DeletedAccount.Work.KEPT)
    assert Client().get("/people/ana/").status_code == 404
    run_due_follow_ups()
    add.refresh_from_db()
    assert add.due_to.startswith("test T1 accepted by deleted user ")
    assert not FormerName.objects.exists()
    otto = make.user("otto")
    assert [take(name, who=otto) for name in ("ana", "mira", "m1ra")] == ["invalid_name"] * 3
    with pytest.raises(Conflict, match="deleted already"):
        change_username(actor=User.objects.get(pk=ana.pk), name="ida")


@pytest.mark.django_db(transaction=True)
def test_the_way_back_keeps_the_claim_of_the_present_name(ana: User) -> None:
    change_username(actor=ana, name="mira")
    (latest,) = MigrationExecutor(connection).loader.graph.leaf_nodes("accounts")
    migrate(("accounts", "0010_session_origins"))
    try:
        with connection.cursor() as cursor:
            cursor.execute("select skeleton from accounts_usernameskeleton")
            assert cursor.fetchall() == [(skeleton_of("mira"),)]
    finally:
        migrate(latest)
    assert take("ida", who=ana) == ""


def migrate(target: Any) -> None:
    MigrationExecutor(connection).migrate([target])
