"""Locks, always taken in this order: rows of functions by id, names, then the machinery's.

What the machinery locks comes after: executions, tasks, and the squares that they fill. Last is
the lock of elections: who has it waits for nobody who could wait for it.
"""

from collections.abc import Iterable

from django.db import connection

from functions.errors import Conflict
from functions.models import Function
from functions.source.names import name_key
from runner.models import Batch
from runner.states import BatchState

# First numbers of the two-part keys of PostgreSQL's advisory locks.
_ELECTIONS = 1_001
_NAMES = 1_002
_DISCUSSIONS = 1_003


def lock_elections() -> None:
    """Let nobody else write an election that others see until this transaction ends.

    So what the elected implementations lead to stays as it is while one is decided, and no two
    elections can close a circle between them; and who postpones its own since another is being
    judged is seen by that one when it ends.
    """
    _execute("SELECT pg_advisory_xact_lock(%s, 0)", [_ELECTIONS])


def lock_function(function_id: int) -> Function:
    """Lock the function's row and return it; raises Conflict if it was deleted."""
    function = find_and_lock_function(function_id)
    if function is None:
        raise Conflict(
            "function_deleted",
            "This function was deleted meanwhile. Your draft is kept; nothing was published.",
        )
    return function


def find_and_lock_function(function_id: int) -> Function | None:
    """Lock the function's row and return it, or nothing if it was deleted."""
    return next(iter(find_and_lock_functions([function_id])), None)


def find_and_lock_functions(function_ids: Iterable[int]) -> list[Function]:
    """Lock the rows of those that were not deleted, in the order of their ids, and return them."""
    living = Function.objects.filter(deleted_at=None, pk__in=list(function_ids)).order_by("id")
    return list(living.select_for_update(no_key=True, of=("self",)))


def hold_function(function_id: int) -> Function | None:
    """Let nobody change or delete the function until this transaction ends, if it is there."""
    held = "SELECT * FROM functions_function WHERE id = %s AND deleted_at IS NULL FOR SHARE"
    return next(iter(Function.objects.raw(held, [function_id])), None)


def hold_batch(batch_id: int) -> bool:
    """Keep an open batch from ending until this transaction does; false if it has ended."""
    held = "SELECT id, state FROM runner_batch WHERE id = %s FOR SHARE"
    return any(batch.state == BatchState.OPEN for batch in Batch.objects.raw(held, [batch_id]))


def hold_names(names: Iterable[str]) -> None:
    """Let nobody define or delete a function of these names until this transaction ends."""
    keys = sorted({name_key(name) for name in names})
    if keys:
        shared = "SELECT pg_advisory_xact_lock_shared(%s, hashtext(name))"
        _execute(f"{shared} FROM unnest(%s::text[]) AS name", [_NAMES, keys])


def lock_name(name: str, *, holding: Iterable[str] = ()) -> None:
    """Let nobody else define, delete or name a function of this name meanwhile.

    `holding` are names to be held beside it, in one order with it: who locks two of them and who
    locks them the other way round would wait for each other.
    """
    own = name_key(name)
    for key in sorted({own, *map(name_key, holding)}):
        if key == own:
            _execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_NAMES, key])
        else:
            hold_names([key])


def lock_discussion(function_id: int) -> None:
    """Let nobody else write or change a comment on the function until this transaction ends.

    So what is told of how many there are is told in the order in which it became true. Taken
    without a function's row: who comments waits for no election.
    """
    _execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_DISCUSSIONS, str(function_id)])


def lock_names(*names: str) -> None:
    """Do so with several names, in an order that is the same for everybody."""
    for name in sorted(set(map(name_key, names))):
        lock_name(name)


def _execute(statement: str, parameters: list[int | str | list[str]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
