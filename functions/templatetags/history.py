"""Template tags of differences and of causes of elections."""

import re
from collections.abc import Iterable
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from functions.read_models.links import FunctionLink
from functions.source.diff import Difference, Line, Op, fold, side_by_side
from functions.views import markup as rendering

register = template.Library()

# Shorter ones are shown whole.
FOLDED_FROM_LINES = 120
MOST_LINES_SHOWN = 4_000

# Items that causes mention: works by number, runs, and functions.
_NAMED = re.compile(
    r"(?P<work>(?:implementation (?P<implementation>#\d+)|test (?P<test>T\d+)))"
    r"|run (?P<run>\d+)"
    r"|(?P<changed>[A-Za-z_]\w*)(?= changed\b)"
    r"|(?P<function>[A-Za-z_]\w*)(?= (?:defined|deleted)\b)"
)


@register.filter
def linked(cause: str, function: str) -> SafeString:
    """Return the cause of an election, with links to the items it mentions."""
    parts: list[str] = []
    end = 0
    for found in _NAMED.finditer(cause):
        parts += [escape(cause[end : found.start()]), _link(found, function)]
        end = found.end()
    parts.append(escape(cause[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped where it is made


def _link(found: re.Match[str], function: str) -> str:
    if found["run"]:
        address = reverse("run", args=[found["run"]])
    elif found["work"]:
        number = found["test"] or f"I{found['implementation'][1:]}"
        address = f"{reverse('function', args=[function])}#{number}"
    elif found["changed"]:
        address = reverse("why", args=[found["changed"]])
    else:
        address = reverse("function", args=[found["function"]])
    return format_html('<a href="{}">{}</a>', address, found[0])


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
