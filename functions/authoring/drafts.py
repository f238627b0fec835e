"""Use cases of drafts, which are saved as typed, private to their authors, and run on request."""

from collections.abc import Collection
from functools import partial
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.authoring.validation import (
    check_first,
    check_language,
    find_links,
    find_obstacles,
    read_code,
)
from functions.contests.evaluation import pairs_with, submit_pairs
from functions.contests.loader import load_contest
from functions.contests.private_runs import RECORDER
from functions.contests.programs import ProgramBuilder
from functions.errors import Conflict, EditConflict, NotFound, Refusal, refuse_all, require_expected
from functions.kinds import PYTHON, generate_module, kind_of_work
from functions.kinds.kind import Checked
from functions.locks import hold_function, hold_names
from functions.models import Function, Implementation, Test, Work
from functions.people.quotas import DRAFTS, charge
from functions.permissions import (
    may_see,
    require_account,
    require_author,
    require_draft,
    require_unarchived,
    require_visible,
)
from functions.source.validation import check_source, check_text
from runner.errors import RequestConflict
from runner.models import Batch
from runner.registry import Actor

MAX_TITLE_LENGTH = 120

W = TypeVar("W", bound=Implementation | Test)


@transaction.atomic
def start_draft(
    *,
    actor: Actor,
    function: Function,
    model: type[W],
    code: str = "",
    title: str = "",
    based_on: W | None = None,
    language: str = PYTHON.language,
) -> W:
    """Create a draft of an implementation or a test; its code need not be valid yet."""
    author = require_account(actor)
    check_language(function, language)
    check_text(title, field="title", longest=MAX_TITLE_LENGTH)
    check_source(code)
    charge(author, {DRAFTS: 1})
    if based_on is not None and not _is_origin(actor, function, based_on):
        sentences = {
            Implementation.noun: _("There is no such implementation of %(name)s to copy from."),
            Test.noun: _("There is no such test of %(name)s to copy from."),
        }
        message = sentences[model.noun] % {"name": function.name}
        raise Refusal("invalid_based_on", message, field="based_on")
    # Otherwise a concurrent deletion and new definition would not adopt this draft.
    hold_names([function.name])
    found = Function.objects.filter(pk=function.pk, deleted_at=None).first()
    if found is None:
        raise NotFound("not_found", _("%(name)s was deleted.") % {"name": function.name})
    require_unarchived(found)
    drafts: Any = model.objects
    draft: W = drafts.create(
        function=function,
        author=author,
        title=title,
        code=code,
        based_on=based_on,
        language=language,
    )
    return draft


def copy(*, actor: Actor, work: W) -> W:
    """Create a draft from a published work, which it records as its origin."""
    require_account(actor)
    require_visible(actor, work)
    return start_draft(
        actor=actor,
        function=work.function,
        model=type(work),
        code=work.code,
        title=f"Copy of {work.title.removeprefix('Copy of ') or work}"[:MAX_TITLE_LENGTH],
        based_on=work,
        language=work.language,
    )


@transaction.atomic
def save_draft(
    *,
    actor: Actor,
    draft: W,
    code: str | None = None,
    title: str | None = None,
    version: int | None = None,
    expected: Collection[str] | None = None,
) -> W:
    """Save a draft as typed.

    With the `version` that the editor started from, raises EditConflict if the draft was saved
    elsewhere since, unless the content is the same (a repeated request). With the versions that
    are `expected`, raises Outdated for any other.
    """
    require_author(actor, draft)
    if title is not None:
        check_text(title, field="title", longest=MAX_TITLE_LENGTH)
    if code is not None:
        check_source(code)
    locked = lock_draft(draft)
    require_expected(expected, str(locked.version))
    typed = (
        locked.code if code is None else code,
        locked.title if title is None else title,
    )
    if version is not None and version != locked.version:
        if typed != (locked.code, locked.title):
            raise EditConflict
        return locked
    locked.code, locked.title = typed
    locked.version += 1
    locked.changed_at = timezone.now()
    locked.save(update_fields=["code", "title", "version", "changed_at"])
    return locked


