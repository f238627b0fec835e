"""What functions are found by: expressions that an index and a search must spell alike."""

from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.postgres.indexes import OpClass
from django.contrib.postgres.search import SearchVector
from django.db.models import BooleanField, F, Func, QuerySet, TextField, Value
from django.db.models.functions import Upper

LANGUAGE = "english"  # of descriptions: who looks for `repeated` finds `repeats`


def words_of_function() -> SearchVector:
    """Return the words of a function: its name taken apart, its signature and description."""
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
    """Return the condition that a row's id is one of these.

    As an array that is made first: of a subquery the planner expects so much that it would read
    all rows.
    """
    return Func(
        F("pk"),
        ArraySubquery(ids),
        template="(%(expressions)s))",
        arg_joiner=" = any (",
        output_field=BooleanField(),
    )


def letters_of(field: str) -> OpClass:
    """Return what finds any three letters in a row of a field, as `icontains` asks for them."""
    return OpClass(Upper(field), name="gin_trgm_ops")
