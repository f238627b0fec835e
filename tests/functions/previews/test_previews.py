"""Previews: what would become of the dependents, told before anything is changed."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction

from functions.authoring import (
    delete_function,
    discard_draft,
    publish,
    run_draft,
    save_draft,
    withdraw,
)
from functions.errors import Conflict, TooOften
from functions.locks import find_and_lock_function
from functions.maintenance.verification import find_differences
from functions.models import Cell, Election, Function, Implementation, Preview, Test
from functions.moderation.acceptability import judge_work
from functions.previews import (
    preview_deletion,
    preview_judgement,
    preview_publishing,
    preview_withdrawal,
    request,
    steps,
)
from functions.rate_limits import Rate
from functions.read_models.preview import EffectRow, PreviewPage, preview_page
from functions.runs import cancel_run
from runner.models import Batch, Execution, Result
from runner.registry import may_follow
from runner.states import BatchState
from runner.workers.drainer import Drainer
from tests.patience import await_that
from tests.support.batch_end import all_batches_end
from tests.support.refusals import code_of
from tests.support.threads import run_together
from tests.support.works import (
    account,
    constant,
    define,
    draft_implementation,
    draft_test,
    implement,
    publish_test,
    vote,
)

pytestmark = pytest.mark.django_db(transaction=True)


def dependent(name: str, *, on: str, expected: int, test: str = "") -> Function:
    """Define a function that returns what another does, with a test of its value."""
    function = define(name)
    publish_test(function, test or f"assert {name}() == {expected}")
    implement(function, f"# <<{on}>>\ndef {name}():\n    return {on}()\n")
    return function


def page_of(preview: Preview) -> PreviewPage:
    page = preview_page(preview.pk, preview.owner)
    assert page is not None
    return page


def effects_of(preview: Preview) -> dict[str, EffectRow]:
    return {effect.function: effect for effect in page_of(preview).effects}


def fates_of(preview: Preview) -> dict[str, str]:
    return {name: str(effect.outcome) for name, effect in effects_of(preview).items()}


def standings() -> set[tuple[object, ...]]:
    """Return what everybody sees of all functions and works, and each election."""
    return {
        *Function.objects.values_list("name", "status", "elected", "judging", "closure_digest"),
        *Implementation.objects.values_list("pk", "state", "standing", "passed", "acceptable"),
        *Test.objects.values_list("pk", "state", "health", "counts", "acceptable"),
        *Cell.objects.values_list("pk", "key", "result_key"),
        *Election.objects.values_list("pk"),
    }


def family() -> Function:
    """Base is 1; One and Twice rely on that, Five wants 5, Any doesn't care, Deep uses One."""
    base = define("Base")
    implement(base, constant("Base", 1), author="first")
    dependent("One", on="Base", expected=1)
    dependent("Five", on="Base", expected=5)
    dependent("Any", on="Base", expected=0, test="assert Any() > 0")
    dependent("Deep", on="One", expected=1)
    twice = dependent("Twice", on="Base", expected=1)
    implement(twice, constant("Twice", 1))
    vote(twice.implementations.get(number=1), up="nora")
    return base


def test_publishing_is_told_as_it_comes_and_runs_nothing_twice(worker: Drainer) -> None:
    base = family()
    dependent("After", on="Twice", expected=1)
    implement(define("Then"), "# <<Base>> <<Five>>\ndef Then():\n    return Base() + Five()\n")
    draft = draft_implementation(base, constant("Base", 5), author="ida")
    worker.drain()
    before = standings()
    preview = preview_publishing(actor=draft.author, draft=draft, request_key="once")
    assert preview_publishing(actor=draft.author, draft=draft, request_key="once") == preview
    assert set(fates_of(preview).values()) == set()
    worker.drain()
    assert all_batches_end()
    assert fates_of(preview) == {
        "After": "unknown",
        "Any": "stays",
        "Deep": "breaks",
        "Five": "mended",
        "One": "breaks",
        "Then": "unknown",
        "Twice": "changes",
    }
    told = effects_of(preview)
    # They were tried, if at all, with Twice and Five as these are.
    for name, other in (("After", "Twice"), ("Then", "Five")):
        said = f"uses {other}, which would change too; this was not tried"
        assert told.pop(name).reason == said
    assert told["One"].reason == "does not pass T1"
    assert [label for label, _ in told["One"].failing] == ["T1"]
    assert (told["Twice"].current, told["Twice"].after) == ("#1", "#2")
    own = page_of(preview).own
    assert own is not None
    assert (own.current, own.after, own.outcome) == ("#1", "your draft", "changes")
    assert standings() == before
    assert list(find_differences()) == []

    # What has been foretold comes, and all of it has been run.
    executed = Execution.objects.count()
    publish(actor=draft.author, draft=draft)
    worker.drain()
    assert Execution.objects.count() == executed + 3  # those of After and Then
    for name, effect in told.items():
        function = Function.objects.get(name=name)
        elected = function.elected
        works = function.status == Function.Status.IMPLEMENTED
        assert works == (effect.outcome != "breaks"), name
        assert (str(elected) if elected and works else "") == ("" if not works else effect.after)


