"""PURE: a release of one function as a distribution: its own module, which imports others' ones.

Modules are `sc.Name`. `sc` is a namespace without files of its own, so that each function is a
distribution of its own, installed once however many others need it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from functions.export.bundle import Piece, TestPiece, one_line
from functions.names import is_identifier

NAMESPACE = "sc"
REQUIRES_PYTHON = ">=3.11"
_RUNS = re.compile(r"[-_.]+")
_ENCODED = re.compile(r"0-((?:[0-9a-f]{2})+)")
_SIMPLE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A release that another one needs."""

    name: str
    number: int

    @property
    def specifier(self) -> str:
        return f"{distribution_name(self.name)}=={self.number}"


def distribution_name(function: str) -> str:
    """Return the normalised name of a function's distribution; no two functions share one."""
    key = function.lower()
    if _SIMPLE.fullmatch(key):
        return f"sc-{key.replace('_', '-')}"
    # Runs of hyphens are one to installers, and names of functions begin with no digit.
    return f"sc-0-{key.encode().hex()}"


def normalise(project: str) -> str:
    """Return the name of a project as installers normalise it."""
    return _RUNS.sub("-", project).lower()


def function_of_project(project: str) -> str:
    """Return the key of a function's name; that of none if there can't be one."""
    rest = project.removeprefix("sc-")
    if rest == project:
        return ""
    encoded = _ENCODED.fullmatch(rest)
    key = (
        bytes.fromhex(encoded[1]).decode("ascii", "replace") if encoded else rest.replace("-", "_")
    )
    return key if is_identifier(key) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """A release with its files' texts; `results` are addresses by the label of the test."""

    piece: Piece
    number: int
    requires: tuple[Requirement, ...]
    libraries: tuple[str, ...]  # from other projects
    test_requires: tuple[str, ...]  # specifiers
    tests: tuple[TestPiece, ...]
    files: Mapping[str, str]
    address: str  # of the function's page
    results: Mapping[str, str]

    @property
    def stem(self) -> str:
        """The common prefix of file names."""
        return f"{distribution_name(self.piece.name).replace('-', '_')}-{self.number}"

    @property
    def authors(self) -> list[str]:
        return sorted({one_line(self.piece.author), *(one_line(one.author) for one in self.tests)})

    @property
    def summary(self) -> str:
        first = self.piece.description.strip().split("\n")[0]
        return one_line(first)[:200] or f"The function {self.piece.name}"

    @property
    def readme(self) -> str:
        """The text of the README."""
        piece = self.piece
        lines = [
            f"# {piece.name} {self.number}",
            "",
            f"    {piece.name}{one_line(piece.signature)}",
        ]
        lines += ["", piece.description.strip()] if piece.description.strip() else []
        lines += ["", "```python", f"from sc.{piece.name} import {piece.name}", "```", ""]
        lines += [f"Its page: <{self.address}>", "", "## Who wrote it", "", f"- {piece.credit}"]
        lines += [f"- {test.credit}" for test in self.tests]
        if piece.license:
            lines += ["", f"License: {piece.license}."]
        if self.results:
            lines += ["", "## Results of its tests", ""]
            lines += [f"- {label}: <{address}>" for label, address in self.results.items()]
        return "\n".join(lines) + "\n"

    @property
    def metadata(self) -> str:
        """The core metadata."""
        requires = [*(one.specifier for one in self.requires), *self.libraries]
        lines = [
            "Metadata-Version: 2.4",
            f"Name: {distribution_name(self.piece.name)}",
            f"Version: {self.number}",
            f"Summary: {self.summary}",
            f"Author: {', '.join(self.authors)}",
            *([f"License-Expression: {self.piece.license}"] if self.piece.license else []),
            f"Project-URL: Source, {self.address}",
            *(f"Project-URL: Result {label}, {url}" for label, url in self.results.items()),
            f"Requires-Python: {REQUIRES_PYTHON}",
            "Provides-Extra: test",
            *(f"Requires-Dist: {each}" for each in requires),
            *(f'Requires-Dist: {each}; extra == "test"' for each in self.test_requires),
            "Description-Content-Type: text/markdown; charset=UTF-8",
        ]
        return "\n".join(lines) + "\n\n" + self.readme
