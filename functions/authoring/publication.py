"""Publishes drafts: they become immutable, and all their pairs are run."""

from functools import partial
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.authoring.drafts import lock_draft
from functions.authoring.validation import check_first, find_links, read_code
from functions.contests.evaluation import submit_work
from functions.contests.loader import load_contest
from functions.errors import Conflict
from functions.graph.nodes import Link
from functions.graph.usage import count_first_use
from functions.kinds import generate_module, kind_of_work
from functions.kinds.kind import Checked
from functions.locks import hold_names, lock_function
from functions.models import Dependency, Function, Implementation, Test, Work
from functions.moderation.challenges import first_cause
from functions.names import name_key
from functions.notifications.person_watches import notify_of_publication
from functions.notifications.watches import watch_by_default
from functions.permissions import require_author, require_unarchived
from functions.webhooks.events import announce, publication
from runner.models import Batch
from runner.programs.program import source_hash
from runner.registry import Actor


def publish(*, actor: Actor, draft: Implementation | Test, request_key: str = "") -> Batch:
    """Publish a draft and submit its programs. A repeated request returns the same batch."""
    author = require_author(actor, draft)
    # Also before the lock, as the function may have been deleted since the first request.
    if request_key and (batch := _find_former(author.pk, draft, request_key)):
        return batch
    act = partial(_publish, author, draft, request_key)
    return check_first(draft.code, owner=author.pk, act=act, kind=kind_of_work(draft))


@transaction.atomic
def _publish(
    author: User, draft: Implementation | Test, request_key: str, checked: Checked
) -> Batch:
    function = lock_function(draft.function_id)
    if request_key and (batch := _find_former(author.pk, draft, request_key)):
        return batch
    require_unarchived(function)
    work = lock_draft(draft)
    markers = read_code(work, checked)
    hold_names(markers)
    links = find_links(work, markers)
    _make_public(work, function, checked)
    write_dependencies(work, links)
    watch_by_default(user=author, function=function)
    contest = load_contest(function)
    cause = f"{work.noun} {work} published"
    batch = submit_work(contest, work, cause=cause, owner=author, request_key=request_key)
    count_first_use(work)
    notify_of_publication(author, function, work)
    announce([publication(author, function, work)], owner=author.pk)
    return batch


def write_dependencies(work: Implementation | Test, links: list[Link]) -> None:
    """Write the names that a work uses."""
    subject: dict[str, Any] = {work.noun: work}
    Dependency.objects.bulk_create(
        Dependency(
            name=link.name,
            name_key=name_key(link.name),
            target_id=link.target,
            is_optional=link.is_optional,
            **subject,
        )
        for link in links
    )


def _find_former(owner_id: int, draft: Implementation | Test, request_key: str) -> Batch | None:
    """Return the batch of the same request. Raises Conflict if its key was used otherwise."""
    former = Batch.objects.filter(owner=owner_id, request_key=request_key)
    batch = former.select_related("topic").first()
    if batch is None:
        return None
    work = type(draft).objects.select_related("function").get(pk=draft.pk)
    is_same = work.state != Work.State.DRAFT and batch.cause == f"{work.noun} {work} published"
    if not is_same or batch.topic.name != work.function.topic:
        raise Conflict("request_conflict", _("This request key belongs to another request."))
    return batch


def _make_public(work: Implementation | Test, function: Function, checked: Checked) -> None:
    """Number and publish the work; it is immutable from now on."""
    now = timezone.now()
    generate_module(work, function)
    counter = f"last_{work.noun}_number"
    number = getattr(function, counter) + 1
    fields: dict[str, Any] = {
        "number": number,
        "state": Work.State.PUBLISHED,
        "published_at": now,
        "changed_at": now,
        "license": settings.CONTENT_LICENSE,
        "source_sha256": source_hash(work.module_source),
        "generated": work.generated,
    }
    if isinstance(work, Test):
        fields["compile_error"] = checked.policy_fault[:300]
        fields["standing_cause"] = first_cause(work, function).value
        fields["standing_since"] = now if fields["standing_cause"] else None
    for name, value in fields.items():
        setattr(work, name, value)
    work.save(update_fields=list(fields))
    setattr(function, counter, number)
    # Until the election that waits for its runs.
    function.judging = True
    function.changed_at = now
    function.save(update_fields=[counter, "judging", "changed_at"])
