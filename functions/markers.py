"""Finds <<Name>> in the comments and strings of source text, by its tokens."""

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from functions.errors import Complaint
from functions.naming import find_fault, is_identifier, name_key

# A text in angles that begins or ends with a blank is a shift, an arrow, prose: no marker.
_ANGLES = re.compile(r"(?<!<)<<(?!<)(?P<name>(?:[^\s<>](?:[^<>\n]*[^\s<>])?)?)>>(?!>)")
_BRACES = re.compile(r"(?<!\{)\{\{(?P<name>[^\s{}](?:[^{}\n]*[^\s{}])?)\}\}(?!\})")
_PREFIX = re.compile(r"[A-Za-z]*")
# After this many places that make no sense the rest of a draft is left unread.
_MOST_RESTARTS = 20


@dataclass(frozen=True, slots=True)
class Marker:
    """A name marked in code: `line` counts from 1, the columns from 0; `spelled` is all of it."""

    name: str
    line: int
    column: int
    end_column: int
    spelled: str


@dataclass(frozen=True, slots=True)
class Markers:
    """What was found: markers in their order, and complaints about those that name nothing."""

    markers: tuple[Marker, ...]
    complaints: tuple[Complaint, ...]

    def first_by_key(self) -> dict[str, Marker]:
        """Return the first marker of each name, without regard to case."""
        first: dict[str, Marker] = {}
        for marker in self.markers:
            first.setdefault(name_key(marker.name), marker)
        return first


def find_markers(source: str) -> Markers:
    """Find all markers; of source that is no Python as yet, those that can be made out."""
    found = list(_find_all(source))
    return Markers(
        tuple(marker for marker in found if is_identifier(marker.name)),
        tuple(_invalid(marker) for marker in found if not is_identifier(marker.name)),
    )


def names_in(text: str) -> set[str]:
    """Return the names that a text in Markdown may mark; a few of them may be in its code."""
    return {found["name"] for found in _ANGLES.finditer(text) if is_identifier(found["name"])}


def marked_name(text: str, at: int) -> str:
    """Return the name that is marked in a text at this very place; empty if none is."""
    found = _ANGLES.match(text, at)
    return found["name"] if found and is_identifier(found["name"]) else ""


def check_spelling(markers: Iterable[Marker], known: Mapping[str, str]) -> list[Complaint]:
    """Complain about markers that differ only in case from a known name, given by its key."""
    return [
        Complaint(
            "code",
            "invalid_marker",
            f"{marker.spelled} is spelled <<{known[name_key(marker.name)]}>>.",
            marker.line,
            marker.column + 1,
        )
        for marker in markers
        if marker.name != known.get(name_key(marker.name), marker.name)
    ]


def _invalid(marker: Marker) -> Complaint:
    message = f"{marker.spelled} marks no function. {find_fault(marker.name)}"
    return Complaint("code", "invalid_marker", message, marker.line, marker.column + 1)


def _find_all(source: str) -> Iterator[Marker]:
    for token in _tokens(source):
        if token.type == tokenize.COMMENT:
            yield from _in_text(token.string, token.start, (_ANGLES, _BRACES))
        elif token.type == tokenize.STRING:
            yield from _in_text(_literal_text(token.string), token.start, (_ANGLES,))


def _tokens(source: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens; where they make no sense, go on in the next line."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    skipped = 0
    for _ in range(_MOST_RESTARTS):
        line = 0
        reader = tokenize.generate_tokens(io.StringIO("\n".join(lines[skipped:])).readline)
        try:
            for token in reader:
                line = token.end[0]
                yield token._replace(
                    start=(token.start[0] + skipped, token.start[1]),
                    end=(token.end[0] + skipped, token.end[1]),
                )
        except (tokenize.TokenError, SyntaxError):
            skipped += line + 1
            continue
        return


def _literal_text(literal: str) -> str:
    """Blank out what is code within an f-string, leaving every character at its place."""
    prefix = _PREFIX.match(literal)
    if prefix is None or "f" not in prefix.group().lower():
        return literal
    text = list(literal.replace("{{", "  ").replace("}}", "  "))
    depth = 0
    for place, character in enumerate(text):
        depth += character == "{"
        if depth and character != "\n":
            text[place] = " "
        depth -= character == "}" and depth > 0
    return "".join(text)


def _in_text(
    text: str, start: tuple[int, int], patterns: Iterable[re.Pattern[str]]
) -> Iterator[Marker]:
    for offset, line in enumerate(text.split("\n")):
        shift = start[1] if offset == 0 else 0
        matches = [match for pattern in patterns for match in pattern.finditer(line)]
        for match in sorted(matches, key=re.Match.start):
            yield Marker(
                match.group("name"),
                start[0] + offset,
                match.start() + shift,
                match.end() + shift,
                match.group(),
            )
