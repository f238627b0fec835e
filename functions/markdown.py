"""Markdown as it is shown: markup of which nothing can act on the page, at a bounded cost.

What a text costs is counted in steps: places that the parser looks at, cells of tables and
markers. They are the same at each time and on each machine. A text that takes more of them than
anything that is meant to be read is shown as it was typed.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache

import nh3
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from functions.markup import name_link
from functions.read_models.links import FunctionLink
from functions.sized_cache import SizedCache
from functions.source.markers import marked_name

# What one text may take: some tens of milliseconds. What is written to be read takes a quarter.
MOST_STEPS = 8_000
# What those of a page may take that were not rendered before, and how many markers are links.
MOST_STEPS_OF_PAGE = 40_000
MOST_LINKS_OF_PAGE = 5_000
# The library fills up rows that are too short: few characters make many cells.
MOST_CELLS = 8_000
LONGEST_SUMMARY = 500
KEPT_CHARACTERS = 32_000_000

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_BLOCK_RULES = ["paragraph", "reference", "blockquote", "list"]


class Prose:
    """The Markdown of one page: its links, and what it may take together."""

    def __init__(self, links: Mapping[str, FunctionLink] | None = None) -> None:
        self._links = links
        self._steps_left = MOST_STEPS_OF_PAGE
        self._links_left = MOST_LINKS_OF_PAGE

    def markup(self, text: str) -> SafeString:
        """Return Markdown as markup of which nothing can act on the page; its markers are links.

        A page that has taken too many steps shows what is left as it was typed, until it is read
        again: what was rendered is kept.
        """
        rendered = _kept.get(text)
        if rendered is None and self._steps_left > 0:
            rendered, steps = _render(text)
            self._steps_left -= steps
        parts = [*(rendered or (_as_typed(text),))]
        for place in range(1, len(parts), 2):
            parts[place] = self._link(parts[place])
        return mark_safe("".join(parts))  # noqa: S308 - cleaned or escaped where it was rendered

    def _link(self, name: str) -> str:
        self._links_left -= 1
        if self._links_left < 0:
            return f"&lt;&lt;{name}&gt;&gt;"
        if self._links is not None:
            return name_link(name, self._links)
        address = reverse("function", args=[name])
        return format_html('<a class="dep" href="{}">&lt;&lt;{}&gt;&gt;</a>', address, name)


def markdown(text: str, links: Mapping[str, FunctionLink] | None = None) -> SafeString:
    """Return a single text of a page as markup; its markers are links.

    They say how what they lead to stands if that is in `links`, keyed by names in lower case.
    """
    return Prose(links).markup(text)


@lru_cache(maxsize=4096)
def first_paragraph(text: str) -> str:
    """Return the first paragraph of a Markdown text as plain words, for lists."""
    paragraph = re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]
    if len(paragraph) > LONGEST_SUMMARY:
        paragraph = f"{paragraph[:LONGEST_SUMMARY].rstrip()}…"
    return _unescape(" ".join(nh3.clean(markdown(paragraph), tags=set()).split()))


def _unescape(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


# --- Rendering --------------------------------------------------------------------------------

# A text's markup; every second part is a name that is marked.
_Parts = tuple[str, ...]
_kept: SizedCache[str, _Parts] = SizedCache(KEPT_CHARACTERS)
# Stands in markup around a name that is marked; nobody can write what nobody knows.
_SEAM = f"marker{secrets.token_hex(12)}"


class _TooDear(Exception):
    """A text takes more steps than it may."""


class _Count:
    """The steps that were taken for a text."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add_one(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise _TooDear


def _render(text: str) -> tuple[_Parts, int]:
    """Return a text's markup, which is kept, and how many steps it took."""
    count = _Count()
    try:
        markup = nh3.clean(
            _markdown.render(text, {"count": count}),
            tags=_TAGS,
            attributes={"a": {"href", "title"}},
            url_schemes={"http", "https", "mailto"},
            link_rel="nofollow noopener",
        )
    except (_TooDear, RecursionError):
        markup = _as_typed(text)
    parts = tuple(markup.split(_SEAM))
    _kept.put(text, parts, len(text) + len(markup))
    return parts, count.steps


def _as_typed(text: str) -> str:
    return f"<p>{escape(text)}</p>".replace("\n", "<br>\n")


def _count_inline(state: StateInline, silent: bool) -> bool:  # noqa: ARG001 - markdown-it's form
    """Count a place that the parser looks at; the first of its rules, and never one that fits."""
    state.env["count"].add_one()
    return False


def _count_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """Do the same with a line."""
    state.env["count"].add_one()
    return False


def _parse_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table, unless it could have too many cells; all those of a text then have no more."""
    last = min(start + 1, state.lineMax - 1)
    columns = state.src[state.bMarks[last] : state.eMarks[last]].count("|") + 1
    rows = len(state.bMarks)
    return columns * rows <= MOST_CELLS and table(state, start, end, silent)


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
    env: EnvType,  # noqa: ARG001
) -> str:
    return f"{_SEAM}{tokens[index].content}{_SEAM}"


_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_markdown.block.ruler.at("table", _parse_table, {"alt": ["paragraph", "reference"]})
_markdown.block.ruler.before("table", "count", _count_block, {"alt": _BLOCK_RULES})
_markdown.inline.ruler.before("text", "count", _count_inline)
_markdown.inline.ruler.before("autolink", "marker", _parse_marker)
_markdown.add_render_rule("marker", _render_marker)
