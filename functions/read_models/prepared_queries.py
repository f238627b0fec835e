"""Queries that are written once: the ORM takes longer to write one than PostgreSQL to answer it."""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, Expression, F, Func, QuerySet

Row = TypeVar("Row")


class Asked(Expression):
    """Stands in a query for what is known only when it is run."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, *_: Any, **__: Any) -> Any:
        """Let what is asked be a parameter, which this stands for until then."""
        return "%s", [self]


class WrittenQuery(Generic[Row]):
    """A query with places for what is `Asked`: written when it is first run, and filled each time.

    What the ORM reads from the answer, models or values, it reads as from any other.
    """

    def __init__(self, write: Callable[[], QuerySet[Any, Row]]) -> None:
        self._write = write

    @cached_property
    def _written(self) -> tuple[QuerySet[Any, Row], Any, str, tuple[Any, ...]]:
        queryset = self._write()
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        return queryset, compiler, sql, tuple(parameters)

    def rows(self, **asked: object) -> list[Row]:
        """Return what the query finds, in one query."""
        queryset, compiler, sql, parameters = self._written
        told = [asked[one.name] if isinstance(one, Asked) else one for one in parameters]
        filled: Any = copy(compiler)
        filled.connection = connections[DEFAULT_DB_ALIAS]
        filled.as_sql = lambda: (sql, told)
        rows: Any = queryset.all()
        rows.query.get_compiler = lambda *_, **__: filled
        return list(rows)


def is_among(field: str, ids: Asked) -> Func:
    """Return the condition that a field is one of the ids that are asked for."""
    return Func(
        F(field),
        ids,
        template="(%(expressions)s::bigint[]))",
        arg_joiner=" = any (",
        output_field=BooleanField(),
    )
