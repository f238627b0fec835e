"""Starts previews: the change is made in memory only, and the programs that decide are run."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from functions.authoring.drafts import lock_draft
from functions.authoring.validation import check_first, find_links, find_obstacles, read_code
from functions.contests.contest import AnyWork, Contest
from functions.contests.evaluation import submit_pairs
from functions.contests.loader import load_contest, load_contests
from functions.contests.programs import ProgramBuilder
from functions.errors import Conflict, TooOften, no_such, not_published, refuse_all
from functions.graph.queries import living_functions
from functions.kinds import generate_module, kind_of_work
from functions.kinds.kind import Checked
from functions.locks import hold_function
from functions.models import Function, Implementation, Preview, Test, Work
from functions.moderation.challenges import first_cause
from functions.names import name_key
from functions.permissions import (
    require_author,
    require_moderator,
    require_unarchived,
    require_visible,
)
from functions.previews.plan import Plan, find_cycle, links_of_candidate, make_plan
from functions.previews.steps import MAX_PROGRAMS, RECORDER, enqueue_decide, enqueue_dependents
from functions.request_limits import PREVIEWS
from runner.errors import RequestConflict
from runner.programs.program import source_hash
from runner.registry import Actor
from runner.states import BatchState

# Previews kept per owner; older ones are deleted.
MAX_PER_OWNER = 20
Change = Preview.Change
JUDGEMENTS = {Change.ACCEPT: True, Change.REJECT: False, Change.CLEAR: None}


def preview_publishing(
    *, actor: Actor, draft: Implementation | Test, request_key: str = ""
) -> Preview:
    """Preview the publication of a draft.

    An implementation is tried with its dependents even if it would not become current at once, as
    votes may change that.
    """
    author = require_author(actor, draft)

    def build_contest(checked: Checked, preview: Preview) -> Contest:
        function = preview.function
        require_unarchived(function)
        locked = lock_draft(draft)
        markers = read_code(locked, checked)
        links = tuple(find_links(locked, markers))
        contest = load_contest(function, draft=locked, draft_links=links)
        refuse_all(list(find_obstacles(locked, contest, links, markers)))
        _add_draft(contest, locked, checked)
        if isinstance(locked, Implementation):
            preview.is_decided = True
            preview.candidate = locked
            preview.code = locked.module_source
            preview.links = links_of_candidate(contest, locked)
            preview.circle = find_cycle(function, contest.links_of(locked))
        return contest

    def start(checked: Checked) -> Preview:
        preview = _new(author, draft.function, Change.PUBLISH, draft)
        return _start(preview, partial(build_contest, checked), request_key)

    return check_first(draft.code, owner=author.pk, act=start, kind=kind_of_work(draft))


def preview_withdrawal(
    *, actor: Actor, work: Implementation | Test, request_key: str = ""
) -> Preview:
    """Preview the withdrawal of a work."""
    author = require_author(actor, work)

    def build_contest(preview: Preview) -> Contest:
        _require_published(work)
        contest = _load_with_cycle(preview.function)
        contest.implementations = [one for one in contest.implementations if one != work]
        contest.tests = [one for one in contest.tests if one != work]
        return contest

    return _start(_new(author, work.function, Change.WITHDRAW, work), build_contest, request_key)


def preview_judgement(
    *, actor: Actor, work: Implementation | Test, change: str, request_key: str = ""
) -> Preview:
    """Preview accepting a work, marking it unacceptable, or leaving it to the votes."""
    require_visible(actor, work)
    owner = require_moderator(actor, work.function)

    def build_contest(preview: Preview) -> Contest:
        _require_published(work)
        contest = _load_with_cycle(preview.function)
        for one in (*contest.implementations, *contest.tests):
            if one == work:
                one.acceptable = JUDGEMENTS[Change(change)]
        return contest

    return _start(_new(owner, work.function, change, work), build_contest, request_key)


def preview_deletion(*, actor: Actor, function: Function, request_key: str = "") -> Preview:
    """Preview the deletion of a function."""
    owner = require_moderator(actor, function)

    def build_contest(preview: Preview) -> None:
        preview.is_decided = True

    return _start(_new(owner, function, Change.DELETE, None), build_contest, request_key)


def _start(
    preview: Preview, build_contest: Callable[[Preview], Contest | None], request_key: str
) -> Preview:
    """Start a preview, or return the one that the same request started before."""
    if former := _find_former(preview, request_key):
        return former
    _count_preview(preview.owner)  # before any lock, as Redis may be slow
    try:
        with transaction.atomic():
            preview.function = hold_function(preview.function_id)
            contest = build_contest(preview)
            _delete_older(preview.owner)
            return _create(preview, contest, request_key)
    except RequestConflict:
        # A concurrent repetition of this request was first.
        if former := _find_former(preview, request_key):
            return former
        raise


def _load_with_cycle(function: Function) -> Contest:
    """Load a contest with those of the other members of its cycle."""
    members = living_functions({name_key(name) for name in function.circle})
    others = [other for other in members.values() if other.pk != function.pk]
    [[contest, *_]] = load_contests([[function, *others]])
    return contest


def _add_draft(contest: Contest, draft: AnyWork, checked: Checked) -> None:
    """Add a draft to the contest as if it were published."""
    draft.published_at = timezone.now()
    generate_module(draft, contest.function)
    draft.source_sha256 = source_hash(draft.module_source)
    if isinstance(draft, Test):
        draft.compile_error = checked.policy_fault
        draft.standing_cause = first_cause(draft, contest.function).value
    contest.add_work(draft)


def _new(owner: User, function: Function, change: str, work: AnyWork | None) -> Preview:
    subject: dict[str, Any] = {work.noun: work} if work else {}
    return Preview(owner=owner, function=function, change=change, **subject)


def _create(preview: Preview, contest: Contest | None, request_key: str) -> Preview:
    """Save a preview and run the programs that decide the function's own election."""
    preview.save(force_insert=True)
    plan: Plan | None = None
    if contest is not None:
        builder = ProgramBuilder(contest)
        plan = make_plan(preview, contest, builder, room=MAX_PROGRAMS, of_others=MAX_PROGRAMS)
        plan.effect.save(force_insert=True)
    programs = plan.programs if plan else {}
    with override("en"):
        cause = f"preview of {preview.says}"
    preview.programs = len({program.key for program in programs.values()})
    preview.batch = submit_pairs(
        programs,
        topic=preview.topic,
        owner=preview.owner,
        cause=cause[:100],
        recorder=RECORDER,
        request_key=request_key,
        private=True,
        loaded=False,
    )
    if preview.is_decided:
        enqueue_dependents(preview)
    else:
        enqueue_decide(preview)
    preview.save()
    return preview


