"""CSS selectors, as functions that say whether an element matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NoReturn, Protocol

_NAME = r"(?:[\w-]|[^\x00-\x7f]|\\.)+"
_TYPE = re.compile(rf"\*|{_NAME}")
_CLASS_OR_ID = re.compile(rf"([.#])({_NAME})")
_ATTRIBUTE = re.compile(
    rf"""\[\s*({_NAME})\s*
    (?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|({_NAME}))\s*([iIsS])?\s*)?\]""",
    re.VERBOSE,
)
_PSEUDO = re.compile(r":([a-z-]+)(\()?")
_COMBINATOR = re.compile(r"\s*([>+~])\s*|\s+")
_NTH = re.compile(r"\s*(?:(odd|even)|([+-]?\d*)n\s*(?:([+-])\s*(\d+))?|([+-]?\d+))\s*")
_SPACES = re.compile(r"\s*")
_CONTROLS = frozenset({"button", "input", "select", "textarea", "fieldset", "option"})


class Node(Protocol):
    """An element, as far as selectors see it."""

    @property
    def tag(self) -> str: ...
    @property
    def attributes(self) -> dict[str, str]: ...
    @property
    def parent(self) -> Any: ...
    @property
    def elements(self) -> Sequence[Any]: ...
    @property
    def children(self) -> Sequence[Any]: ...
    def descendants(self) -> Iterator[Any]: ...


Matches = Callable[[Node], bool]


@lru_cache(maxsize=256)
def parse_selector(css: str) -> Matches:
    """Return the function of a selector, or of several with commas. Raises ValueError."""
    parser = _Parser(css)
    matches = parser.parse_list()
    if parser.at < len(css):
        parser.refuse()
    return matches


class _Parser:
    def __init__(self, css: str) -> None:
        self.css = css
        self.at = 0

    def parse_list(self) -> Matches:
        """Parse selectors with commas between them, up to a closing bracket or the end."""
        found = [self._parse_complex()]
        while self.css.startswith(",", self.at):
            self.at += 1
            found.append(self._parse_complex())
        return lambda element: any(matches(element) for matches in found)

    def refuse(self, why: str = "") -> NoReturn:
        """Raise ValueError for what is at this place."""
        rest = self.css[self.at : self.at + 20] or "the end"
        raise ValueError(f"{why or 'no CSS selector'}, at `{rest}` in `{self.css[:100]}`")

    def _parse_complex(self) -> Matches:
        self._take(_SPACES)
        matches = self._parse_compound()
        while (found := _COMBINATOR.match(self.css, self.at)) is not None:
            if found.end() == len(self.css) or self.css[found.end()] in ",)":
                if found[1]:
                    self.refuse()
                self.at = found.end()
                break
            self.at = found.end()
            matches = _combine(found[1] or " ", matches, self._parse_compound())
        return matches

    def _parse_compound(self) -> Matches:
        parts: list[Matches] = []
        begin = self.at
        if found := self._take(_TYPE):
            tag = _plain(found[0]).lower()
            parts += [] if tag == "*" else [lambda element: element.tag == tag]
        while part := self._parse_simple():
            parts.append(part)
        if self.at == begin:
            self.refuse()
        return lambda element: all(matches(element) for matches in parts)

    def _parse_simple(self) -> Matches | None:
        if found := self._take(_CLASS_OR_ID):
            name = _plain(found[2])
            if found[1] == "#":
                return lambda element: element.attributes.get("id") == name
            return lambda element: name in element.attributes.get("class", "").split()
        if found := self._take(_ATTRIBUTE):
            return _attribute(found)
        if found := self._take(_PSEUDO):
            return self._parse_pseudo(found[1], has_argument=bool(found[2]))
        return None

    def _parse_pseudo(self, name: str, *, has_argument: bool) -> Matches:
        if not has_argument:
            if name not in _PSEUDOS:
                self.refuse(f"`:{name}` isn't known here")
            return _PSEUDOS[name]
        if name in _NTHS:
            matches = self._parse_nth(name)
        elif name in {"not", "is", "where", "has"}:
            matches = _of_list(name, self.parse_list())
        else:
            self.refuse(f"`:{name}()` isn't known here")
        if not self.css.startswith(")", self.at):
            self.refuse()
        self.at += 1
        return matches

    def _parse_nth(self, name: str) -> Matches:
        found = self._take(_NTH)
        if not found:
            self.refuse()
        word, step, sign, offset, only = found.groups()
        every, first = 0, 0
        if word:
            every, first = 2, int(word == "odd")
        elif only:
            first = int(only)
        else:
            every = int(f"{step}1") if step in {"", "+", "-"} else int(step)
            first = int(f"{sign}{offset}") if offset else 0
        return lambda element: _is_nth(_NTHS[name](element), every, first)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.css, self.at)
        self.at = found.end() if found else self.at
        return found


def _plain(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def _combine(combinator: str, left: Matches, right: Matches) -> Matches:
    places = _PLACES[combinator]
    return lambda element: right(element) and any(left(each) for each in places(element))


def _attribute(found: re.Match[str]) -> Matches:
    name, operator = _plain(found[1]).lower(), found[2]
    ignores_case = (found[6] or "").lower() == "i"
    wanted = next((part for part in found.group(3, 4) if part is not None), _plain(found[5] or ""))
    wanted = wanted.lower() if ignores_case else wanted

    def matches(element: Node) -> bool:
        value = element.attributes.get(name)
        if value is None or not operator:
            return value is not None
        return _OPERATORS[operator](value.lower() if ignores_case else value, wanted)

    return matches


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
}


def _of_list(name: str, matches: Matches) -> Matches:
    if name == "not":
        return lambda element: not matches(element)
    if name == "has":
        return lambda element: any(map(matches, element.descendants()))
    return matches


# --- places ---------------------------------------------------------------------------------------


def _ancestors(element: Node) -> Iterator[Node]:
    while element.parent is not None and element.parent.tag:
        element = element.parent
        yield element


def _siblings(element: Node, *, same_tag: bool = False) -> list[Node]:
    around = element.parent.elements if element.parent is not None else [element]
    return [each for each in around if not same_tag or each.tag == element.tag]


def _before(element: Node) -> list[Node]:
    siblings = _siblings(element)
    return siblings[: _index(siblings, element)][::-1]


def _index(siblings: Sequence[Node], element: Node) -> int:
    return next(index for index, each in enumerate(siblings) if each is element)


_PLACES: dict[str, Callable[[Node], Any]] = {
    " ": _ancestors,
    ">": lambda element: [*_ancestors(element)][:1],
    "+": lambda element: _before(element)[:1],
    "~": _before,
}


def _number(*, same_tag: bool = False, from_end: bool = False) -> Callable[[Node], int]:
    def number(element: Node) -> int:
        siblings = _siblings(element, same_tag=same_tag)
        return _index(siblings[::-1] if from_end else siblings, element) + 1

    return number


def _is_nth(number: int, every: int, first: int) -> bool:
    if not every:
        return number == first
    return (number - first) % every == 0 and (number - first) // every >= 0


_NTHS = {
    "nth-child": _number(),
    "nth-last-child": _number(from_end=True),
    "nth-of-type": _number(same_tag=True),
    "nth-last-of-type": _number(same_tag=True, from_end=True),
}
_PSEUDOS: dict[str, Matches] = {
    "first-child": lambda element: _NTHS["nth-child"](element) == 1,
    "last-child": lambda element: _NTHS["nth-last-child"](element) == 1,
    "only-child": lambda element: len(_siblings(element)) == 1,
    "first-of-type": lambda element: _NTHS["nth-of-type"](element) == 1,
    "last-of-type": lambda element: _NTHS["nth-last-of-type"](element) == 1,
    "empty": lambda element: not element.children,
    "root": lambda element: element.parent is not None and not element.parent.tag,
    "checked": lambda element: not {"checked", "selected"}.isdisjoint(element.attributes),
    "disabled": lambda element: "disabled" in element.attributes,
    "enabled": lambda element: element.tag in _CONTROLS and "disabled" not in element.attributes,
    "required": lambda element: "required" in element.attributes,
}
