"""Queries that follow dependencies, each in one statement."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.db import connection
from django.db.models import F, Q

from functions.models import Dependency, Function, Work

# Each recursive step is a lateral subquery (LATERAL ... OFFSET 0). As a join, it would read all
# functions, since PostgreSQL expects each step to find ten times as many rows as the previous one.
# Upwards: the closure by elected, or by chosen implementations.
_UPWARDS = """
    WITH RECURSIVE reached (id) AS (
        {start}
      UNION
        SELECT named.target_id FROM reached CROSS JOIN LATERAL (
            SELECT dependency.target_id
            FROM functions_function AS f
            JOIN functions_dependency AS dependency ON dependency.implementation_id = {chosen}
            WHERE f.id = reached.id AND dependency.target_id IS NOT NULL {apart}
            OFFSET 0
        ) AS named
    )
"""
_IDS = "SELECT unnest(%s::bigint[])"
_CLOSURE = f"""
    {_UPWARDS.format(start=_IDS, chosen="f.elected_id", apart="")}
    SELECT id FROM reached
"""  # noqa: S608 - constants of ours
_APART = "AND dependency.target_id <> ALL(%s::bigint[])"
_CHOICE = "COALESCE(f.elected_id, f.proposed_id)"
_VERSION = "concat(f.id, ':', f.version)"
# With all columns that elections need.
_AS_CHOSEN = f"""
    SELECT f.id, {_VERSION}, f.name, f.elected_id, f.proposed_id, work.source_sha256, f.judging,
        f.closure_digest, f.circle, named.names, named.targets, named.optional
    FROM reached
    JOIN functions_function AS f ON f.id = reached.id
    LEFT JOIN functions_implementation AS work ON work.id = {_CHOICE}
    CROSS JOIN LATERAL (
        SELECT COALESCE(array_agg(d.name ORDER BY d.id), '{{}}') AS names,
            COALESCE(array_agg(d.target_id ORDER BY d.id), '{{}}') AS targets,
            COALESCE(array_agg(d.is_optional ORDER BY d.id), '{{}}') AS optional
        FROM functions_dependency AS d WHERE d.implementation_id = work.id
    ) AS named
    WHERE f.deleted_at IS NULL
"""  # noqa: S608 - constants of ours
_CHOSEN = f"""
    {_UPWARDS.format(start=_IDS, chosen=_CHOICE, apart=_APART)}
    {_AS_CHOSEN}
"""
_CHOSEN_ALONE = f"""
    WITH reached (id) AS ({_IDS})
    {_AS_CHOSEN}
"""
# One text, as parsing many rows would take longer than the rest of the query.
_VERSIONS = f"""
    SELECT string_agg({_VERSION}, ' ') FROM functions_function AS f
    WHERE f.id = ANY(%s::bigint[]) AND f.deleted_at IS NULL
"""  # noqa: S608 - constants of ours
# Upwards, with all columns that a call needs.
_OF_NAME = "SELECT id FROM functions_function WHERE name_key = %(key)s AND deleted_at IS NULL"
_CURRENT = f"""
    {_UPWARDS.format(start=_OF_NAME, chosen="f.elected_id", apart="")}
    SELECT f.name, f.status, f.blocked_by, f.kind, f.owner_id, f.elected_id, work.source_sha256,
    ARRAY(
        SELECT dependency.name FROM functions_dependency AS dependency
        WHERE dependency.implementation_id = f.elected_id AND (
            NOT dependency.is_optional OR EXISTS (
                SELECT FROM functions_function AS target WHERE target.id = dependency.target_id
                    AND target.elected_id IS NOT NULL AND target.deleted_at IS NULL
            )
        )
        ORDER BY dependency.id
    )
    FROM reached
    JOIN functions_function AS f ON f.id = reached.id
    LEFT JOIN functions_implementation AS work ON work.id = f.elected_id
    WHERE f.deleted_at IS NULL
    ORDER BY f.name_key <> %(key)s, f.id
