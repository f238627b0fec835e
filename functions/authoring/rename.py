"""Renames functions, as long as nothing published uses the name."""

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from functions.audit import record_act
from functions.authoring.definitions import keep_revision
from functions.authoring.name_claims import bind_name, check_new_name, claim_name, name_taken
from functions.errors import Conflict
from functions.locks import lock_function, lock_names
from functions.models import (
    AcceptanceTest,
    AuditEntry,
    Dependency,
    Function,
    Implementation,
    Test,
    Work,
)
from functions.names import name_key
from functions.notifications.watches import adopt_name_watches
from functions.permissions import require_moderator, require_unarchived
from runner.registry import Actor


@transaction.atomic
def rename_function(*, actor: Actor, function: Function, name: str) -> Function:
    """Rename a function and bind published code that waits for the new name.

    Drafts that use the former name keep their text.
    """
    check_new_name(name)
    locked = lock_function(function.pk)
    mover = require_moderator(actor, locked)
    require_unarchived(locked)
    former = locked.name
    lock_names(former, name)
    if is_name_used(locked):
        raise Conflict(
            "name_in_use",
            _(
                "Published code uses the name %(name)s and can't be edited, so the name can no "
                "longer be changed."
            )
            % {"name": former},
            field="name",
        )
    if name == former:
        return locked
    waiting = claim_name(name, claimant=mover)
    _write(locked, name)
    keep_revision(locked, mover)
    record_act(mover, AuditEntry.Act.RENAMED, function=locked, label=f"{former} → {name}")
    cause = f"{former} renamed to {name} by {mover}"
    bind_name(locked, waiting, cause=cause, actor=mover.pk)
    adopt_name_watches(locked, actor=mover)
    return locked


def is_name_used(function: Function) -> bool:
    """Return whether published work uses the function's name: its own, or that of dependents.

    Withdrawn work counts, as it is still shown.
    """
    own = (
        model.objects.filter(function=function).exclude(state=Work.State.DRAFT)
        for model in (Implementation, Test)
    )
    if any(works.exists() for works in own):
        return True
    # Only published works have dependency rows.
    of_living = Q(implementation__function__deleted_at=None, test=None) | Q(
        test__function__deleted_at=None, implementation=None
    )
    if Dependency.objects.filter(of_living, target=function).exists():
        return True
    published = AcceptanceTest.objects.exclude(state=AcceptanceTest.State.DRAFT)
    mentions = published.filter(function__deleted_at=None, names__contains=[function.name_key])
    return mentions.exists()


def _write(function: Function, name: str) -> None:
    function.name, function.name_key = name, name_key(name)
    try:
        with transaction.atomic():
            function.save(update_fields=["name", "name_key"])
    except IntegrityError:
        if refusal := name_taken(name):
            raise refusal from None
        raise
