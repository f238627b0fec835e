"""PURE: the content of an export: a function's closure and tests, with their authors."""

import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass

# Module names reserved by pytest or by the package itself.
_TAKEN = ("conftest", "tests")
_WORD = re.compile(r"[^\W\d]\w*")
# Libraries that programs may import beside the standard one.
_LIBRARY = re.compile(r"^[ \t]*(?:import|from)[ \t]+(jsonschema|pytest)\b", re.MULTILINE)


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
    license: str = ""  # an SPDX expression; empty if none is known

    @property
    def credit(self) -> str:
        """The work and its author, on one line."""
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
    given: tuple[str, ...] = ()  # further names that it has for what is tested
    license: str = ""

    @property
    def credit(self) -> str:
        """The work and its author, on one line."""
        return f"{_titled(self.title)}test {self.number} by {one_line(self.author)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """An export; pieces come after their dependencies, except in cycles."""

    name: str
    pieces: tuple[Piece, ...]  # the function's closure
    extras: tuple[Piece, ...]  # used by tests only
    tests: tuple[TestPiece, ...]  # tests of all `pieces`

    @property
    def dependencies(self) -> list[str]:
        """The libraries that the function needs."""
        return libraries_of(self.pieces)

    @property
    def test_dependencies(self) -> list[str]:
        """The libraries that tests need besides."""
        needed = {"pytest", *libraries_of((*self.extras, *self.tests))}
        return sorted(needed - {*self.dependencies})

    @property
    def license(self) -> str:
        """The SPDX expression of all works together; empty if one has none."""
        works: list[Piece | TestPiece] = [*self.pieces, *self.extras, *self.tests]
        found = sorted({work.license for work in works})
        several = len(found) > 1
        parts = [f"({one})" if several and " OR " in one else one for one in found]
        return " AND ".join(parts) if all(found) else ""

    @property
    def subject(self) -> Piece:
        """The exported function."""
        return next(piece for piece in self.pieces if piece.name == self.name)


def libraries_of(works: Iterable[Piece | TestPiece]) -> list[str]:
    """Return the libraries that works import beside the standard one."""
    return sorted({name for work in works for name in _LIBRARY.findall(work.code)})


def package_name(function: str) -> str:
    """Return the package's import name, with a prefix that avoids conflicts."""
    return f"socialcode_{function.lower()}"


def project_name(function: str) -> str:
    """Return the package's distribution name."""
    return re.sub(r"_+", "-", package_name(function)).strip("-")


def credits_of(bundle: Bundle) -> list[str]:
    """Return a line for each work and its author."""
    lines = [f"{piece.name}: {piece.credit}" for piece in (*bundle.pieces, *bundle.extras)]
    return lines + [f"{test.function}: {test.credit}" for test in bundle.tests]


def module_names(names: Iterable[str]) -> dict[str, str]:
    """Return a module name for each function: lower case, and importable."""
    modules: dict[str, str] = {}
    for name in sorted(names):
        module = name.lower()
        while keyword.iskeyword(module) or module in _TAKEN or module in modules.values():
            module += "_"
        modules[name] = module
    return modules


def words_of(source: str) -> frozenset[str]:
    """Return all identifiers anywhere in a text, also within strings."""
    return frozenset(_WORD.findall(source))


def one_line(text: str) -> str:
    """Return a text as one line without unprintable characters."""
    return "".join(filter(str.isprintable, " ".join(text.split())))


def as_comment(text: str) -> list[str]:
    """Return a text as comment lines."""
    return [f"# {line}".rstrip() for line in text.strip().splitlines()]


def _titled(title: str) -> str:
    return f"“{one_line(title)}”, " if title.strip() else ""
