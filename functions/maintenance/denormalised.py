"""Checks denormalised data against its sources."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from typing import Any

from django.db import connection
from django.db.models import F, OuterRef, Q, Subquery

from functions.kinds import kind_of_work
from functions.models import (
    AcceptanceTest,
    Dependency,
    Election,
    Function,
    FunctionRevision,
    Implementation,
    Test,
    Work,
)
from functions.names import name_key
from functions.source.markers import find_markers
from runner.programs.program import source_hash

# Cells that differ from the result of their program, or lack one that exists. Functions that are
# being judged are left out, as their cells may still change.
_CELLS = """
    select f.name, i.number, t.number, cell.result_key = cell.key, cell.verdict, cell.line,
        r.verdict, r.line
    from functions_cell as cell
    join functions_implementation as i on i.id = cell.implementation_id and i.state = 'published'
    join functions_function as f on f.id = i.function_id and f.deleted_at is null and not f.judging
    left join functions_test as t on t.id = cell.test_id
    left join runner_execution as e on e.key = cell.key
    left join runner_result as r on r.execution_id = e.id
    where cell.key is not null
        and (cell.test_id is null or t.state = 'published' and t.function_id = f.id)
        and case when cell.result_key = cell.key
            then (cell.verdict, cell.line) is distinct from (r.verdict, r.line)
            else r.verdict is not null end
    order by cell.id
"""
_DEFINITION = ("name", "signature", "description")


def find_wrong_denormalised() -> Iterator[str]:
    """Yield a sentence for every difference."""
    yield from find_wrong_links()
    yield from _find_wrong_marks()
    yield from _find_wrong_cells()
    yield from _find_wrong_definitions()
    yield from _find_wrong_histories()


def find_wrong_links() -> Iterator[str]:
    """Yield published works whose dependencies differ from the markers in their code."""
    ids_by_name = dict(Function.objects.filter(deleted_at=None).values_list("name_key", "pk"))
    models: tuple[type[Implementation | Test], ...] = (Implementation, Test)
    for model in models:
        stored = _links_of(model)
        works: Any = model.objects.filter(function__deleted_at=None).select_related("function")
        for work in works.exclude(state=Work.State.DRAFT).order_by("pk").iterator():
            found = kind_of_work(work).find_markers(work.code).first_by_key()
            marked = found.keys() - {work.function.name_key}
            expected = {(key, ids_by_name.get(key)) for key in marked}
            if stored[work.pk] != expected:
                actual, marked_names = map(_in_words, (stored[work.pk], expected))
                yield f"{work.function} {work}: depends on {actual}, its code marks {marked_names}"
            if bytes(work.source_sha256) != source_hash(work.module_source):
                yield f"{work.function} {work}: its hash is not that of its code"


def _links_of(model: type[Implementation] | type[Test]) -> dict[int, set[tuple[str, int | None]]]:
    found: dict[int, set[tuple[str, int | None]]] = defaultdict(set)
    rows = Dependency.objects.filter(**{f"{model.noun}__isnull": False})
    for work, key, target in rows.values_list(model.noun, "name_key", "target"):
        found[work].add((key, target))
    return found


def _in_words(links: Collection[tuple[str, int | None]]) -> str:
    words = [f"{key} ({target or 'missing'})" for key, target in sorted(links, key=str)]
    return ", ".join(words) or "nothing"


def _find_wrong_marks() -> Iterator[str]:
    tests = AcceptanceTest.objects.filter(state=AcceptanceTest.State.PUBLISHED)
    for test in tests.select_related("function").order_by("pk"):
        if set(test.names) != find_markers(test.code).first_by_key().keys():
            label = f"{test.function} acceptance test {test}"
            yield f"{label}: its names are {test.names}, its code marks others"


def _find_wrong_cells() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(_CELLS)
        rows = cursor.fetchall()
    for name, implementation, test, is_shown, verdict, line, *known in rows:
        cell = f"{name} #{implementation} and {f'T{test}' if test else 'loading'}"
        shown = [verdict, line] if is_shown else "nothing"
        yield f"{cell}: the cell has {shown}, expected {known}"


def _find_wrong_definitions() -> Iterator[str]:
    functions: Any = Function.objects.filter(deleted_at=None)
    last = FunctionRevision.objects.filter(function=OuterRef("pk")).order_by("-pk")
    latest = {f"last_{name}": Subquery(last.values(name)[:1]) for name in _DEFINITION}
    differs = Q(*[~Q(**{name: F(f"last_{name}")}) for name in _DEFINITION], _connector=Q.OR)
    for function in functions.annotate(**latest).filter(differs).order_by("pk"):
        if function.last_name is not None:
            yield f"{function}: differs from its last revision"
    for name, key in functions.order_by("pk").values_list("name", "name_key"):
        if name_key(name) != key:
            yield f"{name}: its name key is {key}"


def _find_wrong_histories() -> Iterator[str]:
    """Yield functions whose last recorded election differs from the elected implementation."""
    last = Election.objects.filter(function=OuterRef("pk")).order_by("-pk").values("elected")[:1]
    rows: Any = Function.objects.filter(deleted_at=None).annotate(last=Subquery(last))
    for name, elected, recorded in rows.order_by("pk").values_list("name", "elected", "last"):
        if elected != recorded:
            yield f"{name}: elected is {elected}, its last recorded election has {recorded}"