"""  # noqa: S608 - constants of ours
# Upwards from one function: by elected implementations, and where there is none, by all published
# ones. The nearest come first, and no more are read than wanted.
_PIECES = """
    WITH RECURSIVE reached (id) AS (
        SELECT %s::bigint
      UNION
        SELECT named.target_id FROM reached CROSS JOIN LATERAL (
            SELECT dependency.target_id
            FROM functions_function AS f
            CROSS JOIN LATERAL (
                SELECT f.elected_id AS id WHERE f.elected_id IS NOT NULL
              UNION ALL
                SELECT work.id FROM functions_implementation AS work
                WHERE f.elected_id IS NULL AND work.function_id = f.id
                    AND work.state = 'published'
            ) AS chosen
            JOIN functions_dependency AS dependency ON dependency.implementation_id = chosen.id
            WHERE f.id = reached.id AND f.deleted_at IS NULL AND dependency.target_id IS NOT NULL
            ORDER BY dependency.id
            OFFSET 0
        ) AS named
    )
    SELECT id FROM reached LIMIT %s
"""
# Downwards: the nearest function being judged on each path of importers. It notifies the farther
# ones itself.
_WAITING = """
    WITH RECURSIVE importing (start, id, judging) AS (
        SELECT start, start, false FROM unnest(%s::bigint[]) AS start
      UNION
        SELECT importing.start, naming.id, naming.judging FROM importing CROSS JOIN LATERAL (
            SELECT f.id, f.judging
            FROM functions_dependency AS dependency
            JOIN functions_function AS f ON f.elected_id = dependency.implementation_id
            WHERE dependency.target_id = importing.id AND f.deleted_at IS NULL
            OFFSET 0
        ) AS naming
        WHERE NOT importing.judging
    )
    SELECT start, id FROM importing WHERE judging AND id <> start ORDER BY id
"""
# Downwards, all the way: this function and all its direct and indirect importers.
_IMPORTING = """
    WITH RECURSIVE importing (id) AS (
        SELECT %s::bigint
      UNION
        SELECT naming.id FROM importing CROSS JOIN LATERAL (
            SELECT f.id
            FROM functions_dependency AS dependency
            JOIN functions_function AS f ON f.elected_id = dependency.implementation_id
            WHERE dependency.target_id = importing.id AND f.deleted_at IS NULL
            OFFSET 0
        ) AS naming
    )
    SELECT id FROM importing
"""


class CurrentRow(NamedTuple):
    """A function with its current implementation, if any, and the names that it marks."""

    name: str
    status: str
    blocked_by: str
    kind: str
    owner: int
    implementation: int | None
    sha256: bytes | None
    names: tuple[str, ...]


class ChosenRow(NamedTuple):
    """A function with its elected, else proposed implementation, and that one's links."""

    id: int
    version: str
    name: str
    elected: int | None
    proposed: int | None
    sha256: bytes | None
    judging: bool
    digest: bytes
    circle: list[str]
    names: list[str]
    targets: list[int | None]
    optional: list[bool]


def current_rows(name_key: str) -> tuple[CurrentRow, ...]:
    """Return the function of this name, followed by its closure; empty if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(_CURRENT, {"key": name_key})
        rows = cursor.fetchall()
    return tuple(CurrentRow._make((*row, tuple(names))) for *row, names in rows)


def closure_ids(function_ids: Collection[int]) -> list[int]:
    """Return these functions and their closure by elected implementations."""
    if not function_ids:
        return []
    return _ids(_CLOSURE, list(function_ids))


def piece_ids(function_id: int, most: int) -> list[int]:
    """Return this function and what it is made of, the nearest first, at most so many.

    A function that has no current implementation leads to what its published ones name.
    """
    with connection.cursor() as cursor:
        cursor.execute(_PIECES, [function_id, most])
        return [row[0] for row in cursor.fetchall()]


def chosen_rows(function_ids: Collection[int], apart_from: Collection[int] = ()) -> list[ChosenRow]:
    """Return these functions and their closure by elected, else proposed implementations.

    Functions in `apart_from`, and those reached only through them, are left out.
    """
    return _chosen(_CHOSEN, function_ids, _array_literal(apart_from))


def chosen_rows_alone(function_ids: Collection[int]) -> list[ChosenRow]:
    """Return these functions without their closure."""
    return _chosen(_CHOSEN_ALONE, function_ids)


def _chosen(query: str, function_ids: Collection[int], *more: str) -> list[ChosenRow]:
    if not function_ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(query, [_array_literal(function_ids), *more])
        return [ChosenRow._make(row) for row in cursor.fetchall()]


def row_versions(function_ids: Collection[int]) -> set[str]:
    """Return the row versions of these functions, except deleted ones, as in `ChosenRow`."""
    if not function_ids:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, [_array_literal(function_ids)])
        [[versions]] = cursor
        return set((versions or "").split(" ")) - {""}


def _array_literal(ids: Iterable[int]) -> str:
    """Return ids as a PostgreSQL array literal; faster than the driver, which quotes each one."""
    return f"{{{','.join(map(str, ids))}}}"


def waiting_ids(function_id: int) -> list[int]:
    """Return the importers being judged that have no other judged importer in between."""
    return waiting_for([function_id])[function_id]


def waiting_for(function_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the importers as in `waiting_ids`, by function id."""
    found: dict[int, list[int]] = {pk: [] for pk in function_ids}
    if found:
        with connection.cursor() as cursor:
            cursor.execute(_WAITING, [list(found)])
            for start, pk in cursor.fetchall():
                found[start].append(pk)
    return found


