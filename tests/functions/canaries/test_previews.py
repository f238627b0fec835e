"""Canaries are told what a preview has found out, if its author wants it, and not by whom."""

from typing import Any

import pytest

from functions.models import Function, Preview, WebhookDelivery
from functions.previews import preview_deletion, preview_publishing, preview_withdrawal
from functions.previews.notices import PREVIEWED, tell_projects
from functions.read_models.preview import preview_page
from functions.runs import cancel_run
from runner.models import FanOut
from runner.workers.drainer import Drainer
from tests.functions.canaries.test_notices import register, told
from tests.functions.previews.test_previews import dependent, family
from tests.support.refusals import code_of
from tests.support.works import account, constant, define, draft_implementation, draft_test

pytestmark = pytest.mark.django_db(transaction=True)


def draft_of(base: Function, value: int) -> Any:
    return draft_implementation(base, constant("Base", value), author="ida")


def classes(changes: dict[str, Any]) -> dict[str, str]:
    return {name: change["class"] for name, change in changes.items()}


def tell_when_ended(preview: Preview, worker: Drainer) -> None:
    """Run a preview, and have the projects told of it."""
    worker.drain()
    tell_projects(actor=preview.owner, preview=preview)
    worker.drain()


@pytest.fixture
def base(worker: Drainer) -> Function:
    found = family()
    dependent("After", on="Any", expected=0, test="assert After() > 0")
    worker.drain()
    return found


def test_a_preview_tells_by_class_what_would_become_of_what_is_locked(
    base: Function, worker: Drainer
) -> None:
    canary, other = register(Deep=1, Any=1, Twice=1), register("other", Twice=1)
    elsewhere = register("elsewhere", Any=1)
    draft = draft_of(base, 5)
    preview = preview_publishing(actor=draft.author, draft=draft)
    tell_when_ended(preview, worker)
    ((event, changes),) = told(canary)
    assert event == PREVIEWED
    assert classes(changes) == {
        "Any": "same_verdicts",
        "Base": "verdicts_change",
        "Deep": "blocked",
        "One": "blocked",
        "Twice": "verdicts_change",
    }
    assert changes["One"]["failing"] == ["T1"]
    assert changes["Any"]["elected"] == "same"
    ((_, of_other),) = told(other)
    assert set(of_other) == {"Base", "Twice"}
    ((_, of_elsewhere),) = told(elsewhere)
    assert set(of_elsewhere) == {"Base", "Any"}
    payload = WebhookDelivery.objects.latest("pk").payload
    assert (payload["function"], payload["change"]) == ("Base", "publish")
    assert "ida" not in str(payload)
    assert "return 5" not in str(payload)
    page = preview_page(preview.pk, preview.owner)
    assert page is not None
    assert page.projects == 3


def test_it_is_told_once_after_its_end_and_as_its_author_wants(
    base: Function, worker: Drainer
) -> None:
    canary = register(One=1)
    draft = draft_of(base, 5)
    preview = preview_publishing(actor=draft.author, draft=draft)
    assert code_of(lambda: tell_projects(actor=draft.author, preview=preview)) == "preview_open"
    worker.drain()
    assert told(canary) == []
    stranger = account("petra")
    assert code_of(lambda: tell_projects(actor=stranger, preview=preview)) == "not_found"
    for _ in range(2):
        tell_projects(actor=draft.author, preview=preview)
        worker.drain()
    assert len(told(canary)) == 1
    page = preview_page(preview.pk, preview.owner)
    assert page is not None
    assert page.is_told
    FanOut.objects.all().delete()
    tell_projects(actor=draft.author, preview=preview)
    worker.drain()
    assert len(told(canary)) == 1


def test_a_cancelled_preview_and_one_of_what_nobody_locks_tell_nothing(
    base: Function, worker: Drainer
) -> None:
    canary = register(One=1)
    draft = draft_of(base, 5)
    preview = preview_publishing(actor=draft.author, draft=draft)
    assert preview.batch
    cancel_run(actor=draft.author, batch=preview.batch)
    worker.drain()
    assert code_of(lambda: tell_projects(actor=draft.author, preview=preview)) == "preview_open"
    lonely = draft_implementation(define("Lonely"), constant("Lonely", 1), author="ida")
    tell_when_ended(preview_publishing(actor=lonely.author, draft=lonely), worker)
    assert told(canary) == []


def test_deletions_withdrawals_and_tests_are_told_as_well(base: Function, worker: Drainer) -> None:
    canary = register(Any=1)
    tell_when_ended(preview_deletion(actor=base.owner, function=base), worker)
    assert classes(told(canary)[-1][1]) == {"Base": "blocked", "Any": "blocked"}
    base.refresh_from_db()
    work = base.elected
    assert work
    tell_when_ended(preview_withdrawal(actor=work.author, work=work), worker)
    assert classes(told(canary)[-1][1]) == {"Base": "blocked", "Any": "blocked"}
    test = draft_test(base, "assert Base() == 1", author="ida")
    tell_when_ended(preview_publishing(actor=account("ida"), draft=test), worker)
    assert classes(told(canary)[-1][1]) == {"Base": "same_verdicts"}
    assert Preview.objects.count() == 3
