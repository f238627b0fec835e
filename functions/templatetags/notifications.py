"""Template tag of the bell in the top bar."""

from typing import Any

from django import template
from django.template import Context

from functions.notifications.delivery import MAX_COUNTED
from functions.read_models.notifications import standing_of

register = template.Library()


@register.inclusion_tag("functions/_bell.html", takes_context=True)
def bell(context: Context) -> dict[str, Any]:
    """Show the number of the user's unread notifications, read in one query."""
    standing = standing_of(context["user"])
    return {"standing": standing, "shown": shown_count(standing.unread)}


def shown_count(unread: int) -> str:
    """Return the count as text; the limit of counting is shown as "more than"."""
    return f"{MAX_COUNTED - 1}+" if unread >= MAX_COUNTED else str(unread)