def test_without_the_current_one_dependents_are_tried_with_the_next(worker: Drainer) -> None:
    base = define("Base")
    five = implement(base, constant("Base", 5), author="first")
    dependent("One", on="Base", expected=1)
    one = implement(base, constant("Base", 1), author="ida")
    worker.drain()
    before = standings()
    withdrawn = preview_withdrawal(actor=one.author, work=one)
    rejected = preview_judgement(actor=account("olga"), work=one, change="reject")
    kept = preview_judgement(actor=account("olga"), work=five, change="reject")
    worker.drain()
    assert standings() == before
    for preview in (withdrawn, rejected):
        assert fates_of(preview) == {"One": "breaks"}
        own = page_of(preview).own
        assert own is not None
        assert (own.current, own.after) == ("#2", "#1")
    # Nobody would import anything else.
    assert fates_of(kept) == {}
    assert not page_of(kept).is_tried
    judge_work(actor=account("olga"), work=five, acceptable=False)
    worker.drain()
    last = preview_withdrawal(actor=one.author, work=one)
    worker.drain()
    own = page_of(last).own
    assert own is not None
    assert own.after == ""
    assert effects_of(last)["One"].reason == "blocked: Base is not implemented"
    accepted = preview_judgement(actor=account("olga"), work=five, change="accept")
    worker.drain()
    assert fates_of(accepted) == {}  # the newer of equals stays


def test_a_test_is_run_first_and_then_whatever_it_elects_is_tried(worker: Drainer) -> None:
    base = define("Base")
    implement(base, constant("Base", 5), author="first")
    dependent("One", on="Base", expected=1)
    implement(base, constant("Base", 1), author="ida")
    draft = draft_test(base, "assert Base() == 5")
    worker.drain()
    before = standings()
    preview = preview_publishing(actor=draft.author, draft=draft)
    page = page_of(preview)
    assert page.own is not None
    assert page.own.outcome == "waiting"
    worker.drain()
    assert fates_of(preview) == {"One": "breaks"}
    assert preview.batch is not None
    assert all_batches_end()
    assert standings() == before
    publish(actor=draft.author, draft=draft)
    worker.drain()
    assert Function.objects.get(name="One").elected is None
    publish_test(base, "assert True")
    withdrawal = preview_withdrawal(actor=draft.author, work=Test.objects.get(pk=draft.pk))
    worker.drain()
    assert fates_of(withdrawal) == {"One": "mended"}
    withdraw(actor=draft.author, work=Test.objects.get(pk=draft.pk))
    worker.drain()
    assert Function.objects.get(name="One").status == "implemented"


def test_deleting_lists_everything_that_would_be_blocked_and_runs_nothing(worker: Drainer) -> None:
    base = family()
    worker.drain()
    before, executed = standings(), Execution.objects.count()
    preview = preview_deletion(actor=account("olga"), function=base)
    worker.drain()
    told = effects_of(preview)
    assert {name: str(effect.outcome) for name, effect in told.items()} == {
        "Any": "breaks",
        "Deep": "breaks",
        "Five": "stays",
        "One": "breaks",
        "Twice": "changes",
    }
    assert told["Deep"].reason == "blocked: Base does not exist"
    assert (standings(), Execution.objects.count()) == (before, executed)
    delete_function(actor=account("olga"), function=base)
    worker.drain()
    for name, effect in told.items():
        status = Function.objects.get(name=name).status
        assert (status == "implemented") == (effect.outcome == "changes"), name


