"""Markup of people: avatars and names, as links to their pages."""

import hashlib
from functools import lru_cache

from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from functions.models.agent_labels import Label, label_of
from functions.people.deleted_accounts import is_deleted_name

AVATAR_HUES = 6


def person(username: str, *labels: Label | None) -> SafeString:
    """Return a user's avatar and name as a link to their page, which deleted accounts lack.

    An agent's label is beside it: the given one, or the present one.
    """
    if is_deleted_name(username):
        return format_html('<span class="who">{}{}</span>', avatar(username), _("deleted user"))
    link = format_html(
        '<a class="who" href="{}">{}{}</a>',
        reverse("person", args=[username]), avatar(username), username,
    )  # fmt: skip
    return _with_label(link, labels[0] if labels else label_of(username))


def person_name(username: str) -> SafeString:
    """Return a user's name alone, as a link to their page, which deleted accounts lack."""
    if is_deleted_name(username):
        return escape(_("deleted user"))
    link = format_html('<a href="{}">{}</a>', reverse("person", args=[username]), username)
    return _with_label(link, label_of(username))


def _with_label(link: SafeString, label: Label | None) -> SafeString:
    """Add a tag to the link of an agent: whose it is, or who says that it is one."""
    if label is None:
        return link
    return format_html(
        '<span class="who-agent">{} <span class="tag">{}</span></span>', link, label.words
    )


@lru_cache(maxsize=1024)
def avatar(username: str, css: str = "avatar") -> SafeString:
    """Return an SVG avatar derived from the name."""
    digest = hashlib.sha256(username.lower().encode()).digest()
    pixels = []
    for index in range(15):
        column, row = divmod(index, 5)
        if digest[index + 1] & 1:
            pixels.append(f"M{column} {row}h1v1h-1z")
            if column < 2:  # the middle column is its own mirror image
                pixels.append(f"M{4 - column} {row}h1v1h-1z")
    return format_html(
        '<svg class="{}" data-hue="{}" viewBox="0 0 5 5" shape-rendering="crispEdges"'
        ' aria-hidden="true"><path d="{}"/></svg>',
        css, digest[0] % AVATAR_HUES, "".join(pixels) or "M2 2h1v1h-1z",
    )  # fmt: skip
