"""Queries compiled once, as the ORM compiles slower than PostgreSQL executes."""

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import BooleanField, Expression, F, Func, QuerySet

Row = TypeVar("Row")


class Parameter(Expression):
    """A placeholder for a value that is passed when the query runs."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def as_sql(self, *_: Any, **__: Any) -> Any:
        """Compile to a parameter whose value is this placeholder."""
        return "%s", [self]


class PreparedQuery(Generic[Row]):
    """A query with placeholders, compiled at its first run; its rows are models or values."""

    def __init__(self, write: Callable[[], QuerySet[Any, Row]]) -> None:
        self._write = write

    @cached_property
    def _written(self) -> tuple[QuerySet[Any, Row], Any, str, tuple[Any, ...]]:
        queryset = self._write()
        compiler = queryset.query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        return queryset, compiler, sql, tuple(parameters)

    def rows(self, **arguments: object) -> list[Row]:
        """Run the query with these parameters and return its rows."""
        queryset, compiler, sql, parameters = self._written
        values = [arguments[one.name] if isinstance(one, Parameter) else one for one in parameters]
        filled: Any = copy(compiler)
        filled.connection = connections[DEFAULT_DB_ALIAS]
        filled.as_sql = lambda: (sql, values)
        rows: Any = queryset.all()
        rows.query.get_compiler = lambda *_, **__: filled
        return list(rows)


def is_among(field: str, ids: Parameter) -> Func:
    """Return the condition that a field is among a parameter's ids."""
    return Func(
        F(field),
        ids,
        template="(%(expressions)s::bigint[]))",
        arg_joiner=" = any (",
        output_field=BooleanField(),
    )