def test_what_is_too_much_is_left_out_and_said(
    worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = family()
    draft = draft_implementation(base, constant("Base", 1) + "# again\n", author="ida")
    worker.drain()
    monkeypatch.setattr(steps, "MAX_PROGRAMS", 5)
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    batch = Batch.objects.get(preview=preview)
    assert batch.tasks.count() == 5  # the draft alone, then two functions
    assert page_of(preview).left_out == 6
    assert sorted(fates_of(preview).values()) == ["stays", "stays", "unknown", "unknown", "unknown"]
    # Where its own took more than there was room for, there is none for others.
    monkeypatch.setattr(steps, "MAX_PROGRAMS", 0)
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    assert Batch.objects.get(preview=preview).tasks.count() == 1
    assert all_batches_end()


def test_a_draft_is_tried_as_it_was_and_its_end_ends_the_preview(worker: Drainer) -> None:
    base = define("Base")
    implement(base, constant("Base", 1))
    dependent("One", on="Base", expected=1)
    draft = draft_implementation(base, constant("Base", 5))
    worker.drain()
    preview = preview_publishing(actor=draft.author, draft=draft)
    save_draft(actor=draft.author, draft=draft, code=constant("Base", 1))
    worker.drain()
    assert fates_of(preview) == {"One": "breaks"}
    stopped = preview_publishing(actor=draft.author, draft=draft)
    assert stopped.batch is not None
    cancel_run(actor=draft.author, batch=stopped.batch)
    worker.drain()
    assert Batch.objects.get(preview=stopped).state == BatchState.CANCELLED
    gone = preview_publishing(actor=draft.author, draft=draft)
    discard_draft(actor=draft.author, draft=draft)
    worker.drain()
    assert all_batches_end()
    assert preview_page(gone.pk, draft.author) is None


def test_a_preview_is_asked_for_by_who_may_make_the_change_and_seen_by_them_alone(
    worker: Drainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = define("Base", owner="olga")
    work = implement(base, constant("Base", 1), author="ida")
    draft = draft_implementation(base, constant("Base", 2), author="ida")
    worker.drain()

    ida, olga, eve = account("ida"), account("olga"), account("eve")
    assert code_of(preview_publishing, actor=ida, draft=work) == "not_a_draft"
    assert code_of(preview_withdrawal, actor=ida, work=draft) == "not_published"
    assert not Preview.objects.exists()
    broken = draft_implementation(base, "# <<Nowhere>>\n" + constant("Base", 2), author="ida")
    assert code_of(preview_publishing, actor=ida, draft=broken) == "blocked"

    preview = preview_publishing(actor=ida, draft=draft)
    for actor in (olga, eve, AnonymousUser()):
        assert preview_page(preview.pk, actor) is None
        assert not may_follow(actor, preview.topic)
    assert may_follow(ida, preview.topic)
    assert preview.batch is not None
    assert preview.batch.private

    monkeypatch.setattr(request, "MAX_PER_OWNER", 2)
    worker.drain()
    for _ in range(3):
        latest = preview_publishing(actor=ida, draft=draft)
        worker.drain()
    assert Preview.objects.filter(owner=ida).count() == 2
    assert page_of(latest).own
    # Redis counts, and may not answer: nothing is locked meanwhile.
    monkeypatch.setattr(Rate, "count", lambda *_: not connection.in_atomic_block)
    preview_publishing(actor=ida, draft=draft)
    monkeypatch.setattr(Rate, "count", lambda *_: False)
    with pytest.raises(TooOften):
        preview_publishing(actor=ida, draft=draft)


def test_a_request_that_is_made_twice_begins_one_preview_also_at_once(worker: Drainer) -> None:
    base, other = define("Base", owner="olga"), define("Other", owner="olga")
    work = implement(base, constant("Base", 1), author="ida")
    worker.drain()

    def ask(_nth: int) -> int:
        return preview_withdrawal(actor=work.author, work=work, request_key="once").pk

    def are_both_held_up() -> bool:
        with connection.cursor() as cursor:
            cursor.execute("select pg_stat_clear_snapshot()")
            cursor.execute(
                "select count(*) from pg_stat_activity"
                " where datname = current_database() and wait_event_type = 'Lock'"
            )
            return bool(cursor.fetchone()[0] == 2)

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            find_and_lock_function(base.pk)
            asking = thread.submit(run_together, ask, range(2))
            await_that(are_both_held_up)
        first, second = asking.result()
    assert first == second == ask(0)
    preview_deletion(actor=base.owner, function=base, request_key="gone")
    with pytest.raises(Conflict, match="another request"):
        preview_deletion(actor=base.owner, function=other, request_key="gone")
    worker.drain()
    assert all_batches_end()


EVEN = "# <<Odd>>\ndef Even(n):\n    return n == 0 or Odd(n - 1)\n"
ODD = "# <<Even>>\ndef Odd(n):\n    return n != 0 and Even(n - 1)\n"


def test_those_that_would_be_elected_together_are_tried_together(worker: Drainer) -> None:
    even, odd, parity = define("Even"), define("Odd"), define("Parity")
    publish_test(odd, "assert Odd(3)")
    publish_test(even, "assert Even(4) and not Even(3)")
    implement(even, EVEN)
    implement(parity, "# <<Even>>\ndef Parity(n):\n    return 'odd even'.split()[Even(n)]\n")
    publish_test(parity, "assert Parity(7) == 'odd'")
    worker.drain()
    always = ODD.replace("n != 0 and Even(n - 1)", "Even(n - 1) is not None")

    def told(code: str) -> tuple[str, str, dict[str, str]]:
        draft = draft_implementation(odd, code, author="ian")
        before = standings()
        preview = preview_publishing(actor=draft.author, draft=draft)
        tried = run_draft(actor=draft.author, draft=draft)
        worker.drain()
        assert standings() == before
        verdicts = Result.objects.filter(execution__tasks__batch=tried).values_list("verdict")
        assert list(verdicts) == [("passed",)] * 2
        own = page_of(preview).own
        assert own is not None
        return str(own.outcome), own.reason, fates_of(preview)

    # None of them is there yet: all of them would be, or none.
    reason = "Even would not work with it: none that could be judged is eligible"
    assert told(ODD) == ("mended", "", {"Even": "mended", "Parity": "mended"})
    assert told(always) == ("stays", reason, {"Even": "stays", "Parity": "stays"})
    first = implement(odd, ODD)
    worker.drain()
    assert Function.objects.get(pk=even.pk).circle == ["Even", "Odd"]
    # They are: what one of them fails with takes nobody's place, and without one all of them fall.
    assert told(always)[:2] == ("stays", "Even would not work with it: does not pass T1")
    draft = draft_implementation(odd, constant("Odd", 0), author="ian")
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    assert page_of(preview).complaint == "does not pass T1"
    assert told(f"{ODD}# Or so.\n") == ("changes", "", {"Even": "stays", "Parity": "stays"})
    preview = preview_withdrawal(actor=first.author, work=first)
    worker.drain()
    assert fates_of(preview)["Even"] == "breaks"
    # As in the election, the best that all of them would work with takes its place.
    fair = implement(odd, f"{ODD}# Or so.\n", author="ida")
    unfair = implement(odd, always, author="ivo")
    vote(first, up="ann")
    worker.drain()
    assert Function.objects.get(pk=odd.pk).elected == first
    preview = preview_withdrawal(actor=first.author, work=first)
    worker.drain()
    own = page_of(preview).own
    assert own is not None
    assert (own.after, str(own.outcome), fates_of(preview)) == (
        str(fair), "changes", {"Even": "stays", "Parity": "stays"},
    )  # fmt: skip
    withdraw(actor=first.author, work=first)
    worker.drain()
    assert Function.objects.get(pk=odd.pk).elected == fair
    unfair.refresh_from_db()
    assert unfair.standing_reason == "does not pass Even T1"
    assert list(find_differences()) == []


def test_a_challenge_is_foretold_to_decide_nothing_and_accepting_it_to_decide(
    worker: Drainer,
) -> None:
    base = define("Base")
    implement(base, constant("Base", 5), author="first")
    dependent("One", on="Base", expected=5)
    worker.drain()
    draft = draft_test(base, "assert Base() == 1", author="tess")
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    page = page_of(preview)
    assert page.own is not None
    assert (page.own.outcome, page.own.after, page.is_challenge) == ("stays", "#1", True)
    publish(actor=draft.author, draft=draft)
    worker.drain()
    assert Function.objects.get(name="One").status == "implemented"
    draft.refresh_from_db()
    accepted = preview_judgement(actor=base.owner, work=draft, change="accept")
    worker.drain()
    page = page_of(accepted)
    assert page.own is not None
    assert (page.own.after, page.is_challenge) == ("", False)
    assert fates_of(accepted) == {"One": "breaks"}


def test_a_test_that_would_lose_its_standing_is_foretold_to_unseat_nobody(worker: Drainer) -> None:
    four, add = define("Four", owner="eve"), define("Add")
    implement(four, constant("Four", 4), author="eve")
    implement(add, "def Add(a, b):\n    return a + b\n")
    worker.drain()
    test = publish_test(add, "# <<Four>>\nassert Add(2, 2) == Four()", author="eve")
    worker.drain()
    draft = draft_implementation(four, constant("Four", 5), author="eve")
    preview = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    assert fates_of(preview) == {"Add": "stays"}
    publish(actor=draft.author, draft=draft)
    worker.drain()
    test.refresh_from_db()
    assert (test.standing_cause, Function.objects.get(name="Add").status) == ("", "implemented")
    assert list(find_differences()) == []


def test_an_equal_of_a_strangers_is_foretold_not_to_take_over(worker: Drainer) -> None:
    base = define("Base")
    implement(base, constant("Base", 1), author="first")
    user = define("User", owner="uma")
    implement(user, "# <<Base>>\ndef User():\n    return Base()\n", author="uma")
    worker.drain()
    preview = {}
    for author in ("eve", "first"):
        draft = draft_implementation(base, constant("Base", 1) + f"# by {author}\n", author=author)
        preview[author] = preview_publishing(actor=draft.author, draft=draft)
    worker.drain()
    found = {author: page_of(each).own for author, each in preview.items()}
    assert {author: own and own.after for author, own in found.items()} == {
        "eve": "#1",
        "first": "your draft",
    }
