"""Text as it is shown: highlighted code with its links, Markdown, signatures, times, avatars."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import nh3
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    STANDARD_TYPES,
    Name,
    Punctuation,
    Text,
    Whitespace,
    _TokenType,
)

from functions.markers import Marker, find_markers, marked_name
from functions.pages.links import MISSING, FunctionLink

# A code that people read on a page; longer ones are only as colourful as their beginning.
LONGEST_HIGHLIGHTED = 100_000
# Colouring plain names and punctuation would double the page for nothing to see.
PLAIN = frozenset({Text, Whitespace, Name, Punctuation})

_lexer = PythonLexer(stripnl=False, ensurenl=False)
_MARKDOWN_TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_LINK_STATUSES = {"implemented", "broken", "unimplemented", MISSING}


class Piece(NamedTuple):
    """Characters `start` to `end` of a line, of one colour."""

    start: int
    end: int
    css: str


def code_lines(
    source: str, links: Mapping[str, FunctionLink], *, marks: Mapping[int, str] | None = None
) -> Sequence[SafeString]:
    """Return the source as one `span.line` a line, its markers being links.

    `links` is keyed by the name in lower case; `marks` names lines (from 1) to be set off.
    """
    return _lines(source, frozenset(links.items()), tuple((marks or {}).items()))


@lru_cache(maxsize=1024)
def _lines(
    source: str, links: frozenset[tuple[str, FunctionLink]], marks: tuple[tuple[int, str], ...]
) -> Sequence[SafeString]:
    """Render it once: published code never changes, and where its names lead seldom does."""
    source = source.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
    marked = dict(marks)
    rendered = []
    for number, inner in enumerate(line_markup(source, dict(links)), start=1):
        mark = marked.get(number, "")
        attribute = format_html(' data-mark="{}"', mark) if mark else ""
        rendered.append(
            format_html('<span class="line" data-n="{}"{}>{}\n</span>', number, attribute, inner)
        )
    return tuple(rendered)


def line_markup(source: str, links: Mapping[str, FunctionLink]) -> list[SafeString]:
    """Return the markup of each line of a source that has line feeds only."""
    coloured = _pieces(source) if len(source) <= LONGEST_HIGHLIGHTED else ()
    by_line: dict[int, list[Marker]] = {}
    for marker in markers_of(source):
        by_line.setdefault(marker.line, []).append(marker)
    lines = []
    for number, text in enumerate(source.split("\n"), start=1):
        pieces = coloured[number - 1] if number <= len(coloured) else ()
        parts = _line_parts(text, pieces, by_line.get(number, []), links)
        lines.append(mark_safe("".join(parts)))  # noqa: S308 - each part is escaped where it is made
    return lines


def markers_of(source: str) -> list[Marker]:
    """Return the markers that can be found, whatever else is wrong with the source."""
    return sorted(find_markers(source).markers, key=lambda marker: (marker.line, marker.column))


def dot_status(status: str) -> str:
    """Return the name that the style sheet has for a function's status."""
    return {"blocked": "broken", "not_implemented": "unimplemented"}.get(status, status)


def link_url(link: FunctionLink) -> str:
    """Return the page of a function, which for a missing one is the form to define it."""
    return reverse("function", args=[link.name])


def marker_link(marker: Marker, links: Mapping[str, FunctionLink]) -> SafeString:
    """Return the marker as a link, in today's spelling whatever it is in the code."""
    return _link(marker.name, links)


def _link(name: str, links: Mapping[str, FunctionLink]) -> SafeString:
    link = links.get(name.lower(), FunctionLink(name=name, status=MISSING))
    if link.is_missing:
        title = f"{link.name} does not exist yet: create it"
    else:
        title = f"{link.name}: {link.status.replace('_', ' ')}"
    return format_html(
        '<a class="dep" data-status="{}" href="{}" title="{}">&lt;&lt;{}&gt;&gt;</a>',
        dot_status(link.status), link_url(link), title, link.name,
    )  # fmt: skip


def _parse_marker(state: StateInline, silent: bool) -> bool:
    """Read `<<Name>>`; not inside of a link, and code never comes here."""
    name = "" if state.linkLevel else marked_name(state.src, state.pos)
    if not name:
        return False
    if not silent:
        state.push("marker", "", 0).content = name
    state.pos += len(name) + 4
    return True


def _render_marker(
    renderer: RendererHTML,  # noqa: ARG001 - markdown-it's form
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,  # noqa: ARG001
    env: EnvType,
) -> str:
    name = tokens[index].content
    links: Mapping[str, FunctionLink] | None = env["links"]
    if links is None:
        address = reverse("function", args=[name])
        return format_html('<a class="dep" href="{}">&lt;&lt;{}&gt;&gt;</a>', address, name)
    return _link(name, links)


