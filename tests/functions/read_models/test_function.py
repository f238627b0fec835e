"""What a function's page contains, for whom, and at what cost."""

import gzip
import threading

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import InternalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.models import Cell, Election, Function, Test, Vote
from functions.read_models import function_page, missing_page
from functions.read_models.function import function_named
from functions.read_models.snapshot import snapshot
from runner.models import Batch, Topic
from runner.states import State
from tests.support import builders as make

pytestmark = pytest.mark.django_db
NOBODY = AnonymousUser()
MOST_QUERIES = 13  # and two that begin and end the transaction, here the test's own


def full_page(size: int) -> Function:
    function = make.function("Multiply")
    add = make.function("Add")
    works = [make.implementation(function) for _ in range(size)]
    tests = [make.test_of(function) for _ in range(size)]
    for work in works:
        make.dependency(work, "Add", add)
        for test in tests:
            make.cell(work, test, "passed")
    make.elect(works[0])
    make.batch(function.topic, make.execution(), make.execution())
    make.dependency(make.implementation(make.function()), "Multiply", function)
    function.refresh_from_db()
    return function


@pytest.mark.parametrize("reader", ["nobody", "someone"])
def test_a_page_of_ten_by_ten_takes_as_few_queries_as_one_of_two_by_two(
    reader: str, client: Client
) -> None:
    if reader == "someone":
        client.force_login(make.user("reader"))
    costs = []
    for size in (2, 10):
        function = full_page(size)
        with CaptureQueriesContext(connection) as queries:
            page = client.get(function.get_absolute_url())
        assert page.content.count(b'<a class="sq"') == size * size
        costs.append(len(queries))
        Function.objects.update(deleted_at=make.SINCE)
    assert costs[0] == costs[1] <= MOST_QUERIES


def test_implementations_stand_by_tests_passed_then_score_then_age() -> None:
    function = make.function()
    oldest = make.implementation(function, passed=2, score=1)
    newest = make.implementation(function, passed=2, score=1)
    liked = make.implementation(function, passed=1, score=9)
    withdrawn = make.implementation(function, passed=9, state="withdrawn")
    page = function_page(function, NOBODY)
    shown = [card.id for card in page.implementations]
    assert shown == [newest.pk, oldest.pk, liked.pk, withdrawn.pk]
    assert [card.id for card in page.candidates] == shown[:3]


def test_working_tests_stand_above_circular_and_broken_ones() -> None:
    function = make.function()
    broken = make.test_of(function, health=Test.Health.BROKEN, score=9, reason="syntax error")
    circular = make.test_of(function, health=Test.Health.CIRCULAR, score=5)
    plain = make.test_of(function, score=0)
    liked = make.test_of(function, score=1)
    page = function_page(function, NOBODY)
    assert [card.id for card in page.tests] == [liked.pk, plain.pk, circular.pk, broken.pk]
    assert page.tests[-1].reason == "syntax error"


def test_a_draft_is_on_the_page_of_its_author_alone() -> None:
    function, author = make.function(), make.user()
    draft = make.implementation(function, author=author, state="draft", code="secret")
    assert [card.id for card in function_page(function, author).drafts] == [draft.pk]
    for reader in (NOBODY, make.user(), function.owner, make.user(is_staff=True)):
        page = function_page(function, reader)
        assert page.drafts == ()
        assert page.implementations == ()


def test_a_square_says_whether_its_verdict_is_of_the_present_program() -> None:
    function = make.function()
    work = make.implementation(function)
    tests = [make.test_of(function) for _ in range(6)]
    running = make.execution(verdict="", state=State.IN_PROGRESS, leased_until=make.SINCE)
    make.cell(work, tests[0], "failed", message="6 == 7", line=3)
    make.cell(work, tests[1], "passed", result_key=make.digest("older"))
    make.cell(work, tests[2], key=None)
    make.cell(work, tests[3], key=bytes(running.key))
    ignored = make.execution(verdict="", state=State.IGNORED)
    make.cell(work, tests[4], key=bytes(ignored.key), given_up=True)
    cancelled = make.execution(verdict="", state=State.CANCELLED)
    make.cell(work, tests[5], key=bytes(cancelled.key), given_up=True)
    cells = function_page(function, NOBODY).cells
    squares = [cells[work.pk, test.pk] for test in tests]
    assert [square.is_current for square in squares] == [True] + [False] * 5
    assert [square.state for square in squares] == [
        *("failed", "pending", "unbuildable", "running", "given_up", "cancelled")
    ]
    assert squares[1].verdict == "passed"
    assert (squares[0].message, squares[0].line) == ("6 == 7", 3)


