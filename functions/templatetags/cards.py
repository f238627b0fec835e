"""Cards that are closed: a page has so many of them that a template would take most of its time."""

from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from functions import rendering
from functions.templatetags.works import when
from functions.views.cards import Entry
from functions.views.quilt import strip_of

register = template.Library()


@register.simple_tag
def closed_card(entry: Entry, untitled: str, kept: str = "") -> SafeString:
    """Return a work's title, strip and score, and where its code is shown.

    `kept` stands before that in the address.
    """
    card, anchor = entry.card, entry.anchor
    withdrawn = " data-withdrawn" if card.is_withdrawn else ""
    elected = '<span class="tag tag-accent" data-elected-tag hidden>Current</span>'
    return mark_safe(  # noqa: S308 - what people wrote is escaped, all else is ours
        f'<article class="card" id="{anchor}" data-work="{card.noun}-{card.id}"'
        f' aria-labelledby="{anchor}-t" tabindex="-1"{withdrawn}><header class="card-head">'
        f'<h3 class="card-title" id="{anchor}-t"><a href="#{anchor}">'
        f'{escape(card.title) or untitled}</a><span class="card-id">{card.label}</span>'
        f"{elected if card.noun == 'implementation' else ''}"
        f"{'<span class=tag>withdrawn</span>' if card.is_withdrawn else ''}</h3>{_score(entry)}"
        f'<div class="meta">{rendering.person(card.author)}{when(card.published_at)}</div></header>'
        f'<footer class="card-foot"><output class="num" data-score="{card.noun}-{card.id}"'
        f' aria-label="Score">{card.score}</output><a class="btn btn-quiet btn-sm"'
        f' href="?{escape(kept)}open={anchor}#{anchor}" rel="nofollow">Show code</a>'
        "</footer></article>"
    )


def _score(entry: Entry) -> str:
    marks, passed, total = entry.marks, entry.passed, entry.total
    is_candidate = entry.card.noun == "implementation" and not entry.card.is_withdrawn
    if not marks and not is_candidate:
        return ""
    counted = " data-count" if not marks or marks[0][1] else ""
    return (
        f'<span class="score"{counted}><span class="strip" role="img"'
        f' aria-label="{passed} of {total} passed">{strip_of(marks)}</span>'
        f"<span><b>{passed}</b>/{total}</span></span>"
    )
