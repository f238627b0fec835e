"""Elements of HTML, as tests find them in a page."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from runner.sandbox.process.selectors import parse_selector

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_UNSEEN = frozenset({"script", "style", "template", "title"})
_BLOCKS = frozenset(
    """
    address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6
    header hr main nav ol p pre section table ul
    """.split()
)
_CELLS = frozenset({"td", "th"})
# Open elements that end when another one begins, as far as no element in `_WITHIN` is between.
_ENDED_BY = {
    "p": _BLOCKS,
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option", "optgroup"}),
    "optgroup": frozenset({"optgroup"}),
    "td": _CELLS | {"tr", "tbody", "tfoot"},
    "th": _CELLS | {"tr", "tbody", "tfoot"},
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "thead": frozenset({"tbody", "tfoot"}),
    "tbody": frozenset({"tbody", "tfoot"}),
}
_WITHIN = frozenset({"ul", "ol", "dl", "table", "select", "button"})


class Element:
    """An element, with its attributes by name; `children` are elements and texts."""

    __slots__ = ("attributes", "children", "parent", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], parent: Element | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Element | str] = []

    @property
    def text(self) -> str:
        """The visible text within, with single spaces."""
        return " ".join("".join(self._texts(is_seen=self.tag in _UNSEEN)).split())

    @property
    def elements(self) -> list[Element]:
        """The elements directly within."""
        return [child for child in self.children if isinstance(child, Element)]

    def select(self, css: str) -> list[Element]:
        """Return the elements within that match a CSS selector, in order."""
        matches = parse_selector(css)
        return [element for element in self.descendants() if matches(element)]

    def descendants(self) -> Iterator[Element]:
        """Yield all elements within, in order."""
        pending = self.elements[::-1]
        while pending:
            element = pending.pop()
            yield element
            pending += element.elements[::-1]

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return an attribute, or the default if there is none."""
        return self.attributes.get(name, default)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def __repr__(self) -> str:
        attributes = "".join(f' {name}="{value}"' for name, value in self.attributes.items())
        return f"<{self.tag}{attributes}>"

    def _texts(self, *, is_seen: bool = False) -> Iterator[str]:
        pending: list[Element | str] = [self]
        while pending:
            part = pending.pop()
            if isinstance(part, str):
                yield part
                continue
            if part.tag == "br" or part.tag in _BLOCKS or part.tag in _ENDED_BY:
                yield " "
            if part is self or is_seen or part.tag not in _UNSEEN:
                pending += part.children[::-1]


def parse_html(text: str) -> Element:
    """Return the root of a document, which has no tag."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    return parser.root


class _Parser(HTMLParser):
    """Builds elements; ends those whose end tags HTML lets one leave out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self._open = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_implied(tag)
        element = Element(tag, {}, self._open)
        for name, value in attrs:  # of two with one name, the first
            element.attributes.setdefault(name, value or "")
        self._open.children.append(element)
        if tag not in _VOID:
            self._open = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Treat `<br/>` as `<br>`."""
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        element: Element | None = self._open
        while element is not None and element.tag != tag:
            element = element.parent
        if element is not None and element.parent is not None:
            self._open = element.parent

    def handle_data(self, data: str) -> None:
        self._open.children.append(data)

    def _end_implied(self, tag: str) -> None:
        element: Element | None = self._open
        while element is not None and element.tag not in _WITHIN:
            if tag in _ENDED_BY.get(element.tag, ()) and element.parent is not None:
                self._open = element.parent
            element = element.parent
