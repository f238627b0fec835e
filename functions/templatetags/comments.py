"""Template tags of comments."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString

from functions.read_models.comments import Counts
from functions.read_models.links import FunctionLink
from functions.views.markdown import Prose

register = template.Library()


@register.simple_tag
def comment_count(counts: Counts, noun: str, pk: int) -> int:
    """Return the number of comments on an item."""
    return counts.get((noun, pk), 0)


@register.simple_tag
def prose(links: Mapping[str, FunctionLink]) -> Prose:
    """Return the renderer of a page's comments, with the links of their markers."""
    return Prose(links)


@register.simple_tag
def said(text: str, prose: Prose) -> SafeString:
    """Return the markup of a comment's text."""
    return prose.markup(text)
