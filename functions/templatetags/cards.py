"""Template tags of cards and votes."""

from functools import lru_cache
from typing import Any

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from functions.permissions import SIGN_IN_TO_VOTE
from functions.read_models.comments import CommentShown
from functions.read_models.works import WorkCard
from functions.templatetags.works import when
from functions.views.cards import Entry, PageContext

register = template.Library()

# Placeholder in cached markup for the CSRF token; user text can't contain it, as that is escaped.
_TOKEN = SafeString("<token>")


@register.simple_tag(takes_context=True)
def work_card(context: Context, entry: Entry, around: PageContext) -> SafeString:
    """Return a work's card, cached for all readers who see the same."""
    card = _card if entry.is_open else _folded_card
    made = card(entry, around, when(entry.card.published_at), get_language())
    return mark_safe(made.replace(_TOKEN, str(context["csrf_token"])))  # noqa: S308 - ours


@lru_cache(maxsize=512)  # as an open card contains its code
def _card(
    entry: Entry,
    around: PageContext,
    since: SafeString | str,
    language: str | None,  # noqa: ARG001 - a part of the key
) -> str:
    return _render(entry, around, since)


@lru_cache(maxsize=8192)
def _folded_card(
    entry: Entry,
    around: PageContext,
    since: SafeString | str,
    language: str | None,  # noqa: ARG001 - a part of the key
) -> str:
    return _render(entry, around, since)


def _render(entry: Entry, around: PageContext, since: SafeString | str) -> str:
    """Return a card's markup; depends only on the arguments and the language."""
    shown = {
        "entry": entry,
        "card": entry.card,
        "anchor": entry.anchor,
        "since": since,
        "csrf_token": _TOKEN,
        "around": around,
        "function": around.function,
    }
    return render_to_string("functions/_card.html", shown)


@register.inclusion_tag("functions/_vote.html")
def vote(card: WorkCard | CommentShown, why_not: str) -> dict[str, Any]:
    """Show a score between two arrows; `why_not` is their title if voting isn't possible.

    A pressed arrow withdraws the vote.
    """
    arrows = [(name, value, card.own_vote == value) for name, value in (("up", 1), ("down", -1))]
    may_sign_in = why_not == _(SIGN_IN_TO_VOTE)
    return {"card": card, "why_not": why_not, "may_sign_in": may_sign_in, "arrows": arrows}
