"""The query language over JSON values: `?address.zipcode=54321&price__lt=10&order=-price`.

A path names members of objects, from the outside in; a list on the way stands for all of its
elements. A condition holds if it holds for one of the values at its path.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from functions.errors import Refusal
from functions.errors import gettext as _

MAX_CONDITIONS = 20
MAX_DEPTH = 10
MAX_ORDERS = 3
MAX_LITERALS = 100
MAX_NAME_LENGTH = 200
MAX_VALUE_LENGTH = 1_000
MAX_CURSOR_LENGTH = 6_000
MAX_LIMIT = 100
DEFAULT_LIMIT = 50
MAX_SORTED_CHARACTERS = 200  # of a text; the id decides between texts that begin alike
MAX_ID = 2**63 - 1
RANKS = 4  # of sort keys: numbers, texts, booleans, none
ID = ("_id",)  # the path by which `order` means the row's id

Path = tuple[str, ...]
Literal = str | Decimal | bool | None

_SEGMENT = r'(?:"(?:[^"\\]|\\.)*"|[^".]+?)'
_NAME = re.compile(rf"(?P<path>{_SEGMENT}(?:\.{_SEGMENT})*?)(?:__(?P<operator>[a-z]+))?")
_SEGMENTS = re.compile(r'"(?:[^"\\]|\\.)*"|[^".]+')
_LISTED = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^,]*?)\s*(?:,|$)')
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_PLAIN_NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?")
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_WORDS: dict[str, Literal] = {"true": True, "false": False, "null": None}


class Operator(StrEnum):
    """How a condition compares; the values are the suffixes of parameters."""

    EQUAL = "eq"
    NOT_EQUAL = "ne"
    LESS = "lt"
    AT_MOST = "lte"
    GREATER = "gt"
    AT_LEAST = "gte"
    IN = "in"
    EXISTS = "exists"
    CONTAINS = "contains"


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of the values at a path with any of the literals.

    `EXISTS` has one literal, whether there is to be a value; `CONTAINS` has one text.
    """

    path: Path
    operator: Operator
    literals: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """An order by the first number, text or boolean at a path."""

    path: Path
    is_descending: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """Conditions that all hold, an order, and a page; `after` is the position of its cursor."""

    conditions: tuple[Condition, ...] = ()
    orders: tuple[Order, ...] = ()
    limit: int = DEFAULT_LIMIT
    after: tuple[Any, ...] = ()


class BadQuery(Refusal):
    """The query can't be understood; `field` is the parameter."""

    status = 400


def parse_query(parameters: Iterable[tuple[str, str]]) -> Query:
    """Return the query of these parameters of an address. Raises BadQuery."""
    conditions: list[Condition] = []
    settings: dict[str, str] = {}
    for name, value in parameters:
        _check_lengths(name, value)
        if name in ("order", "limit", "cursor"):
            settings[name] = value
        else:
            conditions.append(parse_condition(name, value))
    if len(conditions) > MAX_CONDITIONS:
        message = _("A query has at most %(limit)s conditions; remove some.")
        raise BadQuery("too_many_conditions", message % {"limit": MAX_CONDITIONS})
    orders = _parse_orders(settings.get("order", ""))
    cursor = settings.get("cursor", "")
    return Query(
        conditions=tuple(conditions),
        orders=orders,
        limit=_parse_limit(settings["limit"]) if "limit" in settings else DEFAULT_LIMIT,
        after=_decode_cursor(cursor, orders) if cursor else (),
    )


def parse_condition(name: str, value: str) -> Condition:
    """Return the condition of a parameter. Raises BadQuery."""
    found = _NAME.fullmatch(name)
    if found is None:
        message = _(
            "This is not a path. Write names with dots between them, as in address.zipcode, and "
            'names with other characters in double quotes, as in "first.name".'
        )
        raise BadQuery("invalid_path", message, field=name)
    path = _parse_path(found["path"], name)
    try:
        operator = Operator(found["operator"] or "eq")
    except ValueError as error:
        message = _(
            "There is no operator %(operator)s; there are %(operators)s. If it belongs to the "
            "name, put the name in double quotes."
        )
        listed = ", ".join(f"__{each}" for each in Operator)
        message %= {"operator": f"__{found['operator']}", "operators": listed}
        raise BadQuery("unknown_operator", message, field=name) from error
    return Condition(path, operator, _parse_literals(operator, name, value))


def encode_cursor(query: Query, position: Iterable[Any]) -> str:
    """Return the cursor of a row's position, as `query_sql.render` selects it."""
    place = json.dumps([_fingerprint(query.orders), *position], separators=(",", ":"))
    return base64.urlsafe_b64encode(place.encode()).decode().rstrip("=")


def _check_lengths(name: str, value: str) -> None:
    longest = MAX_CURSOR_LENGTH if name == "cursor" else MAX_VALUE_LENGTH
    if len(name) > MAX_NAME_LENGTH or len(value) > longest:
        message = _("A path has at most %(path)s characters, and a value %(value)s.")
        message %= {"path": MAX_NAME_LENGTH, "value": MAX_VALUE_LENGTH}
        raise BadQuery("too_long", message, field=name[:MAX_NAME_LENGTH])
    if _UNSTORABLE.search(name + value):
        message = _("No stored text has NUL or half of a character; remove it.")
        raise BadQuery("invalid_character", message)


