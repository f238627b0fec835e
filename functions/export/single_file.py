"""PURE: one Python file with a function and all its dependencies.

Modules are concatenated if they can share one namespace. Otherwise (two define the same private
name, for example) each stays a module of its own within the file.
"""

import ast
from collections.abc import Mapping, Sequence

from functions.export.bundle import Bundle, Piece, module_names, words_of
from functions.export.package import with_header
from functions.export.source_rewrite import helpers_used, is_future
from functions.source.scopes import Scope, received_names, scope_of, top_level

# Code that uses these may behave differently in another module.
_INTROSPECTION = frozenset(
    {"globals", "locals", "vars", "dir", "eval", "exec", "__name__", "__doc__", "__all__"}
)
LOG = """def log(*values, sep=" ", end="\\n", file=None, flush=False):
    print(*values, sep=sep, end=end, file=file, flush=flush)
"""
CHECK = """def check(condition, message=""):
    if not condition:
        raise AssertionError(str(message) if message != "" else "check failed")
"""
_LOADER = '''import linecache
import sys
import types


def _module(name, source, given):
    """Execute source as a separate module with these names bound."""
    module = types.ModuleType(f"{__name__}.{name}")
    module.__file__ = f"<{name}>"
    vars(module).update(given)
    sys.modules[module.__name__] = module
    linecache.cache[module.__file__] = (len(source), None, source.splitlines(True), module.__file__)
    exec(compile(source, module.__file__, "exec"), vars(module))
    return module


def _public(module):
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}
'''

_Given = dict[str, dict[str, list[str]]]


def single_file(bundle: Bundle) -> str:
    """Return the file's text."""
    pieces = bundle.pieces
    scopes = {piece.name: scope_of(piece.code) for piece in pieces}
    given = {
        piece.name: received_names(
            scopes[piece.name],
            [(name, scopes[name]) for name in piece.uses if name in scopes],
            words_of(piece.code),
        )
        for piece in pieces
    }
    if _can_merge(pieces, scopes, given):
        parts = [
            "\n".join(with_header(piece)) + "\n\n" + piece.code.strip("\n") for piece in pieces
        ]
    else:
        parts = [_LOADER, *_separate(pieces, scopes, given), _export_line(bundle)]
    helpers = {name for piece in pieces for name in helpers_used(piece.code)}
    parts = [text for name, text in (("check", CHECK), ("log", LOG)) if name in helpers] + parts
    return "\n\n\n".join(part.rstrip() for part in [_head(bundle), *parts]) + "\n"


def _head(bundle: Bundle) -> str:
    lines = [f"# {bundle.name}, with all that it uses", "#", "# Written by:"]
    lines += [f"#   {piece.name}: {piece.credit}" for piece in bundle.pieces]
    return "\n".join(lines)


def _can_merge(pieces: Sequence[Piece], scopes: Mapping[str, Scope], given: _Given) -> bool:
    """Return whether every name keeps its meaning if all modules share one namespace."""
    binders: dict[str, set[str]] = {}
    for name, scope in scopes.items():
        if scope.is_open or (scope.used | scope.bound) & _INTROSPECTION:
            return False
        for each in scope.bound:
            binders.setdefault(each, set()).add(name)
    trees = {piece.name: ast.parse(piece.code) for piece in pieces}
    if any(is_future(statement) for tree in trees.values() for statement in tree.body):
        return False
    imports = {name: _imports(tree) for name, tree in trees.items()}
    for each, providers in binders.items():
        meant = {imports[name].get(each, name) for name in providers}
        if len(providers) > 1 and (
            len(meant) > 1 or any(each not in imports[name] for name in providers)
        ):
            return False
    return all(
        binders.get(each, set()) <= _providers_of(given[name], each)
        for name, scope in scopes.items()
        for each in scope.used - scope.bound
    )


def _providers_of(given: Mapping[str, list[str]], name: str) -> set[str]:
    return {provider for provider, names in given.items() if name in names}


def _imports(tree: ast.Module) -> dict[str, str]:
    """Return the target of each name that top-level imports bind unambiguously."""
    meanings: dict[str, set[str]] = {}
    for node in top_level(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}:" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                whole = alias.name if alias.asname or module else bound
                meanings.setdefault(bound, set()).add(f"{module}{whole}")
    unambiguous = {name for name in meanings if len(meanings[name]) == 1}
    return {name: meanings[name].pop() for name in unambiguous}


def _separate(pieces: Sequence[Piece], scopes: Mapping[str, Scope], given: _Given) -> list[str]:
    modules = module_names(piece.name for piece in pieces)
    parts = []
    for place, piece in enumerate(pieces):
        before = {other.name for other in pieces[:place]}
        entries = [f'"{name}": {name}' for name in helpers_used(piece.code)]
        for provider, names in given[piece.name].items():
            if provider in before and scopes[provider].is_open:
                entries.append(f"**_public(_{modules[provider]})")
            elif provider in before:
                entries += [f'"{name}": _{modules[provider]}.{name}' for name in names]
        source = _literal(piece.code.strip("\n") + "\n")
        name = modules[piece.name]
        loaded = f'_{name} = _module(\n    "{name}",\n{source},\n    {{{", ".join(entries)}}},\n)'
        late = [
            f"_{modules[other.name]}.{each} = _{name}.{each}"
            for other in pieces[:place]
            for each in given[other.name].get(piece.name, ())
            if each not in scopes[other.name].bound
        ]
        parts.append("\n".join([*with_header(piece), "", loaded, *late]))
    return parts


def _export_line(bundle: Bundle) -> str:
    modules = module_names(piece.name for piece in bundle.pieces)
    return f"{bundle.name} = _{modules[bundle.name]}.{bundle.name}"


def _literal(source: str) -> str:
    escaped = source.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if escaped.endswith('"'):
        escaped = escaped[:-1] + '\\"'
    return f'    """{escaped}"""'
