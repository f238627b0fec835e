"""Finds the Pythons of this machine, and which of them the site can be run by.

Needs nothing but the standard library of any Python 3.7 or newer.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

# Of the newest, all requirements have wheels.
OLDEST = (3, 11)
NEWEST = (3, 14)
# Where there may be some beside those on the path: the system's, and those of version managers.
FOLDERS = (
    "/usr/bin",
    "/usr/local/bin",
    "~/.pyenv/versions/*/bin",
    "~/.asdf/installs/python/*/bin",
    "~/.local/share/mise/installs/python/*/bin",
    "~/.local/share/uv/python/*/bin",
)
ANSWER_SECONDS = 10
# Wheels are for releases of CPython with its lock; a virtual environment leads to what it is of.
QUESTION = """
import importlib.util, os, platform, sys, sysconfig
version = sys.version_info
is_ordinary = platform.python_implementation() == "CPython" and version[3] == "final"
is_ordinary = is_ordinary and not sysconfig.get_config_var("Py_GIL_DISABLED")
makes_environments = all(map(importlib.util.find_spec, ("venv", "ensurepip")))
print(*version[:3], int(is_ordinary), int(makes_environments), os.path.realpath(sys.executable))
"""


class Interpreter(NamedTuple):
    """A Python that starts."""

    version: tuple[int, ...]
    is_ordinary: bool
    makes_environments: bool
    path: str

    @property
    def is_supported(self) -> bool:
        """Whether the site is meant to run on it."""
        return self.is_ordinary and OLDEST <= self.version[:2] <= NEWEST

    @property
    def is_usable(self) -> bool:
        """Whether it can also make an environment for that."""
        return self.is_supported and self.makes_environments

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def ask(path: str) -> Interpreter | None:
    """Return what a program is, if it is a Python 3 that starts."""
    try:
        ended = subprocess.run(
            [path, "-I", "-c", QUESTION],
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
    """Return those that are supported, each version once, the newest first."""
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
    # Of two of a version, the one that lacks nothing.
    there = sorted((one for one in answers if one), key=lambda one: one.is_usable)
    found = {one.version: one for one in there if one.is_supported}
    return sorted(found.values(), reverse=True)
