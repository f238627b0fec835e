"""Use cases of acceptance tests: drafted and published by the owner of a dependent."""

from collections.abc import Collection
from functools import partial

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.acceptance.verdicts import publish_verdict, refresh_test
from functions.authoring.drafts import MAX_TITLE_LENGTH
from functions.authoring.validation import check_first, read_source
from functions.contests import private_runs
from functions.contests.acceptance_programs import program_of
from functions.errors import (
    Conflict,
    EditConflict,
    Refusal,
    no_such,
    refuse_all,
    refusing_over_quota,
    require_expected,
)
from functions.graph.queries import living_functions
from functions.kinds.kind import Checked
from functions.locks import hold_function, hold_names, lock_function
from functions.models import AcceptanceTest, Dependency, Function, Work
from functions.names import name_key
from functions.people.quotas import DRAFTS, charge
from functions.permissions import require_moderator, require_unarchived
from functions.recorded import recorded
from functions.source.markers import check_spelling, find_markers
from functions.source.validation import check_source, check_text
from runner.batches.submission import submit_batch
from runner.models import Batch
from runner.registry import Actor

State = AcceptanceTest.State


@transaction.atomic
def start_acceptance_test(
    *, actor: Actor, function: Function, target: str, code: str = "", title: str = ""
) -> AcceptanceTest:
    """Create a draft of this function's acceptance test of its dependency `target`."""
    author = require_moderator(actor, function)
    _check(code, title)
    charge(author, {DRAFTS: 1})
    require_unarchived(hold_function(function.pk))
    dependency = living_functions([name_key(target)]).get(name_key(target))
    uses = Dependency.objects.filter(
        target=dependency,
        implementation__function=function,
        implementation__state=Work.State.PUBLISHED,
    )
    if dependency is None or not uses.exists():
        raise Refusal(
            "not_a_dependency",
            _(
                "No implementation of %(name)s names <<%(target)s>>. "
                "Acceptance tests are for dependencies."
            )
            % {"name": function.name, "target": target},
            field="target",
        )
    return AcceptanceTest.objects.create(
        function=function, target=dependency, author=author, code=code, title=title
    )


@transaction.atomic
def save_acceptance_test(
    *,
    actor: Actor,
    test: AcceptanceTest,
    code: str,
    title: str,
    version: int | None = None,
    expected: Collection[str] | None = None,
) -> AcceptanceTest:
    """Save a draft as typed; `version` and `expected` as in `save_draft`."""
    _check(code, title)
    locked = _lock(actor, test, State.DRAFT)
    require_expected(expected, str(locked.version))
    if version is not None and version != locked.version:
        if (code, title) != (locked.code, locked.title):
            raise EditConflict
        return locked
    locked.code, locked.title, locked.changed_at = code, title, timezone.now()
    locked.version += 1
    locked.save(update_fields=["code", "title", "changed_at", "version"])
    return locked


def publish_acceptance_test(*, actor: Actor, test: AcceptanceTest) -> AcceptanceTest:
    """Publish a draft, irrevocably, and run it."""
    author = require_moderator(actor, test.function)
    return check_first(test.code, owner=author.pk, act=partial(_publish, actor, test))


def run_acceptance_draft(*, actor: Actor, test: AcceptanceTest) -> Batch:
    """Run a draft against the current implementation of its target, privately."""
    author = require_moderator(actor, test.function)
    return check_first(test.code, owner=author.pk, act=partial(_run, author, test))


@transaction.atomic
def _run(author: User, test: AcceptanceTest, checked: Checked) -> Batch:
    locked = _lock(author, test, State.DRAFT)
    markers = read_source(locked.code, checked, noun=locked.noun)
    known = {key: function.name for key, function in living_functions(markers).items()}
    refuse_all(check_spelling(find_markers(locked.code).markers, known))
    program, asleep = program_of(locked)
    if program is None:
        message = _("It can’t be run: %(reason)s.") % {"reason": recorded(asleep)}
        raise Refusal("blocked", message, field="code")
    with refusing_over_quota():
        return submit_batch(
            topic=locked.draft_topic,
            programs=[program],
            owner=author,
            cause=f"draft of acceptance test {locked} run",
            recorder=private_runs.RECORDER,
            private=True,
        )


@transaction.atomic
def _publish(actor: Actor, test: AcceptanceTest, checked: Checked) -> AcceptanceTest:
    require_unarchived(lock_function(test.function_id))
    locked = _lock(actor, test, State.DRAFT)
    markers = read_source(locked.code, checked, noun=locked.noun)
    # Otherwise a function defined concurrently would not find this marker.
    hold_names(markers)
    known = {key: function.name for key, function in living_functions(markers).items()}
    refuse_all(check_spelling(find_markers(locked.code).markers, known))
    locked.state = State.PUBLISHED
    locked.published_at = timezone.now()
    locked.names = sorted(markers)
    locked.save(update_fields=["state", "published_at", "names"])
    refresh_test(locked, cause=f"acceptance test {locked} published")
    return locked


@transaction.atomic
def withdraw_acceptance_test(*, actor: Actor, test: AcceptanceTest) -> AcceptanceTest:
    """Withdraw a published test, so that it no longer warns."""
    locked = _lock(actor, test, State.PUBLISHED)
    locked.state = State.WITHDRAWN
    locked.withdrawn_at = timezone.now()
    locked.save(update_fields=["state", "withdrawn_at"])
    publish_verdict(locked)
    return locked


@transaction.atomic
def discard_acceptance_test(*, actor: Actor, test: AcceptanceTest) -> None:
    """Delete a draft."""
    _lock(actor, test, State.DRAFT).delete()


def _check(code: str, title: str) -> None:
    check_source(code)
    check_text(title, field="title", longest=MAX_TITLE_LENGTH)


def _lock(actor: Actor, test: AcceptanceTest, state: str) -> AcceptanceTest:
    """Lock and return the test's current row. Raises a Refusal unless it is in this state."""
    require_moderator(actor, test.function)
    rows = AcceptanceTest.objects.select_related("function", "target")
    locked = rows.select_for_update(of=("self",)).filter(pk=test.pk).first()
    if locked is None:
        raise no_such(test.noun)
    if locked.state != state:
        code = "not_a_draft" if state == State.DRAFT else "not_published"
        sentences = {
            State.DRAFT.value: _("This acceptance test is draft."),
            State.PUBLISHED.value: _("This acceptance test is published."),
            State.WITHDRAWN.value: _("This acceptance test is withdrawn."),
        }
        raise Conflict(code, sentences[locked.state])
    return locked
