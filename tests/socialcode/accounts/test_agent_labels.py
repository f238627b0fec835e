"""Labels of accounts as agents: by themselves, by the person who made them, and by staff."""

import time

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from functions.models import AgentLabel, AuditEntry, Implementation
from functions.models.agent_labels import FRESH_SECONDS, Label, label_of, snapshot
from functions.moderation.comments import write_comment
from socialcode.accounts.agents.labels import (
    label_account,
    label_oneself,
    labels,
    unlabel_account,
    unlabel_oneself,
)
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.agents import agent_of, labelled
from tests.support.proofs import prove
from tests.support.refusals import code_of
from tests.support.works import account, constant, define, implement

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> User:
    return make.user("staff", is_staff=True)


def test_one_labels_oneself_and_removes_that() -> None:
    robot = make.user("robot")
    assert code_of(unlabel_oneself, actor=robot) == "not_labelled"
    label_oneself(actor=robot)
    label_oneself(actor=robot)
    assert label_of("Robot") == Label("holder", "")
    unlabel_oneself(actor=robot)
    assert label_of("robot") is None
    assert code_of(label_oneself, actor=agent_of("ann", "helper")) == "agent"


def test_what_staff_labelled_only_staff_unlabels(staff: User) -> None:
    robot = labelled("robot")
    assert code_of(label_account, actor=robot, username="staff", reason="x") == "not_staff"
    assert code_of(label_account, actor=staff, username="robot", reason=" ") == "reason_required"
    label_account(actor=staff, username="robot", reason="It votes on everything.")
    assert label_of("robot") == Label("staff", "")
    assert code_of(unlabel_oneself, actor=robot) == "labelled_by_staff"
    again = {"actor": staff, "username": "robot", "reason": "Again"}
    assert code_of(label_account, **again) == "labelled_already"
    label_oneself(actor=robot)
    assert AgentLabel.objects.get().source == AgentLabel.Source.STAFF
    unlabel_account(actor=staff, username="robot")
    assert not AgentLabel.objects.exists()
    assert code_of(unlabel_account, actor=staff, username="robot") == "not_labelled"
    logged = AuditEntry.objects.order_by("pk").values_list("act", "person__username", "reason")
    assert list(logged) == [
        ("agent_labelled", "robot", "It votes on everything."),
        ("agent_unlabelled", "robot", ""),
    ]


def test_agents_made_by_people_and_members_of_staff_are_not_labelled(staff: User) -> None:
    agent_of("ann", "helper")
    made = {"actor": staff, "username": "helper[agent]", "reason": "x"}
    assert code_of(label_account, **made) == "always_labelled"
    assert code_of(label_account, actor=staff, username="staff", reason="x") == "staff_account"
    assert code_of(label_oneself, actor=staff) == "staff_account"
    assert code_of(label_account, actor=staff, username="nobody", reason="x") == "not_found"


def test_a_label_is_shown_beside_the_name_wherever_work_is_shown(client: Client) -> None:
    add = define("Add", owner="robot")
    work = implement(add, constant("Add", 1), author="robot")
    write_comment(actor=account("robot"), subject=add, text="Hm")
    helper = agent_of("ann", "helper")
    implement(add, constant("Add", 2), author=helper.username)
    pages = ("/functions/Add/", "/functions/Add/discussion/", "/functions/Add/revisions/")
    for page in (*pages, "/functions/"):
        assert '<span class="tag">agent</span>' not in client.get(page).content.decode(), page
    labelled("robot")
    for page in pages:
        assert '<span class="tag">agent</span>' in client.get(page).content.decode(), page
    assert "agent of ann" in client.get("/functions/Add/").content.decode()
    assert "An agent, by its own account" in client.get("/people/robot/").content.decode()
    caller = Caller()
    (first,) = caller.get("/functions/Add/comments/").json()["items"]
    shown = caller.get(f"/implementations/{work.pk}/").json()
    assert (first["author_agent"], shown["author_agent"]) == ("holder", "holder")
    person = caller.get("/people/robot/").json()
    assert (person["agent_label"], person["agent_of"]) == ("holder", None)
    other = Implementation.objects.get(author=helper)
    assert caller.get(f"/implementations/{other.pk}/").json()["author_agent"] == "owner"


def test_labels_of_other_processes_are_seen_after_some_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = make.user("robot")
    AgentLabel.objects.bulk_create([AgentLabel(user=robot, source="holder")])  # without signals
    assert label_of("robot") is None
    monkeypatch.setattr(snapshot, "_read_at", time.monotonic() - FRESH_SECONDS - 1)
    assert label_of("robot") == Label("holder", "")


def test_names_cost_one_query_of_labels_in_some_seconds(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    snapshot.forget()
    with django_assert_num_queries(1):
        for number in range(100):
            label_of(f"person{number}")


def test_labels_are_paged() -> None:
    for number in range(3):
        labelled(f"robot{number}")
    first = labels(limit=2)
    assert [label.user.username for label in first.rows] == ["robot2", "robot1"]
    rest = labels(limit=2, cursor=first.next)
    assert ([label.user.username for label in rest.rows], rest.next) == (["robot0"], "")


def test_the_api_labels_and_unlabels(staff: User) -> None:
    robot, judge = Caller(make.user("robot")), Caller(staff)
    assert robot.put("/account/agent-label/", {}).json() == {
        "username": "robot",
        "source": "holder",
    }
    assert robot.call("DELETE", "/account/agent-label/").status_code == 204
    reason = {"reason": "It votes on everything."}
    assert_problem(robot.put("/accounts/robot/agent-label/", reason), 403, "not_staff")
    assert judge.put("/accounts/robot/agent-label/", reason).json()["source"] == "staff"
    assert_problem(robot.call("DELETE", "/account/agent-label/"), 403, "labelled_by_staff")
    assert judge.call("DELETE", "/accounts/robot/agent-label/").status_code == 204


def test_pages_label_and_unlabel(staff: User) -> None:
    robot, judge = Client(), Client()
    robot.force_login(make.user("robot"))
    prove(robot)
    judge.force_login(staff)
    shown = robot.post("/accounts/agents/label/", {"label": "yes"}, follow=True)
    assert "is labelled as an agent" in shown.content.decode()
    assert "robot" in judge.get("/staff/agents/").content.decode()
    given = {"username": "robot", "reason": "It votes on everything."}
    assert judge.post("/staff/agents/", given).status_code == 302
    assert judge.post("/staff/agents/", given).status_code == 422
    page = robot.get("/accounts/agents/").content.decode()
    assert "It votes on everything." in page
    assert 'value="no"' not in page
    assert judge.post("/staff/agents/robot/remove/").status_code == 302
    assert not AgentLabel.objects.exists()
