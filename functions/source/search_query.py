"""Parser of search queries: words, and filters such as `author:mira`."""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

MAX_WORDS = 8
MAX_QUERY_LENGTH = 500
# Filters and their values; of several of a kind, the last one applies.
FILTERS = {
    "author": gettext_noop("an author of its works, or its owner"),
    "uses": gettext_noop("a function that its published works name"),
    "used-by": gettext_noop("a function whose published works name it"),
    "needs": gettext_noop("tests, implementation, repair or help"),
    "status": gettext_noop("implemented, blocked or not_implemented"),
    "kind": gettext_noop("function, class, page or document"),
    "language": gettext_noop("python or javascript, of the current implementation"),
    "code": gettext_noop("text in published code"),
}
NEEDS = ("tests", "implementation", "repair", "help")
LANGUAGES = ("python", "javascript")
STATUSES = ("implemented", "blocked", "not_implemented")
# Stop words: ignored unless there are no other words.
COMMON = frozenset(
    "a an and are as at be by for from if in into is it of on or that the then to with".split()
)
_TERM = re.compile(r'(?:(?P<name>[a-z-]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')
_THREE_LETTERS = re.compile(r"\w{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A parsed query; `faults` are sentences about filters that are invalid."""

    words: tuple[str, ...] = ()
    author: str = ""
    uses: str = ""
    used_by: str = ""
    needs: str = ""
    status: str = ""
    kind: str = ""
    language: str = ""
    code: str = ""
    faults: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether it has words, or filters that few functions match."""
        return bool(self.words or self.author or self.uses or self.used_by or self.code)


def read_query(text: str) -> Search:
    """Parse a query; terms that are not filters are words."""
    # PostgreSQL rejects NUL and lone surrogates.
    text = text[:MAX_QUERY_LENGTH].replace("\0", " ").encode("utf-8", "ignore").decode()
    words: list[str] = []
    filters: dict[str, Any] = {}
    for term in _TERM.finditer(text):
        name, value = term["name"], term["quoted"] or term["plain"] or ""
        if name in FILTERS:
            filters[name.replace("-", "_")] = value
        elif name:
            words.append(term[0])
        elif value:
            words.append(value)
    faults = _faults(filters)
    valid = {name: value for name, value in filters.items() if name not in faults}
    return Search(**valid, words=_significant(words), faults=tuple(faults.values()))


def with_filter(text: str, name: str, value: str) -> str:
    """Return a query with this filter set to a value, or removed if that is empty."""
    terms = [
        term[0]
        for term in _TERM.finditer(text)
        if term["name"] != name and (term["quoted"] or term["plain"])
    ]
    return " ".join([*terms, f"{name}:{value}"] if value else terms)


def _significant(words: list[str]) -> tuple[str, ...]:
    """Return the words without stop words and punctuation, unless nothing else is left."""
    significant = [word for word in words if word.lower() not in COMMON and re.search(r"\w", word)]
    return tuple((significant or words)[:MAX_WORDS])


def _faults(filters: dict[str, str]) -> dict[str, str]:
    faults = {name: _needs_value(name.replace("_", "-")) for name in filters if not filters[name]}
    for name, known in (("needs", NEEDS), ("status", STATUSES), ("language", LANGUAGES)):
        if filters.get(name, known[0]) not in ("", *known):
            values = {"filter": name, "values": ", ".join(known[:-1]), "last": known[-1]}
            faults[name] = _("%(filter)s: is one of %(values)s and %(last)s.") % values
    if filters.get("code") and not _THREE_LETTERS.search(filters["code"]):
        faults["code"] = _("code: needs three consecutive letters or digits.")
    return faults


def _needs_value(name: str) -> str:
    meaning = _(FILTERS[name])
    return _("%(filter)s: needs a value: %(meaning)s.") % {"filter": name, "meaning": meaning}
