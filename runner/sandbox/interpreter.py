"""The Python that runs programs and checks source: the site's own, or the one that is set.

`RUNTIME_VERSION` is a part of every program's key, and depends on that Python alone: it stays the
same if only the site's Python changes.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import interpreters
from runner.sandbox import version as description

# The environment variable with the name or path of another Python.
SETTING = "SOCIALCODE_SANDBOX_PYTHON"
_DESCRIPTION_SECONDS = 60
# The command that makes an environment of a Python, with the packages that programs need.
MAKE_ENVIRONMENT = "python bootstrap.py sandbox --python {}"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python with the packages that programs need; `problem` is why it can't be used."""

    executable: str
    version: tuple[int, ...] = ()
    runtime: str = ""
    packages: str = ""  # the folder of installed packages
    folders: tuple[str, ...] = ()  # all that it is loaded from
    problem: str = ""

    @property
    def number(self) -> str:
        """The version as text."""
        return _number(self.version)

    def __str__(self) -> str:
        return f"CPython {self.number}"


def find_interpreter(name: str) -> Interpreter:
    """Return the Python of this name or path; of an empty name, the site's own."""
    path = str(Path(shutil.which(name) or name).absolute()) if name else sys.executable
    if path == sys.executable:
        return _own()
    found = interpreters.ask(path)
    if found is None:
        return Interpreter(path, problem=f"{path} is not a working Python")
    if not found.is_supported:
        supported = f"a released CPython {_number(interpreters.OLDEST)} to"
        problem = f"{path} is {found}, not {supported} {_number(interpreters.NEWEST)}"
        return Interpreter(path, found.version, problem=problem)
    return _describe(path, found)


def _own() -> Interpreter:
    try:
        return Interpreter(**description.describe())
    except importlib.metadata.PackageNotFoundError as missing:
        return Interpreter(sys.executable, problem=f"{sys.executable} has no {missing.name}")


def _describe(path: str, found: interpreters.Interpreter) -> Interpreter:
    command = [path, "-I", description.__file__]
    try:
        said = subprocess.run(
            command, capture_output=True, timeout=_DESCRIPTION_SECONDS, check=True
        ).stdout
        fields = json.loads(said)
    except (OSError, ValueError, subprocess.SubprocessError):
        problem = (
            f"{path} lacks packages that programs need; make an environment of it, and name"
            f" .venv-sandbox/bin/python: {MAKE_ENVIRONMENT.format(found.path)}"
        )
        return Interpreter(path, found.version, problem=problem)
    lists = {name: tuple(fields[name]) for name in ("version", "folders")}
    return Interpreter(**{**fields, **lists})


def _number(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


INTERPRETER = find_interpreter(os.environ.get(SETTING, "").strip())
RUNTIME_VERSION = INTERPRETER.runtime
