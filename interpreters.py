"""Finds the Pythons of this machine that the site supports.

Runs on any Python 3.7 or newer without other packages.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

# The newest version for which all requirements have wheels.
OLDEST = (3, 11)
NEWEST = (3, 14)
# Folders of Pythons beside those on the path: the system's, and those of version managers.
FOLDERS = (
    "/usr/bin",
    "/usr/local/bin",
    "~/.pyenv/versions/*/bin",
    "~/.asdf/installs/python/*/bin",
    "~/.local/share/mise/installs/python/*/bin",
    "~/.local/share/uv/python/*/bin",
)
ANSWER_SECONDS = 10
# Wheels need a release of CPython with the GIL; the real path of an environment's is its base's.
QUESTION = """
import importlib.util, os, sys
version = sys.version_info
is_ordinary = sys.implementation.name == "cpython" and version[3] == "final"
is_ordinary = is_ordinary and "t" not in sys.abiflags
makes_environments = all(map(importlib.util.find_spec, ("venv", "ensurepip")))
print(*version[:3], int(is_ordinary), int(makes_environments), os.path.realpath(sys.executable))
"""


class Interpreter(NamedTuple):
    """A working Python."""

    version: tuple[int, ...]
    is_ordinary: bool
    makes_environments: bool
    path: str

    @property
    def is_supported(self) -> bool:
        """Whether the site supports it."""
        return self.is_ordinary and OLDEST <= self.version[:2] <= NEWEST

    @property
    def is_usable(self) -> bool:
        """Whether it can also create virtual environments."""
        return self.is_supported and self.makes_environments

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def ask(path: str) -> Interpreter | None:
    """Run a program and return its description; None if it is not a working Python 3."""
    try:
        ended = subprocess.run(
            [path, "-I", "-S", "-c", QUESTION],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=ANSWER_SECONDS,
            check=True,
        )
        *numbers, real = ended.stdout.decode().rstrip("\n").split(" ", 5)
        *version, is_ordinary, makes_environments = map(int, numbers)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return Interpreter(tuple(version), bool(is_ordinary), bool(makes_environments), real)


def find() -> list[Interpreter]:
    """Return the supported Pythons, one per version, newest first."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    for pattern in FOLDERS:
        place = Path(pattern).expanduser()
        folders += sorted(Path(place.anchor).glob(str(place.relative_to(place.anchor))))
    names = [
        "python3",
        *(f"python{OLDEST[0]}.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)),
    ]
    paths = [folder / name for folder in folders for name in names if (folder / name).exists()]
    answers = [ask(path) for path in dict.fromkeys(os.path.realpath(path) for path in paths)]
    # Of several of a version, prefer a usable one.
    there = sorted((one for one in answers if one), key=lambda one: one.is_usable)
    found = {one.version: one for one in there if one.is_supported}
    return sorted(found.values(), reverse=True)
