"""PURE: the text of a document: its value, its links with their places, and its faults."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn

from functions.errors import Refusal
from functions.errors import gettext as _
from functions.json_data.values import check_value
from functions.names import name_key
from functions.source.markers import Marker, Markers, check_names

MAX_DEPTH = 60
KEY, TRANSFORM, MISSING = "key", "transform", "link_missing"
TOO_LARGE = "link_too_large"  # what it leads to is left out

Path = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Link(NamedTuple):
    """A link to the document `key`, whose value the function `transform` may change first."""

    path: Path
    key: str
    transform: str = ""


class InvalidDocument(ValueError):
    """The text is no document; line and column, from 1, are where."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def parse_document(text: str) -> Any:
    """Return the value of a document. Raises InvalidDocument."""
    try:
        value = json.loads(text, object_pairs_hook=_unique_names, parse_constant=_refuse_constant)
        depth = depth_of(value)
    except json.JSONDecodeError as error:
        raise InvalidDocument(error.msg, error.lineno, error.colno) from None
    except _Unfit as unfit:
        raise InvalidDocument(unfit.message, *_place_of(text, unfit.token)) from None
    except ValueError:  # Python reads no integers of more than 4 300 digits
        raise InvalidDocument(_("a number is too large; write it as a text")) from None
    except RecursionError:
        depth = MAX_DEPTH + 1
    if depth > MAX_DEPTH:
        message = _("values are nested more than %(limit)s deep") % {"limit": MAX_DEPTH}
        raise InvalidDocument(message)
    if not isinstance(value, dict | list):
        raise InvalidDocument(_("a document is an object or a list"))
    try:
        return check_value(value, field="code")
    except Refusal as refusal:  # a number or a character that PostgreSQL doesn't store
        raise InvalidDocument(refusal.message) from None


def find_links(value: Any, path: Path = ()) -> Iterator[Link]:
    """Yield the links of a document in order."""
    if is_link(value):
        yield Link(path, value[KEY], value.get(TRANSFORM, ""))
        return
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for name, each in items:
        yield from find_links(each, (*path, name))


def replace_links(value: Any, replacements: Mapping[Link, Any]) -> Any:
    """Return a copy of a value with these in the places of its links; they are not copied."""
    if () in {link.path for link in replacements}:
        return next(iter(replacements.values()))
    found = json.loads(json.dumps(value))
    for link, replacement in replacements.items():
        *way, last = link.path
        place = found
        for each in way:
            place = place[each]
        place[last] = replacement
    return found


def missing_link(link: Link) -> dict[str, Any]:
    """Return what a link becomes while no such document is current."""
    transform = {TRANSFORM: link.transform} if link.transform else {}
    return {KEY: link.key, **transform, MISSING: True}


def is_link(value: Any) -> bool:
    """Whether a value is `{"key": "Other"}`, possibly with a transform."""
    return (
        isinstance(value, dict)
        and isinstance(value.get(KEY), str)
        and value.keys() <= {KEY, TRANSFORM, MISSING}
        and isinstance(value.get(TRANSFORM, ""), str)
    )


def find_markers(text: str) -> Markers:
    """Return the names that a document's links name; none if its text is invalid.

    A linked document may be missing; a transform may not.
    """
    try:
        parse_document(text)
    except InvalidDocument:
        return Markers((), ())
    scanner = _Scanner(text)
    scanner.scan()
    needed = {name_key(each.name) for each in scanner.found if not each.is_optional}
    return check_names(
        replace(each, is_optional=name_key(each.name) not in needed) for each in scanner.found
    )


@dataclass
class _Scanner:
    """Finds the links of a valid document in its text."""

    text: str
    found: list[Marker] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._tokens = list(_TOKEN.finditer(self.text))
        self._at = 0

    def scan(self) -> None:
        """Scan the value at this token."""
        opening = self._next()
        if opening == "{":
            self._scan_object()
        elif opening == "[":
            while self._peek() != "]":
                self.scan()
                self._skip(",")
            self._next()

    def _scan_object(self) -> None:
        texts: dict[str, int] = {}  # token numbers of members that are texts
        names = set[str]()
        before = len(self.found)
        while self._peek() != "}":
            name = json.loads(self._next())
            self._skip(":")
            names.add(name)
            if self._peek().startswith('"'):
                texts[name] = self._at
            self.scan()
            self._skip(",")
        self._next()
        is_a_link = KEY in texts and names <= {KEY, TRANSFORM, MISSING}
        if is_a_link and (TRANSFORM in texts) == (TRANSFORM in names):
            del self.found[before:]
            for member in (KEY, TRANSFORM):
                if member in texts:
                    self._add(texts[member], is_optional=member == KEY)

    def _add(self, token: int, *, is_optional: bool) -> None:
        found = self._tokens[token]
        start, end = found.span()
        line = self.text.count("\n", 0, start) + 1
        begin = self.text.rfind("\n", 0, start) + 1
        spelled = found.group()
        place = (line, start - begin, end - begin)
        self.found.append(Marker(json.loads(spelled), *place, spelled, is_optional))

    def _peek(self) -> str:
        return self._tokens[self._at].group()

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1].group()

    def _skip(self, punctuation: str) -> None:
        if self._peek() == punctuation:
            self._at += 1


class _Unfit(ValueError):
    """JSON that Python reads, but that is refused; `token` is where."""

    def __init__(self, message: str, token: str) -> None:
        super().__init__(message)
        self.message, self.token = message, token


def _unique_names(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        names = [name for name, _value in members]
        twice = next(name for name in names if names.count(name) > 1)
        message = _("the name %(name)s occurs twice in one object") % {"name": json.dumps(twice)}
        raise _Unfit(message, json.dumps(twice))
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise _Unfit(_("%(name)s is not JSON") % {"name": name}, name)


def depth_of(value: Any) -> int:
    """Return how deeply values are nested; 0 for a text or a number."""
    level, depth = [value], 0
    while level := [
        each
        for one in level
        if isinstance(one, dict | list)
        for each in (one.values() if isinstance(one, dict) else one)
    ]:
        depth += 1
    return depth


def _place_of(text: str, token: str) -> tuple[int, int]:
    """Return line and column, from 1, of the last time that this token occurs."""
    at = max(text.rfind(token), 0)
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
