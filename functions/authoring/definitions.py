"""Defines, revises and deletes functions."""

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.audit import publish_change, record_act
from functions.authoring.drafts import draft_topics
from functions.authoring.name_claims import bind_name, check_new_name, claim_name, name_taken
from functions.canaries.notices import enqueue_notices
from functions.contests.evaluation import enqueue_reconcile
from functions.elections.acceptance_review import enqueue_review
from functions.elections.releases import record_releases
from functions.errors import Refusal, require_expected
from functions.graph.queries import dependent_ids, named_by, names_used, waiting_ids
from functions.graph.usage import discount_all_uses
from functions.kinds import KINDS, PYTHON, record_elections
from functions.locks import lock_function, lock_name
from functions.models import AuditEntry, Dependency, Function, FunctionRevision
from functions.names import name_key
from functions.notifications.person_watches import notify_of_publication
from functions.notifications.watches import adopt_name_watches, watch_by_default
from functions.people.quotas import FUNCTIONS, charge
from functions.permissions import (
    person_behind,
    require_account,
    require_moderator,
    require_unarchived,
)
from functions.source.validation import check_text, returns_of
from functions.webhooks.events import announce, publication
from runner.batches.cancellation import cancel_batches
from runner.events.topics import open_topic
from runner.models import Batch
from runner.registry import Actor
from runner.states import BatchState

MAX_SIGNATURE_LENGTH = 500
MAX_DESCRIPTION_LENGTH = 20_000


@transaction.atomic
def define_function(
    *,
    actor: Actor,
    name: str,
    signature: str = "",
    description: str = "",
    kind: str = PYTHON.name,
    language: str = Function.Language.PYTHON,
) -> Function:
    """Create a function, and bind published code that names it.

    The actor owns it; if that is an agent, its person does.
    """
    author = require_account(actor)
    owner = person_behind(author)
    check_new_name(name)
    _check_definition(signature, description)
    no_kind = _("There is no kind %(value)s; choose one of %(choices)s.")
    _check_choice("kind", kind, [*KINDS], no_kind)
    no_language = _("There is no language %(value)s; choose one of %(choices)s.")
    _check_choice("language", language, Function.Language.values, no_language)
    charge(author, {FUNCTIONS: 1})
    lock_name(name)
    waiting = claim_name(name, claimant=owner)
    function = _create(
        name=name,
        name_key=name_key(name),
        signature=signature,
        description=description,
        kind=kind,
        language=language,
        owner=owner,
    )
    keep_revision(function, author)
    # Now, as two publications that open the topics of each other's functions would deadlock.
    open_topic(function.topic)
    watch_by_default(user=owner, function=function)
    cause = f"{function.name} defined by {author}"
    bind_name(function, waiting, cause=cause, actor=author.pk)
    adopt_name_watches(function, actor=author)
    notify_of_publication(author, function)
    announce([publication(author, function)], owner=author.pk)
    return function


@transaction.atomic
def revise_function(
    *,
    actor: Actor,
    function: Function,
    signature: str | None = None,
    description: str | None = None,
    restored: FunctionRevision | None = None,
    expected: Collection[str] | None = None,
) -> Function:
    """Change a function's definition, or restore a former one; a revision is kept.

    Without a signature or description, the present one stays. `expected` are the digests of
    definitions that may be changed. Raises Outdated for another one.
    """
    _check_definition(signature or "", description or "")
    locked = lock_function(function.pk)
    editor = require_moderator(actor, locked)
    require_unarchived(locked)
    require_expected(expected, locked.definition_digest)
    signature = locked.signature if signature is None else signature
    description = locked.description if description is None else description
    if (locked.signature, locked.description) == (signature, description):
        return locked
    returned = returns_of(locked.signature)
    locked.signature, locked.description = signature, description
    locked.changed_at = timezone.now()
    locked.save(update_fields=["signature", "description", "changed_at"])
    keep_revision(locked, editor, restored=restored)
    if restored is not None:
        when = f"{restored.created_at:%Y-%m-%d %H:%M}"
        record_act(editor, AuditEntry.Act.RESTORED, function=locked, label=f"of {when} UTC")
    else:
        publish_change(locked, editor, "edited the definition")
    if returned != returns_of(signature):
        # The values that tests may get have changed.
        cause = f"{locked.name} edited by {editor}"
        enqueue_reconcile([locked.pk], cause=cause, actor=editor.pk)
        enqueue_review({locked: editor.pk})
    return locked


def restore_revision(*, actor: Actor, function: Function, revision: FunctionRevision) -> Function:
    """Restore a former definition, as a new revision."""
    return revise_function(
        actor=actor,
        function=function,
        signature=revision.signature,
        description=revision.description,
        restored=revision,
    )


def keep_revision(
    function: Function, editor: User, *, restored: FunctionRevision | None = None
) -> None:
    """Store the present definition; called in the transaction of the change."""
    FunctionRevision.objects.create(
        function=function,
        editor=editor,
        name=function.name,
        signature=function.signature,
        description=function.description,
        restored=restored,
    )


@transaction.atomic
def delete_function(
    *, actor: Actor, function: Function, expected: Collection[str] | None = None
) -> None:
    """Delete a function: dependents are blocked, its runs are cancelled, records are kept.

    `expected` is as for revising.
    """
    locked = lock_function(function.pk)
    remover = require_moderator(actor, locked)
    require_expected(expected, locked.definition_digest)
    lock_name(locked.name, holding=names_used(locked.pk))
    # Functions that it imported are included: without another owner's import, ties change.
    affected = {*dependent_ids(locked.pk), *waiting_ids(locked.pk), *named_by(locked.elected_id)}
    affected.discard(locked.pk)
    locked.deleted_at = timezone.now()
    locked.offered_to = None
    locked.save(update_fields=["deleted_at", "offered_to"])
    record_elections([locked])
    record_releases([locked])
    enqueue_notices([locked])
    record_act(remover, AuditEntry.Act.DELETED, function=locked)
    Dependency.objects.filter(target=locked).update(target=None)
    topics = [locked.topic, *draft_topics(locked)]
    cancel_batches(list(Batch.objects.filter(topic__name__in=topics, state=BatchState.OPEN)))
    cause = f"{locked.name} deleted by {remover}"
    enqueue_reconcile(sorted(affected), cause=cause, actor=remover.pk)
    enqueue_review({locked: remover.pk})
    discount_all_uses(locked)


def _create(**fields: object) -> Function:
    """Insert the function. Raises Conflict if the name is taken in any spelling."""
    try:
        with transaction.atomic():
            return Function.objects.create(**fields)
    except IntegrityError:
        if refusal := name_taken(str(fields["name"])):
            raise refusal from None
        raise


def _check_definition(signature: str, description: str) -> None:
    check_text(signature, field="signature", longest=MAX_SIGNATURE_LENGTH)
    check_text(description, field="description", longest=MAX_DESCRIPTION_LENGTH)


def _check_choice(field: str, value: str, choices: list[str], message: str) -> None:
    if value not in choices:
        message %= {"value": ascii(value), "choices": ", ".join(choices)}
        raise Refusal(f"invalid_{field}", message, field=field)
