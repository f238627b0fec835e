"""What functions are found by: expressions that an index and a search must spell alike."""

from typing import Any

from django.contrib.postgres.indexes import OpClass
from django.contrib.postgres.search import SearchVector
from django.db.models import F, Func, TextField, Value
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


def letters_of(field: str) -> OpClass:
    """Return what finds any three letters in a row of a field, as `icontains` asks for them."""
    return OpClass(Upper(field), name="gin_trgm_ops")
