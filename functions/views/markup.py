"""Markup of highlighted code with links, signatures and durations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from django.urls import reverse
from django.utils.formats import get_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from functions.kinds import kind_shown, markers_shown
from functions.read_models.links import MISSING, FunctionLink
from functions.sized_cache import SizedCache
from functions.source.markers import Marker
from functions.views.highlighters import HIGHLIGHTERS
from runner.sandbox import code_of

# Statuses of functions, in the titles of links.
STATUSES = {
    "implemented": gettext_noop("implemented"),
    "not_implemented": gettext_noop("not implemented"),
    "blocked": gettext_noop("blocked"),
}


class Place(NamedTuple):
    """Characters `start` to `end` of a source that name a function.

    `shown` is empty for a marker, which is shown in the function's own spelling.
    """

    start: int
    end: int
    name: str
    shown: str

    @property
    def is_use(self) -> bool:
        return self.shown == self.name


_Key = tuple[str, frozenset[tuple[str, FunctionLink]], tuple[tuple[int, str], ...], str | None]
_kept: SizedCache[_Key, Sequence[SafeString]] = SizedCache(64_000_000)


def code_lines(
    source: str, links: Mapping[str, FunctionLink], *, marks: Mapping[int, str] | None = None
) -> Sequence[SafeString]:
    """Return a `span.line` for each line of the source, with markers as links.

    `links` is keyed by name in lower case; `marks` has the CSS marks of lines, from 1.
    """
    # Published code never changes, and its links, whose titles are texts, rarely do.
    key = (source, frozenset(links.items()), tuple((marks or {}).items()), get_language())
    lines = _kept.get(key)
    if lines is None:
        lines = tuple(_lines(source, links, marks or {}))
        _kept.put(key, lines, len(source) + sum(map(len, lines)))
    return lines


def _lines(
    source: str, links: Mapping[str, FunctionLink], marks: Mapping[int, str]
) -> Iterator[SafeString]:
    source = source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    for number, inner in enumerate(line_markup(source, links), start=1):
        mark = f' data-mark="{escape(marks[number])}"' if number in marks else ""
        line = f'<span class="line" data-n="{number}"{mark}>{inner}\n</span>'
        yield mark_safe(line)  # noqa: S308 - parts are safe or escaped


def line_markup(source: str, links: Mapping[str, FunctionLink]) -> list[SafeString]:
    """Return the markup of each line of a source, whose line ends must be line feeds."""
    coloured = HIGHLIGHTERS[kind_shown(source).language]
    lines, source = _Lines(source, links), code_of(source)
    for token, css in coloured(source):
        lines.add(token.start, "")
        lines.add(token.end, css)
    lines.add(len(source), "")
    return lines.finished()


def places_in(source: str) -> list[Place]:
    """Return where a source marks names, and uses what they bring, in order."""
    code, starts = code_of(source), [0]
    for line in code.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = []
    for marker in (markers := markers_of(source)):
        start = starts[marker.line - 1] + marker.column
        shown = marker.spelled if marker.spelled.startswith('"') else ""
        found.append(Place(start, start + len(marker.spelled), marker.name, shown))
    uses = kind_shown(source).find_uses(code, {marker.name for marker in markers})
    found += [Place(use.start, use.end, use.name, use.name) for use in uses]
    return sorted(found)


class _Lines:
    """Builds the markup of a source's lines, left to right."""

    def __init__(self, source: str, links: Mapping[str, FunctionLink]) -> None:
        self._source, self._links = code_of(source), links
        self._at = 0
        self._lines: list[list[str]] = [[]]
        self._made: dict[tuple[str, str], SafeString] = {}  # by name and what is shown
        self._places = iter(places_in(source))
        self._next = next(self._places, None)

    def add(self, end: int, css: str) -> None:
        """Add what is up to this position: text with one CSS class, and links."""
        while (place := self._next) is not None and place.start < end:
            self._add_text(place.start, css)
            self._lines[-1].append(self._link(place))
            self._at = place.end
            self._next = next(self._places, None)
        self._add_text(end, css)

    def _link(self, place: Place) -> SafeString:
        key = place.name, place.shown
        if key not in self._made:
            make = use_link if place.is_use else name_link
            self._made[key] = make(place.name, self._links, shown=place.shown)
        return self._made[key]

    def _add_text(self, end: int, css: str) -> None:
        for number, part in enumerate(self._source[self._at : end].split("\n")):
            if number:
                self._lines.append([])
            if part:
                text = escape(part)
                self._lines[-1].append(f'<span class="{css}">{text}</span>' if css else text)
        self._at = max(self._at, end)

    def finished(self) -> list[SafeString]:
        return [mark_safe("".join(parts)) for parts in self._lines]  # noqa: S308 - escaped above


