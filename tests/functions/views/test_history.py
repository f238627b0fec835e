"""Pages of how things came to be: why, revisions, differences, records side by side."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.authoring import copy, publish, revise_function
from functions.models import Cell, Function, FunctionRevision, Implementation, Test
from functions.templatetags.history import linked
from runner.models import Batch, Task
from tests.functions.views.conftest import SignedIn
from tests.support import builders as make
from tests.support.works import account, constant, define, implement, publish_test

pytestmark = pytest.mark.django_db


def revise(function: Function, signature: str, description: str = "") -> FunctionRevision:
    revise_function(
        actor=function.owner, function=function, signature=signature, description=description
    )
    return FunctionRevision.objects.filter(function=function).latest("id")


def copied(work: Implementation | Test, code: str, *, author: str) -> Implementation | Test:
    draft = copy(actor=account(author), work=work)
    draft.code = code
    draft.save(update_fields=["code"])
    publish(actor=draft.author, draft=draft)
    draft.refresh_from_db()
    return draft


def test_why_is_found_in_any_case_and_tells_what_each_came_to(client: Client) -> None:
    add = define("Add")
    winner = make.implementation(add, standing="eligible", score=2, title="The <winner>")
    through = {"standing": "circular", "standing_reason": "through Half → Double"}
    other = make.implementation(add, **through, score=5)
    make.elect(winner, judging=False)
    test = make.test_of(add, title="small")
    make.cell(winner, test, "passed")
    assert client.get("/functions/add/why/")["Location"] == "/functions/Add/why/"
    page = client.get("/functions/Add/why/").content.decode()
    assert f"Why is {winner} current?" in page
    assert f"{winner} is the only eligible implementation." in page
    assert "The &lt;winner&gt;" in page
    assert "Circular through Half → Double" in page
    assert '<a class="dep" data-status="missing" href="/functions/Half/">Half</a>' in page
    assert f"T{test.number} small" in page
    assert page.index(f"#I{other.number}") < page.index(f"#I{winner.number}")
    assert 'href="/functions/Add/why/"' in client.get("/functions/Add/").content.decode()
    assert client.get("/functions/Nowhere/why/").status_code == 404


def history_of(rows: int) -> Function:
    function = make.function()
    for number in range(rows):
        blocked = {"standing": "blocked", "standing_reason": f"blocked by F{number}, which"}
        work = make.implementation(function, **blocked)
        make.cell(work, make.test_of(function), "failed")
        revise(function, f"({number})")
        batch = make.batch(function.topic)
        function.elections.create(
            elected=work, cause="run 1 again", by=make.user(), batch=batch, origin=make.function()
        )
    return function


def comparison_of(rows: int) -> Implementation:
    function = make.function()
    first = make.implementation(function, code="# <<Gone>>\n")
    for _ in range(rows):
        work = make.implementation(function, based_on=first)
        make.dependency(work, "Gone", None)
        test = make.test_of(function)
        make.cell(work, test, "failed", key=bytes(make.execution().key))
        make.cell(first, test, "passed")
    return work


def record_of(rows: int) -> bytes:
    cell = Cell.objects.filter(implementation=comparison_of(rows)).latest("id")
    assert cell.test is not None
    for _ in range(rows):
        make.cell(make.implementation(cell.test.function), cell.test, "failed")
    result = make.execution()
    make.batch(cell.test.function.topic, result)
    Cell.objects.filter(pk=cell.pk).update(key=result.key, result_key=result.key)
    return bytes(result.key)


@pytest.mark.parametrize("what", ["why", "revisions", "comparison", "record"])
def test_pages_of_histories_take_as_many_queries_for_ten_as_for_two(
    client: Client, what: str
) -> None:
    def path_of(rows: int) -> str:
        if what == "comparison":
            return f"/implementations/{comparison_of(rows).pk}/diff/"
        if what == "record":
            return f"/results/{record_of(rows).hex()}/"
        return f"{history_of(rows).get_absolute_url()}{what}/"

    counts = []
    for rows in (2, 10):
        path = path_of(rows)
        with CaptureQueriesContext(connection) as queries:
            assert client.get(path).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15


def test_a_revision_is_compared_with_any_other_and_restored_as_a_new_one(
    as_person: SignedIn, client: Client
) -> None:
    add = define("Add", owner="olga")
    first = FunctionRevision.objects.get(function=add)
    revise(add, "(a, b)", "The <sum>.\nOf two.")
    last = revise(add, "(a, b, c)", "The <sum>.\nOf three.")
    page = client.get(f"/functions/Add/revisions/{last.pk}/").content.decode()
    assert "Revision 3" in page
    assert "against 2" in page
    assert '<td data-d="del">Of two.</td>' in page
    assert '<td data-d="add">Of three.</td>' in page
    assert "<td>The &lt;sum&gt;.</td>" in page
    page = client.get(f"/functions/Add/revisions/{last.pk}/?against={first.pk}").content.decode()
    assert '<td data-d="del">(*args)</td>' in page
    path = f"/functions/Add/revisions/{first.pk}/restore/"
    assert client.post(path)["Location"].startswith("/accounts/login/")
    assert FunctionRevision.objects.filter(function=add).latest("id") == last
    assert as_person("olga").post(path)["Location"] == "/functions/Add/revisions/"
    add.refresh_from_db()
    assert (add.signature, add.description) == ("(*args)", "")
    assert FunctionRevision.objects.filter(function=add).latest("id").restored == first
    assert "Restored from revision 1" in client.get("/functions/Add/revisions/").content.decode()
    other = FunctionRevision.objects.get(function=define("Other"))
    for wrong in (f"{last.pk}/?against={other.pk}", f"{other.pk}/", f"{last.pk}/?against=x"):
        assert client.get(f"/functions/Add/revisions/{wrong}").status_code == 404
    assert as_person("olga").post(path.replace(str(first.pk), str(other.pk))).status_code == 404


def test_a_work_is_compared_with_its_origin_the_current_one_or_any_other(client: Client) -> None:
    add = define("Add")
    one = implement(add, "# <<Half>>\n" + constant("Add", 1))
    two = implement(add, constant("Add", 2))
    three = copied(one, "# <<Half>>\n" + constant("Add", 3), author="eve")
    make.elect(two)

    def page_of(work: Implementation | Test, query: str = "") -> str:
        return client.get(f"/implementations/{work.pk}/diff/{query}").content.decode()

    assert "<h1>#1 and #3</h1>" in page_of(three)
    assert "<h1>#2 and #1</h1>" in page_of(one)
    assert "<h1>#1 and #2</h1>" in page_of(two)
    assert "<h1>#2 and #3</h1>" in page_of(three, f"?against={two.pk}")
    page = page_of(three)
    assert page.count('<a class="dep" data-status="missing" href="/functions/Half/"') >= 2
    assert '<td data-d="del">    <span class="k">return</span> <span class="mi">1</span>' in page
    assert "+1 −1" in page
    assert f'copied as <a href="/implementations/{three.pk}/diff/?against={one.pk}">#3' in page_of(
        one
    )
    card = client.get("/functions/Add/").content.decode()
    assert f'/implementations/{three.pk}/diff/?against={one.pk}">what differs' in card
    assert 'copied as <a href="#I3">#3</a>' in card
    answer = client.get(f"/functions/Add/implementations/compare/?left={one.pk}&right={two.pk}")
    assert answer["Location"] == f"/implementations/{two.pk}/diff/?against={one.pk}"
    assert client.get("/functions/Add/implementations/compare/?left=x").status_code == 404
    nothing = client.get("/functions/Add/implementations/compare/")
    assert nothing["Location"] == "/functions/Add/#implementations"


def test_a_page_shows_no_more_lines_than_anybody_reads(client: Client) -> None:
    add = define("Add")
    one = make.implementation(add, code="a\n" * 5_000)
    two = make.implementation(add, code="b\n" * 5_000, based_on=one)
    page = client.get(f"/implementations/{two.pk}/diff/").content.decode()
    assert "+5000 −5000" in page
    assert "6000 more lines are not shown here" in page
    three = make.implementation(add, code="a\n" * 4_999 + "c\n", based_on=one)
    path = f"/implementations/{three.pk}/diff/"
    assert "4996 unchanged lines" in client.get(path).content.decode()
    assert "unchanged lines" not in client.get(f"{path}?whole").content.decode()


def test_causes_lead_to_what_they_name() -> None:
    said = "test T1 published; votes on implementation #2: +1, to 3; Base changed; run 7 cancelled"
    assert linked(said, "Add") == (
        'test <a href="/functions/Add/#T1">T1</a> published; '
        'votes on implementation <a href="/functions/Add/#I2">#2</a>: +1, to 3; '
        '<a href="/functions/Base/why/">Base</a> changed; run <a href="/runs/7/">7</a> cancelled'
    )
    assert linked("Gone deleted by <ida>", "Add") == (
        '<a href="/functions/Gone/">Gone</a> deleted by &lt;ida&gt;'
    )


def test_what_somebody_may_not_see_is_not_compared(as_person: SignedIn, client: Client) -> None:
    add = define("Add")
    test, other = publish_test(add, "assert Add()"), publish_test(add, "assert Add() == 1")
    elsewhere = publish_test(define("Sub"), "assert Sub()")
    draft = copy(actor=account("eve"), work=test)
    path = f"/tests/{other.pk}/diff/?against="
    assert client.get(f"{path}{test.pk}").status_code == 200
    assert client.get(f"{path}{elsewhere.pk}").status_code == 404
    assert as_person("ida").get(f"{path}{draft.pk}").status_code == 404
    assert as_person("ida").get(f"/tests/{draft.pk}/diff/").status_code == 404
    assert as_person("eve").get(f"/tests/{draft.pk}/diff/").status_code == 200
    assert client.get(f"/tests/{elsewhere.pk}/diff/").status_code == 404  # the only one


def test_results_that_differ_lead_to_both_records(client: Client) -> None:
    add = define("Add")
    one, two = make.implementation(add), make.implementation(add)
    test, same = make.test_of(add), make.test_of(add)
    keys = []
    for work, verdict in ((one, "failed"), (two, "passed")):
        execution = make.execution(f"x = {verdict!r}\n", verdict)
        make.batch(add.topic, execution)
        make.cell(work, test, verdict, key=bytes(execution.key))
        make.cell(work, same, "passed")
        keys.append(bytes(execution.key).hex())
    page = client.get(f"/implementations/{two.pk}/diff/?against={one.pk}").content.decode()
    assert f"Passed only with {two}: {test}." in page
    assert "1 of 2" in page
    path = f"/results/{keys[0]}/compare/{keys[1]}/"
    assert path in page
    assert path in client.get(f"/results/{keys[1]}/").content.decode()
    page = client.get(path).content.decode()
    assert "Different verdict and modules; same message, log and runtime." in page
    assert '<td data-d="del">x = <span class="s">' in page
    private = make.execution(verdict="passed")
    make.batch("draft:implementation-1", private, owner=make.user(), private=True)
    hidden = bytes(private.key).hex()
    assert client.get(f"/results/{keys[0]}/compare/{hidden}/").status_code == 404


def test_who_asked_for_a_program_or_whose_work_it_is_about_has_it_run_again(
    as_person: SignedIn, client: Client
) -> None:
    add = make.function(owner=account("olga"))
    work = make.implementation(add, author=account("ida"))
    test = make.test_of(add, author=account("tess"))
    execution = make.execution(verdict="passed")
    make.batch(add.topic, execution, owner=account("bob"))
    make.cell(work, test, "passed", key=bytes(execution.key))
    path = f"/results/{bytes(execution.key).hex()}/"
    assert client.post(f"{path}run-again/")["Location"].startswith("/accounts/login/")
    assert "run-again" not in as_person("eve").get(path).content.decode()
    account("root", is_staff=True)
    batches = set(Batch.objects.values_list("pk", flat=True))
    for name in ("ida", "tess", "olga", "bob", "root"):
        assert f"{path}run-again/" in as_person(name).get(path).content.decode()
    answer = as_person("tess").post(f"{path}run-again/")
    batch = Batch.objects.exclude(pk__in=batches).get()
    assert answer["Location"] == f"/runs/{batch.pk}/"
    assert (batch.topic.name, batch.owner) == (add.topic, account("tess"))
    task = Task.objects.get(batch=batch)
    assert (task.execution, task.finished_at) == (execution, None)
    assert as_person("ida").post(f"{path}run-again/").status_code == 409
    assert client.get(path).status_code == 200
