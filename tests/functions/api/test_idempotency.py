"""Repeated requests with a key: one change, one answer, also at once and after a kill."""

import os
import signal
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from functions.api.docs import operations
from functions.api.idempotency import IGNORING, OF_BATCHES
from functions.api.routes import by_path
from functions.maintenance.kept_answers import lock_key, remove_old_answers
from functions.models import Comment, Function, Implementation, KeptAnswer
from socialcode.api import api
from tests.functions.api.conftest import API, Caller, assert_problem
from tests.support import builders as make
from tests.support.threads import run_together

KEY = {"Idempotency-Key": "once"}
DRAFT = {"code": "def Add(a, b):\n    return a + b\n"}
PATH = "/functions/Add/implementations/"


def test_a_repeated_request_gets_the_same_answer_and_makes_nothing(
    mira: Caller, add: Function
) -> None:
    first, second = (mira.post(PATH, DRAFT, **KEY) for _ in range(2))
    assert (first.status_code, first.content) == (201, second.content)
    assert second.status_code == 201
    assert second["Content-Type"] == first["Content-Type"]
    assert (first.get("Idempotency-Replayed"), second["Idempotency-Replayed"]) == (None, "true")
    assert Implementation.objects.count() == 1
    assert mira.post(PATH, DRAFT).json()["id"] != first.json()["id"]


def test_headers_of_the_answer_are_repeated(mira: Caller) -> None:
    first, second = (mira.post("/collections/", {"name": "Wares"}, **KEY) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert first["ETag"] == second["ETag"]


def test_a_key_is_of_one_request(mira: Caller, otto: Caller, add: Function) -> None:
    mira.post(PATH, DRAFT, **KEY)
    for path, body in (
        (PATH, {"code": "# other"}),
        (f"{PATH}?x=1", DRAFT),
        ("/functions/Add/tests/", DRAFT),
    ):
        assert_problem(mira.post(path, body, **KEY), 422, "idempotency_key_reused")
    # Others' keys are theirs.
    assert otto.post(PATH, DRAFT, **KEY).json()["author"] == "otto"


def test_a_refused_request_may_be_repeated_with_its_key(mira: Caller, add: Function) -> None:
    assert_problem(mira.post("/functions/", {"name": "class"}, **KEY), 422, "reserved_name")
    assert_problem(mira.post("/functions/", {"name": "Add"}, **KEY), 409, "name_taken")
    assert not KeptAnswer.objects.exists()
    assert mira.post("/functions/", {"name": "Halve"}, **KEY).status_code == 201


def test_answers_are_kept_for_a_day(mira: Caller, add: Function) -> None:
    first = mira.post(PATH, DRAFT, **KEY).json()["id"]
    assert remove_old_answers(0) == 0
    assert mira.post(PATH, DRAFT, **KEY).json()["id"] == first
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert mira.post(PATH, {"code": "# new"}, **KEY).json()["id"] != first
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    remove_old_answers(0)
    assert not KeptAnswer.objects.exists()


@pytest.mark.parametrize("key", ["x" * 101, "a\tb"])
def test_a_key_that_is_none_is_refused(mira: Caller, add: Function, key: str) -> None:
    assert_problem(mira.post(PATH, DRAFT, **{"Idempotency-Key": key}), 400, "malformed")


def test_who_is_nobody_is_told_so(nobody: Caller, add: Function) -> None:
    assert_problem(nobody.post(PATH, DRAFT, **KEY), 401, "nobody")


def test_a_body_that_is_too_large_is_refused(mira: Caller, add: Function) -> None:
    assert_problem(mira.post(PATH, "x" * 3_000_000, **KEY), 413, "too_large")


def test_texts_of_tokens_are_not_kept(mira: Caller) -> None:
    first, second = (mira.post("/tokens/", {"name": "x"}, **KEY) for _ in range(2))
    assert first.json()["token"] != second.json()["token"]
    assert not KeptAnswer.objects.exists()


def test_every_posting_operation_takes_a_key_or_says_why_not() -> None:
    schema = api.get_openapi_schema(path_params={})
    ignoring = by_path(IGNORING)
    described = set()
    for one in operations(schema):
        if one.method == "POST":
            name = f"POST {one.path.removeprefix(f'{API}/')}"
            described.add(name)
            takes = "Idempotency-Key" in {field.name for field in one.parameters}
            assert takes is (name not in ignoring), name
    assert ignoring | by_path(OF_BATCHES) <= described


@pytest.mark.django_db(transaction=True)
def test_of_repeated_requests_at_once_one_is_made_and_the_others_wait_or_get_its_answer() -> None:
    owner = make.user("mira", password="x")
    make.function("Add", owner=owner)
    mira = Caller(owner)

    def comment(_: int) -> Any:
        caller = Caller()
        caller.headers = mira.headers
        return caller.post("/functions/Add/comments/", {"text": "Hello."}, **KEY)

    answers = run_together(comment, range(6))
    assert {answer.status_code for answer in answers} <= {201, 409}
    made = [answer for answer in answers if answer.status_code == 201]
    assert len({answer.content for answer in made}) == 1
    for answer in answers:
        if answer.status_code == 409:
            assert_problem(answer, 409, "request_in_progress")
            assert answer["Retry-After"] == "1"
    assert Comment.objects.count() == KeptAnswer.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_request_in_progress_is_said_to_be() -> None:
    owner = make.user("mira", password="x")
    make.function("Add", owner=owner)
    mira = Caller(owner)
    begun, end = threading.Event(), threading.Event()

    def hold() -> None:
        try:
            with transaction.atomic():
                assert lock_key(owner.pk, "once")
                begun.set()
                end.wait(30)
        finally:
            connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert begun.wait(30)
    assert_problem(mira.post(PATH, DRAFT, **KEY), 409, "request_in_progress")
    assert mira.post(PATH, DRAFT, **{"Idempotency-Key": "other"}).status_code == 201
    end.set()
    holder.join()
    assert mira.post(PATH, DRAFT, **KEY).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_after_the_change_has_made_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As killed between the change and its answer: neither is there, so a repetition makes it."""
    owner = make.user("mira", password="x")
    make.function("Add", owner=owner)
    mira = Caller(owner)
    connection.close()
    child = os.fork()
    if not child:  # pragma: no cover - the process that dies
        keep = "functions.api.idempotency.KeptAnswer.objects.create"
        monkeypatch.setattr(keep, lambda **_: os.kill(os.getpid(), signal.SIGKILL))
        mira.post(PATH, DRAFT, **KEY)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert not Implementation.objects.exists()
    assert mira.post(PATH, DRAFT, **KEY).status_code == 201
    assert mira.post(PATH, DRAFT, **KEY).status_code == 201
    assert Implementation.objects.count() == 1