_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_markdown.inline.ruler.before("autolink", "marker", _parse_marker)
_markdown.add_render_rule("marker", _render_marker)


def _pieces(source: str) -> Sequence[Sequence[Piece]]:
    """Split each line into coloured pieces."""
    lines: list[list[Piece]] = [[]]
    column = 0
    for kind, text in _lexer.get_tokens(source):
        css = "" if kind in PLAIN else _short_name(kind)
        first, *others = text.split("\n")
        for index, part in enumerate((first, *others)):
            if index:
                lines.append([])
                column = 0
            if part:
                lines[-1].append(Piece(column, column + len(part), css))
                column += len(part)
    return lines


def _short_name(kind: _TokenType) -> str:
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return str(STANDARD_TYPES.get(kind, ""))


def _line_parts(
    text: str, pieces: Sequence[Piece], markers: Iterable[Marker], links: Mapping[str, FunctionLink]
) -> Iterable[str]:
    """Yield the line's markup: pieces cut at the edges of markers, which are links."""
    column = 0
    for marker in markers:
        if marker.column < column or marker.end_column > len(text):
            continue  # of a draft that makes no sense, a place may be read twice
        yield from _coloured(text, pieces, column, marker.column)
        yield marker_link(marker, links)
        column = marker.end_column
    yield from _coloured(text, pieces, column, len(text))


def _coloured(text: str, pieces: Sequence[Piece], start: int, end: int) -> Iterable[str]:
    """Yield characters `start` to `end`, cut where their colour changes."""
    if not pieces:
        yield escape(text[start:end])
    for piece in pieces:
        part = text[max(start, piece.start) : min(end, piece.end)]
        if piece.end > start and piece.start < end and part:
            css = piece.css
            yield format_html('<span class="{}">{}</span>', css, part) if css else escape(part)


def markdown(text: str, links: Mapping[str, FunctionLink] | None = None) -> SafeString:
    """Return Markdown as markup of which nothing can act on the page; its markers are links.

    They say how what they lead to stands if that is in `links`, keyed by names in lower case.
    """
    markup = nh3.clean(
        _markdown.render(text, {"links": links}),
        tags=_MARKDOWN_TAGS,
        attributes={"a": {"href", "title"}},
        allowed_classes={"a": {"dep"}},
        tag_attribute_values={"a": {"data-status": _LINK_STATUSES}},
        url_schemes={"http", "https", "mailto"},
        link_rel="nofollow noopener",
    )
    return mark_safe(markup)  # noqa: S308 - cleaned in the line above


@lru_cache(maxsize=4096)
def first_paragraph(text: str) -> str:
    """Return the first paragraph of a Markdown text as plain words, for lists."""
    paragraph = re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]
    rendered = _markdown.render(paragraph, {"links": None})
    return _unescape(" ".join(nh3.clean(rendered, tags=set()).split()))


def _unescape(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


_SIGNATURE_TOKEN = re.compile(r"(->|→)|([A-Za-z_]\w*)|(.)", re.DOTALL)
_TYPE_ENDS = {",": 1, ")": 1, "=": 1}


@lru_cache(maxsize=4096)
def signature(text: str) -> SafeString:
    """Return a signature with its types set off and its arrow drawn."""
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


def duration(cpu_us: int | None) -> str:
    """Return microseconds as people read them."""
    if cpu_us is None:
        return "—"
    if cpu_us < 1_000:
        return f"{cpu_us} µs"
    if cpu_us < 10_000:
        return f"{cpu_us / 1_000:.1f} ms"
    if cpu_us < 1_000_000:
        return f"{cpu_us / 1_000:.0f} ms"
    return f"{cpu_us / 1_000_000:.1f} s"


AVATAR_HUES = 6


@lru_cache(maxsize=4096)
def person(username: str) -> SafeString:
    """Return a person's picture and name, which lead to what they wrote."""
    return format_html(
        '<a class="who" href="{}">{}{}</a>',
        reverse("person", args=[username]), avatar(username), username,
    )  # fmt: skip


@lru_cache(maxsize=1024)
def avatar(username: str, css: str = "avatar") -> SafeString:
    """Return a small symmetrical picture that is the same wherever this name appears."""
    digest = hashlib.sha256(username.lower().encode()).digest()
    squares = []
    for index in range(15):
        column, row = divmod(index, 5)
        if digest[index + 1] & 1:
            squares.append(f"M{column} {row}h1v1h-1z")
            if column < 2:  # the middle column is its own mirror image
                squares.append(f"M{4 - column} {row}h1v1h-1z")
    return format_html(
        '<svg class="{}" data-hue="{}" viewBox="0 0 5 5" shape-rendering="crispEdges"'
        ' aria-hidden="true"><path d="{}"/></svg>',
        css, digest[0] % AVATAR_HUES, "".join(squares) or "M2 2h1v1h-1z",
    )  # fmt: skip
