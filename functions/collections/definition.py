"""Creates, changes and deletes collections."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from functions.collections.rules import require_manager
from functions.document_views.ownership import forget_views_of
from functions.errors import Complaint, Conflict, Refusal, refuse_all
from functions.json_data.schema import check_schema
from functions.locks import lock_collection, lock_owner_of_collections
from functions.models import ADDERS, CHANGERS, READERS, Collection, Function, Role
from functions.names import name_key
from functions.permissions import require_person
from functions.source.name_check import check_name
from functions.source.validation import check_text
from runner.pipelines.outbox import append_event
from runner.registry import Actor
from runner.sandbox import IMPORTABLE

MAX_DESCRIPTION_LENGTH = 20_000
MAX_PAGES = 20
OWN_ADDRESSES = {"new"}  # of pages beside those of collections

_NAMED_ONCE = "collection_name_once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a collection, which its owner decides.

    Items must fit `schema`, or the document of the name `schema_document`; without both, any do.
    """

    description: str = ""
    schema: Any = None
    schema_document: str = ""
    may_read: str = Role.EVERYONE
    may_add: str = Role.SIGNED_IN
    may_change: str = Role.AUTHOR
    needs_match: bool = False
    pages: tuple[str, ...] = ()  # pages that may read and change items
    state: str = Collection.State.OPEN

    @classmethod
    def of(cls, collection: Collection) -> "Settings":
        values = {name: getattr(collection, name) for name in cls.__slots__}
        return cls(**values | {"pages": tuple(collection.pages)})


@transaction.atomic
def create_collection(*, actor: Actor, name: str, settings: Settings) -> Collection:
    """Create a collection, which the actor owns."""
    owner = require_person(actor)
    _check_name(name)
    _check(settings)
    lock_owner_of_collections(owner.pk)
    _check_quota(owner)
    try:
        with transaction.atomic():
            return Collection.objects.create(
                name=name, name_key=name_key(name), owner=owner, **asdict(settings)
            )
    except IntegrityError as error:
        raise _refusal_of(error, name) from error


@transaction.atomic
def change_collection(
    *,
    actor: Actor,
    collection: Collection,
    settings: Settings,
    expected_version: int | None = None,
) -> Collection:
    """Change a collection's settings. Items that don't fit a new schema stay as they are."""
    locked = lock_collection(collection.pk, expected_version=expected_version)
    require_manager(actor, locked)
    _check(settings)
    if settings == Settings.of(locked):
        return locked
    for name, value in asdict(settings).items():
        setattr(locked, name, value)
    locked.version += 1
    locked.changed_at = timezone.now()
    locked.save()
    append_event(locked.topic, "collection.changed", {"version": locked.version})
    return locked


@transaction.atomic
def delete_collection(*, actor: Actor, collection: Collection) -> None:
    """Delete a collection with its items and the views over it; its name is free again."""
    locked = lock_collection(collection.pk)
    require_manager(actor, locked)
    append_event(locked.topic, "collection.deleted", {})
    with connection.cursor() as cursor:
        # Not Django's, which would load all items.
        cursor.execute("DELETE FROM functions_item WHERE collection_id = %s", [locked.pk])
    forget_views_of(f"collection:{locked.pk}")
    locked.delete()


def _check_name(name: str) -> None:
    if name_key(name) in OWN_ADDRESSES:
        message = _("`%(name)s` is an address of this site. Choose another name.")
        raise Refusal("reserved_name", message % {"name": name}, field="name")
    if not name:
        raise Refusal("invalid_name", _("A collection needs a name."), field="name")
    refuse_all(list(filter(None, [check_name(name, importable=IMPORTABLE)])))


def _check(settings: Settings) -> None:
    check_text(settings.description, field="description", longest=MAX_DESCRIPTION_LENGTH)
    choices = {
        "may_read": READERS,
        "may_add": ADDERS,
        "may_change": CHANGERS,
        "state": Collection.State.values,
    }
    message = _("There is no such choice; choose one of %(choices)s.")
    refuse_all(
        [
            Complaint(name, "invalid_choice", message % {"choices": ", ".join(allowed)})
            for name, allowed in choices.items()
            if getattr(settings, name) not in allowed
        ]
    )
    if len(settings.pages) > MAX_PAGES:
        message = _("At most %(limit)s pages may change items.") % {"limit": MAX_PAGES}
        raise Refusal("too_many_pages", message, field="pages")
    checked = [check_name(page, importable=IMPORTABLE) for page in settings.pages]
    refuse_all([replace(complaint, field="pages") for complaint in checked if complaint])
    _check_schema(settings)


def _check_schema(settings: Settings) -> None:
    """Refuse a schema that is none, and a document that doesn't exist."""
    if settings.schema is not None:
        check_schema(settings.schema)
    if not settings.schema_document:
        return
    if settings.schema is not None:
        message = _("Give a schema or the name of a document, not both.")
        raise Refusal("two_schemas", message, field="schema_document")
    key = name_key(settings.schema_document)
    if not Function.objects.filter(name_key=key, kind="document", deleted_at=None).exists():
        message = _("There is no document %(name)s.") % {"name": settings.schema_document}
        raise Refusal("no_such_document", message, field="schema_document")


def _check_quota(owner: User) -> None:
    most = settings.COLLECTIONS_PER_USER
    if Collection.objects.filter(owner=owner).count() >= most:
        message = _("You have %(limit)s collections, as many as one may; delete one first.")
        raise Conflict("too_many_collections", message % {"limit": most})


def _refusal_of(error: IntegrityError, name: str) -> Exception:
    details = getattr(error.__cause__, "diag", None)
    if getattr(details, "constraint_name", None) != _NAMED_ONCE:
        return error
    message = _("There is a collection %(name)s already; names are case-insensitive.")
    return Conflict("name_taken", message % {"name": name}, field="name")
