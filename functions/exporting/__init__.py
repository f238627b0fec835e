"""Taking a function home: as one file, or as a package with its tests."""

from functions.exporting.bundles import Bundle, Piece, TestPiece
from functions.exporting.packages import package_name
from functions.exporting.pytests import can_be_taken
from functions.exporting.sdists import sdist_bytes, sdist_name
from functions.exporting.wheels import Release, wheel_bytes, wheel_name

__all__ = [
    "Bundle",
    "Piece",
    "Release",
    "TestPiece",
    "can_be_taken",
    "package_name",
    "sdist_bytes",
    "sdist_name",
    "wheel_bytes",
    "wheel_name",
]