def _parse_path(text: str, field: str) -> Path:
    path = tuple(_unquoted(segment, field) for segment in _SEGMENTS.findall(text))
    if len(path) > MAX_DEPTH:
        message = _("A path has at most %(limit)s names.") % {"limit": MAX_DEPTH}
        raise BadQuery("too_deep", message, field=field)
    return path


def _unquoted(text: str, field: str) -> str:
    """Return the text that this is in double quotes, or else this text."""
    if not (len(text) > 1 and text[0] == text[-1] == '"'):
        return text
    try:
        unquoted = str(json.loads(text))
    except ValueError as error:
        message = _('A text in double quotes is written as in JSON: \\" for a quote.')
        raise BadQuery("invalid_value", message, field=field) from error
    _check_lengths("", unquoted)
    return unquoted


def _parse_literals(operator: Operator, field: str, value: str) -> tuple[Literal, ...]:
    match operator:
        case Operator.EXISTS:
            if value not in ("true", "false"):
                raise BadQuery("invalid_value", _("Write true or false."), field=field)
            return (value == "true",)
        case Operator.CONTAINS:
            if not value:
                message = _("Write the text that is to be contained.")
                raise BadQuery("invalid_value", message, field=field)
            return (_unquoted(value, field),)
        case Operator.IN:
            texts = _listed(value)
            if len(texts) > MAX_LITERALS:
                message = _("A list has at most %(limit)s values.") % {"limit": MAX_LITERALS}
                raise BadQuery("too_many_conditions", message, field=field)
            return tuple(form for text in texts for form in _forms(text, field))
        case Operator.EQUAL | Operator.NOT_EQUAL:
            return _forms(value, field)
    return tuple(form for form in _forms(value, field) if isinstance(form, str | Decimal))


def _listed(text: str) -> list[str]:
    """Return the texts between commas; those in double quotes may have commas."""
    found, start = [], 0
    while start <= len(text):
        part = _LISTED.match(text, start)
        if part is None:  # something after a closing quote
            return text.split(",")
        found.append(part[1])
        if part.end() == len(text) and not part[0].endswith(","):
            break
        start = part.end()
    return found


def _forms(text: str, field: str) -> tuple[Literal, ...]:
    """Return the values that a text may mean: 5 is a number, or the text; "5" is only the text."""
    unquoted = _unquoted(text, field)
    if unquoted != text:
        return (unquoted,)
    if text in _WORDS:
        return (_WORDS[text], text)
    if _NUMBER.fullmatch(text):
        return (Decimal(text), text)
    return (text,)


def _parse_orders(text: str) -> tuple[Order, ...]:
    if not text:
        return ()
    orders = []
    for part in _listed(text):
        name = part.removeprefix("-")
        found = _NAME.fullmatch(name)
        if found is None or found["operator"]:
            message = _("Order by paths, as in -price,name; a minus begins with the greatest.")
            raise BadQuery("invalid_order", message, field="order")
        orders.append(Order(_parse_path(name, "order"), part.startswith("-")))
    if len(orders) > MAX_ORDERS:
        message = _("A query has at most %(limit)s orders.") % {"limit": MAX_ORDERS}
        raise BadQuery("too_many_conditions", message, field="order")
    return tuple(orders)


def _parse_limit(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and int(text)):
        message = _("The limit is a whole number from 1; at most %(limit)s are returned.")
        raise BadQuery("invalid_value", message % {"limit": MAX_LIMIT}, field="limit")
    return min(int(text), MAX_LIMIT)


def _fingerprint(orders: tuple[Order, ...]) -> str:
    """Return what tells a cursor of this order from cursors of others."""
    listed = json.dumps([[order.path, order.is_descending] for order in orders])
    return hashlib.sha256(listed.encode()).hexdigest()[:8]


def _decode_cursor(text: str, orders: tuple[Order, ...]) -> tuple[Any, ...]:
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        fingerprint, *position = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (UnicodeError, binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise _bad_cursor() from error
    if fingerprint != _fingerprint(orders) or not _is_position(position, orders):
        raise _bad_cursor()
    return tuple(position)


def _is_position(position: list[Any], orders: tuple[Order, ...]) -> bool:
    """Return whether these are sort keys of this order, and an id."""
    keys, id_ = position[:-1], position[-1] if position else None
    sorted_by = [order for order in orders if order.path != ID]
    return (
        type(id_) is int
        and 0 <= id_ <= MAX_ID
        and len(keys) == len(sorted_by)
        and all(map(_is_sort_key, keys))
    )


def _is_sort_key(key: Any) -> bool:
    match key:
        case [int(rank), str(number), str(text)]:
            return (
                rank in range(RANKS)
                and _PLAIN_NUMBER.fullmatch(number) is not None
                and len(text) <= MAX_SORTED_CHARACTERS
                and not _UNSTORABLE.search(text)
            )
    return False


def _bad_cursor() -> BadQuery:
    message = _("This cursor does not belong to this list; start again without one.")
    return BadQuery("invalid_cursor", message, field="cursor")
