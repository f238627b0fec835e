"""PURE: what is taken home: a function's closure and its tests, with their authors."""

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

# Names of modules that mean something to pytest, or that the package has itself.
_TAKEN = ("conftest", "tests")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A function's elected implementation; `uses` are the functions that it names, sorted."""

    name: str
    signature: str
    description: str
    owner: str
    number: int
    title: str
    author: str
    code: str
    uses: tuple[str, ...]

    @property
    def credit(self) -> str:
        """Say in a line whose it is."""
        return f"{_titled(self.title)}implementation {self.number} by {one_line(self.author)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPiece:
    """A test that counts; `uses` are the functions that it names beside its own, sorted."""

    __test__ = False  # pytest: not a test class

    function: str
    number: int
    title: str
    author: str
    code: str
    uses: tuple[str, ...]

    @property
    def credit(self) -> str:
        """Say in a line whose it is."""
        return f"{_titled(self.title)}test {self.number} by {one_line(self.author)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """All that goes together: pieces stand behind what they use, but for circles."""

    name: str
    pieces: tuple[Piece, ...]  # the function's closure
    extras: tuple[Piece, ...]  # what only tests use
    tests: tuple[TestPiece, ...]  # of all that is in `pieces`

    @property
    def subject(self) -> Piece:
        """The function that is taken home."""
        return next(piece for piece in self.pieces if piece.name == self.name)


def package_name(function: str) -> str:
    """Return the name that the package is imported by; the prefix keeps it apart from others."""
    return f"socialcode_{function.lower()}"


def project_name(function: str) -> str:
    """Return the name that the package is installed by."""
    return re.sub(r"_+", "-", package_name(function)).strip("-")


def credits_of(bundle: Bundle) -> list[str]:
    """Return a line for each work, saying whose it is."""
    lines = [f"{piece.name}: {piece.credit}" for piece in (*bundle.pieces, *bundle.extras)]
    return lines + [f"{test.function}: {test.credit}" for test in bundle.tests]


def module_names(names: Iterable[str]) -> dict[str, str]:
    """Return a module for each function: its name in small letters, if that can be imported."""
    modules: dict[str, str] = {}
    for name in sorted(names):
        module = name.lower()
        while keyword.iskeyword(module) or module in _TAKEN or module in modules.values():
            module += "_"
        modules[name] = module
    return modules


def words_of(source: str) -> frozenset[str]:
    """Return all names that stand anywhere in a text, also in its strings."""
    return frozenset(_WORD.findall(source))


def one_line(text: str) -> str:
    """Return a text as it may stand in a line of a comment."""
    return "".join(filter(str.isprintable, " ".join(text.split())))


def as_comment(text: str) -> list[str]:
    """Return a text as lines of a comment."""
    return [f"# {line}".rstrip() for line in text.strip().splitlines()]


def _titled(title: str) -> str:
    return f"“{one_line(title)}”, " if title.strip() else ""
