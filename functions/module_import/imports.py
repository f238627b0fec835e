"""PURE: turns imports of the site's functions into markers."""

import ast
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from functions.module_import.parts import Part, make_part
from functions.names import name_key
from functions.source.scopes import BUILTINS, RUN_HELPERS, scope_of

_TOOLS = ("pytest",)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """Names known outside of the imported text."""

    known: Mapping[str, str]  # names of the site's functions, by their names in lower case
    importable: Container[str]  # modules that code may import
    own: frozenset[str] = frozenset()  # for a module of tests: names that the tested module binds


@dataclass(slots=True)
class LinkedModule:
    """A module's parts, without the imports that become markers."""

    parts: list[Part]
    # Imported names with the function to mark for each.
    targets: dict[str, str] = field(default_factory=dict)
    # Module names to remove as prefixes.
    prefixes: set[str] = field(default_factory=set)
    # Lines and names of modules that can't be imported.
    unknown: list[tuple[int, str]] = field(default_factory=list)


def link_imports(parts: list[Part], context: ImportContext) -> LinkedModule:
    """Remove imports of names that are functions of the site."""
    linked = LinkedModule([])
    for part in parts:
        if not part.is_import:
            linked.parts.append(part)
            continue
        remaining = [text for node in part.statements if (text := _resolve(node, context, linked))]
        if remaining:
            # The original text, unless an import was removed from it.
            is_whole = remaining == [ast.unparse(node) for node in part.statements]
            linked.parts.append(part if is_whole else _shortened(part, remaining))
    bound = frozenset().union(*(part.binds for part in linked.parts), context.own)
    for name in sorted(frozenset().union(*(part.uses for part in linked.parts)) - bound):
        if context.known.get(name_key(name)) == name:
            linked.targets.setdefault(name, name)
    return linked


def _shortened(part: Part, imports: list[str]) -> Part:
    text = "\n".join(imports)
    return make_part(ast.parse(text).body, text, line=part.line, blanks=part.blanks)


def _resolve(node: ast.stmt, context: ImportContext, linked: LinkedModule) -> str:
    """Return the text of the remaining import; empty if nothing remains."""
    if isinstance(node, ast.Import):
        return _resolve_modules(node, context, linked)
    if not isinstance(node, ast.ImportFrom) or _is_offered(node.module or "", node.level, context):
        return ast.unparse(node)
    if node.module in _TOOLS and not node.level:
        return _resolve_tools(node)
    return _resolve_names(node, context, linked)


def _resolve_modules(node: ast.Import, context: ImportContext, linked: LinkedModule) -> str:
    stay = []
    for alias in node.names:
        if _is_offered(alias.name, 0, context):
            stay.append(alias)
        elif alias.name in _TOOLS or context.own:
            linked.prefixes.add(alias.asname or alias.name)
        else:
            linked.unknown.append((node.lineno, alias.name))
            stay.append(alias)
    return ast.unparse(ast.Import(stay)) if stay else ""


def _resolve_tools(node: ast.ImportFrom) -> str:
    """Return assignments for aliases of pytest's names; the import itself is removed."""
    renamed = [f"{one.asname} = {one.name}" for one in node.names if one.asname]
    return "\n".join(renamed)


def _resolve_names(node: ast.ImportFrom, context: ImportContext, linked: LinkedModule) -> str:
    """Return the remaining import; functions, and names that come with them, are marked."""
    last = (node.module or "").rpartition(".")[2].rstrip("_")
    functions = {
        alias.name: alias.name
        for alias in node.names
        if context.known.get(name_key(alias.name)) == alias.name and alias.name not in context.own
    }
    is_ours = node.level or (node.module or "").startswith("socialcode_")
    home = next(iter(functions.values()), context.known.get(name_key(last), "") if is_ours else "")
    stay, renamed = [], []
    for alias in node.names:
        bound = alias.asname or alias.name
        if alias.name in RUN_HELPERS or alias.name in context.own:
            pass
        elif target := functions.get(alias.name) or home:
            linked.targets[alias.name] = target
        elif context.own:
            linked.prefixes.add(bound)
            continue
        else:
            stay.append(alias)
            continue
        if bound != alias.name:
            renamed.append(f"{bound} = {alias.name}")
    if stay:
        linked.unknown.append((node.lineno, f"{'.' * node.level}{node.module or ''}"))
        renamed.append(ast.unparse(ast.ImportFrom(node.module, stay, node.level)))
    return "\n".join(renamed)


def _is_offered(module: str, level: int, context: ImportContext) -> bool:
    return not level and (module in context.importable or module == "__future__")


def names_in(text: str) -> set[str]:
    """Return all names that may refer to a function; empty if the text isn't Python."""
    try:
        tree, used = ast.parse(text), scope_of(text).used - BUILTINS
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports for alias in node.names}
    modules = {(node.module or "").rpartition(".")[2].rstrip("_") for node in imports}
    return names | modules | used
