"""PURE: where Python code uses names that it doesn't bind itself, told by its tokens.

Source isn't parsed in the processes that show it. What tokens can't tell is decided against a use:
a name that is bound anywhere, except as a parameter or a method, is taken for the code's own.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

from functions.source.lexer import Kind, Token, tokens

_MARK = re.compile(r"\\\n|\n|:=|[=!<>]=|[^\s\\]")
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")
_TRAILING = ("(", "[", ".")  # after a name that is read
_BLANKS = re.compile(r"[ \t\f]*")
# Words that begin a statement whose names are bound, or not used as values.
_BINDING = frozenset({"import", "from", "global", "nonlocal", "del", "case"})
# Words before a colon that isn't one of an annotation.
_BLOCKS = frozenset(
    "if elif else for while with try except finally def class async match case lambda".split()
)


class Use(NamedTuple):
    """A name from `start` to `end` of a text."""

    name: str
    start: int
    end: int


def find_uses(source: str, names: Collection[str]) -> list[Use]:
    """Return the uses of these names in a text whose line ends are line feeds, in order."""
    return _Reader(source, frozenset(names)).read() if names else []


@dataclass(slots=True)
class _Block:
    """The body of a class or a function, whose parameters hide what has their names."""

    column: int
    is_class: bool
    hidden: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Statement:
    """State of the lexer within a statement."""

    column: int = -1  # unknown at the beginning of a line
    first: str = ""
    is_target: bool = True  # an equals sign would bind the names so far
    targets: list[str] = field(default_factory=list)


class _Reader:
    """Reads tokens from left to right, and the punctuation between them."""

    def __init__(self, source: str, names: frozenset[str]) -> None:
        self._source, self._names = source, names
        self._found: list[Use] = []
        self._bound: set[str] = set()
        self._blocks: list[_Block] = []
        self._statement = _Statement()
        self._brackets: list[bool] = []  # whether each open one is a call or a subscript
        self._calls = 0  # how many of them are
        self._last = ""  # the last sign, or `a` after a name, a number or a text
        self._before = ""  # what `_last` was before the last name
        self._word = ""  # the last name
        self._at = 0
        self._definition: _Block | None = None  # until its parameters end
        self._lambdas: list[int] = []  # depths at which parameters of lambdas are read
        self._loops = 0  # targets of `for` are read

    def read(self) -> list[Use]:
        for token in tokens(self._source):
            self._read_marks(token.start)
            self._at = token.end
            if token.kind is Kind.NAME:
                self._read_name(token)
            elif token.kind is not Kind.COMMENT:
                self._last, self._word = "a", ""
        self._read_marks(len(self._source))
        return [use for use in self._found if use.name not in self._bound]

    def _read_marks(self, end: int) -> None:
        """Read the punctuation up to the next token."""
        for found in _MARK.finditer(self._source, self._at, end):
            mark = found.group()
            if mark in _OPENING:
                self._open()
            elif mark in _CLOSING:
                self._close(mark)
            elif mark in ("\n", ";"):
                self._end_statement(mark)
            elif mark == ":":
                self._read_colon()
            elif mark in ("=", ":="):
                self._read_equals(mark)
            if not mark.isspace() and mark != "\\\n":
                self._last = mark[-1]

    def _end_statement(self, mark: str) -> None:
        if not self._brackets:
            self._statement = _Statement(-1 if mark == "\n" else self._statement.column)
            self._last = ""

    def _open(self) -> None:
        is_call = self._last in ("a", *_CLOSING)
        self._brackets.append(is_call)
        self._calls += is_call

    def _close(self, mark: str) -> None:
        if self._brackets:
            self._calls -= self._brackets.pop()
        if self._definition and mark == ")" and not self._brackets:
            self._blocks.append(self._definition)
            self._definition = None

    def _read_colon(self) -> None:
        depth = len(self._brackets)
        if self._lambdas and self._lambdas[-1] == depth:
            self._lambdas.pop()
        elif not depth and self._statement.first in _BLOCKS:
            self._statement = _Statement(self._statement.column)
        elif not depth:
            self._bound.update(self._statement.targets)
            self._statement.is_target = False  # what follows is an annotation

    def _read_equals(self, mark: str) -> None:
        """Bind what an assignment binds; take back a keyword of a call."""
        is_keyword = self._last == "a" and self._before in (",", "(")
        if mark == ":=":
            self._bound.add(self._word)
        elif not self._brackets:
            self._bound.update(self._statement.targets)
            self._statement.targets, self._statement.is_target = [], True
        elif is_keyword and self._found and self._found[-1].end == self._at:
            self._found.pop()

    def _read_name(self, token: Token) -> None:
        name = self._source[token.start : token.end]
        if not self._statement.first:
            self._begin_statement(token, name)
        if name in self._names and self._last != ".":
            self._read_known(token, name)
        self._follow(name)
        self._before, self._word = self._last, name
        self._last = "," if name == "lambda" else "a"  # as before each parameter

    def _begin_statement(self, token: Token, name: str) -> None:
        """Note a statement's first word; at the beginning of a line, end the blocks it isn't in."""
        statement = self._statement
        statement.first = name
        if statement.column < 0:
            line = self._source.rfind("\n", 0, token.start) + 1
            blanks = _BLANKS.match(self._source, line)
            statement.column = blanks.end() - line if blanks else 0
            while self._blocks and self._blocks[-1].column >= statement.column:
                self._blocks.pop()

    def _follow(self, name: str) -> None:
        """Note words after which names are bound."""
        if name == "lambda":
            self._lambdas.append(len(self._brackets))
        elif name == "for":
            self._loops += 1
        elif name == "in" and self._loops:
            self._loops -= 1
        elif name == "class" and self._statement.first == name:
            self._blocks.append(_Block(self._statement.column, is_class=True))
        elif self._word == "def":
            self._definition = _Block(self._statement.column, is_class=False)

    def _read_known(self, token: Token, name: str) -> None:
        """Decide whether one of the names is used, bound, or a parameter."""
        is_parameter = self._last in (",", "(", "*")
        following = self._source[token.end : token.end + 80].lstrip()[:1]
        if self._word in ("def", "class") and self._last == "a":
            if not self._is_method():
                self._bound.add(name)
        elif self._definition and len(self._brackets) == 1 and is_parameter:
            self._definition.hidden.add(name)
        elif self._binds(following, is_parameter=is_parameter):
            self._bound.add(name)
        elif not any(name in block.hidden for block in self._blocks):
            self._found.append(Use(name, token.start, token.end))
            if following not in _TRAILING and self._statement.is_target and not self._calls:
                self._statement.targets.append(name)

    def _is_method(self) -> bool:
        blocks = self._blocks[:-1] if self._word == "class" else self._blocks
        return bool(blocks) and blocks[-1].is_class

    def _binds(self, following: str, *, is_parameter: bool) -> bool:
        is_plain = following not in _TRAILING
        if self._word == "as" and self._last == "a":
            return True
        if self._lambdas and self._lambdas[-1] == len(self._brackets) and is_parameter:
            return True
        return is_plain and (bool(self._loops) or self._statement.first in _BINDING)
