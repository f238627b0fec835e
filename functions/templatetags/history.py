"""Template tags of differences and of causes of elections."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from functions.read_models.links import FunctionLink
from functions.recorded import SENTENCES, SEPARATOR, parse
from functions.source.diff import Difference, Line, Op, fold, side_by_side
from functions.views import markup as rendering

register = template.Library()

# Shorter ones are shown whole.
FOLDED_FROM_LINES = 120
MOST_LINES_SHOWN = 4_000


@register.filter
def linked(causes: str, function: str) -> SafeString:
    """Return the causes of an election, with links to the items they mention."""
    return SafeString(SEPARATOR.join(_linked(cause, function) for cause in causes.split(SEPARATOR)))


def _linked(cause: str, function: str) -> str:
    parts = parse(cause, SENTENCES)
    if parts is None:
        return escape(cause)
    links = {place: _link(place, value, function) for place, value in parts.values.items()}
    return escape(gettext(parts.sentence)) % links


def _link(place: str, value: str, function: str) -> str:
    """Return what a place of a cause holds, as a link if that is an item."""
    own = reverse("function", args=[function])
    addresses = {
        "run": lambda: reverse("run", args=[value]),
        "changed": lambda: reverse("why", args=[value]),
        "function": lambda: reverse("function", args=[value]),
        "implementation": lambda: f"{own}#I{value.split(maxsplit=1)[0][1:]}",
        "test": lambda: f"{own}#{value.split(maxsplit=1)[0]}",
    }
    if place not in addresses:
        return escape(value)
    return format_html('<a href="{}">{}</a>', addresses[place](), value)


@register.inclusion_tag("functions/_diff.html")
def diff(
    difference: Difference,
    label: str,
    left_links: Iterable[FunctionLink] = (),
    right_links: Iterable[FunctionLink] = (),
    *,
    is_code: bool = True,
    is_whole: bool = False,
) -> dict[str, Any]:
    """Show a difference side by side, or in one column on narrow screens."""
    lines = difference.lines
    folded = list(lines) if is_whole or len(lines) < FOLDED_FROM_LINES else fold(lines)
    return {
        "label": label,
        "lines": folded[:MOST_LINES_SHOWN],
        "pairs": side_by_side(folded[:MOST_LINES_SHOWN]),
        "left_out": max(0, len(folded) - MOST_LINES_SHOWN),
        "old": _markup((line for line in lines if line.op != Op.ADD), left_links, is_code=is_code),
        "new": _markup((line for line in lines if line.op != Op.DEL), right_links, is_code=is_code),
    }


def _markup(
    lines: Iterable[Line], links: Iterable[FunctionLink], *, is_code: bool
) -> list[SafeString]:
    """Return the markup of one side's lines, in order."""
    texts = [line.text for line in lines]
    if not is_code:
        return [escape(text) for text in texts]
    return rendering.line_markup("\n".join(texts), {link.key: link for link in links})


@register.simple_tag
def line_of(markup: list[SafeString], number: int) -> SafeString:
    """Return the markup of a line by its number."""
    return markup[number - 1]
