"""People's source is parsed, compiled and rewritten in confined processes, and nowhere else."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.source import Module, belongs_to, modules

# Loaded by a zygote, and used by its children alone.
CONFINED = {
    "functions.analysis.confined",
    "functions.export.distribution_modules",
    "functions.export.package",
    "functions.export.pytest_module",
    "functions.export.single_file",
    "functions.export.source_rewrite",
    "functions.module_import.draft_texts",
    "functions.module_import.selection",
    "functions.module_import.imports",
    "functions.module_import.parts",
    "functions.module_import.plan",
    "functions.module_import.pytest_rewrite",
    "functions.source.exports",
    "functions.source.formatter",
    "functions.source.literals",
    "functions.source.scopes",
    "functions.source.signatures",
    "functions.source.unbound_names",
}
# Of the sandbox, what its supervisors import: all else is in its processes.
SUPERVISING = {
    f"runner.sandbox.{name}"
    for name in (
        "pool programs supervisor supervisor.launching supervisor.member supervisor.messages"
        " supervisor.placement supervisor.prefork supervisor.process supervisor.protocol"
        " supervisor.run version"
    ).split()
} | {"runner.sandbox"}
# What refuses, rewrites and compiles sources.
_COMPILATION = "runner.sandbox.language.compilation"
READERS = (
    "ast",
    "symtable",
    "code",
    "codeop",
    "lib2to3",
    "parser",
    "black",
    "dis",
    "RestrictedPython",
)
READING = {"compile", "eval", "exec", "__import__"}
# Each with why it reads no source of anybody's.
ALLOWED = {
    ("functions.source.markers", "tokenize"): "by tokens alone, in linear time; see its tests",
    ("runner.sandbox.supervisor.launcher", "RestrictedPython"): "asks where the package is",
    ("runner.sandbox.version", "ast"): "reads the sandbox's own modules",
}


def _is_confined(module: Module) -> bool:
    is_sandbox = belongs_to(module.name, "runner.sandbox")
    return module.name in CONFINED or (is_sandbox and module.name not in SUPERVISING)


def _readings(module: Module) -> Iterator[str]:
    """Find what could read source: imports of what does, and calls of builtins that do."""
    for name, _ in module.imports():
        if belongs_to(name, *READERS, "tokenize"):
            yield name.split(".")[0]
    for node in ast.walk(module.tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in READING:
            yield called.id


def test_nobody_else_reads_source() -> None:
    found = {
        (module.name, reading)
        for module in modules()
        if not _is_confined(module)
        for reading in _readings(module)
    }
    assert found - ALLOWED.keys() == set()


def test_what_reads_source_is_imported_by_its_own_kind_alone() -> None:
    found = [
        f"{module.name}:{line} imports {name}"
        for module in modules()
        if not _is_confined(module)
        for name, line in module.imports()
        if belongs_to(name, *CONFINED, _COMPILATION)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "import ast\nast.parse(code)\n",
        "from symtable import symtable\n",
        "def f(code): return compile(code, 'x', 'exec')\n",
        "from RestrictedPython import compile_restricted\n",
    ],
)
def test_the_search_would_find_it(text: str) -> None:
    module = next(iter(modules()))
    tried = Module("functions.views.tried", module.path, text, ast.parse(text))
    assert set(_readings(tried))
    assert not _is_confined(tried)
