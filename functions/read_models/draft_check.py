"""The read model of a draft as typed: what is wrong, and the names that it may use."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from functions.analysis import client
from functions.authoring.validation import find_reserved_marker, find_self_dependency
from functions.errors import Complaint, Refusal, TooOften, Unavailable
from functions.graph.queries import first_spellings, living_functions
from functions.kinds import kind_of, kind_of_work
from functions.kinds.kind import Checked
from functions.models import MODULE_SOURCE, Function, Implementation, Test
from functions.names import name_key
from functions.read_models.search import names_like
from functions.source.markers import Marker, Markers, check_spelling
from functions.source.name_check import find_reservation
from functions.source.validation import check_source
from runner.sandbox import IMPORTABLE

MAX_PROBLEMS = 50
MAX_SUGGESTED = 3  # missing names for which a similar one is looked up
MAX_PROVIDERS = 30  # functions whose exports are listed
ERROR, WARNING = "error", "warning"
CANT_BE_RUN: dict[str, str] = {
    Function.Status.BLOCKED: gettext_noop("%(name)s can’t be run yet: blocked."),
    Function.Status.NOT_IMPLEMENTED: gettext_noop("%(name)s can’t be run yet: not implemented."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem at a place of the code; line and column from 1. Only errors keep it from running.

    `end_column` is None if the problem extends to the end of its line.
    """

    severity: str
    message: str
    line: int
    column: int
    end_column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsableName:
    """A name that the code gets from a function that it marks."""

    name: str
    kind: str  # as in `functions.source.exports`
    signature: str
    summary: str
    provider: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCheck:
    """The problems in source order, and the names from other functions."""

    problems: tuple[Problem, ...]
    names: tuple[UsableName, ...]


def check_draft(draft: Implementation | Test, code: str) -> DraftCheck:
    """Check code as typed, without saving it. Raises a Refusal if it can't be checked.

    The caller checks permissions.
    """
    try:
        check_source(code)
    except Refusal as refusal:
        return DraftCheck(problems=tuple(map(_error, refusal.errors)), names=())
    kind, owner = kind_of_work(draft), str(draft.author_id)
    found = kind.find_markers(code)
    functions = living_functions(found.first_by_key())
    names = _usable_names(draft, functions.values(), owner=owner)
    unbound: list[Mapping[str, Any]] = []
    checked = kind.check(code)
    if checked is None:
        received = {each.name for each in names} | {one.name for one in functions.values()}
        checked, unbound = client.check_draft(code, received, owner=owner, kind=kind)
    problems = [
        *map(_error, _complaints(checked)),
        *map(_error, _marker_complaints(draft, found, functions)),
        *_missing_functions(draft, found, functions),
        *_unbound(unbound),
    ]
    problems.sort(key=lambda problem: (problem.line, problem.column))
    return DraftCheck(problems=tuple(problems[:MAX_PROBLEMS]), names=tuple(names))


def problems_of(draft: Implementation | Test) -> tuple[Problem, ...] | None:
    """Return the problems of a draft that was saved; None if it can't be checked just now.

    The caller checks permissions. Must not be called in a transaction.
    """
    try:
        return check_draft(draft, draft.code).problems
    except (TooOften, Unavailable):
        return None
    except Refusal as refusal:
        return tuple(map(_error, refusal.errors))


def _complaints(checked: Checked) -> Iterator[Complaint]:
    for found in checked.findings:
        message = found.message[:1].upper() + found.message[1:]
        yield Complaint("code", found.code, f"{message}.", found.line, found.column)


def _marker_complaints(
    draft: Implementation | Test, found: Markers, functions: Mapping[str, Function]
) -> Iterator[Complaint]:
    yield from found.complaints
    yield from filter(None, map(find_reserved_marker, found.markers))
    markers = found.first_by_key()
    missing = first_spellings(markers.keys() - functions.keys())
    known = {**missing, **{key: function.name for key, function in functions.items()}}
    yield from check_spelling(found.markers, known)
    if complaint := find_self_dependency(draft, markers):
        yield complaint
    yield from kind_of_work(draft).check_targets(found, functions)


