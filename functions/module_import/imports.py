"""PURE: what a module's imports mean on a site where functions are named, not imported."""

import ast
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from functions.module_import.parts import Part, make_part
from functions.source.names import name_key
from functions.source.scopes import BUILTINS, RUN_HELPERS, scope_of

_TOOLS = ("pytest",)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What there is beside the text that is imported."""

    known: Mapping[str, str]  # functions of the site, by their names in small letters
    importable: Container[str]  # modules that code may import
    own: frozenset[str] = frozenset()  # of a module of tests: what the module itself binds


@dataclass(slots=True)
class Linked:
    """A module's parts without the imports that become markers."""

    parts: list[Part]
    # What a name that was imported brings: the function to be marked.
    targets: dict[str, str] = field(default_factory=dict)
    # Names of whole modules, in front of names that are to stand for themselves.
    prefixes: set[str] = field(default_factory=set)
    unknown: list[tuple[int, str]] = field(default_factory=list)  # lines with their modules


def link_imports(parts: list[Part], around: Surroundings) -> Linked:
    """Take out every import of what the site has under its own name."""
    linked = Linked([])
    for part in parts:
        if not part.is_import:
            linked.parts.append(part)
            continue
        kept = [text for node in part.statements if (text := _resolve(node, around, linked))]
        if kept:
            # As it was written, unless something of it is gone.
            is_whole = kept == [ast.unparse(node) for node in part.statements]
            linked.parts.append(part if is_whole else _shortened(part, kept))
    bound = frozenset().union(*(part.binds for part in linked.parts), around.own)
    for name in sorted(frozenset().union(*(part.uses for part in linked.parts)) - bound):
        if around.known.get(name_key(name)) == name:
            linked.targets.setdefault(name, name)
    return linked


def _shortened(part: Part, kept: list[str]) -> Part:
    text = "\n".join(kept)
    return make_part(ast.parse(text).body, text, line=part.line, blanks=part.blanks)


def _resolve(node: ast.stmt, around: Surroundings, linked: Linked) -> str:
    """Return what stays of an import."""
    if isinstance(node, ast.Import):
        return _resolve_modules(node, around, linked)
    if not isinstance(node, ast.ImportFrom) or _is_offered(node.module or "", node.level, around):
        return ast.unparse(node)
    if node.module in _TOOLS and not node.level:
        return _resolve_tools(node)
    return _resolve_names(node, around, linked)


def _resolve_modules(node: ast.Import, around: Surroundings, linked: Linked) -> str:
    stay = []
    for alias in node.names:
        if _is_offered(alias.name, 0, around):
            stay.append(alias)
        elif alias.name in _TOOLS or around.own:
            linked.prefixes.add(alias.asname or alias.name)
        else:
            linked.unknown.append((node.lineno, alias.name))
            stay.append(alias)
    return ast.unparse(ast.Import(stay)) if stay else ""


def _resolve_tools(node: ast.ImportFrom) -> str:
    """Nothing stays of names of pytest's; those that have another name here keep it."""
    renamed = [f"{one.asname} = {one.name}" for one in node.names if one.asname]
    return "\n".join(renamed)


def _resolve_names(node: ast.ImportFrom, around: Surroundings, linked: Linked) -> str:
    """Names of functions become markers; what comes along with one is brought by it."""
    last = (node.module or "").rpartition(".")[2].rstrip("_")
    functions = {
        alias.name: alias.name
        for alias in node.names
        if around.known.get(name_key(alias.name)) == alias.name and alias.name not in around.own
    }
    is_ours = node.level or (node.module or "").startswith("socialcode_")
    home = next(iter(functions.values()), around.known.get(name_key(last), "") if is_ours else "")
    stay, renamed = [], []
    for alias in node.names:
        bound = alias.asname or alias.name
        if alias.name in RUN_HELPERS or alias.name in around.own:
            pass
        elif target := functions.get(alias.name) or home:
            linked.targets[alias.name] = target
        elif around.own:
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


def _is_offered(module: str, level: int, around: Surroundings) -> bool:
    return not level and (module in around.importable or module == "__future__")


def names_in(text: str) -> set[str]:
    """Return all names that may mean a function, as far as the text is Python."""
    try:
        tree, used = ast.parse(text), scope_of(text).used - BUILTINS
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.name for node in imports for alias in node.names}
    modules = {(node.module or "").rpartition(".")[2].rstrip("_") for node in imports}
    return names | modules | used
