"""What code must be before it is run or published, and what its markers mean."""

from collections.abc import Iterable, Iterator, Mapping

from functions.contests import AnyWork, Contest
from functions.errors import Complaint, Refusal, refuse_all
from functions.markers import Marker, check_spelling, find_markers
from functions.models import Implementation
from functions.naming import find_reservation, name_key
from functions.nodes import Link
from functions.querysets import first_spellings, living_functions
from functions.sources import check_source, find_syntax_error, is_empty
from runner.sandbox import IMPORTABLE


def read_code(work: AnyWork) -> dict[str, Marker]:
    """Return what the code marks, by the names' keys; refuses all that is wrong with it."""
    markers = read_source(work.code, name=work.function.name, noun=work.noun)
    _refuse_itself(work, markers)
    return markers


def read_source(code: str, *, name: str, noun: str) -> dict[str, Marker]:
    """Do the same for any code of such a noun about the function of this name."""
    check_source(code)
    broken = find_syntax_error(code, name=name)
    found = find_markers(code)
    complaints = [*([broken] if broken else []), *found.complaints]
    complaints += filter(None, map(_find_reserved, found.markers))
    refuse_all(sorted(complaints, key=lambda complaint: complaint.line or 0))
    if is_empty(code):
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
    if whole.company and not whole.lacking:
        return
    for link in links:
        closure = contest.closure_of_links((link,))
        if closure.lacking:
            code, why = "blocked", f"this relies on {closure.complaint}"
        elif closure.round_trip and isinstance(work, Implementation):
            way = " → ".join(closure.round_trip)
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
