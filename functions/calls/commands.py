"""Makes the changes that code has asked for, all or none, and once for each request."""

import contextlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from functions.calls.pins import PinnedVersions
from functions.collections.items import add_item, delete_item, merge_item
from functions.document_revisions.edits import revise_document
from functions.errors import Forbidden, NotFound, Outdated, Refusal, no_such
from functions.graph.queries import living_functions
from functions.json_data.values import check_value
from functions.locks import find_and_lock_functions, lock_collection
from functions.models import AppliedRequest, Collection
from functions.names import name_key
from functions.permissions import require_account
from runner.registry import Actor

COLLECTION, DOCUMENT = "collection", "document"
MAX_COMMANDS = 50
MAX_BYTES = 1024 * 1024  # of all commands of a request
KEEP_DAYS = 30
# If somebody else has changed an item in between, the code runs again with what is there.
MAX_RUNS = 3
_REMOVED_AT_ONCE = 5_000
Result = TypeVar("Result")
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@transaction.atomic
def apply_commands(
    *,
    actor: Actor,
    versions: PinnedVersions,
    request_id: str,
    commands: Sequence[Mapping[str, Any]],
) -> bool:
    """Make these changes as this account, and store them; False if that was done before.

    `versions` are those of the page or function that asks for them. Raises a Refusal if it or the
    account may not make one of them, or if an item or a document isn't the one that it was made
    for.
    """
    user = require_account(actor)
    parsed = [_parse(command) for command in commands]
    if len(parsed) > MAX_COMMANDS:
        message = _("A request changes at most %(limit)s items.") % {"limit": MAX_COMMANDS}
        raise Refusal("too_many_commands", message)
    stored = check_value(list(commands), field="commands", max_bytes=MAX_BYTES)
    if not _REQUEST_ID.fullmatch(request_id):
        message = _("A request_id has at most 64 letters, digits and hyphens.")
        raise Refusal("invalid_request_id", message, field="request_id")
    # Another request with this id waits here, and then finds that it is done.
    _applied, is_new = AppliedRequest.objects.get_or_create(
        user=user,
        page=versions.name,
        request_id=request_id,
        defaults={"commands": stored},
    )
    if not is_new:
        return False
    targets = _lock(_names_of(parsed, COLLECTION), versions.name)
    targets |= _lock_documents(_names_of(parsed, DOCUMENT), versions)
    for change in parsed:
        change.make(user, targets[change.kind, name_key(change.name)])
    return True


def repeat_outdated(act: Callable[[], Result]) -> Result:
    """Call what reads items and changes them, again if others have changed them in between."""
    for _run in range(1, MAX_RUNS):
        with contextlib.suppress(Outdated):
            return act()
    return act()


def remove_old_requests(_cursor: int) -> int:
    """Remove requests that are kept no longer; called by the sweeper.

    Returns 1 if there may be more, else 0.
    """
    # Ids grow with age, so the oldest rows suffice: the index on ids finds them.
    oldest = AppliedRequest.objects.order_by("pk")[:_REMOVED_AT_ONCE].values("pk")
    before = Now() - timedelta(days=KEEP_DAYS)
    removed, _ = AppliedRequest.objects.filter(pk__in=oldest, applied_at__lt=before).delete()
    return int(removed == _REMOVED_AT_ONCE)


class _Change(NamedTuple):
    kind: str  # COLLECTION or DOCUMENT
    name: str
    make: Callable[[User, Any], object]  # called with what _lock or _lock_documents has found


_Targets = dict[tuple[str, str], Any]  # by kind and key


def _names_of(changes: Sequence[_Change], kind: str) -> list[str]:
    return sorted({change.name for change in changes if change.kind == kind})


def _lock(names: Sequence[str], function: str) -> _Targets:
    """Lock the collections of these names, in the order of their ids."""
    keys = {name_key(name) for name in names}
    found = Collection.objects.filter(name_key__in=keys).order_by("pk").values_list("pk", flat=True)
    locked = {each.name_key: each for each in map(lock_collection, found)}
    for name in names:
        collection = locked.get(name_key(name))
        if collection is None:
            raise no_such("collection")
        if not collection.lists(function):
            message = _(
                "%(function)s may not change %(collection)s. Its owner can allow that in its "
                "settings."
            ) % {"function": function, "collection": collection.name}
            raise Forbidden("page_not_allowed", message)
    return {(COLLECTION, key): collection for key, collection in locked.items()}


def _lock_documents(names: Sequence[str], versions: PinnedVersions) -> _Targets:
    """Lock the functions of these documents; return each with the version that was used."""
    used = {name_key(version.name): version for version in versions.closure}
    direct = {name_key(name) for name in versions.closure[-1].names}
    found = living_functions([name_key(name) for name in names])
    locked = find_and_lock_functions(function.pk for function in found.values())
    functions = {function.name_key: function for function in locked}
    for name in names:
        function = functions.get(name_key(name))
        about = {"function": versions.name, "document": name}
        if function is None or function.kind != DOCUMENT:
            raise NotFound("no_document", _("There is no document %(document)s.") % about)
        if name_key(name) not in direct:
            message = _(
                "%(function)s may not change %(document)s, which it doesn't name: write "
                "<<%(document)s>> in a comment."
            )
            raise Forbidden("page_not_allowed", message % about)
        if function.owner_id != versions.owner:
            message = _(
                "%(function)s may not change %(document)s, which belongs to somebody else than "
                "%(function)s."
            )
            raise Forbidden("page_not_allowed", message % about)
    return {(DOCUMENT, key): (function, used[key].sha256) for key, function in functions.items()}


def _parse(command: Mapping[str, Any]) -> _Change:
    match command:
        case {"add": str(name), "value": value} if len(command) == 2:
            return _Change(
                COLLECTION,
                name,
                lambda user, collection: add_item(actor=user, collection=collection, value=value),
            )
        case {"change": str(name), "patch": patch} if len(command) == 4:
            about = _item_of(command)
            return _Change(
                COLLECTION,
                name,
                lambda user, collection: merge_item(
                    actor=user, collection=collection, patch=patch, **about
                ),
            )
        case {"delete": str(name)} if len(command) == 3:
            about = _item_of(command)
            return _Change(
                COLLECTION,
                name,
                lambda user, collection: delete_item(actor=user, collection=collection, **about),
            )
        case {"revise": str(name), "patch": patch} if len(command) == 2:
            return _Change(
                DOCUMENT,
                name,
                lambda user, document: revise_document(
                    actor=user, function=document[0], patch=patch, base=document[1]
                ),
            )
    raise _invalid(command)


def _item_of(command: Mapping[str, Any]) -> dict[str, int]:
    """Return the item's id and the version that it must have."""
    pk, version = command.get("id"), command.get("version")
    if type(pk) is not int or type(version) is not int:
        raise _invalid(command)
    return {"item_id": pk, "expected_version": version}


def _invalid(command: Mapping[str, Any]) -> Refusal:
    message = _(
        "This is no change: %(command)s. One is add, change or delete, with id and "
        "version as numbers, or revise, of a document."
    )
    return Refusal("invalid_command", message % {"command": repr(command)[:200]})
