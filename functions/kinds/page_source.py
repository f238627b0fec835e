"""PURE: the pieces of a Jinja2 template, and the names in its comments.

Templates are split in linear time.
What isn't closed ends the search, as such a template is invalid.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from functions.kinds.collection_reads import CollectionRead, parse_reads
from functions.source.markers import Markers, find_markers_within


class Part(Enum):
    """The kinds of what isn't output as it is."""

    COMMENT = auto()
    STATEMENT = auto()
    EXPRESSION = auto()


class Piece(NamedTuple):
    """Characters `start` to `end` of a template, with the delimiters."""

    part: Part
    start: int
    end: int


_COMMENT = re.compile(r"\{#-?(?P<text>.*?)[-+]?#\}", re.DOTALL)
_OPENING = re.compile(r"\{[#%{]")
_RAW = re.compile(r"\{%[-+]?\s*raw\s*[-+]?%\}")
_END_OF_RAW = re.compile(r"\{%[-+]?\s*endraw\s*[-+]?%\}")
# The content, strings in it as a whole, and the end. The parts exclude each other, so that there is
# no backtracking.
_CONTENT = r"""(?:[^"'%s]|%s(?!\})|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*%s\}"""
_REST = {
    "{#": (Part.COMMENT, re.compile(r"[^#]*#+(?:[^#}][^#]*#+)*\}")),
    "{%": (Part.STATEMENT, re.compile(_CONTENT % ("%", "%", "%"), re.DOTALL)),
    "{{": (Part.EXPRESSION, re.compile(_CONTENT % ("}", r"\}", r"\}"), re.DOTALL)),
}


def template_pieces(template: str) -> Iterator[Piece]:
    """Yield the pieces in order, without those in `{% raw %}`."""
    at = 0
    while opening := _OPENING.search(template, at):
        start = opening.start()
        if raw := _RAW.match(template, start):
            end_of_raw = _END_OF_RAW.search(template, raw.end())
            if end_of_raw is None:
                return
            at = end_of_raw.end()
            continue
        part, rest = _REST[opening[0]]
        end = rest.match(template, opening.end())
        if end is None:
            return
        at = end.end()
        yield Piece(part, start, at)


def find_reads(template: str) -> list[CollectionRead]:
    """Return what comments like `{# collection open = Tasks?done=false #}` declare."""
    pieces = (piece for piece in template_pieces(template) if piece.part is Part.COMMENT)
    found = (_COMMENT.fullmatch(template, piece.start, piece.end) for piece in pieces)
    return parse_reads(each["text"] for each in found if each)


def find_markers(template: str) -> Markers:
    """Return all markers in comments."""
    return find_markers_within(
        template, lambda text: (p[1:] for p in template_pieces(text) if p.part is Part.COMMENT)
    )
