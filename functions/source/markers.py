"""Finds <<Name>> in the comments and strings of source text."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from functions.errors import Complaint
from functions.errors import gettext as _
from functions.names import is_identifier, name_key
from functions.source.lexer import Kind, Token, tokens
from functions.source.name_check import find_fault

# Text in angle brackets that starts or ends with a space is not a marker: a shift, arrow or prose.
_ANGLES = re.compile(r"(?<!<)<<(?!<)(?P<name>(?:[^\s<>](?:[^<>\n]*[^\s<>])?)?)>>(?!>)")
_BRACES = re.compile(r"(?<!\{)\{\{(?P<name>[^\s{}](?:[^{}\n]*[^\s{}])?)\}\}(?!\})")
_MARKS = {Kind.COMMENT: (_ANGLES, _BRACES), Kind.STRING: (_ANGLES,)}
Tokens = Callable[[str], Iterator[Token]]
# More complaints would not be read.
_MAX_COMPLAINTS = 20
_MAX_SPELLED_LENGTH = 100


@dataclass(frozen=True, slots=True)
class Marker:
    """A name marked in code; line from 1, column from 0; `spelled` includes the brackets.

    Without an optional one, code can be run all the same.
    """

    name: str
    line: int
    column: int
    end_column: int
    spelled: str
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Markers:
    """The markers of a source in order, and complaints about those with an invalid name."""

    markers: tuple[Marker, ...]
    complaints: tuple[Complaint, ...]

    def first_by_key(self) -> dict[str, Marker]:
        """Return the first marker of each name, by its case-insensitive key."""
        first: dict[str, Marker] = {}
        for marker in self.markers:
            first.setdefault(name_key(marker.name), marker)
        return first


def find_markers(source: str, tokens: Tokens = tokens) -> Markers:
    """Return all markers; in invalid code, those that can be recognised.

    `tokens` is the lexer of the source's language.
    """
    return check_names(_find_all(source, tokens))


def find_markers_within(
    source: str, find_spans: Callable[[str], Iterable[tuple[int, int]]]
) -> Markers:
    """Return all markers in angle brackets within spans of a normalised source."""
    text = _normalised(source)
    spans = find_spans(text)
    found = (match for start, end in spans for match in _ANGLES.finditer(text, start, end))
    return check_names(_placed(text, found))


def check_names(found: Iterable[Marker]) -> Markers:
    """Return these markers, with complaints about those of an invalid name."""
    markers: list[Marker] = []
    others: list[Marker] = []
    for marker in found:
        (markers if is_identifier(marker.name) else others).append(marker)
    return Markers(tuple(markers), tuple(map(_invalid, others[:_MAX_COMPLAINTS])))


def names_in(text: str) -> set[str]:
    """Return the names that a Markdown text may mark, possibly some more from its code."""
    return {found["name"] for found in _ANGLES.finditer(text) if is_identifier(found["name"])}


def marked_name(text: str, at: int) -> str:
    """Return the name that is marked at this position of a text; empty if there is none."""
    found = _ANGLES.match(text, at)
    return found["name"] if found and is_identifier(found["name"]) else ""


def change_name(code: str, old: str, new: str, tokens: Tokens = tokens) -> str:
    """Return the code with another name for a function: as a name, and in markers.

    Attributes and other text in strings keep the name.
    """
    text = code.replace(f"<<{old}>>", f"<<{new}>>")
    parts, at = [], 0
    for token in tokens(text):
        is_name = token.kind is Kind.NAME and text[token.start : token.end] == old
        if is_name and text[token.start - 1 : token.start] != ".":
            parts += [text[at : token.start], new]
            at = token.end
    return "".join([*parts, text[at:]])


def check_spelling(markers: Iterable[Marker], known: Mapping[str, str]) -> list[Complaint]:
    """Return complaints about markers that differ only in case from a known name."""
    return [
        Complaint(
            "code",
            "invalid_marker",
            _("%(marker)s is spelled <<%(name)s>>.")
            % {"marker": marker.spelled, "name": known[name_key(marker.name)]},
            marker.line,
            marker.column + 1,
        )
        for marker in markers
        if marker.name != known.get(name_key(marker.name), marker.name)
    ]


def _invalid(marker: Marker) -> Complaint:
    spelled = marker.spelled
    if len(spelled) > _MAX_SPELLED_LENGTH:
        spelled = f"{spelled[:_MAX_SPELLED_LENGTH]}…"
    message = _("%(marker)s does not mark a function. %(why)s") % {
        "marker": spelled,
        "why": find_fault(marker.name),
    }
    return Complaint("code", "invalid_marker", message, marker.line, marker.column + 1)


def _find_all(source: str, tokens: Tokens) -> Iterator[Marker]:
    """Yield possible markers, with valid and invalid names, in order."""
    text, matches = _normalised(source), list[re.Match[str]]()
    for token in tokens(text):
        found = [
            match
            for pattern in _MARKS.get(token.kind, ())
            for match in pattern.finditer(text, token.start, token.end)
        ]
        matches += sorted(found, key=re.Match.start)
    return _placed(text, matches)


def _normalised(source: str) -> str:
    return source.replace("\r\n", "\n").replace("\r", "\n")


def _placed(text: str, found: Iterable[re.Match[str]]) -> Iterator[Marker]:
    """Yield what was found as markers with their lines."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    for match in found:
        line = bisect_right(starts, match.start())
        start = starts[line - 1]
        yield Marker(match["name"], line, match.start() - start, match.end() - start, match.group())
