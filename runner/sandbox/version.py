"""The version of what programs run in: a part of every program's key."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from pathlib import Path

# Whatever can change what a program's result is.
_SOURCES = (
    "assertions binding child compilation execution filters_generated guards importable kernel "
    "limits names output policy shims zygote"
).split()
_PACKAGES = ("RestrictedPython", "tzdata")


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _digest() -> str:
    digest = hashlib.sha256(sys.version.encode())
    for package in _PACKAGES:
        digest.update(f"\0{package} {_installed(package)}".encode())
    for name in _SOURCES:
        digest.update(b"\0" + Path(__file__).with_name(f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]


RUNTIME_VERSION = _digest()
