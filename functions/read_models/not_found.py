"""Absence of a read model: it doesn't exist, or is hidden from the reader."""

from typing import TypeVar

from django.http import Http404

T = TypeVar("T")


def or_404(found: T | None, message: str = "") -> T:
    """Return `found`. Raises Http404 if it is None."""
    if found is None:
        raise Http404(message)
    return found
