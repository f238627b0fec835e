"""The version of what programs run in: a part of every program's key."""

from __future__ import annotations

import ast
import hashlib
import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

# What a result depends on: where modules are placed, and all that is in a program's processes.
_INSIDE = ("border", "jail", "language", "process", "report")
_MODULES = ("supervisor/placement.py", "supervisor/protocol.py")
_PACKAGES = ("RestrictedPython", "pytest", "tzdata")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def meaning(source: str) -> str:
    """Return what a source means, as text: its syntax tree without places, comments, docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def _sources() -> Iterator[Path]:
    sandbox = Path(__file__).parent
    for room in _INSIDE:
        yield from sorted((sandbox / room).glob("*.py"))
    yield from (sandbox / module for module in _MODULES)


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _digest() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        digest.update(f"\0{package} {_installed(package)}".encode())
    for path in _sources():
        digest.update(f"\0{path.stem} {meaning(path.read_text(encoding='utf-8'))}".encode())
    return digest.hexdigest()[:12]


RUNTIME_VERSION = _digest()
