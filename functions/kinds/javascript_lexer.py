"""PURE: splits JavaScript into comments, strings, names and numbers, reading each character once.

Strings are also patterns and the text of templates. Unclosed ones end with their line, comments and
templates with the text.
"""

import re
from collections.abc import Iterator

from functions.source.lexer import Kind, Token

# The alternatives start differently and can't fail later, so there is no backtracking.
_CODE = re.compile(
    r"""(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)
    | (?P<string>'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?)
    | (?P<number>\.?[0-9][\w.]*)
    | (?P<name>[\w$]+)
    | (?P<mark>[^\s])""",
    re.VERBOSE,
)
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\]?)*(?:/\w*)?")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?P<end>`|\$\{)?")
# After these, a slash begins a pattern.
_BEFORE_VALUES = frozenset(
    "await case delete do else in instanceof new of return throw typeof void yield".split()
)
_KINDS = {each.name.lower(): each for each in Kind}


def tokens(source: str) -> Iterator[Token]:
    """Yield the tokens of a text whose line ends are line feeds."""
    return _Lexer(source).tokens()


class _Lexer:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._is_after_value = False  # so that a slash divides
        self._depths: list[int] = []  # of braces, in each open field of a template

    def tokens(self) -> Iterator[Token]:
        while found := _CODE.search(self._source, self._at):
            self._at = found.end()
            if found["mark"]:
                yield from self._mark(found["mark"], found.start())
                continue
            if not found["comment"]:
                self._is_after_value = found["name"] not in _BEFORE_VALUES
            yield Token(_KINDS[found.lastgroup or ""], found.start(), self._at)

    def _mark(self, mark: str, start: int) -> Iterator[Token]:
        if mark == "`":
            yield self._template(start)
        elif mark == "/" and not self._is_after_value:
            found = _PATTERN.match(self._source, start)
            self._at = found.end() if found else self._at
            self._is_after_value = True
            yield Token(Kind.STRING, start, self._at)
        elif mark == "}" and self._depths and self._depths[-1] == 0:
            self._depths.pop()
            yield self._template(start)
        else:
            if self._depths and mark in "{}":
                self._depths[-1] += 1 if mark == "{" else -1
            self._is_after_value = mark in ")]}"

    def _template(self, start: int) -> Token:
        """Read the text of a template up to its end, or to its next field."""
        found = _TEMPLATE.match(self._source, self._at)
        end = found["end"] if found else None
        self._at = found.end() if found else self._at
        self._is_after_value = end != "${"
        if end == "${":
            self._depths.append(0)
        return Token(Kind.STRING, start, self._at)
