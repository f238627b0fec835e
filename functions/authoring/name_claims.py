"""Claims of names, by new and by renamed functions."""

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils.translation import gettext as _

from functions.authoring.drafts import adopt_drafts
from functions.contests.evaluation import enqueue_reconcile
from functions.elections.acceptance_review import enqueue_review
from functions.errors import Conflict, Forbidden, Refusal, refuse_all
from functions.graph.queries import first_spellings, living_functions, naming_ids
from functions.graph.usage import begin_usage
from functions.models import AcceptanceTest, Dependency, Function
from functions.names import name_key
from functions.source.name_check import check_name
from runner.sandbox import IMPORTABLE


def check_new_name(name: str) -> None:
    """Raise a Refusal if no function may have this name."""
    refuse_all(list(filter(None, [check_name(name, importable=IMPORTABLE)])))


def claim_name(name: str, *, claimant: User) -> list[int]:
    """Check that this user may take the name; return the functions that wait for it.

    The caller has locked the name. The database rejects a name that is taken when it is written.
    """
    waiting = naming_ids(name_key(name))
    is_named = bool(waiting) or _is_in_acceptance_tests(name)
    _guard_name(claimant.pk, name, is_named=is_named, is_staff=claimant.is_staff)
    _check_spelling(name)
    return waiting


def bind_name(function: Function, waiting: list[int], *, cause: str, actor: int) -> None:
    """Bind published code that uses the function's name to it, and adopt drafts left behind."""
    Dependency.objects.filter(name_key=function.name_key, target=None).update(target=function)
    adopt_drafts(function)
    enqueue_reconcile(waiting, cause=cause, actor=actor)
    enqueue_review({function: actor})
    begin_usage(function, {*waiting} - {function.pk})


def name_taken(name: str) -> Conflict | None:
    """Return a refusal if a function has this name, in any spelling."""
    existing = living_functions([name_key(name)]).get(name_key(name))
    if existing is None:
        return None
    return Conflict(
        "name_taken",
        _("There is a function %(name)s already; names are case-insensitive.")
        % {"name": existing.name},
        field="name",
    )


def _is_in_acceptance_tests(name: str) -> bool:
    key = name_key(name)
    published = AcceptanceTest.objects.filter(
        state=AcceptanceTest.State.PUBLISHED, function__deleted_at=None
    )
    return published.filter(Q(names__contains=[key]) | Q(target__name_key=key)).exists()


def _guard_name(user_id: int, name: str, *, is_named: bool, is_staff: bool) -> None:
    """Refuse a name that published code uses, if a deleted function of another owner had it."""
    if not is_named or is_staff:
        return
    former = Function.objects.filter(name_key=name_key(name)).exclude(deleted_at=None)
    # By deletion, as a renamed function may be older than one deleted before.
    last = former.order_by("-deleted_at").first()
    if last is not None and last.owner_id != user_id:
        raise Forbidden(
            "name_guarded",
            _(
                "%(name)s was deleted, but published code still uses it: only its last owner, "
                "%(owner)s, or staff may define it again."
            )
            % {"name": last.name, "owner": last.owner.get_username()},
            field="name",
        )


def _check_spelling(name: str) -> None:
    """Refuse a spelling that differs from published code, which can't be edited.

    Taken names are left to `name_taken`, which has a better message.
    """
    used = first_spellings([name_key(name)]).get(name_key(name), "")
    if used and used != name and not living_functions([name_key(name)]):
        raise Refusal(
            "invalid_name",
            _(
                "Published code spells this name <<%(name)s>>, and can't be edited. "
                "Define it as %(name)s."
            )
            % {"name": used},
            field="name",
        )
