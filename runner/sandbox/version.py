"""The version of what programs run in: a part of every program's key."""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from pathlib import Path

# What stays outside of the programs' processes; everything else can change what a result is.
_OUTSIDE = frozenset(
    """
    __init__ __main__ analyses analyst brood broods codes endings filters handles nursery pool
    status supervision version
    """.split()
)
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
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        if path.stem not in _OUTSIDE:
            digest.update(b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


RUNTIME_VERSION = _digest()
