"""Daily quotas: refused with what, how much and until when; seen before; changed by staff."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from functions.maintenance.sample_library import load_samples
from functions.models import AuditEntry, Function, Implementation
from functions.people.quotas import DAILY, DRAFTS, FUNCTIONS
from runner.models import QuotaOverride
from runner.quotas import read_use
from socialcode.accounts.agents.accounts import create_agent
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make
from tests.support.agents import labelled

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("limits")]
CODE = "def Add(a, b):\n    return a + b\n"


def define(caller: Caller, name: str = "Fresh") -> Any:
    return caller.post("/functions/", {"name": name})


def begin(caller: Caller) -> Any:
    return caller.post("/functions/Add/implementations/", {"code": CODE})


def bring(caller: Caller) -> Any:
    return caller.post("/imports/", {"module": "def One():\n    return 1\n\ndef Two(): pass\n"})


def publish(caller: Caller) -> Any:
    work = make.implementation(Function.objects.get(), author=caller.user, state="draft", code=CODE)
    return caller.post(f"/implementations/{work.pk}/publish/")


@pytest.mark.parametrize(
    ("setting", "limit", "act", "said"),
    [
        ("FUNCTIONS_PER_DAY", 1, define, "used today's quota of new functions: 1 of 1"),
        ("DRAFTS_PER_DAY", 0, begin, "used today's quota of new drafts: 0 of 0"),
        ("FUNCTIONS_PER_DAY", 2, bring, "takes 2 new functions, and you have used 1 of today's 2"),
        ("CPU_SECONDS_PER_DAY", 0, publish, "used today's quota of CPU seconds: 0 of 0"),
        ("RUNS_PER_DAY", 0, publish, "used today's quota of runs: 0 of 0"),
    ],
)
def test_a_refusal_says_what_how_much_and_when_it_is_renewed(
    mira: Caller,
    add: Function,
    settings: Settings,
    setting: str,
    limit: int,
    act: Callable[[Caller], Any],
    said: str,
) -> None:
    setattr(settings, setting, limit)
    before = Function.objects.count(), Implementation.objects.exclude(state="draft").count()
    answer = act(mira)
    problem = assert_problem(answer, 429, "quota_reached")
    assert said in problem["detail"]
    assert "midnight UTC" in problem["detail"]
    assert 0 < int(answer["Retry-After"]) <= 86_401
    assert before == (
        Function.objects.count(),
        Implementation.objects.exclude(state="draft").count(),
    )
    assert mira.user
    assert read_use(mira.user.pk, [FUNCTIONS])["functions"].used == 1  # nothing was counted
    setattr(settings, setting, 10)
    assert act(mira).status_code in (201, 202)


def test_what_was_counted_is_what_there_is(mira: Caller, add: Function) -> None:
    bring(mira)
    begin(mira)
    mira.post("/functions/Add/clone/", {"name": "Sum"})
    assert mira.user
    used = {name: use.used for name, use in read_use(mira.user.pk, [FUNCTIONS, DRAFTS]).items()}
    assert used == {"functions": 4, "drafts": 3}
    assert Function.objects.filter(owner=mira.user).count() == 4
    assert Implementation.objects.filter(author=mira.user).count() == 3


@pytest.fixture
def helper(mira: Caller) -> Caller:
    assert mira.user
    agent, token = create_agent(actor=mira.user, name="helper")
    caller = Caller()
    caller.user = agent.user
    caller.headers = {"Authorization": f"Bearer {token}"}
    return caller


def test_an_agents_use_is_its_persons(
    mira: Caller, helper: Caller, add: Function, settings: Settings
) -> None:
    settings.AGENT_QUOTA_PERCENT = 100
    settings.DRAFTS_PER_DAY, settings.RUNS_PER_DAY = 2, 1
    assert [begin(one).status_code for one in (helper, mira, helper)] == [201, 201, 429]
    used = helper.get("/use/").json()
    assert used["username"] == "helper[agent]"
    own, of_person = (
        {item["resource"]: item["used"] for item in used[name]} for name in ("items", "of_person")
    )
    assert (own["drafts"], of_person["drafts"]) == (1, 2)
    assert [publish(one).status_code for one in (helper, mira)] == [202, 429]  # one run waits


def test_an_agent_has_limits_of_its_own_below_its_persons(
    mira: Caller, helper: Caller, add: Function, settings: Settings
) -> None:
    settings.DRAFTS_PER_DAY = 4
    assert [begin(helper).status_code for _ in range(3)] == [201, 201, 429]
    problem = assert_problem(begin(helper), 429, "quota_reached")
    assert "2 of 2" in problem["detail"]
    assert begin(mira).headers["RateLimit"].startswith('"drafts";r=1;t=')
    assert [begin(mira).status_code for _ in range(2)] == [201, 429]
    (shown,) = mira.get("/agents/").json()["items"]
    drafts = next(item for item in shown["use"] if item["resource"] == "drafts")
    assert drafts == {"resource": "drafts", "used": 2, "limit": 2, "scarce": True}
    settings.RUNS_PER_DAY = 1
    assert_problem(publish(helper), 429, "quota_reached")
    assert publish(mira).status_code == 202


def test_an_agent_may_have_fewer_tasks_waiting(
    mira: Caller, helper: Caller, add: Function, settings: Settings
) -> None:
    settings.QUEUED_PER_OWNER = 1
    problem = assert_problem(publish(helper), 429, "too_many_requests")
    assert "You may have 0 runs waiting" in problem["detail"]
    assert publish(mira).status_code == 202


def test_a_labelled_account_has_the_quotas_of_agents(
    mira: Caller, add: Function, settings: Settings
) -> None:
    settings.DRAFTS_PER_DAY = 2
    assert begin(mira).status_code == 201
    labelled("mira")
    assert begin(mira).status_code == 429
    assert mira.get("/use/").json()["of_person"] is None


def test_staff_gives_one_agent_another_limit(
    mira: Caller, helper: Caller, add: Function, settings: Settings
) -> None:
    settings.DRAFTS_PER_DAY = 2
    root = Caller(make.user("root", is_staff=True))
    change = {"limit": 5, "reason": "It works well."}
    assert root.put("/accounts/helper[agent]/quotas/drafts/", change).status_code == 200
    assert [begin(helper).status_code for _ in range(3)] == [201, 201, 429]  # its person's


def test_an_agents_requests_have_a_rate_of_their_own_and_its_persons(
    mira: Caller, helper: Caller, add: Function
) -> None:
    answer = begin(helper)
    assert '"new-drafts-of-agents-rate";q=50' in answer["RateLimit-Policy"]
    for _ in range(49):
        assert helper.post("/functions/Add/implementations/", {"code": 1}).status_code == 400
    refused = assert_problem(begin(helper), 429, "too_many_requests")
    assert "of an agent" in refused["detail"]
    answer = begin(mira)  # of its person's 100, 50 are left
    assert '"new-drafts-rate";r=49' in answer["RateLimit"]


def test_answers_say_what_is_left(mira: Caller, add: Function, settings: Settings) -> None:
    settings.DRAFTS_PER_DAY = 10
    answer = begin(mira)
    assert answer["RateLimit"].startswith('"drafts";r=9;t=')
    assert answer["RateLimit-Policy"].startswith('"drafts";q=10;w=86400')
    assert "RateLimit" not in mira.get("/functions/Add/")
    shown = mira.get("/use/").json()
    items = {item["resource"]: item for item in shown["items"]}
    assert list(items) == [*(resource.name for resource in DAILY), "sockets"]
    assert items["drafts"] == {"resource": "drafts", "used": 1, "limit": 10, "scarce": False}


def test_a_page_warns_once_when_a_quota_becomes_scarce(
    mira: Caller,
    add: Function,
    settings: Settings,
) -> None:
    settings.DRAFTS_PER_DAY = 5
    client, warned = Client(), []
    assert mira.user
    client.force_login(mira.user)
    for _ in range(5):
        client.post("/functions/Add/tests/new/", {"code": "assert True"})
        warned.append("of today&#x27;s 5 new drafts." in client.get("/use/").content.decode())
    assert warned == [False, False, False, True, False]
    page = client.get("/use/").content.decode()
    assert "used up" in page
    assert 'aria-valuetext="5 of 5"' in page
    refused = client.post("/functions/Add/tests/new/", {"code": "assert True"})
    assert "used today&#x27;s quota of new drafts: 5 of 5" in refused.content.decode()
    assert "assert True" in refused.content.decode()


def test_staff_gives_one_account_another_limit_and_the_log_says_so(
    mira: Caller,
    otto: Caller,
    staff: Caller,
    settings: Settings,
) -> None:
    settings.FUNCTIONS_PER_DAY = 1
    path = "/accounts/mira/quotas/functions/"
    body = {"limit": 2, "reason": "She asked."}
    assert_problem(mira.put(path, body), 403, "not_staff")
    changed = staff.put(path, body).json()
    assert {"resource": "functions", "used": 0, "limit": 2, "scarce": False} in changed["items"]
    assert [define(mira, name).status_code for name in "ABC"] == [201, 201, 429]
    assert [define(otto, name).status_code for name in "DE"] == [201, 429]
    entry = AuditEntry.objects.get()
    assert (entry.act, entry.label, entry.reason) == ("quota_changed", "functions: 2", "She asked.")
    assert staff.put(path, {"limit": None, "reason": "No longer."}).status_code == 200
    assert not QuotaOverride.objects.exists()
    assert_problem(staff.put(path, {"limit": -1, "reason": "x"}), 400, "malformed")
    assert_problem(staff.put("/accounts/mira/quotas/votes/", body), 404, "no_such_quota")
    assert_problem(staff.put("/accounts/nobody/quotas/cpu/", body), 404, "not_found")


def test_staffs_page_shows_and_sets_limits(mira: Caller, staff: Caller) -> None:
    client = Client()
    assert staff.user
    client.force_login(staff.user)
    form = {"username": "mira", "resource": "cpu", "limit": "12345", "reason": "She asked."}
    answer = client.post("/staff/quotas/", form, follow=True)
    assert answer.redirect_chain == [("/staff/quotas/?username=mira", 302)]
    page = answer.content.decode()
    assert "12,345" in page
    assert "limit set by staff" in page
    assert client.post("/staff/quotas/", {**form, "username": "nobody"}).status_code == 422
    assert "There is no such user." in client.get("/staff/quotas/?username=x").content.decode()


def test_samples_are_loaded_whatever_the_quotas(settings: Settings, monkeypatch: Any) -> None:
    for name in ("CPU_SECONDS", "RUNS", "DRAFTS", "FUNCTIONS"):
        setattr(settings, f"{name}_PER_DAY", 0)
    assert load_samples(report=lambda _: None) > 10
