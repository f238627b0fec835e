"""A rendered page as its tests see it: its HTML can be searched."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from runner.sandbox.process.elements import Element, parse_html

# The parts of a page, with their types; they come from another process.
_PARTS = {"status": int, "content_type": str, "location": str, "text": str}


class Rendered:
    """A rendered page: its status, text, data, commands, content type and location."""

    def __init__(self, data: Any, commands: Any, **parts: Any) -> None:
        self.status: int = parts["status"]
        self.content_type: str = parts["content_type"]
        self.location: str = parts["location"]
        self.text: str = parts["text"]
        self.data = data
        self.commands = commands

    def select(self, css: str) -> list[Element]:
        """Return the elements that match a CSS selector, in order."""
        return self._document.select(css)

    @cached_property
    def _document(self) -> Element:
        return parse_html(self.text)

    def __repr__(self) -> str:
        return f"<page {self.status}, {len(self.text):,} characters>"


def render(page: Callable[..., Any], /, **context: Any) -> Rendered:
    """Return the page rendered with these names; it is executed in another process."""
    response = page(**context)
    parts = {name: getattr(response, name) for name in _PARTS}
    for name, kind in _PARTS.items():
        if type(parts[name]) is not kind:
            raise TypeError(f"the page's {name} is no {kind.__name__}")
    return Rendered(response.data, response.commands, **parts)
