"""Locks, always taken in this order: function rows by id, names, rows of the runner, elections.

The runner locks executions, tasks, and the cells that they fill. The elections lock is last: its
holder waits for no lock whose holder may wait for it.
"""

from collections.abc import Iterable
from typing import Any, TypeVar

from django.db import connection
from django.utils.translation import gettext as _

from functions.errors import Conflict, Outdated, no_such, not_published
from functions.models import Collection, Function, Implementation, Test, Work
from functions.names import name_key
from runner.models import Batch
from runner.states import BatchState

AnyWork = TypeVar("AnyWork", bound=Implementation | Test)

# First parts of the two-part keys of PostgreSQL's advisory locks.
_ELECTIONS = 1_001
_NAMES = 1_002
_DISCUSSIONS = 1_003
_COLLECTIONS_OF_OWNER = 1_004


def lock_elections() -> None:
    """Lock the writing of elections that others see, until the transaction ends.

    So closures don't change while an election is decided, no two elections can close a cycle
    together, and an election that is postponed for a dependency is seen when that one ends.
    """
    _execute("SELECT pg_advisory_xact_lock(%s, 0)", [_ELECTIONS])


def lock_function(function_id: int) -> Function:
    """Lock and return the function's row. Raises Conflict if it was deleted."""
    return _existing(find_and_lock_function(function_id))


def find_and_lock_function(function_id: int) -> Function | None:
    """Lock and return the function's row; None if it was deleted."""
    return next(iter(find_and_lock_functions([function_id])), None)


def find_and_lock_functions(function_ids: Iterable[int]) -> list[Function]:
    """Lock and return the rows of those that were not deleted, ordered by id."""
    living = Function.objects.filter(deleted_at=None, pk__in=list(function_ids)).order_by("id")
    return list(living.select_for_update(no_key=True, of=("self",)))


def hold_function(function_id: int) -> Function:
    """Lock the function's row in share mode, against changes, and return it.

    Raises Conflict if it was deleted.
    """
    held = "SELECT * FROM functions_function WHERE id = %s AND deleted_at IS NULL FOR SHARE"
    return _existing(next(iter(Function.objects.raw(held, [function_id])), None))


def lock_published(work: AnyWork) -> AnyWork:
    """Lock and return the work's current row. Raises a Refusal if it isn't published."""
    rows: Any = type(work).objects.select_for_update(no_key=True, of=("self",))
    locked: AnyWork | None = rows.filter(pk=work.pk).first()
    if locked is None:
        raise no_such(work.noun)
    if locked.state != Work.State.PUBLISHED:
        raise not_published(work.noun, locked.state)
    return locked


def _existing(function: Function | None) -> Function:
    if function is None:
        message = _("This function was just deleted. Its drafts are kept.")
        raise Conflict("function_deleted", message)
    return function


def hold_batch(batch_id: int) -> bool:
    """Lock an open batch against ending until the transaction ends; False if it has ended."""
    held = "SELECT id, state FROM runner_batch WHERE id = %s FOR SHARE"
    return any(batch.state == BatchState.OPEN for batch in Batch.objects.raw(held, [batch_id]))


def hold_names(names: Iterable[str]) -> None:
    """Lock names in share mode, against definition and deletion of functions of these names."""
    keys = sorted({name_key(name) for name in names})
    if keys:
        shared = "SELECT pg_advisory_xact_lock_shared(%s, hashtext(name))"
        _execute(f"{shared} FROM unnest(%s::text[]) AS name", [_NAMES, keys])


def lock_name(name: str, *, holding: Iterable[str] = ()) -> None:
    """Lock a name exclusively, against definition, deletion and uses of a function of this name.

    Names in `holding` are locked in share mode, all in one order, which avoids deadlocks.
    """
    own = name_key(name)
    for key in sorted({own, *map(name_key, holding)}):
        if key == own:
            _execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_NAMES, key])
        else:
            hold_names([key])


def lock_discussion(function_id: int) -> None:
    """Lock the function's comments against changes until the transaction ends.

    So counts are published in order. The function's row isn't locked, so comments don't wait for
    elections.
    """
    _execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_DISCUSSIONS, str(function_id)])


def lock_collection(collection_id: int, *, expected_version: int | None = None) -> Collection:
    """Lock the collection's row, against changes of its items too, and return it.

    Raises a Refusal if it was deleted, or has another version than expected.
    """
    rows = Collection.objects.select_related("owner").filter(pk=collection_id)
    locked = rows.select_for_update(no_key=True, of=("self",)).first()
    if locked is None:
        raise no_such("collection")
    if expected_version not in (None, locked.version):
        raise Outdated
    return locked


def lock_owner_of_collections(user_id: int) -> None:
    """Lock an account against more collections until the transaction ends."""
    _execute(
        "SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_COLLECTIONS_OF_OWNER, str(user_id)]
    )


def lock_names(*names: str) -> None:
    """Lock several names exclusively, in one order everywhere."""
    for name in sorted(set(map(name_key, names))):
        lock_name(name)


def _execute(statement: str, parameters: list[int | str | list[str]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
