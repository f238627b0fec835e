"""Nodes of the dependency graph, and their cache."""

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from psycopg import sql

from functions.authoring import delete_function
from functions.contests.loader import load_contest
from functions.graph.nodes import find_changed, load_nodes, read_nodes
from functions.models import Function, Implementation
from tests.support.works import constant, define, implement

pytestmark = pytest.mark.django_db(transaction=True)


class Backup:
    """The rows and the last ids of some tables."""

    def __init__(self, *tables: str) -> None:
        self._rows: dict[str, bytes] = {}
        self._ids: dict[str, int] = {}
        with connection.cursor() as cursor:
            for table in tables:
                with cursor.copy(f"copy {table} to stdout") as rows:
                    self._rows[table] = b"".join(map(bytes, rows))
                cursor.execute(
                    "select last_value from pg_sequences where sequencename = %s",
                    [f"{table}_id_seq"],
                )
                [[self._ids[table]]] = cursor

    def restore(self) -> None:
        """Put the rows and ids back without running triggers, as `pg_restore` does."""
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("set local session_replication_role = replica")
            for table, rows in self._rows.items():
                cursor.execute(sql.SQL("delete from {}").format(sql.Identifier(table)))
                with cursor.copy(f"copy {table} from stdin") as copy:
                    copy.write(rows)
                cursor.execute("select setval(%s, %s)", [f"{table}_id_seq", self._ids[table]])


def test_every_change_of_a_node_is_found() -> None:
    base, top = define("Base"), define("Top")
    work, other = (implement(base, constant("Base", value)) for value in (1, 2))
    implement(top, "# <<Base>>\n" + constant("Top", 1))
    row = Function.objects.filter(pk=base.pk)
    row.update(elected=work, judging=False)
    loaded = load_contest(top).loaded
    assert find_changed(loaded) == set()
    changes: list[dict[str, Any]] = [
        {"name": "Bass"},
        {"elected": other},
        {"elected": None, "proposed": other},
        {"judging": True},
        {"closure_digest": b"another"},
        {"circle": ["Base", "Top"]},
        {"deleted_at": timezone.now()},
    ]
    for change in changes:
        with transaction.atomic():
            row.update(**change)
            assert find_changed(loaded) == {base.pk}, change
            transaction.set_rollback(True)
    assert find_changed(loaded) == set()
    with transaction.atomic():  # twice in one transaction
        row.update(judging=True)
        between = load_nodes({base.pk})
        row.update(judging=False)
        assert find_changed(between) == {base.pk}
        assert load_nodes({base.pk}) == read_nodes({base.pk})
    # A missing name may have been defined meanwhile, which writes no row of its dependents.
    row.update(elected=implement(base, "# <<Gone>>\n" + constant("Base", 3)))
    assert find_changed(load_contest(top).loaded) == {base.pk}


def test_nodes_loaded_from_the_cache_equal_those_read_from_the_database() -> None:
    base, aside, middle, top = (define(name) for name in ("Base", "Aside", "Middle", "Top"))
    elected = {
        function: implement(function, code + constant(function.name, 1))
        for function, code in ((base, ""), (aside, ""), (middle, "# <<Base>>\n"))
    }
    elected[top] = implement(top, "# <<Middle>>\n" + constant("Top", 1))
    for function, work in elected.items():
        Function.objects.filter(pk=function.pk).update(elected=work)
    other = implement(middle, "# <<Aside>> <<Gone>>\n" + constant("Middle", 2))

    def change(function: Function, **fields: Any) -> None:
        Function.objects.filter(pk=function.pk).update(**fields)
        assert load_nodes({top.pk}) == read_nodes({top.pk})

    change(middle, judging=False)
    with CaptureQueriesContext(connection) as queries:
        load_nodes({top.pk})
    assert len(queries) == 1
    change(middle, elected=other)
    change(aside, judging=True)
    define("Gone")
    change(top, closure_digest=b"another")
    change(middle, elected=elected[middle])
    delete_function(actor=base.owner, function=base)
    change(top, closure_digest=b"yet another")


def test_no_node_in_the_cache_survives_a_rollback_or_a_restored_backup() -> None:
    base, top = define("Base"), define("Top")
    works = [implement(base, constant("Base", value)) for value in (1, 2, 3)]
    elected = implement(top, "# <<Base>> <<Gone>>\n" + constant("Top", 1))
    Function.objects.filter(pk=top.pk).update(elected=elected)

    def elect(work: Implementation) -> None:
        Function.objects.filter(pk=base.pk).update(elected=work)
        assert load_nodes({top.pk}) == read_nodes({top.pk})

    elect(works[0])
    backup = Backup("functions_function", "functions_dependency")
    with transaction.atomic():
        elect(works[1])
        define("Gone")
        assert load_nodes({top.pk}) == read_nodes({top.pk})
        transaction.set_rollback(True)
    assert load_nodes({top.pk}) == read_nodes({top.pk})
    elect(works[2])  # the same number of writes as before the rollback
    define("Gone")
    backup.restore()
    assert load_nodes({top.pk}) == read_nodes({top.pk})
    elect(works[1])  # the same number of writes as before the restoration
    define("Aside")
    assert load_nodes({top.pk}) == read_nodes({top.pk})
