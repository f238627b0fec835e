"""How comments are shown and counted."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from functions import rendering
from functions.pages.comments import Counts
from functions.pages.links import FunctionLink

register = template.Library()


@register.simple_tag
def comment_count(counts: Counts, noun: str, pk: int) -> int:
    """Return how many comments there are on this."""
    return counts.get((noun, pk), 0)


@register.simple_tag
def said(text: str, links: Mapping[str, FunctionLink]) -> SafeString:
    """Return what a comment says, its markers being links that tell how those functions stand."""
    return rendering.markdown(text, links)
