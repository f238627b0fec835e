"""The language of the search field: words, and a few filters such as `author:mira`."""

import re
from dataclasses import dataclass
from typing import Any

MOST_WORDS = 8
LONGEST_QUERY = 500
# Each may be given once; of several, the last one holds.
FILTERS = {
    "author": "who wrote for it, or owns it",
    "uses": "what its published works name",
    "used-by": "in whose published works it is named",
    "needs": "tests, implementation, repair or help",
    "status": "implemented, blocked or not_implemented",
    "kind": "function or class",
    "code": "text in published code",
}
NEEDS = ("tests", "implementation", "repair", "help")
STATUSES = ("implemented", "blocked", "not_implemented")
# So common that a description has them all; they count only where there is nothing else.
COMMON = frozenset(
    "a an and are as at be by for from if in into is it of on or that the then to with".split()
)
_TERM = re.compile(r'(?:(?P<name>[a-z-]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')
_THREE_LETTERS = re.compile(r"\w{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for; `faults` says what of it could not be understood."""

    words: tuple[str, ...] = ()
    author: str = ""
    uses: str = ""
    used_by: str = ""
    needs: str = ""
    status: str = ""
    kind: str = ""
    code: str = ""
    faults: tuple[str, ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Whether it asks for more than what every function says of itself."""
        return bool(self.words or self.author or self.uses or self.used_by or self.code)


def read_query(text: str) -> Search:
    """Read what somebody typed; what is no filter is a word to look for."""
    # The database refuses NUL, and what can't be encoded can't be in it.
    text = text[:LONGEST_QUERY].replace("\0", " ").encode("utf-8", "ignore").decode()
    words: list[str] = []
    asked: dict[str, Any] = {}
    for term in _TERM.finditer(text):
        name, value = term["name"], term["quoted"] or term["plain"] or ""
        if name in FILTERS:
            asked[name.replace("-", "_")] = value
        elif name:
            words.append(term[0])
        elif value:
            words.append(value)
    faults = _faults(asked)
    understood = {name: value for name, value in asked.items() if name not in faults}
    return Search(**understood, words=_telling(words), faults=tuple(faults.values()))


def with_filter(text: str, name: str, value: str) -> str:
    """Return a query with this filter set to another value, or taken out where that is empty."""
    kept = [
        term[0]
        for term in _TERM.finditer(text)
        if term["name"] != name and (term["quoted"] or term["plain"])
    ]
    return " ".join([*kept, f"{name}:{value}"] if value else kept)


def _telling(words: list[str]) -> tuple[str, ...]:
    """Leave out what says nothing, unless all of it does."""
    telling = [word for word in words if word.lower() not in COMMON and re.search(r"\w", word)]
    return tuple((telling or words)[:MOST_WORDS])


def _faults(asked: dict[str, str]) -> dict[str, str]:
    faults = {
        name: f"{name.replace('_', '-')}: wants to be told {FILTERS[name.replace('_', '-')]}."
        for name, value in asked.items()
        if not value
    }
    for name, known in (("needs", NEEDS), ("status", STATUSES)):
        if asked.get(name, known[0]) not in ("", *known):
            faults[name] = f"{name}: knows {', '.join(known[:-1])} and {known[-1]}."
    if asked.get("code") and not _THREE_LETTERS.search(asked["code"]):
        faults["code"] = "code: wants three letters or digits in a row."
    return faults
