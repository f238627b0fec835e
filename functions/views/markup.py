"""Markup of highlighted code with links, signatures, durations and avatars."""

import builtins
import hashlib
import keyword
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from django.urls import reverse
from django.utils.formats import get_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from functions.kinds import kind_shown, markers_shown
from functions.people.deleted_accounts import is_deleted_name
from functions.read_models.links import MISSING, FunctionLink
from functions.sized_cache import SizedCache
from functions.source.lexer import Kind, Token, tokens
from functions.source.markers import Marker

# The CSS classes are those of Pygments.
_OPERATORS = frozenset({"and", "in", "is", "not", "or"})
_CONSTANTS = frozenset({"False", "None", "True"})
_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_CLASSES_OF_NAMES = {
    **dict.fromkeys(_BUILTINS, "nb"),
    **dict.fromkeys(("self", "cls"), "bp"),
    **dict.fromkeys(keyword.kwlist, "k"),
    **dict.fromkeys(_OPERATORS, "ow"),
    **dict.fromkeys(_CONSTANTS, "kc"),
}
_CLASSES_OF_KINDS = {Kind.COMMENT: "c1", Kind.STRING: "s", Kind.NUMBER: "mi"}
_NAME_OF_MEMBER = re.compile(r"\s*:")
_JSON_CONSTANTS = frozenset({"true", "false", "null"})
_CLASSES_AFTER = {"def": "nf", "class": "nc"}

# Statuses of functions, in the titles of links.
STATUSES = {
    "implemented": gettext_noop("implemented"),
    "not_implemented": gettext_noop("not implemented"),
    "blocked": gettext_noop("blocked"),
}

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
    lines = _Lines(source)
    starts = [0]
    for line in source.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = iter([(starts[one.line - 1] + one.column, one) for one in markers_of(source)])
    place, marker = next(places, (len(source), None))
    for token, css in _coloured(source):
        lines.add(token.start, "")
        while marker is not None and place < token.end:
            lines.add(place, css)
            lines.put(marker_link(marker, links), len(marker.spelled))
            place, marker = next(places, (len(source), None))
        lines.add(token.end, css)
    lines.add(len(source), "")
    return lines.finished()


class _Lines:
    """Builds the markup of a source's lines, left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._lines: list[list[str]] = [[]]

    def add(self, end: int, css: str) -> None:
        """Add the text up to this position, with one CSS class."""
        for number, part in enumerate(self._source[self._at : end].split("\n")):
            if number:
                self._lines.append([])
            if part:
                text = escape(part)
                self._lines[-1].append(f'<span class="{css}">{text}</span>' if css else text)
        self._at = end

    def put(self, markup: str, length: int) -> None:
        """Add markup that replaces `length` characters."""
        self._lines[-1].append(markup)
        self._at += length

    def finished(self) -> list[SafeString]:
        return [mark_safe("".join(parts)) for parts in self._lines]  # noqa: S308 - escaped above


def _coloured(source: str) -> Iterator[tuple[Token, str]]:
    """Yield the highlighted tokens with their CSS class."""
    if kind_shown(source).language == "json":
        yield from _coloured_json(source)
        return
    before = ""
    for token in tokens(source):
        css = _CLASSES_OF_KINDS.get(token.kind, "")
        if token.kind is Kind.NAME:
            name = source[token.start : token.end]
            css = _CLASSES_AFTER.get(before) or _css_of_name(source, token.start, name)
            before = name
        else:
            before = ""
        if css:
            yield token, css


def _coloured_json(source: str) -> Iterator[tuple[Token, str]]:
    """Yield the highlighted tokens of JSON, whose texts and numbers are written as Python's."""
    for token in tokens(source):
        css = _CLASSES_OF_KINDS.get(token.kind, "")
        if token.kind is Kind.NAME and source[token.start : token.end] in _JSON_CONSTANTS:
            css = "kc"
        elif token.kind is Kind.STRING and _NAME_OF_MEMBER.match(source, token.end):
            css = "nt"
        if css:
            yield token, css


def _css_of_name(source: str, start: int, name: str) -> str:
    before = source[start - 1 : start]
    if before == "@":
        return "nd"
    return "" if before == "." else _CLASSES_OF_NAMES.get(name, "")


def markers_of(source: str) -> list[Marker]:
    """Return the markers of a source, valid or not."""
    return list(markers_shown(source).markers)


def dot_status(status: str) -> str:
    """Return the style sheet's name of a function's status."""
    return {"blocked": "broken", "not_implemented": "unimplemented"}.get(status, status)


def link_url(link: FunctionLink) -> str:
    """Return the URL of a function's page, or of the form to define a missing one."""
    return reverse("function", args=[link.name])


def marker_link(marker: Marker, links: Mapping[str, FunctionLink]) -> SafeString:
    """Return the marker as a link, in the function's own spelling."""
    shown = marker.spelled if marker.spelled.startswith('"') else ""
    return name_link(marker.name, links, shown=shown)


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


AVATAR_HUES = 6


def person(username: str) -> SafeString:
    """Return a user's avatar and name as a link to their page, which deleted accounts lack."""
    if is_deleted_name(username):
        return format_html('<span class="who">{}{}</span>', avatar(username), _("deleted user"))
    return format_html(
        '<a class="who" href="{}">{}{}</a>',
        reverse("person", args=[username]), avatar(username), username,
    )  # fmt: skip


def person_name(username: str) -> SafeString:
    """Return a user's name alone, as a link to their page, which deleted accounts lack."""
    if is_deleted_name(username):
        return escape(_("deleted user"))
    return format_html('<a href="{}">{}</a>', reverse("person", args=[username]), username)


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
