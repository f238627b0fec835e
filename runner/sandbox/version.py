"""The version of what programs run in: a part of every program's key."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.metadata
import sys
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


def _digest() -> str:
    sandbox = Path(__file__).parent
    sources = [path for room in _INSIDE for path in sorted((sandbox / room).glob("*.py"))]
    sources += [sandbox / module for module in _MODULES]
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            digest.update(f"\0{package} {importlib.metadata.version(package)}".encode())
    for path in sources:
        digest.update(f"\0{path.stem} {meaning(path.read_text(encoding='utf-8'))}".encode())
    return digest.hexdigest()[:12]


RUNTIME_VERSION = _digest()
