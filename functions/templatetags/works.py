"""Template tags of functions, works, results and times."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from functions.json_data.values import canonical
from functions.kinds import KINDS
from functions.models.agent_labels import Label
from functions.read_models.links import FunctionLink
from functions.read_models.works import WorkCard
from functions.recorded import recorded
from functions.views import avatars, markdown, markup
from functions.views.cell_markup import log_lines, marks_markup, matrix_rows
from functions.views.labels import BATCH_LOOKS, LOOKS, TASK_LOOKS, Look
from functions.views.results_panel import ResultsPanel

register = template.Library()

LINES_SHOWN = 16  # of a card's code; slightly longer code is not folded
LINES_FOLDED = 4
LONGEST_JSON = 120
STATUS_WORDS = {
    "implemented": gettext_noop("Implemented"),
    "blocked": gettext_noop("Broken dependency"),
    "not_implemented": gettext_noop("Not implemented"),
    "missing": gettext_noop("Does not exist"),
}
DAYS_RELATIVE = 30
LONGEST_IN_SECONDS = 10

register.filter("recorded", recorded)
register.filter("signature", markup.signature)
register.filter("markdown", markdown.markdown)
register.filter("first_paragraph", markdown.first_paragraph)
register.filter("dot", markup.dot_status)
register.filter("duration", markup.duration)
register.filter("sparkline", marks_markup)
register.filter("log_lines", log_lines)


@register.filter
def rows(panel: ResultsPanel) -> SafeString:
    """Return the rows of a results matrix."""
    return SafeString(matrix_rows(panel).decode())


@register.filter
def json_text(value: Any) -> str:
    """Return a JSON value's text, cut if it is long."""
    text = canonical(value)
    return text if len(text) <= LONGEST_JSON else f"{text[:LONGEST_JSON]}…"


@register.filter
def status_word(status: str) -> str:
    """Return the label of a function's status."""
    return _(STATUS_WORDS.get(status, status))


@register.filter
def signed(number: int) -> str:
    """Return a number with its sign."""
    return f"{number:+d}".replace("-", "\N{MINUS SIGN}")


@register.filter
def kind_label(kind: str) -> str:
    """Return the name of a kind."""
    return str(KINDS[kind].label)


@register.simple_tag
def avatar(username: str) -> SafeString:
    """Return a person's avatar."""
    return avatars.avatar(username)


@register.simple_tag
def large_avatar(username: str) -> SafeString:
    """Return a person's large avatar."""
    return avatars.avatar(username, "avatar avatar-lg")


@register.simple_tag
def person(username: str, *labels: Label | None) -> SafeString:
    """Return a person's avatar and name as a link to their page, with an agent's label."""
    return avatars.person(username, *labels)


@register.simple_tag
def person_name(username: str) -> SafeString:
    """Return a person's name as a link to their page."""
    return avatars.person_name(username)


@register.simple_tag
def when(moment: datetime | None, *, exact: bool = False) -> SafeString | str:
    """Return a relative time, with the full date as its title."""
    if moment is None:
        return ""
    shown = f"{moment:%H:%M:%S}" if exact else relative(moment, timezone.now())
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"), f"{moment:%Y-%m-%d %H:%M:%S} UTC", shown,
    )  # fmt: skip


def relative(moment: datetime, now: datetime) -> str:
    """Return the time since an instant; beyond 30 days, its date."""
    seconds = int((now - moment).total_seconds())
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86_400
    if minutes < 1:
        return _("just now")
    if minutes < 60:
        text = ngettext("%(count)s minute ago", "%(count)s minutes ago", minutes)
        return text % {"count": minutes}
    if hours < 24:
        return ngettext("%(count)s hour ago", "%(count)s hours ago", hours) % {"count": hours}
    if days <= DAYS_RELATIVE:
        return ngettext("%(count)s day ago", "%(count)s days ago", days) % {"count": days}
    return f"{moment:%Y-%m-%d}"


@register.simple_tag
def took(since: datetime | None, until: datetime | None) -> str:
    """Return the duration of something, until now if it hasn't ended."""
    if since is None:
        return "—"
    seconds = ((until or timezone.now()) - since).total_seconds()
    return lasting(max(0.0, seconds))


def lasting(seconds: float) -> str:
    """Return a duration in seconds as text."""
    if seconds < LONGEST_IN_SECONDS:
        return markup.duration(round(seconds * 1_000_000))
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def look(state: str | None) -> Look:
    """Return the style and label of a verdict, or of its lack."""
    return LOOKS.get(state or "pending", LOOKS["pending"])


@register.filter
def task_look(state: str) -> Look:
    """Return the style and label of a task's state."""
    return TASK_LOOKS[state]


@register.filter
def batch_look(state: str) -> Look:
    """Return the style and label of a run's state."""
    return BATCH_LOOKS[state]


@register.inclusion_tag("functions/_code.html")
def code(
    source: str,
    links: Iterable[FunctionLink],
    label: str,
    *,
    fold: bool = True,
    mark_line: int | None = None,
) -> dict[str, Any]:
    """Show a source with links; long ones are folded, and failing lines marked."""
    marks = {mark_line: "error"} if mark_line else {}
    lines = markup.code_lines(source, {link.key: link for link in links}, marks=marks)
    cut = LINES_SHOWN if fold and len(lines) > LINES_SHOWN + LINES_FOLDED else len(lines)
    return {
        "label": label,
        "lines": SafeString("".join(lines[:cut])),
        "folded": len(lines) - cut,
        "folded_lines": SafeString("".join(lines[cut:])),
    }


@register.simple_tag
def links_of(card: WorkCard, function: Any) -> list[FunctionLink]:
    """Return the links of a work's markers: its dependencies, and its own function."""
    own = FunctionLink(name=function.name, status=function.status)
    return [own, *card.depends_on]


@register.filter
def dep_items(links: Iterable[FunctionLink]) -> SafeString:
    """Return functions as list items, with status and link."""
    return SafeString("".join(map(_dep_item, links)))


def _dep_item(link: FunctionLink) -> str:
    status = markup.dot_status(link.status)
    return format_html(
        '<li><a href="{}" data-status="{}"><span class="dot" data-status="{}" role="img"'
        ' aria-label="{}"></span><span>{}</span>{}</a></li>',
        markup.link_url(link), status, status, status_word(link.status), link.name,
        format_html(' <span class="tag">{}</span>', _("archived")) if link.archived else "",
    )  # fmt: skip


@register.simple_tag
def edges(links: list[FunctionLink], *, outward: bool, more: int = 0) -> SafeString:
    """Return the curves between a list of functions, with rows of 26 px, and the middle one.

    A last row for `more` functions has a curve of its own.
    """
    rows = [markup.dot_status(link.status) for link in links] + ["more"] * bool(more)
    middle = 13 * len(rows)
    paths = [
        format_html(
            '<path data-status="{}" d="M0 {}C50 {} 50 {} 100 {}"/>',
            status, *_curve(26 * index + 13, middle, outward=outward),
        )
        for index, status in enumerate(rows)
    ]  # fmt: skip
    return format_html(
        '<svg viewBox="0 0 100 {}" height="{}" preserveAspectRatio="none" aria-hidden="true">'
        "{}</svg>",
        2 * middle or 26, 2 * middle or 26, SafeString("".join(paths)),
    )  # fmt: skip


def _curve(row: int, middle: int, *, outward: bool) -> tuple[int, int, int, int]:
    return (middle, middle, row, row) if outward else (row, row, middle, middle)