def _find_former(preview: Preview, request_key: str) -> Preview | None:
    """Return the preview that the same request started before."""
    if not request_key:
        return None
    rows = Preview.objects.filter(batch__owner=preview.owner_id, batch__request_key=request_key)
    former = rows.select_related("batch", "function").first()
    if former and _request_fields(former) != _request_fields(preview):
        raise Conflict("request_conflict", _("This request key belongs to another request."))
    return former


def _request_fields(preview: Preview) -> tuple[object, ...]:
    return preview.function_id, preview.work, preview.change


def _require_published(work: AnyWork) -> None:
    if not type(work).objects.filter(pk=work.pk).exists():
        raise no_such(work.noun)
    if work.state != Work.State.PUBLISHED:
        raise not_published(work.noun, work.state)


def _count_preview(owner: User) -> None:
    """Count a preview. Raises TooOften above the limit."""
    if not PREVIEWS.count(f"user {owner.pk}"):
        raise TooOften(
            _("You have previewed %(count)s changes within the hour; wait a while.")
            % {"count": PREVIEWS.tries},
            retry_after_seconds=PREVIEWS.retry_after_seconds(),
        )


def _delete_older(owner: User) -> None:
    previews = Preview.objects.filter(owner=owner)
    recent = list(previews.order_by("-pk").values_list("pk", flat=True)[: MAX_PER_OWNER - 1])
    previews.exclude(pk__in=recent).exclude(batch__state=BatchState.OPEN).delete()
