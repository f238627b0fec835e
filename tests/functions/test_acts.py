"""Who may do what: by every act, whoever asks and however, the same answer."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Model
from django.test import Client

from functions import models
from functions.errors import Refusal
from runner.models import Batch, Task
from runner.registry import Actor
from tests.functions.api.conftest import Caller
from tests.support.acts import ACTS, ROLES, Act, Scene
from tests.support.works import account

pytestmark = pytest.mark.django_db

# Rows that nobody changes who is refused.
WATCHED: tuple[type[Model], ...] = (
    *(models.Function, models.FunctionRevision, models.Implementation, models.Test),
    *(models.AcceptanceTest, models.Comment, models.Vote, models.Watch, models.Flag),
    *(models.AuditEntry, models.Preview, Batch, Task),
)
STATUSES = {
    "ok": 200,
    "nobody": 403,
    "not_yours": 403,
    "not_staff": 403,
    "not_found": 404,
    "own_work": 422,
    "no_offer": 409,
    "not_a_draft": 409,
}
SHUT_OUT = (SIGNED_OUT, SUSPENDED) = ("signed out", "suspended")
Ask = Callable[[Act, str], str]


@pytest.fixture
def scene() -> Scene:
    """Return the rows that acts are about."""
    return Scene()


def rows() -> dict[str, list[dict[str, Any]]]:
    return {
        model.__name__: list(model._default_manager.order_by("pk").values()) for model in WATCHED
    }


def surprises(acts: list[Act], ask: Ask, more: dict[str, str]) -> str:
    """Return a line for each answer that is another than expected; what is done is taken back."""
    found, before = [], rows()
    for act in acts:
        for role, expected in (act.answers | more).items():
            with transaction.atomic():
                answer = ask(act, role)
                transaction.set_rollback(answer == "ok")
            if answer != expected:
                found.append(f"{act.name} by {role}: {expected} expected, {answer} answered")
    assert rows() == before
    return "\n".join(found)


def test_use_cases_refuse_who_may_not(scene: Scene) -> None:
    people: dict[str, Actor] = {**scene.people, SIGNED_OUT: AnonymousUser()}

    def ask(act: Act, role: str) -> str:
        try:
            act.call(people[role], scene)
        except Refusal as refusal:
            return refusal.code
        return "ok"

    assert surprises(ACTS, ask, {SIGNED_OUT: "nobody"}) == ""


def test_the_api_refuses_who_may_not(scene: Scene) -> None:
    suspended = Caller(account("ulf"))
    callers = {role: Caller(person) for role, person in scene.people.items()}
    callers |= {SIGNED_OUT: Caller(), SUSPENDED: suspended}
    User.objects.filter(username="ulf").update(is_active=False)

    def ask(act: Act, role: str) -> str:
        method, path = act.api.split()
        answer = callers[role].call(method, scene.path(path), act.body)
        if answer.status_code < 300:
            return "ok"
        code = str(json.loads(answer.content)["code"])
        is_expected = answer.status_code == (401 if role in SHUT_OUT else STATUSES.get(code))
        return code if is_expected else str(answer.status_code)

    acts = [act for act in ACTS if act.api]
    assert surprises(acts, ask, {SIGNED_OUT: "nobody", SUSPENDED: "suspended"}) == ""


def test_pages_refuse_who_may_not(scene: Scene) -> None:
    clients = {role: Client() for role in (*ROLES, SIGNED_OUT, SUSPENDED)}
    for role, person in scene.people.items():
        clients[role].force_login(person)
    clients[SUSPENDED].force_login(account("ulf"))
    User.objects.filter(username="ulf").update(is_active=False)

    def ask(act: Act, role: str) -> str:
        answer = clients[role].post(scene.path(act.page), act.form)
        status, expected = answer.status_code, act.answers.get(role, "nobody")
        if status == 302 and answer["Location"].startswith("/accounts/login/"):
            return "nobody"
        # A form shows a refusal itself, and is unprocessable then.
        is_expected = status == STATUSES[expected] or (status == 422 and "act" in act.form)
        return "ok" if status < 400 else expected if is_expected else str(status)

    acts = [act for act in ACTS if act.page]
    assert surprises(acts, ask, {SIGNED_OUT: "nobody", SUSPENDED: "nobody"}) == ""
