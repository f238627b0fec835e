"""PURE: static analysis of a module's top-level names.

It follows the binding rules of the sandbox: see `docs/language.md`.
"""

import ast
import builtins
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

# Helpers of every run. Modules don't export these names, nor those of builtins.
RUN_HELPERS = frozenset({"log", "check"})
BUILTINS = frozenset(dir(builtins))

_STRAIGHT = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign),
    *(ast.AugAssign, ast.Import, ast.ImportFrom, ast.With, ast.Expr),
)
_INNER = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


@dataclass(frozen=True, slots=True)
class Scope:
    """The top level of a module."""

    bound: frozenset[str]  # bound on some path, including imports
    sure: frozenset[str]  # bound on every path
    imported: frozenset[str]  # bound by imports only
    used: frozenset[str]  # global or undefined names that are read, also inside functions
    listed: frozenset[str] | None  # names in `__all__`, if any
    is_open: bool  # it may bind names that can't be determined

    @property
    def public(self) -> frozenset[str]:
        """The names that dependents receive."""
        if self.listed is not None:
            return self.listed - BUILTINS - RUN_HELPERS
        own = {name for name in self.bound - self.imported if not name.startswith("_")}
        return frozenset(own - BUILTINS - RUN_HELPERS)


@lru_cache(maxsize=500)
def scope_of(source: str) -> Scope:
    """Return the scope of a module. Raises SyntaxError."""
    tree = ast.parse(source)
    table = symtable.symtable(source, "module", "exec")
    symbols = table.get_symbols()
    bound = {one.get_name() for one in symbols if _is_bound(one)} | set(_bound_globally(table))
    imported = {one.get_name() for one in symbols if one.is_imported() and not one.is_assigned()}
    listed, is_dynamic = _read_all(tree)
    return Scope(
        bound=frozenset(bound),
        sure=frozenset(_surely_bound(tree)),
        imported=frozenset(imported),
        used=frozenset(_used(table)),
        listed=listed,
        is_open=is_dynamic or _has_star_import(tree),
    )


def received_names(
    scope: Scope, providers: Iterable[tuple[str, Scope]], words: frozenset[str]
) -> dict[str, list[str]]:
    """Return the names that a module receives from each of the functions that it names.

    `words` are all identifiers in its text. Names that a provider binds on every path are received
    if they are among these, others only if they are read. A name that several functions provide
    comes from the function of that name, or else from none.
    """
    known = dict(providers)
    providers_of: dict[str, list[str]] = {}
    for provider, offered in known.items():
        for name in offered.public:
            providers_of.setdefault(name, []).append(provider)
    names: dict[str, list[str]] = {provider: [] for provider in known}
    for name, candidates in sorted(providers_of.items()):
        winner = name if name in candidates else candidates[0]
        if len(candidates) > 1 and winner != name:
            continue
        is_sure = name in known[winner].sure and name in words
        if is_sure or name in scope.used or name == winner:
            names[winner].append(name)
    return names


def top_level(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes that are executed in the scope of these nodes, without inner scopes."""
    for node in nodes:
        yield node
        if not isinstance(node, _INNER):
            yield from top_level(ast.iter_child_nodes(node))


def bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a top-level statement binds or unbinds."""
    names: set[str] = set()
    for node in top_level([statement]):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store() | ast.Del()):
                names.add(node.id)
            case ast.Import() | ast.ImportFrom():
                names.update(import_names(node))
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                names.add(name)
            case ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names


def import_names(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the names that an import binds."""
    return [one.asname or one.name.partition(".")[0] for one in node.names]


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _bound_globally(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names that functions declare global and assign to."""
    for child in table.get_children():
        for symbol in child.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                yield symbol.get_name()
        yield from _bound_globally(child)


def _used(table: symtable.SymbolTable) -> Iterator[str]:
    is_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (is_top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _used(child)


def _surely_bound(tree: ast.Module) -> set[str]:
    bound: set[str] = set()
    deleted: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, _STRAIGHT) and not _only_annotates(statement):
            bound |= bound_by(statement)
        for node in top_level([statement]):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                deleted.add(node.id)
    return bound - deleted


def _only_annotates(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AnnAssign) and statement.value is None


def _has_star_import(tree: ast.Module) -> bool:
    imports = (node for node in top_level(tree.body) if isinstance(node, ast.ImportFrom))
    return any(alias.name == "*" for node in imports for alias in node.names)


def _read_all(tree: ast.Module) -> tuple[frozenset[str] | None, bool]:
    """Return the content of `__all__`, if any, and whether it can't be determined."""
    found = [node for node in tree.body if "__all__" in bound_by(node)]
    if not found:
        return None, False
    value = found[0].value if isinstance(found[0], ast.Assign | ast.AnnAssign) else None
    if len(found) > 1 or not isinstance(value, ast.List | ast.Tuple):
        return None, True
    names = [one.value for one in value.elts if isinstance(one, ast.Constant)]
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(value.elts):
        return None, True
    return frozenset(texts), False
