"""Template tags of pages that users have written."""

from typing import Any

from django import template
from django.urls import reverse

from functions.models import Function
from functions.permissions import may_moderate
from functions.views.page_addresses import page_url
from functions.views.pages import preview_url

register = template.Library()


@register.simple_tag
def page_address(function: Function) -> str:
    """Return where visitors find a page."""
    return page_url(reverse("page", args=[function.name, ""]))


@register.simple_tag
def preview_for(function: Function, user: Any) -> str:
    """Return where its author and the owner see why the current page fails; empty for others."""
    work = function.elected
    if work is None or not (work.author_id == user.pk or may_moderate(user, function)):
        return ""
    return preview_url(work)
