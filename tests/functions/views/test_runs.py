"""The pages of runs."""

from datetime import timedelta

import pytest
from django.test import Client

from runner.models import Batch, Task
from runner.states import State
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make
from tests.support.works import account

pytestmark = pytest.mark.django_db


def page_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def test_a_run_says_which_results_are_of_a_later_run() -> None:
    execution = make.execution()
    batch = make.batch("function:1", execution)
    assert "run again since" not in page_of(Client(), f"/runs/{batch.pk}/")
    Task.objects.filter(batch=batch).update(finished_at=make.SINCE)
    make.attempt(execution, 1, "recorded", at=make.SINCE + timedelta(days=1))
    shown = page_of(Client(), f"/runs/{batch.pk}/")
    assert "1 of these programs has been run again since" in shown
    assert "in a later run," in shown
    (task,) = Client().get(f"/api/v1/tasks/?batch={batch.pk}").json()["items"]
    assert task["run_again_at"].startswith(f"{make.SINCE + timedelta(days=1):%Y-%m-%dT%H:%M:%S}")


def test_an_empty_list_says_what_would_be_there() -> None:
    assert "No runs yet" in page_of(Client(), "/runs/")
    assert "Nothing needs attention" in page_of(Client(), "/runs/?state=attention")
    assert "No matching runs" in page_of(Client(), "/runs/?function=Nothing&age=week")


def test_the_list_leads_to_runs_and_from_a_functions_page_to_its_own() -> None:
    add, halve = make.function("Add"), make.function("Halve")
    own = make.batch(add.topic, make.execution(), owner=account("mira"))
    other = make.batch(halve.topic, make.execution())
    everything = page_of(Client(), "/runs/")
    assert f'href="/runs/{own.pk}/"' in everything
    assert f'href="/runs/{other.pk}/"' in everything
    assert 'href="/runs/?function=Add"' in page_of(Client(), "/functions/Add/")
    assert 'href="/runs/"' in page_of(Client(), "/")
    of_add = page_of(Client(), "/runs/?function=Add&owner=mira&state=complete")
    assert f'href="/runs/{own.pk}/"' in of_add
    assert f'href="/runs/{other.pk}/"' not in of_add
    assert 'href="/runs/?state=open&amp;owner=mira&amp;function=Add"' in of_add


def test_a_long_list_goes_on_where_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("functions.views.runs.RUNS_SHOWN", 2)
    runs = [make.batch("function:1", make.execution()).pk for _ in range(3)]
    first = page_of(Client(), "/runs/?state=complete")
    assert f'href="/runs/{runs[0]}/"' not in first
    (link,) = [part.split('"')[0] for part in first.split('rel="next" href="')[1:]]
    rest = page_of(Client(), link.replace("&amp;", "&"))
    assert f'href="/runs/{runs[0]}/"' in rest
    assert 'rel="next"' not in rest


@pytest.mark.parametrize(
    "query",
    ["state=lost", "age=century", "cursor=x", "parent=x", "parent=" + "9" * 30],
)
def test_a_list_that_cannot_be_is_not_there(query: str) -> None:
    assert Client().get(f"/runs/?{query}").status_code == 404


def test_what_the_database_cannot_hold_is_looked_for_in_vain() -> None:
    page_of(Client(), "/runs/?owner=a%00b&function=%ed%a0%80")


def test_a_task_that_was_given_up_shows_each_attempt_with_its_traceback() -> None:
    execution = make.execution(verdict="", state=State.IGNORED)
    batch = make.batch("function:1", execution)
    for number in (1, 2, 3):
        error = f"Traceback\n  <in> {number}\nIt broke for the {number}. time"
        make.attempt(execution, number, "failed", at=batch.created_at, error=error, worker="w-7")
    page = page_of(Client(), f"/runs/{batch.pk}/")
    assert page.count("<pre") == 3
    assert "&lt;in&gt; 2" in page
    assert page.index("for the 3. time") < page.index("for the 1. time")
    assert "w-7" in page
    assert "3 of 3" in page
    assert "given up, after 3 attempts" in page


def test_a_runs_tasks_are_filtered_and_paged() -> None:
    executions = [make.execution(verdict=word) for word in ("passed", "failed", "")]
    batch = make.batch("function:1", *executions)
    passed, failed, waiting = Task.objects.filter(batch=batch).order_by("pk")

    def rows(query: str) -> list[int]:
        page = page_of(Client(), f"/runs/{batch.pk}/?{query}")
        return [int(part.split('"')[0]) for part in page.split('data-task-row="')[1:]]

    assert rows("") == [passed.pk, failed.pk, waiting.pk]
    assert rows("state=pending") == [waiting.pk]
    assert rows("verdict=failed") == [failed.pk]
    assert rows("state=ignored") == []
    for query in ("state=lost", "verdict=lost", "cursor=x"):
        assert Client().get(f"/runs/{batch.pk}/?{query}").status_code == 404


