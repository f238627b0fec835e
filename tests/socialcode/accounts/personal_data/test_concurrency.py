"""Deleting an account while somebody writes in its name, and while processes die."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.test import Client

from functions.authoring import publish
from functions.errors import Refusal
from functions.maintenance.verification import find_differences
from functions.models import Comment, Flag, Function, Implementation, Test, Vote, Watch
from functions.moderation.comments import write_comment
from functions.people.deleted_accounts import is_of_deleted_account
from runner.models import FollowUp
from runner.pipelines.follow_ups import run_due_follow_ups
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.personal_data import erasure
from socialcode.accounts.personal_data.deletion import delete_account
from socialcode.accounts.tokens import create_token
from tests.functions.api.conftest import Caller, assert_problem
from tests.patience import PATIENCE_SECONDS
from tests.socialcode.accounts.personal_data.conftest import NAME
from tests.support import builders as make
from tests.support.crashes import failing_at, in_child
from tests.support.threads import run_together
from tests.support.works import constant, define, draft_implementation, draft_test

pytestmark = pytest.mark.django_db(transaction=True)

KEPT, WITHDRAWN = DeletedAccount.Work.KEPT, DeletedAccount.Work.WITHDRAWN
WAITING = "select count(*) from pg_locks where not granted"


@pytest.fixture(autouse=True)
def last_look_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure, "LAST_LOOK_AFTER", erasure.LAST_LOOK_AFTER * 0)


def somebody_waits_for_a_lock() -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone()[0]:
                return True
        time.sleep(0.02)
    return False


def in_thread(act: Callable[[], object]) -> threading.Thread:
    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_what_is_being_written_ends_before_or_is_refused(zebedee: User) -> None:
    crowd = make.function("Crowd")
    with transaction.atomic():
        said = write_comment(actor=zebedee, subject=crowd, text="Just in time")
        thread = in_thread(lambda: delete_account(actor=zebedee, work=WITHDRAWN))
        assert somebody_waits_for_a_lock()
    thread.join()
    run_due_follow_ups()
    said.refresh_from_db()
    assert said.text == ""
    with pytest.raises(IntegrityError) as refused:
        write_comment(actor=zebedee, subject=crowd, text="Too late")
    assert is_of_deleted_account(refused.value)


def test_requests_that_began_before_are_answered_as_to_nobody(zebedee: User) -> None:
    crowd = make.function("Crowd")
    caller, browser = Caller(zebedee), Client()
    browser.force_login(zebedee)
    answers = []
    with transaction.atomic():
        delete_account(actor=zebedee, work=KEPT)
        threads = [
            in_thread(lambda: answers.append(caller.post("/functions/Crowd/comments/", TEXT))),
            in_thread(lambda: answers.append(browser.post("/functions/Crowd/discussion/", TEXT))),
        ]
        assert somebody_waits_for_a_lock()
        time.sleep(0.3)
    for thread in threads:
        thread.join()
    program, page = sorted(answers, key=lambda answer: -answer.status_code)
    assert_problem(program, 401, "nobody")
    assert (page.status_code, page["Location"]) == (302, "/accounts/login/")
    assert not Comment.objects.filter(function=crowd).exists()


TEXT = {"text": "Meanwhile"}


@pytest.mark.parametrize(
    "write",
    [
        lambda user: make.function(owner=user),
        lambda user: make.implementation(make.function(), author=user),
        lambda user: make.test_of(make.function(), author=user),
        lambda user: Flag.objects.create(flagger=user, kind="test", item_id=1, reason="x"),
        lambda user: create_token(user=user),
        lambda user: User.objects.get(username=NAME) and user.save(),
        lambda user: user.save(),
    ],
    ids="function implementation test flag token account password".split(),
)
def test_nothing_is_written_in_its_name(zebedee: User, write: Callable[[User], object]) -> None:
    zebedee.set_password("set by a request that began before")
    delete_account(actor=zebedee, work=KEPT)
    with pytest.raises((IntegrityError, User.DoesNotExist)):
        write(zebedee)


def test_what_such_a_request_writes_beside_that_is_erased_by_a_last_look(
    zebedee: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "LAST_LOOK_AFTER", timedelta(minutes=5))
    delete_account(actor=zebedee, work=WITHDRAWN)
    run_due_follow_ups()
    Vote.objects.create(voter=zebedee, test=make.test_of(make.function()), value=1)
    Watch.objects.create(user=zebedee, function=make.function())
    erasure.resume(0)
    run_due_follow_ups()
    assert Vote.objects.count() == Watch.objects.count() == 1
    DeletedAccount.objects.update(deleted_at=Now() - timedelta(minutes=6))
    erasure.resume(0)
    run_due_follow_ups()
    assert Vote.objects.count() == Watch.objects.count() == 0
    assert DeletedAccount.objects.get().finished_at
    assert DeletedAccount.objects.get().former_name == ""


@pytest.mark.slow
def test_publishing_at_the_same_time_leaves_nothing_published(zebedee: User) -> None:
    for number in range(3):
        person = make.user(f"person{number}")
        functions = [define(f"F{number}{letter}") for letter in "abc"]
        drafts = [
            draft
            for one in functions
            for draft in (
                draft_implementation(one, constant(one.name, 1), author=person.username),
                draft_test(one, f"assert {one.name}() == 1", author=person.username),
            )
        ]

        def act(turn: int, person: User = person, drafts: list[Any] = drafts) -> str:
            try:
                if turn == len(drafts):
                    time.sleep(0.01 * number)  # noqa: B023 - used at once
                    delete_account(actor=person, work=WITHDRAWN)
                else:
                    publish(actor=person, draft=drafts[turn])
            except Refusal as refusal:
                return refusal.code
            except IntegrityError as error:
                return "deleted" if is_of_deleted_account(error) else "broken"
            return "done"

        assert "broken" not in run_together(act, range(len(drafts) + 1))
        run_due_follow_ups()
        for model in (Implementation, Test):
            left = model.objects.filter(author=person).exclude(state="withdrawn")
            assert not left.exists(), number
        assert DeletedAccount.objects.get(user=person).finished_at


@pytest.mark.slow
def test_a_deletion_that_is_killed_has_happened_or_not(zebedee: User) -> None:
    make.implementation(make.function("Crowd", owner=zebedee), author=zebedee)
    create_token(user=zebedee)
    before = fingerprint(zebedee)
    statement, killed = 1, 0
    while True:

        def act(at: int = statement) -> None:
            with failing_at(at, kill=True):
                delete_account(actor=zebedee, work=KEPT)

        if not in_child(act):
            break
        killed += 1
        assert fingerprint(zebedee) == before, statement
        statement += 2
    assert killed > 10
    assert not User.objects.get(pk=zebedee.pk).is_active
    assert FollowUp.objects.filter(name=erasure.FINISH).exists()


def fingerprint(person: User) -> tuple[object, ...]:
    row = User.objects.get(pk=person.pk)
    tokens = row.api_tokens.count()
    return (row.username, row.email, row.password, tokens, DeletedAccount.objects.count())


@pytest.mark.slow
def test_a_worker_that_is_killed_at_any_statement_is_followed_by_another(zebedee: User) -> None:
    own, shared = define("Own", owner=NAME), define("Shared")
    for function in (own, shared):
        for draft in (
            draft_implementation(function, constant(function.name, 1), author=NAME),
            draft_test(function, f"assert {function.name}() == 1", author=NAME),
        ):
            publish(actor=zebedee, draft=draft)
        draft_implementation(function, "x = 1", author=NAME)
        write_comment(actor=zebedee, subject=function, text="Mine")
    run_due_follow_ups()
    delete_account(actor=zebedee, work=WITHDRAWN)
    killed = 0
    while DeletedAccount.objects.filter(finished_at=None).exists():

        def act(at: int = 11 + 13 * (killed % 9)) -> None:
            with failing_at(at, kill=True):
                run_due_follow_ups()

        if in_child(act):
            killed += 1
        assert killed < 150
    assert killed > 10
    run_due_follow_ups()
    assert not Implementation.objects.filter(author=zebedee).exclude(state="withdrawn").exists()
    assert not Comment.objects.filter(author=zebedee, deleted_at=None).exists()
    assert list(Function.objects.filter(deleted_at=None)) == [shared]
    assert list(find_differences()) == []
