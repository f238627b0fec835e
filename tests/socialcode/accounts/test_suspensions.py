"""A suspended account is out at once, everywhere, and is told why; what it published stays."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from functions.errors import Refusal
from functions.models import AuditEntry
from runner import registry
from socialcode.accounts.sessions import Session
from socialcode.accounts.suspensions import lift_suspension, suspend
from tests.socialcode.accounts.conftest import PASSWORD
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db
SIGN_IN = "/accounts/login/"


def is_signed_in(browser: Client) -> bool:
    return "Signed in as" in browser.get("/").content.decode()


def test_it_is_signed_out_is_told_why_and_comes_back_when_it_is_lifted(
    browser: Client, ana: User
) -> None:
    sam = account("sam", is_staff=True)
    work = implement(define("Add", owner="ana"), constant("Add", 1), author="ana")
    browser.force_login(ana)
    for number in range(5):
        Client().force_login(account(f"other{number}"))
    with CaptureQueriesContext(connection) as queries:
        suspend(actor=sam, username="ana", reason="Spam in ten places.")
    # Whose a session is, is asked of the database: the others' are not even read.
    read = [one["sql"] for one in queries if '"session_data"' in one["sql"]]
    assert len(read) == 1
    assert read[0].endswith(f'WHERE "accounts_session"."user_id" = {ana.pk}')
    assert not is_signed_in(browser)
    assert browser.get("/drafts/")["Location"].startswith(SIGN_IN)
    told = browser.post(SIGN_IN, {"username": "ana", "password": PASSWORD}).content.decode()
    assert "by sam: Spam in ten places. Ask sam, or another of the staff" in told
    guessed = browser.post(SIGN_IN, {"username": "ana", "password": "wrong"}).content.decode()
    assert "suspended" not in guessed
    page = Client().get("/functions/Add/").content.decode()
    assert 'id="I1"' in page
    assert work.code.splitlines()[1].strip().split()[0] in page
    lift_suspension(actor=sam, username="ana", reason="it was a mistake")
    assert not is_signed_in(browser)  # the old session is no more
    browser.post(SIGN_IN, {"username": "ana", "password": PASSWORD})
    assert is_signed_in(browser)
    acts = AuditEntry.objects.order_by("id").values_list("act", "person__username", "reason")
    assert list(acts) == [
        ("suspended", "ana", "Spam in ten places."),
        ("suspension_lifted", "ana", "it was a mistake"),
    ]


def test_sessions_that_have_expired_are_removed(browser: Client, ana: User) -> None:
    browser.force_login(ana)
    Session.objects.create(session_key="old", expire_date=timezone.now() - timedelta(seconds=1))
    (act,) = (chore.run for chore in registry.periodic_tasks if chore.name == "sessions")
    assert act(0) == 0
    assert [session.user_id for session in Session.objects.all()] == [ana.pk]


def test_staff_suspend_others_with_a_reason_and_superusers_staff(ana: User) -> None:
    sam, tom = account("sam", is_staff=True), account("tom", is_staff=True)
    root = User.objects.create_superuser("root")

    def code(actor: User, username: str, reason: str = "spam") -> str:
        with pytest.raises(Refusal) as refused:
            suspend(actor=actor, username=username, reason=reason)
        return refused.value.code

    assert code(ana, "sam") == "not_staff"
    assert code(sam, "sam") == "own_account"
    assert code(sam, "tom") == code(sam, "root") == "staff_account"
    assert code(sam, "ana", "") == "reason_required"
    assert code(sam, "ghost") == "not_found"
    suspend(actor=root, username="tom", reason="away")
    tom.refresh_from_db()
    assert not tom.is_active
    assert code(root, "tom") == "suspended_already"
    with pytest.raises(Refusal) as refused:
        lift_suspension(actor=root, username="ana")
    assert refused.value.code == "not_suspended"


def test_on_its_page_staff_suspend_and_lift(browser: Client, ana: User) -> None:
    browser.force_login(account("sam", is_staff=True))
    path = "/staff/suspended/"
    assert browser.post(path, {"username": "ghost", "reason": "spam"}).status_code == 422
    assert browser.post(path, {"username": "ana", "reason": "spam"})["Location"] == path
    assert "ana" in browser.get(path).content.decode()
    browser.post(f"{path}ana/lift/")
    ana.refresh_from_db()
    assert ana.is_active


def test_accounts_are_not_shut_in_the_administration_which_keeps_no_reason(
    browser: Client, ana: User
) -> None:
    browser.force_login(User.objects.create_superuser("root"))
    page = browser.get(f"/staff/auth/user/{ana.pk}/change/").content.decode()
    assert 'name="username"' in page
    assert 'name="is_active"' not in page
