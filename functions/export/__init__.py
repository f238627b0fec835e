"""Exports of a function: as one file, or as a package with its tests.

Source is rewritten in confined processes only: see `functions.analysis.confined`.
"""

from functions.export.bundle import Bundle, Piece, TestPiece, package_name
from functions.export.sdist import sdist_bytes, sdist_name
from functions.export.wheel import Release, wheel_bytes, wheel_name

__all__ = [
    "Bundle",
    "Piece",
    "Release",
    "TestPiece",
    "package_name",
    "sdist_bytes",
    "sdist_name",
    "wheel_bytes",
    "wheel_name",
]