def test_a_drafts_run_is_there_for_its_author_alone(as_person: SignedIn) -> None:
    batch = make.batch("draft:test-1", make.execution(), owner=account("mira"), private=True)
    assert "only you see it" in page_of(as_person("mira"), f"/runs/{batch.pk}/")
    account("sam", is_staff=True)
    for client in (Client(), as_person("otto"), as_person("sam")):
        assert client.get(f"/runs/{batch.pk}/").status_code == 404
        assert f"/runs/{batch.pk}/" not in page_of(client, "/runs/")
    for client in (as_person("otto"), as_person("sam")):
        assert client.post(f"/runs/{batch.pk}/cancel/").status_code == 404


def test_who_started_a_run_may_cancel_it_and_nobody_else_is_offered_to(
    as_person: SignedIn,
) -> None:
    batch = make.batch("function:1", make.execution(verdict=""), owner=account("mira"))
    address = f"/runs/{batch.pk}/cancel/"
    assert address in page_of(as_person("mira"), f"/runs/{batch.pk}/")
    assert address not in page_of(as_person("otto"), f"/runs/{batch.pk}/")
    assert address not in page_of(Client(), f"/runs/{batch.pk}/")
    assert "/accounts/login/" in Client().post(address)["Location"]
    assert as_person("mira").get(address).status_code == 405
    assert Task.objects.get(batch=batch).state == State.PENDING
    response = as_person("mira").post(address, follow=True)
    assert f"Run {batch.pk} was cancelled" in response.content.decode()
    assert Task.objects.get(batch=batch).state == State.CANCELLED


def test_staff_cancel_any_run_and_only_one_that_is_open(as_person: SignedIn) -> None:
    account("sam", is_staff=True)
    batch = make.batch("function:1", make.execution(verdict=""), owner=account("mira"))
    assert as_person("sam").post(f"/runs/{batch.pk}/cancel/").status_code == 302
    ended = make.batch("function:1", make.execution(), owner=account("mira"))
    refused = as_person("mira").post(f"/runs/{ended.pk}/cancel/")
    assert refused.status_code == 409
    assert "has ended already" in refused.content.decode()
    assert f"/runs/{ended.pk}/cancel/" not in page_of(as_person("mira"), f"/runs/{ended.pk}/")


def test_cancelling_takes_a_csrf_token() -> None:
    batch = make.batch("function:1", make.execution(verdict=""), owner=account("mira"))
    client = Client(enforce_csrf_checks=True)
    client.force_login(account("mira"))
    assert client.post(f"/runs/{batch.pk}/cancel/").status_code == 403
    assert Batch.objects.get(pk=batch.pk).state == batch.state


def test_what_was_given_up_is_retried_by_a_button_that_leads_to_the_new_run(
    as_person: SignedIn,
) -> None:
    given_up = make.execution(verdict="", state=State.IGNORED)
    batch = make.batch("function:1", make.execution(), given_up, owner=account("mira"))
    address = f"/runs/{batch.pk}/retry/"
    assert address in page_of(as_person("mira"), f"/runs/{batch.pk}/")
    assert address not in page_of(as_person("otto"), f"/runs/{batch.pk}/")
    response = as_person("mira").post(address, follow=True)
    new = Batch.objects.latest("pk")
    assert f"This is run {new.pk}; run {batch.pk} is unchanged." in response.content.decode()
    task = Task.objects.get(batch=new)
    assert (task.execution_id, task.state) == (given_up.pk, State.PENDING)
    assert Task.objects.get(batch=batch, execution=given_up).state == State.IGNORED


def test_all_of_a_run_is_had_again_when_it_has_ended(as_person: SignedIn) -> None:
    batch = make.batch("function:1", make.execution(), make.execution(), owner=account("mira"))
    address = f"/runs/{batch.pk}/run-again/"
    assert address in page_of(as_person("mira"), f"/runs/{batch.pk}/")
    assert "/accounts/login/" in Client().post(address)["Location"]
    assert as_person("mira").post(address).status_code == 302
    assert Task.objects.filter(batch=Batch.objects.latest("pk")).count() == 2
    waiting = make.batch("function:1", make.execution(verdict=""), owner=account("mira"))
    refused = as_person("mira").post(f"/runs/{waiting.pk}/run-again/")
    assert refused.status_code == 409
    assert "still open" in refused.content.decode()


def test_a_cell_leads_to_its_result_by_the_beginning_of_the_key() -> None:
    function = make.function("Add")
    work, test, run = make.implementation(function), make.test_of(function), make.execution()
    key = bytes(run.key)
    make.cell(work, test, "passed", key=key, result_key=key)
    make.batch(function.topic, run)
    link = f"/results/{key.hex()[:16]}/"
    assert f'href="{link}"' in page_of(Client(), "/functions/Add/")
    assert key.hex() in page_of(Client(), link)
    assert Client().get(f"/results/{'0' * 16}/").status_code == 404
