"""SQL expressions of searches, which must be the same in indexes and queries."""

from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.indexes import OpClass
from django.contrib.postgres.search import SearchVector
from django.db.models import BooleanField, F, Func, QuerySet, TextField, Value
from django.db.models.functions import Upper

LANGUAGE = "english"  # for stemming: `repeated` finds `repeats`


def words_of_function() -> SearchVector:
    """Return the search vector of a function: its split name, signature and description."""
    words_of_name: Any = Func(
        F("name"),
        Value("([a-z0-9])([A-Z])"),
        Value(r"\1 \2"),
        Value("g"),
        function="regexp_replace",
        output_field=TextField(),
    )
    return SearchVector(words_of_name, "signature", "description", config=LANGUAGE)


def has_id_among(ids: QuerySet[Any, Any]) -> Func:
    """Return the condition that a row's id is in a subquery.

    The subquery becomes an array, as the planner would overestimate it and read all rows.
    """
    return Func(
        F("pk"),
        ArraySubquery(ids),
        template="(%(expressions)s))",
        arg_joiner=" = any (",
        output_field=BooleanField(),
    )


def letters_of(field: str) -> OpClass:
    """Return the trigram index expression of a field, which serves `icontains`."""
    return OpClass(Upper(field), name="gin_trgm_ops")
