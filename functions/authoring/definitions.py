"""Functions come into being, are described anew, and go."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from functions.authoring.drafts import adopt_drafts, draft_topics
from functions.errors import Conflict, Forbidden, Refusal, refuse_all
from functions.evaluation import settle_soon
from functions.locks import lock_function, lock_name
from functions.models import Dependency, Function, FunctionRevision
from functions.naming import check_name, name_key
from functions.permissions import require_account, require_moderator
from functions.querysets import (
    dependent_ids,
    first_spellings,
    living_functions,
    naming_ids,
    waiting_ids,
)
from functions.sources import check_text
from runner.cancelling import cancel_batches
from runner.models import Batch
from runner.registry import Actor
from runner.sandbox import IMPORTABLE
from runner.states import BatchState

LONGEST_SIGNATURE = 500
LONGEST_DESCRIPTION = 20_000


@transaction.atomic
def define_function(
    *,
    actor: Actor,
    name: str,
    signature: str = "",
    description: str = "",
    kind: str = Function.Kind.FUNCTION,
    language: str = Function.Language.PYTHON,
) -> Function:
    """Make a function of this name, owned by the actor; published code that names it binds it."""
    owner = require_account(actor)
    refuse_all(list(filter(None, [check_name(name, importable=IMPORTABLE)])))
    _check_definition(signature, description)
    _check_choice("kind", kind, Function.Kind.values)
    _check_choice("language", language, Function.Language.values)
    lock_name(name)
    waiting = naming_ids(name_key(name))
    _guard_name(owner.pk, name, is_named=bool(waiting), is_staff=owner.is_staff)
    _check_spelling(name)
    function = _create(
        name=name,
        name_key=name_key(name),
        signature=signature,
        description=description,
        kind=kind,
        language=language,
        owner=owner,
    )
    FunctionRevision.objects.create(
        function=function, editor=owner, signature=signature, description=description
    )
    Dependency.objects.filter(name_key=function.name_key, target=None).update(target=function)
    adopt_drafts(function)
    settle_soon(waiting, cause=f"{function.name} defined by {owner}")
    return function


@transaction.atomic
def revise_function(
    *,
    actor: Actor,
    function: Function,
    signature: str,
    description: str,
    restored: FunctionRevision | None = None,
) -> Function:
    """Describe a function anew, perhaps as it was before; what it said is kept."""
    editor = require_moderator(actor, function)
    _check_definition(signature, description)
    locked = lock_function(function.pk)
    if (locked.signature, locked.description) == (signature, description):
        return locked
    locked.signature, locked.description = signature, description
    locked.changed_at = timezone.now()
    locked.save(update_fields=["signature", "description", "changed_at"])
    FunctionRevision.objects.create(
        function=locked,
        editor=editor,
        signature=signature,
        description=description,
        restored=restored,
    )
    return locked


def restore_revision(*, actor: Actor, function: Function, revision: FunctionRevision) -> Function:
    """Describe a function as it once was; that makes a new revision."""
    return revise_function(
        actor=actor,
        function=function,
        signature=revision.signature,
        description=revision.description,
        restored=revision,
    )


@transaction.atomic
def delete_function(*, actor: Actor, function: Function) -> None:
    """Take a function away: what names it is blocked, what runs for it stops, records stay."""
    moderator = require_moderator(actor, function)
    locked = lock_function(function.pk)
    lock_name(locked.name)
    affected = {*dependent_ids(locked.pk), *waiting_ids(locked.pk)}
    locked.deleted_at = timezone.now()
    locked.save(update_fields=["deleted_at"])
    Dependency.objects.filter(target=locked).update(target=None)
    topics = [locked.topic, *draft_topics(locked)]
    cancel_batches(list(Batch.objects.filter(topic__name__in=topics, state=BatchState.OPEN)))
    settle_soon(sorted(affected), cause=f"{locked.name} deleted by {moderator}")


def _create(**fields: object) -> Function:
    """Insert the function; a name that is taken in any spelling is a conflict."""
    key = str(fields["name_key"])
    try:
        with transaction.atomic():
            return Function.objects.create(**fields)
    except IntegrityError:
        existing = living_functions([key]).get(key)
        if existing is None:
            raise
        raise Conflict(
            "name_taken",
            f"There is a function {existing.name} already: "
            "names are one and the same in small and capital letters.",
            field="name",
        ) from None


def _guard_name(user_id: int, name: str, *, is_named: bool, is_staff: bool) -> None:
    """Let nobody capture a name that others' published code imports."""
    if not is_named or is_staff:
        return
    former = Function.objects.filter(name_key=name_key(name)).exclude(deleted_at=None)
    last = former.order_by("-id").first()
    if last is not None and last.owner_id != user_id:
        raise Forbidden(
            "name_guarded",
            f"{last.name} was deleted, and published code still names it: only its last owner, "
            f"{last.owner.get_username()}, or staff may define it again.",
            field="name",
        )


def _check_spelling(name: str) -> None:
    """Refuse another spelling than published code has: it can't be edited, and would not find it.

    A name that is taken is a conflict in every spelling, which says more.
    """
    used = first_spellings([name_key(name)]).get(name_key(name), "")
    if used and used != name and not living_functions([name_key(name)]):
        raise Refusal(
            "invalid_name",
            f"Published code names this <<{used}>>, in another spelling, and nobody edits that: "
            f"define it as {used}.",
            field="name",
        )


def _check_definition(signature: str, description: str) -> None:
    for field, text, longest in (
        ("signature", signature, LONGEST_SIGNATURE),
        ("description", description, LONGEST_DESCRIPTION),
    ):
        check_text(text, field=field)
        if len(text) > longest:
            raise Refusal(
                "too_long",
                f"The {field} has {len(text):,} characters; {longest:,} is the most.",
                field=field,
            )


def _check_choice(field: str, value: str, choices: list[str]) -> None:
    if value not in choices:
        message = f"There is no {field} {value!a}; there is {', '.join(choices)}."
        raise Refusal(f"invalid_{field}", message, field=field)