def _missing_functions(
    draft: Implementation | Test, found: Markers, functions: Mapping[str, Function]
) -> Iterator[Problem]:
    """Warn of marked functions that don't exist or have no implementation."""
    suggested = 0
    for key, marker in found.first_by_key().items():
        if key == name_key(draft.function.name) or find_reservation(marker.name, IMPORTABLE):
            continue
        function = functions.get(key)
        if function is None:
            suggested += 1
            similar = names_like(marker.name, limit=1) if suggested <= MAX_SUGGESTED else []
            if similar:
                spelled = marker.spelled.replace(marker.name, similar[0])
                text = _("%(name)s does not exist yet. Did you mean %(similar)s?")
                text %= {"name": marker.spelled, "similar": spelled}
            else:
                text = _("%(name)s does not exist yet.") % {"name": marker.spelled}
            yield _warning(text, marker)
        elif function.status != Function.Status.IMPLEMENTED:
            text = _(CANT_BE_RUN[function.status]) % {"name": marker.spelled}
            yield _warning(text, marker)


def _unbound(found: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """Warn of names that would raise NameError."""
    functions = living_functions(name_key(one["name"]) for one in found)
    for one in found:
        name = one["name"]
        function = functions.get(name_key(name))
        if function is not None and function.name == name:
            message = _(
                "`%(name)s` is not defined. "
                "To import the function, write <<%(name)s>> in a comment."
            )
        elif one["similar"]:
            message = _("`%(name)s` is not defined. Did you mean `%(similar)s`?")
        else:
            message = _("`%(name)s` is not defined.")
        yield Problem(
            severity=WARNING,
            message=message % {"name": name, "similar": one["similar"]},
            line=one["line"],
            column=one["column"],
            end_column=one["column"] + len(name),
        )


def _usable_names(
    draft: Implementation | Test, functions: Iterable[Function], *, owner: str
) -> list[UsableName]:
    """Return the names that the marked functions offer; a test also gets its own function's."""
    providers = {function.pk: function for function in functions}
    if isinstance(draft, Test):
        providers[draft.function_id] = draft.function
    else:
        providers.pop(draft.function_id, None)
    chosen = [one.elected_id for one in providers.values() if one.elected_id][:MAX_PROVIDERS]
    codes = dict(Implementation.objects.filter(pk__in=chosen).values_list("pk", MODULE_SOURCE))
    names = []
    for function in providers.values():
        offered = client.exports(codes.get(function.elected_id or 0, ""), owner=owner)
        names += [UsableName(**one, provider=function.name) for one in offered]
        if all(one["name"] != function.name for one in offered):
            names.append(_as_defined(function))
    if isinstance(draft, Test):
        own = draft.function
        names += [_given_to_tests(name, own) for name in kind_of(own).names_in_tests]
    return names


def _given_to_tests(name: str, function: Function) -> UsableName:
    return UsableName(name=name, kind="value", signature=name, summary="", provider=function.name)


def _as_defined(function: Function) -> UsableName:
    """Return a function without a current implementation, by its signature."""
    return UsableName(
        name=function.name,
        kind=function.kind,
        signature=f"{function.name}{function.signature}",
        summary="",
        provider=function.name,
    )


def _error(complaint: Complaint) -> Problem:
    message = complaint.message
    place = _("Line %(line)s: %(message)s") % {"line": complaint.line, "message": ""}
    if complaint.line and message.startswith(place):
        message = message.removeprefix(place)
        message = message[:1].upper() + message[1:]
    return Problem(
        severity=ERROR, message=message, line=complaint.line or 1, column=complaint.column or 1
    )


def _warning(message: str, marker: Marker) -> Problem:
    return Problem(
        severity=WARNING,
        message=message,
        line=marker.line,
        column=marker.column + 1,
        end_column=marker.end_column + 1,
    )