@transaction.atomic
def discard_draft(
    *, actor: Actor, draft: Implementation | Test, expected: Collection[str] | None = None
) -> None:
    """Delete a draft; `expected` is as for saving."""
    require_author(actor, draft)
    locked = lock_draft(draft)
    require_expected(expected, str(locked.version))
    locked.delete()


def run_draft(
    *,
    actor: Actor,
    draft: Implementation | Test,
    request_key: str = "",
    only: int | None = None,
) -> Batch:
    """Run a draft against its function's published works, privately.

    With `only`, the id of a test (or of an implementation, for a test's draft), it is run against
    that one alone. A repeated request returns the same batch, even if works were published in
    between.
    """
    author = require_author(actor, draft)
    act = partial(_run_draft, author, draft, request_key, only)
    return check_first(draft.code, owner=author.pk, act=act, kind=kind_of_work(draft))


@transaction.atomic
def _run_draft(
    author: User,
    draft: Implementation | Test,
    request_key: str,
    only: int | None,
    checked: Checked,
) -> Batch:
    function = hold_function(draft.function_id)
    locked = lock_draft(draft)
    if request_key and (batch := _find_former_run(author.pk, locked, request_key)):
        return batch
    markers = read_code(locked, checked)
    links = tuple(find_links(locked, markers))
    contest = load_contest(function, draft=locked, draft_links=links)
    refuse_all(list(find_obstacles(locked, contest, links, markers)))
    generate_module(locked, function)
    builder = ProgramBuilder(contest, work=locked)
    pairs = pairs_with(contest, locked)
    if only is not None:
        pairs = [pair for pair in pairs if pair in ((locked.pk, only), (only, locked.pk))]
    keys = builder.keys(pairs)
    if only is not None and not any(keys.values()):
        of_opponents = {
            Implementation.noun: _("There is no test with this id that can be run."),
            Test.noun: _("There is no implementation with this id that can be run."),
        }
        raise NotFound("not_found", of_opponents[locked.noun])
    try:
        return submit_pairs(
            builder.programs([pair for pair, key in keys.items() if key]),
            topic=locked.draft_topic,
            owner=author,
            cause=f"draft of {function.name} run",
            recorder=RECORDER,
            request_key=request_key,
            private=True,
            more={"alone": True} if only is not None else {},
        )
    except RequestConflict as conflict:
        raise Conflict("request_conflict", str(conflict)) from None


def _find_former_run(owner_id: int, draft: Implementation | Test, request_key: str) -> Batch | None:
    """Return the batch of the same request, unless the draft has changed since."""
    former = Batch.objects.filter(owner=owner_id, request_key=request_key)
    return former.filter(topic__name=draft.draft_topic, created_at__gte=draft.changed_at).first()


def draft_topics(function: Function) -> list[str]:
    """Return the topics of all works of a function that are or were drafts."""
    return [
        work.draft_topic
        for model in (Implementation, Test)
        for work in model.objects.filter(function=function).only("pk")
    ]


def adopt_drafts(function: Function) -> None:
    """Move drafts of deleted functions of the same name to a new function."""
    former = Function.objects.filter(name_key=function.name_key).exclude(deleted_at=None)
    for model in (Implementation, Test):
        drafts: Any = model.objects.filter(state=Work.State.DRAFT)
        drafts.filter(function__in=former).update(function=function)
        # Works of the former function don't belong to the new one.
        drafts.filter(function=function, based_on__function__in=former).update(based_on=None)


def lock_draft(draft: W) -> W:
    """Lock and return the draft's current row. Raises a Refusal if it is no longer a draft."""
    rows: Any = type(draft).objects.select_related("function").select_for_update(of=("self",))
    locked: W | None = rows.filter(pk=draft.pk).first()
    if locked is None:
        raise NotFound("not_found", _("This draft was discarded."))
    require_draft(locked)
    return locked


def _is_origin(actor: Actor, function: Function, work: Implementation | Test) -> bool:
    return work.function_id == function.pk and (
        work.state != Work.State.DRAFT or may_see(actor, work)
    )
