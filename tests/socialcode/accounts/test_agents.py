"""Agents: accounts of programs, which people make and answer for."""

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.test import Client

from functions.errors import Refusal
from functions.models import Agent, Function
from functions.permissions import is_person
from socialcode.accounts.agents import accounts
from socialcode.accounts.agents.accounts import create_agent, renew_token, retire_agent
from socialcode.accounts.suspensions import lift_suspension, suspend
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.proofs import prove

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira() -> User:
    return make.user("mira", is_staff=True)


@pytest.fixture
def agent(mira: User) -> Caller:
    return caller_of(*create_agent(actor=mira, name="helper"))


def caller_of(agent: Agent, token: str) -> Caller:
    caller = Caller()
    caller.user, caller.headers = agent.user, {"Authorization": f"Bearer {token}"}
    return caller


def test_what_an_agent_writes_is_its_own_and_functions_are_its_persons(agent: Caller) -> None:
    assert agent.post("/functions/", {"name": "Add", "signature": "(a, b)"}).status_code == 201
    work = agent.post("/functions/Add/implementations/", {"code": "x = 1"}).json()
    assert work["author"] == "helper[agent]"
    add = Function.objects.get(name="Add")
    assert add.owner.username == "mira"
    assert add.revisions.get().editor.username == "helper[agent]"
    assert_problem(agent.patch("/functions/Add/", {"description": "Mine"}), 403, "agent")


def test_a_page_names_the_person_behind_an_agent(agent: Caller) -> None:
    shown = agent.get("/people/helper[agent]/").json()
    assert (shown["agent_of"], shown["agents"]) == ("mira", [])
    shown = agent.get("/people/mira/").json()
    assert (shown["agent_of"], shown["agents"]) == (None, ["helper[agent]"])
    assert 'href="/people/mira/"' in Client().get("/people/helper[agent]/").content.decode()


def test_nobody_votes_on_works_of_their_own_agents(mira: User, agent: Caller) -> None:
    work = make.implementation(make.function(), author=agent.user)
    answer = Caller(mira).put(f"/implementations/{work.pk}/vote/", {"value": 1})
    assert_problem(answer, 422, "own_work")
    other = Caller(make.user("otto"))
    assert other.put(f"/implementations/{work.pk}/vote/", {"value": 1}).json()["score"] == 1


def test_an_agent_gets_no_password_however_it_is_saved(agent: Caller) -> None:
    assert agent.user
    agent.user.set_password("a password of tests")
    agent.user.is_staff, agent.user.email = True, "agent@example.org"
    agent.user.save()
    kept = User.objects.get(pk=agent.user.pk)
    assert (kept.is_staff, kept.email, kept.has_usable_password()) == (False, "", False)
    assert authenticate(username="helper[agent]", password="a password of tests") is None


def test_an_agent_is_suspended_with_its_person(mira: User, agent: Caller) -> None:
    root = make.user("root", is_staff=True, is_superuser=True)
    suspend(actor=root, username="mira", reason="Spam")
    problem = assert_problem(agent.get("/functions/"), 401, "suspended")
    assert "Spam" in problem["detail"]
    lift_suspension(actor=root, username="mira")
    assert agent.get("/functions/").status_code == 200
    suspend(actor=root, username="helper[agent]", reason="It repeats itself")
    assert_problem(agent.get("/functions/"), 401, "suspended")
    assert Caller(mira).get("/functions/").status_code == 200


def test_a_new_password_of_its_person_ends_an_agents_tokens(mira: User, agent: Caller) -> None:
    mira.set_password("another password of tests")
    mira.save()
    assert_problem(agent.get("/functions/"), 401, "invalid_token")


def test_a_new_token_replaces_the_former_and_a_retired_agent_has_none(
    mira: User, agent: Caller
) -> None:
    assert agent.user
    name = agent.user.username
    renewed = Caller()
    renewed.headers = {"Authorization": f"Bearer {renew_token(actor=mira, username=name)}"}
    assert_problem(agent.get("/functions/"), 401, "invalid_token")
    assert renewed.get("/functions/").status_code == 200
    retire_agent(actor=mira, username=name)
    assert_problem(renewed.get("/functions/"), 401, "invalid_token")
    with pytest.raises(Refusal, match="no agent"):
        renew_token(actor=make.user("otto"), username=name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("helper", "name_taken"),
        ("mira", "invalid_name"),
        ("rnira", "invalid_name"),
        ("admin", "invalid_name"),
        ("a b", "invalid_name"),
        ("helper[agent]", "invalid_name"),
        ("x" * 61, "too_long"),
        ("", "invalid_name"),
    ],
)
def test_an_agents_name_is_new_and_like_no_persons(
    mira: User, agent: Caller, name: str, code: str
) -> None:
    with pytest.raises(Refusal) as refused:
        create_agent(actor=mira, name=name)
    assert refused.value.code == code


def test_people_have_few_agents_and_agents_none(
    mira: User, agent: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "MAX_AGENTS", 1)
    assert_problem(Caller(mira).post("/agents/", {"name": "more"}), 409, "too_many_agents")
    assert_problem(agent.post("/agents/", {"name": "more"}), 403, "agent")
    assert is_person(mira)
    assert agent.user
    assert not is_person(agent.user)


def test_a_function_is_not_handed_to_an_agent(mira: User, agent: Caller) -> None:
    function = make.function(owner=mira)
    for method, act in (("PUT", "offer"), ("POST", "transfer")):
        answer = Caller(mira).call(
            method, f"/functions/{function.name}/{act}/", {"to": "helper[agent]"}
        )
        assert_problem(answer, 422, "no_such_user")


def test_the_page_of_agents_shows_a_token_once(mira: User) -> None:
    client = Client()
    client.force_login(mira)
    prove(client)
    made = client.post(
        "/accounts/agents/", {"name": "helper", "scopes": ["draft"]}
    ).content.decode()
    assert "helper[agent]" in made
    assert "sc_" in made
    assert "sc_" not in client.get("/accounts/agents/").content.decode()
    renewed = client.post("/accounts/agents/helper[agent]/token/")
    assert "sc_" in renewed.content.decode()
    assert (
        client.post("/accounts/agents/", {"name": "helper", "scopes": ["draft"]}).status_code == 422
    )
    client.post("/accounts/agents/helper[agent]/retire/")
    assert "none: retired" in client.get("/accounts/agents/").content.decode()
