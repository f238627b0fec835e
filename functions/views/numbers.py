"""Parses numbers in query strings."""

from django.http import Http404

from functions.read_models.cursors import MAX_ID


def number_or_404(text: str) -> int | None:
    """Return the number, None if the text is empty; raises Http404 if it is no number."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and int(text[:20]) <= MAX_ID):
        raise Http404("There is no such number.")
    return int(text[:20])
