"""Kinds of functions: one object each, which decides everything in which kinds differ."""

from collections.abc import Iterable, Mapping
from typing import Any

from functions.kinds.document import DocumentKind
from functions.kinds.kind import Kind
from functions.kinds.python import ClassKind, FunctionKind
from functions.models import Function, Implementation, Test
from functions.source.markers import Markers

__all__ = [
    "KINDS",
    "PYTHON",
    "Kind",
    "generate_module",
    "kind_choices",
    "kind_of",
    "kind_of_work",
    "kind_shown",
    "markers_shown",
    "record_elections",
]

PYTHON = FunctionKind()
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in (PYTHON, ClassKind(), DocumentKind())}


def kind_choices() -> list[tuple[str, Any]]:
    """Return names and labels, the most common first."""
    return [(kind.name, kind.label) for kind in KINDS.values()]


def kind_of(function: Function) -> Kind:
    """Return the kind of a function."""
    return KINDS[function.kind]


def kind_of_work(work: Implementation | Test) -> Kind:
    """Return the kind that decides how a work is written: tests are Python in each."""
    return kind_of(work.function) if isinstance(work, Implementation) else PYTHON


def kind_shown(source: str) -> Kind:
    """Return the kind of any source that is shown, as its text tells it."""
    return next((kind for kind in KINDS.values() if kind.recognises(source)), PYTHON)


def markers_shown(source: str) -> Markers:
    """Return the markers of any source that is shown."""
    return kind_shown(source).find_markers(source)


def record_elections(functions: Iterable[Function]) -> None:
    """Let kinds keep what they derive from these functions' new elections, in a transaction."""
    ids: dict[str, list[int]] = {}
    for function in functions:
        ids.setdefault(function.kind, []).append(function.pk)
    for kind, function_ids in ids.items():
        KINDS[kind].record_elections(function_ids)


def generate_module(work: Implementation | Test, function: Function) -> None:
    """Set the module that is executed in place of an implementation's code, if there is one."""
    if isinstance(work, Implementation):
        work.generated = kind_of(function).generate_module(function.name, work.code)
