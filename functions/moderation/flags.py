"""Flags: complaints about items, one per user and item, which staff resolves."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

from django.db import IntegrityError, models, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from functions.audit import check_reason, record_act
from functions.errors import Conflict, NotFound
from functions.models import (
    AuditEntry,
    Comment,
    Flag,
    Function,
    Implementation,
    Profile,
    Test,
    Work,
)
from functions.permissions import require_person, require_staff
from runner.registry import Actor


class Item(NamedTuple):
    """A flagged item: its function (none for a profile), label and address."""

    function: Function | None
    label: str
    url: str

    def __str__(self) -> str:
        return f"{self.function or ''} {self.label}".strip()


class Kind(NamedTuple):
    """A kind of item: a query for visible rows by id, and a description of a row."""

    rows: Callable[[Collection[int]], models.QuerySet[Any]]
    describe: Callable[[Any], Item]


def _functions(ids: Collection[int]) -> models.QuerySet[Function]:
    return Function.objects.filter(pk__in=ids, deleted_at=None)


def _works(model: type[Implementation | Test]) -> Kind:
    def rows(ids: Collection[int]) -> models.QuerySet[Any]:
        seen = model.objects.filter(pk__in=ids, function__deleted_at=None)
        return seen.exclude(state=Work.State.DRAFT).select_related("function").defer("code")

    return Kind(rows, lambda work: Item(work.function, str(work), work.get_absolute_url()))


def _comments(ids: Collection[int]) -> models.QuerySet[Comment]:
    seen = Comment.objects.filter(pk__in=ids, deleted_at=None, function__deleted_at=None)
    return seen.select_related("function").defer("text")


def _comment_item(comment: Comment) -> Item:
    return Item(comment.function, f"{comment.noun} {comment}", comment.get_absolute_url())


def _profiles(ids: Collection[int]) -> models.QuerySet[Profile]:
    return Profile.objects.filter(pk__in=ids).exclude(about="", links=[]).select_related("user")


def _profile_item(profile: Profile) -> Item:
    name = profile.user.get_username()
    return Item(None, name, reverse("person", args=[name]))


# Staff's pages name kinds.
NOUNS = (
    *(gettext_noop("function"), gettext_noop("implementation")),
    *(gettext_noop("test"), gettext_noop("comment"), gettext_noop("profile")),
)
KINDS: Mapping[str, Kind] = {
    "function": Kind(_functions, lambda function: Item(function, "", function.get_absolute_url())),
    **{model.noun: _works(model) for model in (Implementation, Test)},
    Comment.noun: Kind(_comments, _comment_item),
    "profile": Kind(_profiles, _profile_item),
}


def find_item(kind: str, item_id: int) -> Item | None:
    """Return the publicly visible item of this kind and id, if there is one."""
    return find_items({(kind, item_id)}).get((kind, item_id))


def find_items(places: Collection[tuple[str, int]]) -> dict[tuple[str, int], Item]:
    """Return the publicly visible ones of these items, in one query for each kind."""
    return {
        (name, row.pk): kind.describe(row)
        for name, kind in KINDS.items()
        if (ids := {pk for of, pk in places if of == name})
        for row in kind.rows(ids)
    }


def flag_item(*, actor: Actor, kind: str, item_id: int, reason: str) -> Flag:
    """Flag an item for staff. Raises Conflict if the user has flagged it before."""
    flagger = require_person(actor)
    reason = check_reason(reason, is_required=True)
    item = find_item(kind, item_id)
    if item is None:
        raise NotFound("not_found", _("There is no such item to flag."))
    try:
        with transaction.atomic():
            return Flag.objects.create(
                flagger=flagger,
                kind=kind,
                item_id=item_id,
                function=item.function,
                label=item.label,
                reason=reason,
            )
    except IntegrityError:
        raise Conflict("flagged_already", _("You have flagged this item already.")) from None


@transaction.atomic
def resolve_flag(*, actor: Actor, flag: Flag, is_upheld: bool, note: str) -> Flag:
    """Resolve a flag, as staff, with a public note."""
    staff = require_staff(actor)
    note = check_reason(note, field="note", is_required=True)
    locked = Flag.objects.select_for_update(of=("self",)).select_related("function").get(pk=flag.pk)
    if locked.state != Flag.State.OPEN:
        raise Conflict("flag_resolved", _("This flag is resolved already."))
    locked.state = Flag.State.UPHELD if is_upheld else Flag.State.DISMISSED
    locked.resolver, locked.note, locked.resolved_at = staff, note, timezone.now()
    locked.save(update_fields=["state", "resolver", "note", "resolved_at"])
    record_act(
        staff,
        AuditEntry.Act.FLAG_UPHELD if is_upheld else AuditEntry.Act.FLAG_DISMISSED,
        function=locked.function,
        kind=locked.kind,
        item_id=locked.item_id,
        label=locked.label,
        reason=note,
    )
    return locked
