"""The bell in the top bar, and the button that watches a function."""

from typing import Any

from django import template
from django.template import Context

from functions.models import Function
from functions.notifying import MOST_COUNTED
from functions.pages.notifications import standing_of, watching_of

register = template.Library()


@register.inclusion_tag("functions/_bell.html", takes_context=True)
def bell(context: Context) -> dict[str, Any]:
    """Show how many notifications somebody who is signed in has unread, in one query."""
    standing = standing_of(context["user"])
    return {"standing": standing, "shown": shown_count(standing.unread)}


@register.inclusion_tag("functions/_watch.html", takes_context=True)
def watch_button(context: Context, function: Function) -> dict[str, Any]:
    """Offer to watch the function, or to cease, in one query."""
    user = context["user"]
    return {
        "function": function,
        "watching": watching_of(function, user),
        "user": user,
        "csrf_token": context.get("csrf_token"),
    }


def shown_count(unread: int) -> str:
    """Return the count as it is shown; as much as is counted is shown as more than the rest."""
    return f"{MOST_COUNTED - 1}+" if unread >= MOST_COUNTED else str(unread)
