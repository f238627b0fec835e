"""The page that lists current documents, and finds them by their values."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from functions.json_data.query import (
    MAX_CONDITIONS,
    BadQuery,
    Operator,
    Path,
    parse_condition,
    parse_query,
)
from functions.json_data.query_match import values_at
from functions.read_models.document_search import (
    FoundDocument,
    FoundDocuments,
    search_documents,
)

OPERATORS = {
    Operator.EQUAL: gettext_noop("is"),
    Operator.NOT_EQUAL: gettext_noop("is not"),
    Operator.LESS: gettext_noop("is less than"),
    Operator.AT_MOST: gettext_noop("is at most"),
    Operator.GREATER: gettext_noop("is greater than"),
    Operator.AT_LEAST: gettext_noop("is at least"),
    Operator.IN: gettext_noop("is one of"),
    Operator.CONTAINS: gettext_noop("contains the text"),
    Operator.EXISTS: gettext_noop("exists (true or false)"),
}
# Names of the form's inputs; members with such names are found by writing them in double quotes.
PATH, OPERATOR, VALUE = "filter-path", "filter-operator", "filter-value"
COLUMNS = "columns"
SETTINGS = ("order", "limit", "cursor", COLUMNS)
DEFAULT_COLUMNS = 4
MAX_COLUMNS = 8
MAX_CHARACTERS = 120  # of a value in the table
_NOTHING = FoundDocuments(rows=(), next=None)

Parameters = list[tuple[str, str]]


class Filter(NamedTuple):
    """A condition as the form shows it."""

    path: str
    operator: str
    value: str


class Column(NamedTuple):
    """A member that the table shows; `url` orders by it."""

    name: str
    path: Path
    url: str
    direction: str  # the value of aria-sort, or empty


@require_safe
def find_documents(request: HttpRequest) -> HttpResponse:
    """List the documents that the address describes; what the form sends becomes an address."""
    parameters = [(name, value) for name, values in request.GET.lists() for value in values]
    if request.GET.keys() & {PATH, OPERATOR, VALUE}:
        return redirect(_address(_from_form(request)))
    found, fault = _NOTHING, ""
    try:
        found = search_documents(parse_query(each for each in parameters if each[0] != COLUMNS))
    except BadQuery as refusal:
        fault = refusal.errors[0].message
    conditions = [each for each in parameters if each[0] not in SETTINGS]
    filters = [_filter(*each) for each in conditions]
    columns = _columns(request, parameters, filters, found.rows)
    context = {
        "here": "documents",
        "fault": fault,
        "filters": [*filters[:MAX_CONDITIONS], Filter("", Operator.EQUAL, "")],
        "chips": [(_text(_filter(*each)), _without(parameters, each)) for each in conditions],
        "is_filtered": bool(filters),
        "operators": [(operator.value, _(title)) for operator, title in OPERATORS.items()],
        "names": {"path": PATH, "operator": OPERATOR, "value": VALUE},
        "order": request.GET.get("order", ""),
        "columns": columns,
        "chosen_columns": request.GET.get(COLUMNS, ""),
        "rows": [
            (row.name, [(each.name, _shown(row.value, each.path)) for each in columns])
            for row in found.rows
        ],
        "next_url": _address(_with(parameters, "cursor", found.next or "")) if found.next else "",
        "first_url": _address(_with(parameters, "cursor", "")),
        "cursor": request.GET.get("cursor", ""),
    }
    return render(request, "functions/documents.html", context, status=400 if fault else 200)


def _from_form(request: HttpRequest) -> Parameters:
    """Return the parameters of the query that the form describes; rows need a path."""
    rows = zip(*(request.GET.getlist(name) for name in (PATH, OPERATOR, VALUE)), strict=False)
    filters = [
        (
            path.strip() + ("" if operator in ("", Operator.EQUAL) else f"__{operator}"),
            value.strip(),
        )
        for path, operator, value in rows
        if path.strip()
    ]
    return [*filters, *((name, request.GET.get(name, "").strip()) for name in ("order", COLUMNS))]


def _address(parameters: Parameters) -> str:
    query = urlencode(
        [(name, value) for name, value in parameters if name not in SETTINGS or value]
    )
    return f"{reverse('documents')}?{query}" if query else reverse("documents")


def _with(parameters: Parameters, name: str, value: str) -> Parameters:
    return [*(each for each in parameters if each[0] != name), (name, value)]


def _without(parameters: Parameters, condition: tuple[str, str]) -> str:
    """Return the address of the list without this condition."""
    kept = [each for each in parameters if each != condition]
    return _address(_with(kept, "cursor", ""))


def _text(condition: Filter) -> str:
    return f"{condition.path} {_(OPERATORS[Operator(condition.operator)])} {condition.value}"


def _filter(name: str, value: str) -> Filter:
    path, separator, operator = name.rpartition("__")
    if separator and operator in Operator.__members__.values():
        return Filter(path, operator, value)
    return Filter(name, Operator.EQUAL, value)


def _columns(
    request: HttpRequest,
    parameters: Parameters,
    filters: Iterable[Filter],
    rows: Sequence[FoundDocument],
) -> list[Column]:
    """Return the chosen columns; else what is filtered by, and the commonest plain members."""
    asked = [name.strip() for name in request.GET.get(COLUMNS, "").split(",") if name.strip()]
    names = asked or [each.path for each in filters] + _commonest_members(rows)
    most = MAX_COLUMNS if asked else DEFAULT_COLUMNS
    order = request.GET.get("order", "")
    directions = {name.removeprefix("-"): name[:1] for name in order.split(",")[:1]}
    columns = []
    for name in dict.fromkeys(names):
        path = _path(name)
        if path is None:
            continue
        sign = directions.get(name)
        direction = "" if sign is None else "descending" if sign == "-" else "ascending"
        other = f"-{name}" if direction == "ascending" else name
        ordered = _with(_with(parameters, "cursor", ""), "order", other)
        columns.append(Column(name, path, _address(ordered), direction))
    return columns[:most]


def _path(name: str) -> Path | None:
    try:
        return parse_condition(f"{name}__{Operator.EXISTS}", "true").path
    except BadQuery:
        return None


def _commonest_members(rows: Sequence[FoundDocument]) -> list[str]:
    """Return the members that most documents have, unless their values are objects or lists."""
    members = Counter(
        name
        for row in rows
        if isinstance(row.value, dict)
        for name, value in row.value.items()
        if not isinstance(value, dict | list)
    )
    return [_quoted(name) for name, _count in members.most_common(DEFAULT_COLUMNS)]


def _quoted(name: str) -> str:
    """Return a member's name as a path."""
    is_plain = _path(name) == (name,) and "__" not in name and "," not in name
    return name if is_plain and name not in SETTINGS else json.dumps(name, ensure_ascii=False)


def _shown(value: Any, path: Path) -> str:
    """Return the values at a path as text."""
    texts = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        for each in values_at(value, path)
    )
    text = ", ".join(texts)
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"
