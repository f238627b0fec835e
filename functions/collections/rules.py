"""Permissions to read, add and change items, and to change collections."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from functions.errors import Conflict, Forbidden, no_such
from functions.models import Collection, Item, Role
from functions.permissions import is_person, require_account, require_person
from runner.registry import Actor


def may_manage(actor: Actor, collection: Collection) -> bool:
    """Return whether the actor owns the collection or is staff."""
    is_owner = isinstance(actor, User) and (actor.is_staff or collection.owner_id == actor.pk)
    return is_owner and is_person(actor)


def may_see(actor: Actor, collection: Collection) -> bool:
    """Return whether the actor may read items, be it only their own."""
    if collection.may_read in (Role.SIGNED_IN, Role.AUTHOR):
        return actor.is_authenticated
    return collection.is_public or may_manage(actor, collection)


def may_read_all(actor: Actor, collection: Collection) -> bool:
    """Return whether the actor may read the items of all authors."""
    if collection.may_read == Role.AUTHOR:
        return may_manage(actor, collection)
    return may_see(actor, collection)


def may_add(actor: Actor, collection: Collection) -> bool:
    """Return whether the actor may add items."""
    if collection.state != Collection.State.OPEN or not may_see(actor, collection):
        return False
    is_allowed = collection.may_add == Role.SIGNED_IN and actor.is_authenticated
    return is_allowed or may_manage(actor, collection)


def may_change(actor: Actor, collection: Collection, item: Item) -> bool:
    """Return whether the actor may replace, merge or delete this item."""
    if collection.state != Collection.State.OPEN or not actor.is_authenticated:
        return False
    is_allowed = {
        Role.SIGNED_IN: may_read_all(actor, collection),
        Role.AUTHOR: item.author_id == actor.pk,
    }
    return is_allowed.get(Role(collection.may_change), False) or may_manage(actor, collection)


def readable_collections(actor: Actor) -> QuerySet[Collection]:
    """Return the collections of which the actor may read items."""
    rows = Collection.objects.select_related("owner")
    if isinstance(actor, User) and actor.is_staff:
        return rows
    if not actor.is_authenticated:
        return rows.filter(may_read=Role.EVERYONE)
    return rows.exclude(may_read=Role.OWNER) | rows.filter(owner=actor.pk)


def readable_items(actor: Actor, collection: Collection) -> QuerySet[Item]:
    """Return the items that the actor may read. Raises a Refusal if there can't be any."""
    require_reader(actor, collection)
    items = Item.objects.filter(collection=collection)
    return items if may_read_all(actor, collection) else items.filter(author=actor.pk)


def require_reader(actor: Actor, collection: Collection) -> None:
    """Refuse who may read nothing; what only its owner may see isn't there for others."""
    if may_see(actor, collection):
        return
    if collection.may_read == Role.OWNER:
        raise no_such("collection")
    require_account(actor)


def require_adder(actor: Actor, collection: Collection) -> User:
    """Return the actor if they may add items."""
    require_reader(actor, collection)
    user = require_account(actor)
    require_open(collection)
    if not may_add(user, collection):
        message = _("Only the owner of this collection adds items to it.")
        raise Forbidden("not_yours", message)
    return user


def require_changer(actor: Actor, collection: Collection, item: Item) -> User:
    """Return the actor if they may change this item, which they may read."""
    user = require_account(actor)
    require_open(collection)
    if not may_change(user, collection, item):
        message = _("Only its author, or the owner of the collection, changes this item.")
        if collection.may_change == Role.OWNER:
            message = _("Only the owner of this collection changes its items.")
        raise Forbidden("not_yours", message)
    return user


def require_manager(actor: Actor, collection: Collection) -> User:
    """Return the actor if they own the collection or are staff."""
    user = require_person(actor)
    if not may_manage(user, collection):
        message = _("Only the owner of %(name)s may do this.") % {"name": collection.name}
        raise Forbidden("not_yours", message)
    return user


def require_open(collection: Collection) -> None:
    """Refuse changes of items of a closed collection."""
    if collection.state != Collection.State.OPEN:
        message = _("This collection is closed: its items can be read but not changed.")
        raise Conflict("collection_closed", message)
