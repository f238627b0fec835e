"""Validates code before it is run or published, and resolves its markers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from django.utils.translation import gettext as _

from functions.analysis.client import check_code
from functions.contests.contest import AnyWork, Contest
from functions.contests.rules import Closure
from functions.errors import Complaint, EditConflict, Refusal, refuse_all
from functions.graph.nodes import Link
from functions.graph.queries import first_spellings, living_functions
from functions.kinds import LANGUAGES, PYTHON, Kind, kind_of_work, languages_of
from functions.kinds.kind import Checked
from functions.models import Function, Implementation
from functions.names import name_key
from functions.source.markers import Marker, check_spelling
from functions.source.name_check import find_reservation
from functions.source.validation import check_source
from runner.sandbox import IMPORTABLE

# Maximal changes of a draft during its publication.
_MAX_TRIES = 3

Done = TypeVar("Done")


class CodeChanged(Exception):
    """Raised if the code changed after it was checked."""

    def __init__(self, code: str) -> None:
        super().__init__("the code was changed while it was being checked")
        self.code = code


def check_first(
    code: str, *, owner: int, act: Callable[[Checked], Done], kind: Kind = PYTHON
) -> Done:
    """Check code, then call `act` with the findings and return its result.

    Checking may take a second, so it is done without locks: `act` opens the transaction, and
    raises CodeChanged with other code, which is then checked.
    """
    for _attempt in range(_MAX_TRIES):
        check_source(code)
        checked = kind.check(code) or check_code(code, owner=str(owner), kind=kind)
        try:
            return act(checked)
        except CodeChanged as changed:
            code = changed.code
    raise EditConflict


def read_code(work: AnyWork, checked: Checked) -> dict[str, Marker]:
    """Return the markers of a work's code by name key. Raises a Refusal with all problems."""
    markers = read_source(work.code, checked, noun=work.noun, kind=kind_of_work(work))
    refuse_all(list(filter(None, [find_self_dependency(work, markers)])))
    return markers


def read_source(
    code: str, checked: Checked, *, noun: str, kind: Kind = PYTHON
) -> dict[str, Marker]:
    """Return the markers of any code by name key. Raises a Refusal with all problems.

    Raises CodeChanged if the findings are of other code.
    """
    if code != checked.code:
        raise CodeChanged(code)
    broken = checked.syntax_error
    found = kind.find_markers(code)
    complaints = [*([broken] if broken else []), *found.complaints]
    complaints += filter(None, map(find_reserved_marker, found.markers))
    refuse_all(sorted(complaints, key=lambda complaint: complaint.line or 0))
    if checked.is_empty:
        sentences = {
            "implementation": _("This implementation has only blanks and comments."),
            "test": _("This test has only blanks and comments."),
            "acceptance test": _("This acceptance test has only blanks and comments."),
        }
        raise Refusal("empty_code", sentences[noun], field="code")
    return found.first_by_key()


def check_language(function: Function, language: str) -> None:
    """Raise a Refusal if nothing of this function can be written in this language."""
    if language == PYTHON.language or language in {k.language for k in languages_of(function)}:
        return
    if language in LANGUAGES:
        message = _("Only functions can be written in this language; %(name)s is another kind.")
        message %= {"name": function.name}
    else:
        message = _("The language is one of: %(languages)s.") % {"languages": ", ".join(LANGUAGES)}
    raise Refusal("invalid_language", message, field="language")


def find_links(work: AnyWork, markers: dict[str, Marker]) -> list[Link]:
    """Return the links of these markers. Raises a Refusal for wrong spellings."""
    functions = living_functions(markers)
    # An undefined name can only be defined with its first published spelling.
    missing = first_spellings(markers.keys() - functions.keys())
    known = {**missing, **{key: function.name for key, function in functions.items()}}
    kind = kind_of_work(work)
    found = kind.find_markers(work.code)
    refuse_all(check_spelling(found.markers, known))
    refuse_all(list(kind.check_targets(found, functions)))
    return [
        Link(marker.name, functions[key].pk if key in functions else None, marker.is_optional)
        for key, marker in markers.items()
        if key != name_key(work.function.name)
    ]


def find_obstacles(
    work: AnyWork, contest: Contest, links: Iterable[Link], markers: Mapping[str, Marker]
) -> Iterator[Complaint]:
    """Yield complaints about markers that keep the work from being run now.

    Functions that an implementation would be elected together with are no obstacle.
    """
    whole = contest.closure_of(work)
    if whole.cycle_group and not whole.missing:
        return
    for link in links:
        closure = contest.closure_of_links((link,))
        if link.is_optional and not closure.cycle_path:
            continue
        if closure.missing:
            code, message = "blocked", _missing(closure)
        elif closure.cycle_path and isinstance(work, Implementation):
            code = "circular"
            message = _(
                "Line %(line)s: %(marker)s can't be run: "
                "this leads back to %(name)s through %(path)s."
            )
        else:
            continue
        marker = markers[name_key(link.name)]
        message %= {
            "line": marker.line,
            "marker": marker.spelled,
            "missing": closure.missing,
            "name": work.function.name,
            "path": " → ".join(closure.cycle_path),
        }
        yield Complaint("code", code, message, marker.line, marker.column + 1)


def _missing(closure: Closure) -> str:
    if closure.is_undefined:
        return _("Line %(line)s: %(marker)s can't be run: %(missing)s does not exist.")
    return _("Line %(line)s: %(marker)s can't be run: %(missing)s is not implemented.")


def find_self_dependency(work: AnyWork, markers: Mapping[str, Marker]) -> Complaint | None:
    """Return a complaint about an implementation that marks its own function."""
    marker = markers.get(name_key(work.function.name))
    if marker is None or not isinstance(work, Implementation):
        return None
    message = _(
        "Line %(line)s: %(marker)s names the function itself. "
        "Recursion needs no marker: call it by its name."
    ) % {"line": marker.line, "marker": marker.spelled}
    return Complaint("code", "self_dependency", message, marker.line, marker.column + 1)


def find_reserved_marker(marker: Marker) -> Complaint | None:
    """Return a complaint about a marker of a reserved name."""
    reservation = find_reservation(marker.name, IMPORTABLE)
    if not reservation:
        return None
    message = _("%(marker)s does not mark a function. %(why)s") % {
        "marker": marker.spelled,
        "why": reservation,
    }
    return Complaint("code", "invalid_marker", message, marker.line, marker.column + 1)