def markers_of(source: str) -> list[Marker]:
    """Return the markers of a source, valid or not."""
    return list(markers_shown(source).markers)


def dot_status(status: str) -> str:
    """Return the style sheet's name of a function's status."""
    return {"blocked": "broken", "not_implemented": "unimplemented"}.get(status, status)


def link_url(link: FunctionLink) -> str:
    """Return the URL of a function's page, or of the form to define a missing one."""
    return reverse("function", args=[link.name])


def name_link(name: str, links: Mapping[str, FunctionLink], *, shown: str = "") -> SafeString:
    """Return a link to the function of this name, with its status; `shown` is its text."""
    link = links.get(name.lower()) or FunctionLink(name=name, status=MISSING)
    if link.is_missing:
        title = _("%(name)s does not exist yet: create it") % {"name": link.name}
    else:
        title = f"{link.name}: {_(STATUSES.get(link.status, link.status))}"
    return format_html(
        '<a class="dep" data-status="{}" href="{}" title="{}">{}</a>',
        dot_status(link.status), link_url(link), title, shown or f"<<{link.name}>>",
    )  # fmt: skip


def use_link(name: str, links: Mapping[str, FunctionLink], *, shown: str = "") -> SafeString:
    """Return a use of a name as a link; the keyboard reaches the marker, which leads there too."""
    link = links.get(name.lower()) or FunctionLink(name=name, status=MISSING)
    return format_html(
        '<a class="use" data-status="{}" href="{}" tabindex="-1">{}</a>',
        dot_status(link.status), link_url(link), shown or name,
    )  # fmt: skip


_SIGNATURE_TOKEN = re.compile(r"(->|→)|([A-Za-z_]\w*)|(.)", re.DOTALL)
_TYPE_ENDS = {",": 1, ")": 1, "=": 1}


@lru_cache(maxsize=4096)
def signature(text: str) -> SafeString:
    """Return the markup of a signature, with types and arrow highlighted."""
    parts: list[str] = []
    in_type, depth = False, 0
    for arrow, word, other in _SIGNATURE_TOKEN.findall(text):
        if arrow:
            in_type, depth = True, 0
            parts.append('<span class="arrow">→</span>')
        elif word:
            name = escape(word)
            parts.append(f'<span class="ty">{name}</span>' if in_type else name)
        else:
            if in_type and depth == 0 and other in _TYPE_ENDS:
                in_type = False
            if other == ":" and not in_type:
                in_type, depth = True, 0
            elif in_type and other in "[(":
                depth += 1
            elif in_type and other in "])":
                depth -= 1
            parts.append(escape(other))
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped above


def localised(number: str) -> str:
    """Return a decimal number with the separator of the page's language."""
    return number.replace(".", get_format("DECIMAL_SEPARATOR"))


def duration(cpu_us: int | None) -> str:
    """Return a duration, in microseconds, as text."""
    if cpu_us is None:
        return "—"
    if cpu_us < 1_000:
        return f"{cpu_us} µs"
    if cpu_us < 10_000:
        return f"{localised(f'{cpu_us / 1_000:.1f}')} ms"
    if cpu_us < 1_000_000:
        return f"{cpu_us / 1_000:.0f} ms"
    return f"{localised(f'{cpu_us / 1_000_000:.1f}')} s"
