"""Packages: small enough to be seen at once, named by nouns, and importing in one direction."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

from tests.architecture.source import PACKAGES, ROOT, Module, modules
from tests.architecture.test_shape import is_written_by_hand

MOST_MODULES = 14
# Folders with one noun a file, of which there are as many as there are things.
FLAT = {f"functions.{name}" for name in ("api", "views", "read_models", "models")} | {
    "runner.models"
}
MOST_FUNCTION_LINES = 60
MOST_FLOORS = 10
MOST_WORDS = 70
# Named by what Django and Channels call it.
TERMS = {"mapping", "routing"}


def packages() -> dict[str, list[Module]]:
    """Return the modules of each package, without those of the packages below it."""
    found: dict[str, list[Module]] = defaultdict(list)
    for module in modules():
        if module.path.name != "__init__.py" and is_written_by_hand(module):
            found[module.name.rpartition(".")[0]].append(module)
    return found


def test_a_package_has_few_modules() -> None:
    crowded = {
        name: len(inside)
        for name, inside in packages().items()
        if len(inside) > MOST_MODULES and name not in FLAT
    }
    assert crowded == {}


def test_modules_are_named_by_nouns() -> None:
    named = [
        module.name
        for inside in packages().values()
        for module in inside
        if module.path.stem.endswith("ing") and module.path.stem not in TERMS
    ]
    assert named == []


def test_functions_are_short() -> None:
    long = {
        f"{module.name}:{node.name}": lines
        for module in modules()
        if is_written_by_hand(module)
        for node in ast.walk(module.tree)
        if isinstance(node, FUNCTION) and (lines := own_lines(node)) > MOST_FUNCTION_LINES
    }
    assert long == {}


FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def own_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many lines a function has, without those of functions defined in it."""
    inner = sum(own_lines(node) for node in function.body if isinstance(node, FUNCTION))
    return (function.end_lineno or 0) - function.lineno + 1 - inner


@cache
def imports() -> Mapping[str, frozenset[str]]:
    """Return which of our modules each of them imports."""
    names = {module.name for module in modules()}
    return {module.name: frozenset(_imported(module, names)) for module in modules()}


def _imported(module: Module, names: set[str]) -> Iterator[str]:
    for name, _ in module.imports():
        found = name if name in names else name.rpartition(".")[0]
        # A package's own start is no floor below what is in it.
        if found in names and not f"{module.name}.".startswith(f"{found}."):
            yield found


def between_children(parent: str) -> dict[str, set[str]]:
    """Return which children of a package import which others, all below them included."""
    depth = parent.count(".") + 2

    def child(name: str) -> str:
        return ".".join(name.split(".")[:depth])

    found: dict[str, set[str]] = defaultdict(set)
    for name, imported in imports().items():
        if name.startswith(f"{parent}."):
            below = {child(each) for each in imported if each.startswith(f"{parent}.")}
            found[child(name)] |= below - {child(name)}
    return found


def test_no_package_imports_in_a_circle() -> None:
    circles = []
    for parent in sorted({*packages(), *PACKAGES}):
        try:
            TopologicalSorter(between_children(parent)).prepare()
        except CycleError as error:
            circles.append(error.args[1])
    assert circles == []


def test_the_product_has_few_floors() -> None:
    order = TopologicalSorter(between_children("functions"))
    floors: Counter[str] = Counter()
    for name in order.static_order():
        below = between_children("functions").get(name, set())
        floors[name] = 1 + max((floors[each] for each in below), default=0)
    assert max(floors.values()) <= MOST_FLOORS, floors.most_common(5)


def test_few_words_need_an_explanation() -> None:
    lines = (ROOT / "docs/glossary.md").read_text("utf-8").splitlines()
    words = [line for line in lines if line.startswith("| **")]
    assert 0 < len(words) <= MOST_WORDS
