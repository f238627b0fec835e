"""MkDocs' hooks: pages from outside `docs/`, the list of decisions, links to sources, anchors."""

import posixpath
import re
from pathlib import Path

from django.utils.text import slugify
from markdown_it import MarkdownIt
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# Beside `docs/` in the tree, and pages of the site.
FROM_THE_TOP = ("CHANGELOG.md", "SECURITY.md")
STYLES = "site.css"
TRANSLATED = "de/"
LINK = re.compile(r"\[([^\]\n]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
# Characters of inline markup, which anchors leave out.
MARKUP = re.compile(r"[`*]")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages from outside, and a page that lists all decisions."""
    documents = Path(config.docs_dir)
    for name in FROM_THE_TOP:
        files.append(File.generated(config, name, abs_src_path=str(documents.parent / name)))
    files.append(File.generated(config, STYLES, abs_src_path=str(Path(__file__).with_name(STYLES))))
    decisions = sorted(documents.glob("decisions/[0-9]*.md"))
    lines = [f"- [{_title(decision)}]({decision.name})" for decision in decisions]
    content = "\n".join(["# Decisions", "", *lines, ""])
    files.append(File.generated(config, "decisions/README.md", content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to pages of the site, or nowhere; give translated headings their anchors."""
    source = page.file.src_uri
    if source.startswith(TRANSLATED):
        original = Path(config.docs_dir, source.removeprefix(TRANSLATED))
        markdown = _with_anchors(markdown, original.read_text("utf-8"))
    folder = posixpath.dirname(source)

    def replace(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        if "://" in target:
            return found[0]
        path = _page_at(posixpath.normpath(posixpath.join(folder, target)), files)
        return f"[{text}]({posixpath.relpath(path, folder or '.')}{anchor})" if path else text

    return LINK.sub(replace, markdown)


def _page_at(path: str, files: Files) -> str | None:
    """Return the page or picture that a path from `docs/` leads to; None for other files."""
    path = path.removeprefix("../")
    return next((one for one in (path, f"{path}/README.md") if one in files.src_uris), None)


def _with_anchors(markdown: str, original: str) -> str:
    """Give each heading the anchor of the original's, to which links lead in every language."""
    lines, originals = markdown.split("\n"), original.split("\n")
    for line, its in zip(_headings(markdown), _headings(original), strict=True):
        anchor = slugify(MARKUP.sub("", originals[its].lstrip("# ")))
        lines[line] += f" {{#{anchor}}}"
    return "\n".join(lines)


def _headings(markdown: str) -> list[int]:
    """Return the lines of all headings, from 0."""
    tokens = MarkdownIt("commonmark").parse(markdown)
    return [token.map[0] for token in tokens if token.type == "heading_open" and token.map]


def _title(decision: Path) -> str:
    with decision.open(encoding="utf-8") as lines:
        return next(lines).lstrip("# ").strip()
