"""What a function's page shows, element by element: a watched page must equal a reloaded one."""

import difflib
import time
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Page, expect

from tests.patience import PATIENCE_SECONDS

# One line for each element of the page: its place, name, attributes and own text. Left out are the
# log, whose lines are written as they come, what the reader chose (the inspected square, the tab
# stop), tokens, and how long ago something was.
_READ = """
() => {
  const skipped =
    '#log, [data-presence], .conn, .inspect, time, [name=csrfmiddlewaretoken], [data-announce]';
  const ignored = new Set(['tabindex', 'aria-current', 'style']);
  const lines = [];
  const read = (element, depth) => {
    if (element.matches(skipped)) return;
    const attributes = [...element.attributes]
      .filter(({ name }) => !ignored.has(name))
      .map(({ name, value }) => `${name}=${value}`)
      .sort();
    const text = [...element.childNodes]
      .filter(node => node.nodeType === Node.TEXT_NODE)
      .map(node => node.data.trim().replace(/\\s+/g, ' '))
      .filter(Boolean);
    lines.push('  '.repeat(depth) + [element.localName, ...attributes, ...text].join(' '));
    for (const child of element.children) read(child, depth + 1);
  };
  read(document.querySelector('main'), 0);
  return lines;
}
"""


def read_page(page: Page) -> list[str]:
    """Return what the page shows."""
    lines: list[str] = page.evaluate(_READ)
    return lines


def show_held(page: Page) -> None:
    """Press all buttons that show what was held back, as far as these are there by then."""
    page.evaluate("[...document.querySelectorAll('[data-show]:not([hidden])')].map(b => b.click())")


def becomes_like_reloaded(page: Page, other: Page) -> str:
    """Wait until a watched page equals the same page loaded anew; return what differs, or nothing.

    `other` is another page of the same reader's browser. The site must be quiet.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        show_held(page)
        page.wait_for_timeout(500)
        _load_like(page, other)
        differences = difflib.unified_diff(
            read_page(page), read_page(other), "watched", "reloaded", n=2, lineterm=""
        )
        found = "\n".join(differences)
        if not found or time.monotonic() > deadline:
            return found


def _load_like(page: Page, other: Page) -> None:
    """Load the page with the same cards open."""
    cards: list[str] = page.evaluate(
        "[...document.querySelectorAll('.card:has(> .card-code)')].map(card => card.id)"
    )
    path = urlsplit(page.url)._replace(query=urlencode({"open": ",".join(cards)}), fragment="")
    other.goto(path.geturl())
    expect(other.locator("#results-panel .conn")).to_have_text("Live")
