"""Splits Python into comments, strings, names and numbers, reading each character once.

Results are the same on every version of Python, and defined for invalid code: an unclosed string
ends with its line, or with the text if it is triple-quoted. Code within f-strings is code.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    """The kind of a token; other text has no tokens."""

    COMMENT = auto()
    STRING = auto()  # of an f-string, the text between its fields
    NAME = auto()
    NUMBER = auto()


class Token(NamedTuple):
    """Characters `start` to `end` of a text."""

    kind: Kind
    start: int
    end: int


# The alternatives start differently and can't fail later, so there is no backtracking.
_CODE = re.compile(
    r"""(?P<comment>\#[^\n]*)
    | (?P<prefix>(?:[bu]|r[bft]?|[bft]r?)?)(?P<quote>\'\'\'|\"\"\"|'|\")
    | (?P<number>\.?[0-9][\w.]*)
    | (?P<name>\w+)
    | (?P<punctuation>[()\[\]{}:])""",
    re.VERBOSE | re.IGNORECASE,
)
# Content that doesn't end a string, by its quotes.
_WITHIN = {"'": r"[^'\\\n{}]+", '"': r'[^"\\\n{}]+'}
_WITHIN |= {"'''": r"[^'\\{}]+|'(?!\'\')", '"""': r'[^"\\{}]+|"(?!"")'}
_REST = {
    quote: re.compile(rf"(?:{within}|[{{}}]|\\.)*", re.DOTALL) for quote, within in _WITHIN.items()
}
# The same for f-strings, up to their next field.
_NO_FIELD = r"\\N\{[^{}'\"\n]*\}|\{\{|\}\}|\\(?![{}])."
_TEXT = {
    quote: re.compile(rf"(?:{within}|{_NO_FIELD})*", re.DOTALL) for quote, within in _WITHIN.items()
}
# A field's format specification, which may have fields itself.
_FORMAT = {
    "'": re.compile(r"[^{}'\n]*"),
    '"': re.compile(r'[^{}"\n]*'),
    "'''": re.compile(r"(?:[^{}']|'(?!\'\'))*"),
    '"""': re.compile(r'(?:[^{}"]|"(?!""))*'),
}


class _Field:
    """An open field of an f-string, with the depth of brackets in it."""

    __slots__ = ("depth", "is_format", "quote")

    def __init__(self, quote: str) -> None:
        self.quote, self.depth, self.is_format = quote, 0, False


def tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of a text whose line ends are line feeds."""
    return _Lexer(source).tokens()


class _Lexer:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._fields: list[_Field] = []

    def tokens(self) -> Iterator[Token]:
        while found := _CODE.search(self._source, self._at):
            self._at = found.end()
            if found["quote"]:
                yield from self._string(found)
            elif found["punctuation"]:
                if self._fields:
                    yield from self._punctuation(found[0])
            else:
                kind = Kind[(found.lastgroup or "").upper()]
                yield Token(kind, found.start(), found.end())

    def _string(self, found: re.Match[str]) -> Iterator[Token]:
        quote, prefix = found["quote"], found["prefix"].lower()
        if "f" in prefix or "t" in prefix:
            yield from self._text(quote, found.start())
            return
        rest = _REST[quote].match(self._source, self._at)
        self._at = rest.end() if rest else self._at
        if self._closes(quote):
            yield Token(Kind.STRING, found.start(), self._at)

    def _text(self, quote: str, start: int) -> Iterator[Token]:
        """Read an f-string's text up to its end or its next field."""
        source = self._source
        while True:
            text = _TEXT[quote].match(source, self._at)
            self._at = text.end() if text else self._at
            if source.startswith(("{", "}", "\\"), self._at):
                self._at += 1
                if source[self._at - 1] != "{":
                    continue  # a lone brace or backslash is text
                yield Token(Kind.STRING, start, self._at - 1)
                self._fields.append(_Field(quote))
            elif self._closes(quote):
                yield Token(Kind.STRING, start, self._at)
            return

    def _closes(self, quote: str) -> bool:
        """Skip the closing quote; without one, drop all open fields."""
        source = self._source
        if source.startswith(quote, self._at):
            self._at += len(quote)
            return True
        self._fields.clear()
        return self._at >= len(source) and len(quote) == 3

    def _punctuation(self, mark: str) -> Iterator[Token]:
        """Handle punctuation within a field: its end, or the start of its format specification."""
        field = self._fields[-1]
        if mark in "([{":
            if field.is_format and mark == "{":
                self._fields.append(_Field(field.quote))
                return
            field.depth += 1
        elif mark != ":":
            field.depth -= 1
        if mark == ":" and not field.depth:
            field.is_format = True
        elif field.depth < 0:
            self._fields.pop()
            if not (self._fields and self._fields[-1].is_format):
                yield from self._text(field.quote, self._at)
                return
        if self._fields[-1].is_format:
            self._skip_format(field.quote)

    def _skip_format(self, quote: str) -> None:
        text = _FORMAT[quote].match(self._source, self._at)
        self._at = text.end() if text else self._at
        if not self._source.startswith(("{", "}"), self._at):
            self._closes(quote)
            self._fields.clear()