def imported_by_others(function_ids: Collection[int]) -> set[int]:
    """Return the functions that an elected implementation of another owner's function names."""
    rows = Dependency.objects.filter(
        target__in=function_ids,
        implementation__function__deleted_at=None,
        implementation=F("implementation__function__elected"),
    )
    others = rows.exclude(implementation__function__owner=F("target__owner"))
    return {pk for pk in others.values_list("target", flat=True).distinct() if pk}


def named_by(implementation_id: int | None) -> list[int]:
    """Return the functions that this implementation names; empty for None."""
    named = Dependency.objects.filter(implementation=implementation_id or 0, target__isnull=False)
    return sorted({pk for pk in named.values_list("target", flat=True) if pk})


def of_other_owners(function_ids: Collection[int], owner_id: int) -> list[int]:
    """Return the functions that this user doesn't own."""
    rows = Function.objects.filter(pk__in=function_ids, deleted_at=None)
    return list(rows.exclude(owner=owner_id).order_by("pk").values_list("pk", flat=True))


def dependent_ids(function_id: int) -> list[int]:
    """Return the other functions whose published works name this one."""
    return dependents_of([function_id])[function_id]


def dependents_of(function_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the dependents as in `dependent_ids`, by function id."""
    found: dict[int, set[int]] = {pk: set() for pk in function_ids}
    for noun in ("implementation", "test") if found else ():
        rows = Dependency.objects.filter(Q(target__in=list(found)) & _published(noun))
        for target, pk in rows.values_list("target", f"{noun}__function").distinct():
            found[target].add(pk)
    return {target: sorted(pks - {target}) for target, pks in found.items()}


def transitive_dependents(function_id: int) -> list[int]:
    """Return all other functions whose programs may contain this one."""
    return _naming(Q(target__in=_ids(_IMPORTING, function_id)), apart_from=function_id)


def naming_ids(name_key: str) -> list[int]:
    """Return the functions whose published works use this name, defined or not."""
    return _naming(Q(name_key=name_key))


def names_used(function_id: int) -> list[str]:
    """Return the names, in lower case, that a function's published works use."""
    works = Q(implementation__function=function_id) | Q(test__function=function_id)
    found = Dependency.objects.filter(works & (_published("implementation") | _published("test")))
    return sorted(set(found.values_list("name_key", flat=True)))


def first_spellings(keys: Iterable[str]) -> dict[str, str]:
    """Return the first published spelling of each name, by its key."""
    published = _published("implementation") | _published("test")
    named = Dependency.objects.filter(published, name_key__in=list(keys))
    first = named.order_by("name_key", "id").distinct("name_key")
    return dict(first.values_list("name_key", "name"))


def living_functions(keys: Iterable[str]) -> dict[str, Function]:
    """Return the existing functions of these names (in lower case), by name."""
    found = Function.objects.filter(name_key__in=list(keys), deleted_at=None)
    return {function.name_key: function for function in found}


def _naming(condition: Q, *, apart_from: int = 0) -> list[int]:
    found: set[int] = set()
    for noun in ("implementation", "test"):
        rows = Dependency.objects.filter(condition & _published(noun))
        found.update(rows.values_list(f"{noun}__function", flat=True))
    return sorted(found - {apart_from})


def _published(noun: str) -> Q:
    return Q(**{f"{noun}__state": Work.State.PUBLISHED, f"{noun}__function__deleted_at": None})


def _ids(statement: str, parameter: int | list[int]) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(statement, [parameter])
        return [row[0] for row in cursor.fetchall()]
