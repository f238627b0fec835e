"""Checks new names of functions."""

from collections.abc import Container

from functions.errors import Complaint
from functions.names import find_fault, find_reservation


def check_name(name: str, *, importable: Container[str]) -> Complaint | None:
    """Return a complaint if no function may have this name; `importable` are module names."""
    if reservation := find_reservation(name, importable):
        return Complaint("name", "reserved_name", f"{reservation} Choose another name.")
    if fault := find_fault(name):
        return Complaint("name", "invalid_name", fault)
    return None
