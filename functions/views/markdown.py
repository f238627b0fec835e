"""Renders Markdown to safe markup at a bounded cost.

The cost is counted in parser steps, which are the same on every machine. A text above the limit,
which no readable text reaches, is shown as typed.
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

from functions.read_models.links import FunctionLink
from functions.sized_cache import SizedCache
from functions.source.markers import marked_name
from functions.views.markup import name_link, places_in, use_link

# Steps per text: some tens of milliseconds, four times the need of ordinary texts.
MAX_STEPS = 8_000
# Steps for all uncached texts of a page, and the number of markers that become links.
MAX_PAGE_STEPS = 40_000
MAX_PAGE_LINKS = 5_000
# The library pads short rows, so a short text can make many cells.
MAX_TABLE_CELLS = 8_000
MAX_SUMMARY_LENGTH = 500
KEPT_CHARACTERS = 32_000_000

_TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_BLOCK_RULES = ["paragraph", "reference", "blockquote", "list"]


class Prose:
    """Renders the Markdown of one page, with its links and its limit of steps."""

    def __init__(self, links: Mapping[str, FunctionLink] | None = None) -> None:
        self._links = links
        self._steps_left = MAX_PAGE_STEPS
        self._links_left = MAX_PAGE_LINKS

    def markup(self, text: str) -> SafeString:
        """Return safe markup of a text, with its markers as links.

        Above the page's limit, texts are shown as typed. Rendered texts are cached, so the next
        request gets further.
        """
        rendered = _kept.get(text)
        if rendered is None and self._steps_left > 0:
            rendered, steps = _render(text)
            self._steps_left -= steps
        parts = [*(rendered or (_as_typed(text),))]
        for place in range(1, len(parts), 2):
            parts[place] = self._link(parts[place])
        return mark_safe("".join(parts))  # noqa: S308 - cleaned or escaped where it was rendered

    def _link(self, marked: str) -> str:
        """Return what stands for a marked name, or after a sign for a name in a block of code."""
        name = marked.lstrip('="')
        shown = {"=": name, '"': f'"{name}"'}.get(marked[0], f"<<{name}>>")
        self._links_left -= 1
        if self._links_left < 0:
            return escape(shown)
        if self._links is not None:
            return (use_link if marked[0] == "=" else name_link)(name, self._links, shown=shown)
        css, address = "use" if marked[0] == "=" else "dep", reverse("function", args=[name])
        return format_html('<a class="{}" href="{}">{}</a>', css, address, shown)


def markdown(text: str, links: Mapping[str, FunctionLink] | None = None) -> SafeString:
    """Return safe markup of a single text, with its markers as links.

    The links show the status of functions in `links`, keyed by names in lower case.
    """
    return Prose(links).markup(text)


@lru_cache(maxsize=4096)
def first_paragraph(text: str) -> str:
    """Return the first paragraph of a Markdown text as plain words, for lists."""
    paragraph = re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]
    if len(paragraph) > MAX_SUMMARY_LENGTH:
        paragraph = f"{paragraph[:MAX_SUMMARY_LENGTH].rstrip()}…"
    return _unescape(" ".join(nh3.clean(markdown(paragraph), tags=set()).split()))


def _unescape(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


# --- Rendering --------------------------------------------------------------------------------

# A text's markup; every second part is a marked name.
_Parts = tuple[str, ...]
_kept: SizedCache[str, _Parts] = SizedCache(KEPT_CHARACTERS)
# Separates marked names in markup; random, so that no text can contain it.
_SEPARATOR = f"marker{secrets.token_hex(12)}"


class _TooManySteps(Exception):
    """Raised if a text takes too many steps."""


class _Count:
    """A counter of steps."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = 0

    def add_one(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise _TooManySteps


def _render(text: str) -> tuple[_Parts, int]:
    """Return a text's markup, which is cached, and the number of steps it took."""
    count = _Count()
    try:
        markup = nh3.clean(
            _markdown.render(text, {"count": count}),
            tags=_TAGS,
            attributes={"a": {"href", "title"}},
            url_schemes={"http", "https", "mailto"},
            link_rel="nofollow noopener",
        )
        # Wide code scrolls, also by keyboard.
        markup = markup.replace("<pre>", '<pre tabindex="0">')
    except (_TooManySteps, RecursionError):
        markup = _as_typed(text)
    parts = tuple(markup.split(_SEPARATOR))
    _kept.put(text, parts, len(text) + len(markup))
    return parts, count.steps


def _as_typed(text: str) -> str:
    return f"<p>{escape(text)}</p>".replace("\n", "<br>\n")


def _count_inline(state: StateInline, silent: bool) -> bool:  # noqa: ARG001 - markdown-it's form
    """Count a step of the inline parser; the first of its rules, which never matches."""
    state.env["count"].add_one()
    return False


def _count_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: ARG001
    """Count a step of the block parser."""
    state.env["count"].add_one()
    return False


def _parse_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Parse a table, unless it might have too many cells."""
    last = min(start + 1, state.lineMax - 1)
    columns = state.src[state.bMarks[last] : state.eMarks[last]].count("|") + 1
    rows = len(state.bMarks)
    return columns * rows <= MAX_TABLE_CELLS and table(state, start, end, silent)


def _parse_marker(state: StateInline, silent: bool) -> bool:
    """Parse `<<Name>>`, except within links; code never gets here."""
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
    return f"{_SEPARATOR}{tokens[index].content}{_SEPARATOR}"


def _render_code(
    renderer: RendererHTML,  # noqa: ARG001 - markdown-it's form
    tokens: Sequence[Token],
    index: int,
    options: OptionsDict,  # noqa: ARG001
    env: EnvType,  # noqa: ARG001
) -> str:
    """Return a block of code, with its markers and the uses of what they bring as links."""
    text = tokens[index].content
    parts, at = [], 0
    for place in places_in(text):
        sign = "=" if place.is_use else place.shown[:1]
        parts += [escape(text[at : place.start]), _SEPARATOR, sign + place.name, _SEPARATOR]
        at = place.end
    return f"<pre><code>{''.join(parts)}{escape(text[at:])}</code></pre>\n"


_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
_markdown.block.ruler.at("table", _parse_table, {"alt": ["paragraph", "reference"]})
_markdown.block.ruler.before("table", "count", _count_block, {"alt": _BLOCK_RULES})
_markdown.inline.ruler.before("text", "count", _count_inline)
_markdown.inline.ruler.before("autolink", "marker", _parse_marker)
_markdown.add_render_rule("marker", _render_marker)
for _rule in ("fence", "code_block"):
    _markdown.add_render_rule(_rule, _render_code)