def test_dependencies_are_the_current_ones_or_else_those_of_all_candidates() -> None:
    function, add = make.function(), make.function("Add")
    first, second = make.implementation(function), make.implementation(function)
    withdrawn = make.implementation(function, state="withdrawn")
    make.dependency(first, "add", add)
    make.dependency(second, "Gone", None)
    make.dependency(withdrawn, "Older", None)
    names = {link.name: link.status for link in function_page(function, NOBODY).depends_on}
    assert names == {"Add": "not_implemented", "Gone": "missing"}
    make.elect(first)
    names = {link.name: link.status for link in function_page(function, NOBODY).depends_on}
    assert names == {"Add": "not_implemented"}


def test_dependents_are_functions_whose_published_works_name_it() -> None:
    function = make.function("Add")
    by_code, by_test, by_draft = (make.function(name) for name in ("Multiply", "Sum", "Hidden"))
    make.dependency(make.implementation(by_code), "Add", function)
    make.dependency(make.implementation(by_code), "Add", function)
    make.dependency(make.test_of(by_test), "Add", function)
    make.dependency(make.implementation(by_draft, state="draft"), "Add", function)
    make.dependency(make.implementation(make.function(), state="withdrawn"), "Add", function)
    page = function_page(function, NOBODY)
    assert [link.name for link in page.depended_on_by] == ["Multiply", "Sum"]


def test_a_missing_name_says_who_waits_for_it() -> None:
    waiting = make.function("Multiply")
    make.dependency(make.implementation(waiting), "Shift", None)
    assert [link.name for link in missing_page("shift").depended_on_by] == ["Multiply"]


def test_the_last_public_run_is_shown_with_its_progress_and_log() -> None:
    function = make.function()
    make.batch(function.topic, make.execution(verdict="failed"))
    last = make.batch(function.topic, make.execution(), make.execution(verdict=""))
    make.batch(function.topic, make.execution(), private=True)
    page = function_page(function, NOBODY)
    assert page.run is not None
    assert (page.run.id, page.run.total, page.run.finished) == (last.pk, 2, 1)
    assert page.run.tasks["pending"] == 1
    assert page.run.verdicts["passed"] == 1
    assert [(line.number, line.ms, line.text) for line in page.log] == [
        *((0, 0.5, "first"), (1, 1.5, "second"))
    ]


def test_what_needed_nothing_to_be_run_hides_no_run() -> None:
    function = make.function()
    run = make.batch(function.topic, make.execution())
    make.batch(function.topic)
    page = function_page(function, NOBODY)
    assert page.run is not None
    assert page.run.id == run.pk


def test_a_reader_sees_what_they_may_do() -> None:
    function, author = make.function(), make.user()
    work = make.implementation(function, author=author)
    Vote.objects.create(voter=function.owner, implementation=work, value=-1)

    def card(actor: object) -> tuple[bool, ...]:
        shown = function_page(function, actor).implementations[0]  # type: ignore[arg-type]
        return (shown.may_vote, shown.may_copy, shown.may_withdraw, shown.may_judge)

    assert card(NOBODY) == (False, False, False, False)
    assert card(make.user()) == (True, True, False, False)
    assert card(author) == (False, True, True, False)
    assert card(function.owner) == (True, True, False, True)
    assert card(make.user(is_staff=True)) == (True, True, False, True)
    assert function_page(function, function.owner).implementations[0].own_vote == -1


