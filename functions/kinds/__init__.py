"""Kinds of functions: one object each, which decides everything in which kinds differ."""

from collections.abc import Iterable, Mapping
from typing import Any

from functions.kinds.document import DocumentKind
from functions.kinds.javascript import JavaScriptKind
from functions.kinds.kind import Kind
from functions.kinds.page import PageKind
from functions.kinds.python import ClassKind, FunctionKind
from functions.models import Function, Implementation, Test
from functions.source.markers import Markers
from runner.sandbox import code_of

__all__ = [
    "JAVASCRIPT",
    "KINDS",
    "LANGUAGES",
    "PYTHON",
    "Kind",
    "generate_module",
    "kind_choices",
    "kind_of",
    "kind_of_work",
    "kind_shown",
    "languages_of",
    "markers_shown",
    "record_elections",
]

PYTHON, JAVASCRIPT = FunctionKind(), JavaScriptKind()
# Those that recognise more come first.
_ALL = (PYTHON, ClassKind(), PageKind(), DocumentKind())
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in _ALL}
# The languages of implementations and tests, with how they are written.
LANGUAGES: Mapping[str, Kind] = {kind.language: kind for kind in (PYTHON, JAVASCRIPT)}


def kind_choices() -> list[tuple[str, Any]]:
    """Return names and labels, the most common first."""
    return [(kind.name, kind.label) for kind in KINDS.values()]


def kind_of(function: Function) -> Kind:
    """Return the kind of a function."""
    return KINDS[function.kind]


def kind_of_work(work: Implementation | Test, function: Function | None = None) -> Kind:
    """Return the kind that decides how a work is written: tests are Python in each.

    Implementations and tests of functions may also be JavaScript. `function` is the work's, if it
    is loaded already.
    """
    if work.language == JAVASCRIPT.language:
        return JAVASCRIPT
    return kind_of(function or work.function) if isinstance(work, Implementation) else PYTHON


def languages_of(function: Function) -> list[Kind]:
    """Return the languages that a function's implementations and tests may be written in."""
    return [PYTHON, JAVASCRIPT] if kind_of(function) is PYTHON else []


def kind_shown(source: str) -> Kind:
    """Return the kind of any source that is shown, as its text tells it."""
    kinds = (JAVASCRIPT, *KINDS.values())
    return next((kind for kind in kinds if kind.recognises(source)), PYTHON)


def markers_shown(source: str) -> Markers:
    """Return the markers of any source that is shown."""
    return kind_shown(source).find_markers(code_of(source))


def record_elections(functions: Iterable[Function]) -> None:
    """Let kinds keep what they derive from these functions' new elections, in a transaction."""
    ids: dict[str, list[int]] = {}
    for function in functions:
        ids.setdefault(function.kind, []).append(function.pk)
    for kind, function_ids in ids.items():
        KINDS[kind].record_elections(function_ids)


def generate_module(work: Implementation | Test, function: Function) -> None:
    """Set the module that is executed in place of a work's code, if there is one."""
    work.generated = kind_of_work(work).generate_module(function.name, work.code)
