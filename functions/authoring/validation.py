"""What code must be before it is run or published, and what its markers mean."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from functions.analysis.client import Checked, check_code
from functions.contests.contest import AnyWork, Contest
from functions.errors import Complaint, EditConflict, Refusal, refuse_all
from functions.graph.nodes import Link
from functions.graph.queries import first_spellings, living_functions
from functions.models import Implementation
from functions.source.markers import Marker, check_spelling, find_markers
from functions.source.names import find_reservation, name_key
from functions.source.validation import check_source
from runner.sandbox import IMPORTABLE

# A draft that is saved again and again while it is being published is refused.
_TRIES = 3

Done = TypeVar("Done")


class CodeChanged(Exception):
    """The code is another than what was checked."""

    def __init__(self, code: str) -> None:
        super().__init__("the code was changed while it was being checked")
        self.code = code


def check_first(code: str, *, owner: int, act: Callable[[Checked], Done]) -> Done:
    """Have code be checked and then act on what was found; what is refused isn't acted on.

    Checking may take a second, so nothing is locked meanwhile: `act` opens its transaction, and
    where the code that it finds is another, that is checked in its turn.
    """
    for _ in range(_TRIES):
        check_source(code)
        checked = check_code(code, owner=str(owner))
        try:
            return act(checked)
        except CodeChanged as changed:
            code = changed.code
    raise EditConflict


def read_code(work: AnyWork, checked: Checked) -> dict[str, Marker]:
    """Return what the code marks, by the names' keys; refuses all that is wrong with it."""
    markers = read_source(work.code, checked, noun=work.noun)
    _refuse_itself(work, markers)
    return markers


def read_source(code: str, checked: Checked, *, noun: str) -> dict[str, Marker]:
    """Do the same for any code of such a noun; raises CodeChanged where another was checked."""
    if code != checked.code:
        raise CodeChanged(code)
    broken = checked.syntax_error
    found = find_markers(code)
    complaints = [*([broken] if broken else []), *found.complaints]
    complaints += filter(None, map(_find_reserved, found.markers))
    refuse_all(sorted(complaints, key=lambda complaint: complaint.line or 0))
    if checked.is_empty:
        raise Refusal(
            "empty_code",
            f"There is no code in this {noun}: blanks and comments do nothing.",
            field="code",
        )
    return found.first_by_key()


def find_links(work: AnyWork, markers: dict[str, Marker]) -> list[Link]:
    """Return the functions that these markers mean; refuses a spelling that isn't theirs."""
    functions = living_functions(markers)
    # Of a name that is missing, the first spelling is the one that will be defined.
    missing = first_spellings(markers.keys() - functions.keys())
    known = {**missing, **{key: function.name for key, function in functions.items()}}
    refuse_all(check_spelling(find_markers(work.code).markers, known))
    return [
        Link(marker.name, functions[key].pk if key in functions else None)
        for key, marker in markers.items()
        if key != name_key(work.function.name)
    ]


def find_obstacles(
    work: AnyWork, contest: Contest, links: Iterable[Link], markers: Mapping[str, Marker]
) -> Iterator[Complaint]:
    """Find the markers because of which this can't be run as things stand.

    What an implementation would be elected together with doesn't keep it from being run.
    """
    whole = contest.closure_of(work)
    if whole.cycle_group and not whole.missing:
        return
    for link in links:
        closure = contest.closure_of_links((link,))
        if closure.missing:
            code, why = "blocked", f"this relies on {closure.missing_reason}"
        elif closure.cycle_path and isinstance(work, Implementation):
            way = " → ".join(closure.cycle_path)
            code, why = "circular", f"this leads back to {work.function.name} through {way}"
        else:
            continue
        marker = markers[name_key(link.name)]
        message = f"Line {marker.line}: {marker.spelled} can't be run: {why}."
        yield Complaint("code", code, message, marker.line, marker.column + 1)


def _refuse_itself(work: AnyWork, markers: dict[str, Marker]) -> None:
    """An implementation that names its own function wants recursion, which needs no marker."""
    marker = markers.get(name_key(work.function.name))
    if marker is not None and isinstance(work, Implementation):
        raise Refusal(
            "self_dependency",
            f"Line {marker.line}: {marker.spelled} names the function itself. "
            "Recursion needs no marker: call it by its name.",
            field="code",
            line=marker.line,
            column=marker.column + 1,
        )


def _find_reserved(marker: Marker) -> Complaint | None:
    reservation = find_reservation(marker.name, IMPORTABLE)
    if not reservation:
        return None
    message = f"{marker.spelled} marks no function. {reservation}"
    return Complaint("code", "invalid_marker", message, marker.line, marker.column + 1)