def test_voters_can_make_a_test_unacceptable_unless_the_owner_accepted_it() -> None:
    function = make.function()
    make.test_of(function, score=-1, title="voted down")
    make.test_of(function, score=-1, acceptable=True, title="accepted")
    make.test_of(function, score=5, acceptable=False, title="refused")
    acceptable = {card.title: card.acceptable for card in function_page(function, NOBODY).tests}
    assert acceptable == {"voted down": False, "accepted": True, "refused": False}


def test_the_last_election_is_told_with_its_cause() -> None:
    function = make.function()
    work = make.implementation(function)
    Election.objects.create(function=function, elected=work, cause="#1 published")
    change = function_page(function, NOBODY).last_change
    assert change is not None
    assert change.cause == "#1 published"


@pytest.mark.parametrize("name", ["", "no name", "x" * 81, "a\0b", "Ünicode", "1st"])
def test_what_is_no_name_names_no_function(name: str) -> None:
    assert function_named(name) is None


def test_a_name_is_found_in_any_spelling_until_its_function_is_deleted() -> None:
    function = make.function("Add")
    assert function_named("aDD") == function
    Function.objects.update(deleted_at=make.SINCE)
    assert function_named("Add") is None
    with pytest.raises(Function.DoesNotExist):
        function_page(function, NOBODY)


@pytest.mark.django_db(transaction=True)
def test_a_page_shows_one_instant_while_others_write() -> None:
    function = make.function()
    Topic.objects.create(name=function.topic, head_seq=7)

    def write() -> None:
        Topic.objects.update(head_seq=8)
        make.implementation(function)
        connection.close()

    with snapshot():
        assert function_page(function, NOBODY).seq == 7
        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        page = function_page(function, NOBODY)
        assert (page.seq, page.implementations) == (7, ())
    assert function_page(function, NOBODY).seq == 8
    with pytest.raises(InternalError, match="read-only"), snapshot():
        Topic.objects.update(head_seq=9)
    Topic.objects.update(head_seq=9)  # what is no page's can be written as before
    assert function_page(function, NOBODY).seq == 9


def test_a_reason_that_was_cut_ends_after_a_whole_word() -> None:
    function = make.function()
    make.implementation(function, standing_reason="word, " * 33 + "wo")
    make.implementation(function, standing_reason="a short reason")
    reasons = {card.reason for card in function_page(function, NOBODY).implementations}
    assert reasons == {", ".join(["word"] * 33) + " …", "a short reason"}


@pytest.mark.parametrize(
    ("state", "shown"), [(State.PENDING, "pending"), (State.IN_PROGRESS, "running")]
)
def test_a_cell_whose_program_is_run_again_shows_that_and_its_last_verdict(
    state: State, shown: str
) -> None:
    function = make.function()
    work = make.implementation(function)
    test, other = make.test_of(function), make.test_of(function)
    leased = make.SINCE if state == State.IN_PROGRESS else None
    again = make.execution("again", verdict="", state=state, leased_until=leased)
    known = make.execution("known")
    for column, execution in ((test, again), (other, known)):
        key = bytes(execution.key)
        make.cell(work, column, "passed", key=key, result_key=key)
    run = make.batch(function.topic, again)
    cells = function_page(function, NOBODY).cells
    rerun = cells[work.pk, test.pk]
    assert (rerun.state, rerun.verdict, rerun.is_current) == (shown, "passed", False)
    assert cells[work.pk, other.pk].state == "passed"
    # A private run shows nothing to others.
    Batch.objects.filter(pk=run.pk).update(private=True)
    assert function_page(function, NOBODY).cells[work.pk, test.pk].state == "passed"


def test_a_page_of_fifty_by_fifty_is_small_as_sent() -> None:
    function = make.function("Multiply")
    works = [make.implementation(function, title=f"variant number {n}") for n in range(50)]
    tests = [make.test_of(function, title=f"case number {n} stays exact") for n in range(50)]
    cells = [
        Cell(implementation=work, test=test, key=key, result_key=key, verdict="passed")
        for work in works
        for test in tests
        for key in [make.digest(work.pk, test.pk)]
    ]
    Cell.objects.bulk_create(cells)
    answer = Client().get("/functions/Multiply/", headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert len(answer.content) <= 120_000
    assert gzip.decompress(answer.content).count(b'data-state="passed"') >= 2_500
