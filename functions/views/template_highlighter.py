"""The highlighted tokens of Jinja2 templates of HTML."""

import re
from collections.abc import Iterator

from functions.kinds.page_source import Part, template_pieces
from functions.source.lexer import Kind, Token, tokens

Highlighted = tuple[Token, str]

# Unclosed comments extend to the end, so that each character is read once.
_HTML = re.compile(r"(?P<comment><!--(?:[^-]|-(?!->))*(?:-->)?)|</?[A-Za-z][\w-]*")
_WORDS = frozenset(
    """
    and as autoescape block break call continue do elif else endautoescape endblock endcall
    endfilter endfor endif endmacro endset endwith false filter for if in is macro none not or
    recursive set true with
    """.split()
)
_CLASSES = {Kind.STRING: "s", Kind.NUMBER: "mi"}
_DELIMITER = 2  # characters


def highlight_template(source: str) -> Iterator[Highlighted]:
    """Yield the highlighted tokens with their CSS class, in order."""
    at = 0
    for part, start, end in template_pieces(source):
        yield from _html(source, at, start)
        at = end
        if part is Part.COMMENT:
            yield Token(Kind.COMMENT, start, end), "c1"
            continue
        first, last = start + _DELIMITER, end - _DELIMITER
        yield Token(Kind.NAME, start, first), "k"
        yield from _code(source[first:last], first)
        yield Token(Kind.NAME, last, end), "k"
    yield from _html(source, at, len(source))


def _html(source: str, start: int, end: int) -> Iterator[Highlighted]:
    for found in _HTML.finditer(source, start, end):
        yield Token(Kind.NAME, found.start(), found.end()), "c1" if found["comment"] else "nt"


def _code(code: str, offset: int) -> Iterator[Highlighted]:
    for kind, start, end in tokens(code):
        css = "k" if code[start:end] in _WORDS else _CLASSES.get(kind, "")
        if css:
            yield Token(kind, offset + start, offset + end), css
