"""Template tags of documents."""

from django import template

from functions.models import Function
from functions.read_models.document_panel import DocumentPanel, document_panel

register = template.Library()


@register.simple_tag
def document_of(function: Function) -> DocumentPanel | None:
    """Return the current value of a document, or None."""
    return document_panel(function)
