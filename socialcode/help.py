"""Pages of help: what people who use the site need of `docs/`."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext_noop
from markdown_it import MarkdownIt
from markdown_it.token import Token

# Titles of the pages, by the names of their files.
PAGES = {
    "guide": gettext_noop("Guide"),
    "language": gettext_noop("Language"),
    "modules": gettext_noop("Modules"),
    "javascript": gettext_noop("JavaScript"),
    "documents": gettext_noop("Documents"),
    "document-revisions": gettext_noop("Changes of documents"),
    "document-templates": gettext_noop("Templates of documents"),
    "application": gettext_noop("Build an application"),
    "pages": gettext_noop("Pages"),
    "collections": gettext_noop("Collections"),
    "document-views": gettext_noop("Document views"),
    "agents": gettext_noop("For agents"),
    "webhooks": gettext_noop("Webhooks"),
    "limits": gettext_noop("Limits"),
    "glossary": gettext_noop("Glossary"),
}
_DOCUMENT = re.compile(r"(?:\.\./)?(\w[\w-]*)\.md(#.*)?")


class Help(NamedTuple):
    """A page's markup, and the (anchor, title) of its sections."""

    markup: SafeString
    sections: tuple[tuple[str, str], ...]


@cache
def render_help(page: str, language: str) -> Help:
    """Return one of the pages, in English if there is none in this language."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(path_of(page, language).read_text("utf-8"))
    # Links lead to the same anchors in every language.
    anchors = iter(_anchors(markdown.parse(path_of(page, "").read_text("utf-8"))))
    sections = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", next(anchors))
            if token.tag == "h2":
                sections.append((str(token.attrGet("id")), _title(tokens, place)))
        token.children = _on_site(token.children or [])
    markup = markdown.renderer.render(tokens, markdown.options, {})
    # Wide code scrolls, also by keyboard.
    markup = markup.replace("<pre>", '<pre tabindex="0">')
    return Help(mark_safe(markup), tuple(sections))  # noqa: S308 - of our own documents


def path_of(page: str, language: str) -> Path:
    """Return the document of a page."""
    documents = Path(settings.BASE_DIR, "docs")
    translated = documents / language / f"{page}.md"
    return translated if language and translated.exists() else documents / f"{page}.md"


def _anchors(tokens: Sequence[Token]) -> list[str]:
    """Return the anchors of all headings."""
    return [
        slugify(_title(tokens, place))
        for place, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def _title(tokens: Sequence[Token], heading: int) -> str:
    return re.sub(r"[`*]", "", tokens[heading + 1].content)


def _on_site(parts: Iterable[Token]) -> list[Token]:
    """Return the parts without images, and with links that lead to pages of the site only."""
    shown, is_dropped = [], False
    for part in parts:
        if part.type == "link_open":
            address = _address(str(part.attrGet("href")))
            is_dropped = address is None
            part.attrSet("href", address or "")
        if part.type != "image" and not (is_dropped and part.type.startswith("link_")):
            shown.append(part)
    return shown


def _address(target: str) -> str | None:
    """Return where a link of a document leads; None if the site doesn't show that document."""
    found = _DOCUMENT.fullmatch(target)
    if found is None:
        return target
    if found[1] == "api":
        return reverse("api-1:openapi-view")
    return reverse("help", args=[found[1]]) + (found[2] or "") if found[1] in PAGES else None
