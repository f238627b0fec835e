"""Markup of cards and votes, built without templates, as pages have so many of them."""

from functools import lru_cache
from html import escape

from django import template
from django.template import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from functions.read_models.comments import CommentShown
from functions.read_models.works import TestCard, WorkCard
from functions.templatetags.works import when
from functions.views import markup
from functions.views.cards import Entry, PageContext
from functions.views.cell_markup import strip_of

register = template.Library()

# Placeholder in cached markup for the CSRF token; user text can't contain it, as that is escaped.
_TOKEN = SafeString("<token>")


@register.simple_tag(takes_context=True)
def work_card(context: Context, entry: Entry, around: PageContext) -> SafeString:
    """Return a work's card; cached for all readers for whom it looks the same."""
    made = _card(entry, around, when(entry.card.published_at))
    return mark_safe(made.replace(_TOKEN, str(context["csrf_token"])))  # noqa: S308 - ours


@lru_cache(maxsize=512)  # an open one is as long as its code
def _card(entry: Entry, around: PageContext, since: SafeString | str) -> str:
    """Return a card's markup, which only depends on the arguments."""
    if not entry.is_open:
        return _closed_card(entry, around, since)
    told = {
        "entry": entry,
        "card": entry.card,
        "anchor": entry.anchor,
        "since": since,
        "csrf_token": _TOKEN,
        "untitled": _untitled(entry),
        "around": around,
        "function": around.function,
    }
    return render_to_string("functions/_card.html", told)


def _untitled(entry: Entry) -> str:
    return f"Untitled {entry.card.noun}"


def _closed_card(entry: Entry, around: PageContext, since: SafeString | str) -> str:
    """Return a collapsed card: title, strip, score, and the address of its code."""
    card, anchor = entry.card, entry.anchor
    withdrawn = " data-withdrawn" if card.is_withdrawn else ""
    elected = '<span class="tag tag-accent" data-elected-tag hidden>Current</span>'
    return (
        f'<article class="card" id="{anchor}" data-work="{card.noun}-{card.id}"'
        f' aria-labelledby="{anchor}-t" tabindex="-1"{withdrawn}><header class="card-head">'
        f'<h3 class="card-title" id="{anchor}-t"><a href="#{anchor}">'
        f'{escape(card.title) or _untitled(entry)}</a><span class="card-id">{card.label}</span>'
        f"{elected if card.noun == 'implementation' else _challenge_tag(card)}"
        f"{'<span class=tag>withdrawn</span>' if card.is_withdrawn else ''}</h3>{score(entry)}"
        f'<div class="meta">{markup.person(card.author)}{since}</div></header>'
        f'<footer class="card-foot"><output class="num" data-score="{card.noun}-{card.id}"'
        f' aria-label="Score">{card.score}</output><a class="btn btn-quiet btn-sm"'
        f' href="?{escape(around.kept)}open={anchor}#{anchor}" rel="nofollow">Show code</a>'
        "</footer></article>"
    )


def _challenge_tag(card: WorkCard) -> str:
    if not isinstance(card, TestCard) or card.is_withdrawn:
        return ""
    hidden = "" if card.may_gain_standing else " hidden"
    return f'<span class="tag tag-fail" data-challenge-tag{hidden}>Challenge</span>'


@register.simple_tag(takes_context=True)
def vote(context: Context, card: WorkCard | CommentShown, why_not: str) -> SafeString:
    """Return a score between two arrows, whose title says why voting isn't possible."""
    token = context.get("csrf_token", "")
    return mark_safe(  # noqa: S308 - what people wrote is escaped, all else is ours
        f'<form class="inline" method="post" action="{reverse("vote", args=[card.noun, card.id])}"'
        f' data-votes><input type="hidden" name="csrfmiddlewaretoken" value="{token}">'
        f'<div class="vote" role="group" aria-label="Vote on {escape(card.label)}">'
        f"{_arrow(card, 'up', 1, why_not)}"
        f'<output data-score="{card.noun}-{card.id}">{card.score}</output>'
        f"{_arrow(card, 'down', -1, why_not)}</div></form>"
    )


def _arrow(card: WorkCard | CommentShown, way: str, value: int, why_not: str) -> str:
    """Return an arrow; a pressed one withdraws the vote."""
    is_pressed = card.own_vote == value
    title = f'title="Vote {way}"' if card.may_vote else f'disabled title="{escape(why_not)}"'
    return (
        f'<button name="value" value="{0 if is_pressed else value}" type="submit"'
        f' data-vote="{way}" data-needs-network aria-pressed="{str(is_pressed).lower()}"'
        f' aria-label="Vote {way}" {title}>'
        f'<svg class="i" aria-hidden="true"><use href="#i-{way}"/></svg></button>'
    )


@register.simple_tag
def score(entry: Entry) -> SafeString:
    """Return a work's strip, with the number of passed tests."""
    marks, passed, total = entry.marks, entry.passed, entry.total
    is_candidate = entry.card.noun == "implementation" and not entry.card.is_withdrawn
    if not marks and not is_candidate:
        return SafeString("")
    counted = " data-count" if not marks or marks[0][1] else ""
    return mark_safe(  # noqa: S308 - words of ours and numbers
        f'<span class="score"{counted}><span class="strip" role="img"'
        f' aria-label="{passed} of {total} passed">{strip_of(marks)}</span>'
        f"<span><b>{passed}</b>/{total}</span></span>"
    )
