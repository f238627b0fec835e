"""Describes the Python that executes it: where it is, and the version of what programs run in.

It imports only the standard library and nothing of ours, so that any Python can run it as a file:
`python -I runner/sandbox/version.py`.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.metadata
import json
import sys
import sysconfig
from pathlib import Path
from typing import Any

# What a result depends on: where modules are placed, and all that is in a program's processes.
_INSIDE = ("border", "jail", "javascript", "language", "process", "report")
_MODULES = ("supervisor/placement.py", "supervisor/protocol.py")
_PACKAGES = ("RestrictedPython", "jinja2", "jsonschema", "markupsafe", "pytest", "tzdata")
# Without it, there is no JavaScript.
_OPTIONAL = "quickjs-ng"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def describe() -> dict[str, Any]:
    """Return the fields of `Interpreter` for the Python that executes this.

    Raises PackageNotFoundError if it lacks a package that programs need.
    """
    packages = importlib.metadata.distribution(_PACKAGES[0]).locate_file("")
    folders = [sys.prefix, sys.base_prefix, str(packages), sysconfig.get_path("stdlib")]
    return {
        "executable": sys.executable,
        "version": sys.version_info[:3],
        "runtime": _runtime(),
        "packages": str(packages),
        "folders": tuple(dict.fromkeys(folders)),
    }


def meaning(source: str) -> str:
    """Return what a source means, as text: its syntax tree without places, comments, docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def _runtime() -> str:
    sandbox = Path(__file__).resolve().parent
    sources = [path for room in _INSIDE for path in sorted((sandbox / room).glob("*.py"))]
    sources += [sandbox / module for module in _MODULES]
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        digest.update(f"\0{package} {importlib.metadata.version(package)}".encode())
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        digest.update(f"\0{_OPTIONAL} {importlib.metadata.version(_OPTIONAL)}".encode())
    for path in sources:
        digest.update(f"\0{path.stem} {meaning(path.read_text(encoding='utf-8'))}".encode())
    for path in sorted((sandbox / "javascript").glob("*.js")):
        digest.update(f"\0{path.name} ".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


if __name__ == "__main__":
    print(json.dumps(describe()))
