"""PURE: what an import is to make, and the texts that it is made of."""

import ast
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from functions.importing.parts import Part, join_parts
from functions.markers import find_markers
from functions.naming import name_key
from functions.scopes import scope_of

LONGEST_SIGNATURE = 500


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to be made; `name` is what it was called."""

    name: str
    title: str
    code: str
    line: int


@dataclass(slots=True)
class PlannedFunction:
    """A function to be made, or to be added to, with an implementation and tests of it."""

    name: str
    signature: str
    description: str
    code: str
    line: int
    exists: bool
    uses: tuple[str, ...]
    is_here: bool = False  # this very implementation is published already
    tests: list[PlannedTest] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import would make, and what is to be known about it."""

    functions: tuple[PlannedFunction, ...]
    notes: tuple[str, ...]

    @property
    def tests(self) -> int:
        return sum(len(function.tests) for function in self.functions)


def draft_code(taken: Iterable[Part], uses: Iterable[str]) -> str:
    """Return the text of a draft; functions that nothing in it marks are marked at its top."""
    parts = list(taken)
    marked = find_markers("\n".join(part.text for part in parts)).first_by_key()
    names = [f"<<{name}>>" for name in uses if name_key(name) not in marked]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
    return join_parts(f"# Uses {listed}." if names else "", parts)


def brought_by(drafts: Mapping[str, PlannedFunction]) -> dict[str, str]:
    """Return which function brings each public name of the module that is no function."""
    brought: dict[str, str] = {}
    for draft in drafts.values():
        for name in sorted(scope_of(draft.code).public - drafts.keys()):
            brought.setdefault(name, draft.name)
    return brought


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the signature, for people; none that is too long for them."""
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    signature = f"({ast.unparse(node.args)}){returns}"
    return signature if len(signature) <= LONGEST_SIGNATURE else ""


def description_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return the function's docstring."""
    return inspect.cleandoc(ast.get_docstring(node) or "")


def owner_of(
    name: str, used: Iterable[str], drafts: Mapping[str, PlannedFunction], part: Part
) -> PlannedFunction | None:
    """Return the function that a test is about: the one in its name, else the first it uses."""
    candidates = [each for each in used if each in drafts]
    told = name_key(name.removeprefix("test_")).replace("_", "")
    named = [each for each in candidates if told.startswith(name_key(each).replace("_", ""))]
    if named:
        return drafts[max(named, key=len)]
    places = {each: part.text.find(each) for each in candidates}
    found = [each for each in candidates if places[each] >= 0] or candidates
    return drafts[min(found, key=lambda each: places[each])] if found else None
