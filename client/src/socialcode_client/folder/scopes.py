"""Names of a module: what it offers to others, and what it reads without defining it."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

# Every run has these two without importing them.
SITE_HELPERS = frozenset({"check", "log"})
BUILTINS = frozenset(dir(builtins))
_INNER = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The top level of a module."""

    bound: frozenset[str]
    imported: frozenset[str]
    read: frozenset[str]  # anywhere in it
    listed: frozenset[str] | None  # `__all__`, if there is one

    @property
    def public(self) -> frozenset[str]:
        """The value that modules naming the function receive."""
        if self.listed is not None:
            return self.listed - BUILTINS - SITE_HELPERS
        own = {name for name in self.bound - self.imported if not name.startswith("_")}
        return frozenset(own) - BUILTINS - SITE_HELPERS


@lru_cache(maxsize=1000)
def scope_of(code: str) -> Scope:
    """Return the names of a module. Raises SyntaxError."""
    tree = ast.parse(code)
    bound: set[str] = set()
    imported: set[str] = set()
    for node in _at_top_level(tree.body):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(node.name)
            case ast.Name(ctx=ast.Store()):
                bound.add(node.id)
            case ast.Import() | ast.ImportFrom():
                imported |= {one.asname or one.name.partition(".")[0] for one in node.names}
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                bound.add(name)
            case _:
                pass
    everywhere = list(ast.walk(tree))
    read = {
        node.id
        for node in everywhere
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }
    for node in everywhere:
        if isinstance(node, ast.Global):
            bound |= set(node.names)
    return Scope(
        bound=frozenset(bound | imported),
        imported=frozenset(imported - bound),
        read=frozenset(read),
        listed=_listed(tree),
    )


def received(code: str, providers: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the names to import for code from each of the functions that it names.

    `providers` are their sources. A name that several offer comes from the function of that name.
    """
    scope = scope_of(code)
    wanted = scope.read - (scope.bound - scope.imported)
    offers = {name: _offer(source) for name, source in providers.items()}
    names: dict[str, list[str]] = {name: [] for name in providers}
    for word in sorted(wanted):
        offering = [name for name, offered in offers.items() if word in offered]
        if word in offering:
            names[word].append(word)
        elif len(offering) == 1:
            names[offering[0]].append(word)
    return {name: words for name, words in names.items() if words}


def _offer(source: str) -> frozenset[str]:
    try:
        return scope_of(source).public
    except SyntaxError:
        return frozenset()


def _at_top_level(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        yield node
        if not isinstance(node, _INNER):
            yield from _at_top_level(ast.iter_child_nodes(node))


def _listed(tree: ast.Module) -> frozenset[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            try:
                return frozenset(map(str, ast.literal_eval(node.value)))
            except (ValueError, TypeError):
                return None
    return None
