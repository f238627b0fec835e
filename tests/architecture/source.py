"""Reads the project's own modules as syntax trees."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("socialcode", "functions", "runner")
# Programs that are content: shown, judged and run in the sandbox, never imported.
CONTENT = ROOT / "functions/samples"


@dataclass(frozen=True)
class Module:
    """One of our modules."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    def imports(self) -> Iterator[tuple[str, int]]:
        """List the names of the modules and members that it imports, with their lines."""
        for node in ast.walk(self.tree):
            yield from self._imported_by(node)

    def imports_inside_functions(self) -> Iterator[tuple[str, int]]:
        """List those imports that stand inside a function."""
        for function in ast.walk(self.tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for node in ast.walk(function):
                    yield from self._imported_by(node)

    def _imported_by(self, node: ast.AST) -> Iterator[tuple[str, int]]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            origin = self._origin_of(node)
            for alias in node.names:
                yield f"{origin}.{alias.name}", node.lineno

    def _origin_of(self, node: ast.ImportFrom) -> str:
        if node.level == 0:
            return node.module or ""
        package = self.name.split(".")
        if self.path.name != "__init__.py":
            package.pop()
        package = package[: len(package) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules of the three rooms."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.is_relative_to(CONTENT):
                text = path.read_text(encoding="utf-8")
                found.append(Module(_name_of(path), path, text, ast.parse(text)))
    return tuple(found)


def _name_of(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def belongs_to(name: str, *packages: str) -> bool:
    """Tell whether a dotted name is one of these, or lies below one."""
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def setting_names() -> set[str]:
    """Return the names that the settings read from the environment."""
    settings = ast.parse((ROOT / "socialcode/settings.py").read_text(encoding="utf-8"))
    return {
        str(node.args[0].value)
        for node in ast.walk(settings)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and isinstance(node.args[0], ast.Constant)
    }
