"""Reads the tables of programs: one TOML file a category, one `[[program]]` a program."""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

FOLDER = Path(__file__).parent
KINDS = ("function", "class")

_MARKER = re.compile(r"<<([A-Za-z][A-Za-z0-9_]*)>>")


class TableError(Exception):
    """A table doesn't have the form of one; names the file and what is wrong."""


@dataclass(frozen=True, slots=True)
class Case:
    """What every program has; `not_on` names releases of Python that get it wrong, and why."""

    name: str
    category: str
    features: tuple[str, ...]
    not_on: Mapping[str, str] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class Script(Case):
    """A program in one piece, which asserts things itself."""

    source: str


@dataclass(frozen=True, slots=True)
class Judged(Case):
    """An implementation and a test that sees the public names that the implementation defines.

    Dependencies are in the order in which they can be executed.
    """

    function: str
    kind: str
    implementation: str
    test: str
    dependencies: Mapping[str, str]

    def named_by(self, source: str) -> list[str]:
        """The dependencies that a source marks, in comments or strings."""
        marked = {
            name
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type in (tokenize.COMMENT, tokenize.STRING)
            for name in _MARKER.findall(token.string)
        }
        return [name for name in self.dependencies if name in marked]

    @property
    def uses_pytest(self) -> bool:
        return re.search(r"^(import|from) pytest\b", self.test, re.MULTILINE) is not None


def read_tables(folder: Path = FOLDER) -> list[Script | Judged]:
    """Read all programs, in the order of their files."""
    return [program for path in sorted(folder.glob("*.toml")) for program in read_table(path)]


def read_table(path: Path) -> Iterator[Script | Judged]:
    """Read the programs of one file."""
    content = tomllib.loads(path.read_text("utf-8"))
    if content.keys() != {"program"}:
        raise TableError(f"{path.name}: expected nothing but [[program]]")
    for row in content["program"]:
        try:
            yield _program(path.stem, dict(row))
        except (KeyError, TypeError) as error:
            raise TableError(f"{path.name}, {row.get('name', '?')}: {error!r}") from error


def _program(category: str, row: dict[str, Any]) -> Script | Judged:
    row["features"] = tuple(row["features"])
    row["not_on"] = MappingProxyType(row.get("not_on", {}))
    if "source" in row:
        return Script(category=category, **row)
    row["dependencies"] = MappingProxyType(row.get("dependencies", {}))
    row["kind"] = row.get("kind", KINDS[0])
    if row["kind"] not in KINDS:
        raise TypeError(f"no kind: {row['kind']}")
    return Judged(category=category, **row)
