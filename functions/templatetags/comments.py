"""How comments are shown and counted."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from functions.markdown import Prose
from functions.read_models.comments import Counts
from functions.read_models.links import FunctionLink

register = template.Library()


@register.simple_tag
def comment_count(counts: Counts, noun: str, pk: int) -> int:
    """Return how many comments there are on this."""
    return counts.get((noun, pk), 0)


@register.simple_tag
def prose(links: Mapping[str, FunctionLink]) -> Prose:
    """Return what renders all comments of a page; their markers tell how functions stand."""
    return Prose(links)


@register.simple_tag
def said(text: str, prose: Prose) -> SafeString:
    """Return what a comment says."""
    return prose.markup(text)
