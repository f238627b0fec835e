"""The summary of a function on the card of a link to it."""

from dataclasses import dataclass

from functions.models import Function
from functions.names import name_key
from functions.read_models.browse import with_counts
from functions.read_models.links import functions_missing

MOST_WAITING = 100  # counted


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSummary:
    """A function in a few words; without one, how many functions wait for its name."""

    name: str
    function: Function | None
    waiting: int = 0
    tests: int = 0
    implementations: int = 0
    dependents: int = 0
    score: int | None = None  # of its current implementation


def function_summary(name: str) -> FunctionSummary:
    """Return what is said of this name, in one query, or two if nothing has it."""
    named = Function.objects.filter(name_key=name_key(name), deleted_at=None)
    function = with_counts(named).first()
    if function is None:
        waiting = functions_missing(name).order_by()[:MOST_WAITING].count()
        return FunctionSummary(name=name, function=None, waiting=waiting)
    return FunctionSummary(
        name=function.name,
        function=function,
        tests=function.test_count,
        implementations=function.implementation_count,
        dependents=function.named_by,
        score=function.elected.score if function.elected else None,
    )
