"""Sources of records, registered by the packages that have them, which are above this one.

A source is named `kind`, or `kind:id` if its kind has several.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from functions.errors import Refusal
from functions.errors import gettext as _
from runner.registry import Actor

PAGE_SIZE = 1_000


class Record(NamedTuple):
    """A record's id, unchanging and at most 100 characters, and its JSON value."""

    id: str
    value: Any


class ReadPage(Protocol):
    """Reads records of a source in the order of their ids."""

    def __call__(self, source: str, after: str, limit: int) -> list[Record]:
        """Return the next records after this id, which is empty at first; as few only at the end.

        It must be one statement, which sees what is committed by then.
        """


class SourceKind(NamedTuple):
    """How to read a kind of source, and who may.

    `resolve` returns the source that is meant by a name that a person wrote, None if there is none;
    it is the name by which changes are recorded.
    """

    read_page: ReadPage
    resolve: Callable[[Actor, str], str | None]
    may_read: Callable[[Actor, str], bool]


_kinds: dict[str, SourceKind] = {}


def register_source(
    kind: str,
    read_page: ReadPage,
    *,
    resolve: Callable[[Actor, str], str | None] = lambda _actor, source: source,
    may_read: Callable[[Actor, str], bool] = lambda _actor, _source: True,
) -> None:
    """Let views be made of this kind of source; by default, anybody may read it."""
    _kinds[kind] = SourceKind(read_page, resolve, may_read)


def resolve_source(actor: Actor, stated: str) -> str:
    """Return the source that the actor means; refused if there is none that the actor may read."""
    kind = _kinds.get(stated.partition(":")[0])
    source = kind.resolve(actor, stated) if kind else None
    if kind is None or source is None or not kind.may_read(actor, source):
        text = _("There is no source “%(source)s” that you may read.") % {"source": stated}
        raise Refusal("no_such_source", text, field="definition")
    return source


def may_read(actor: Actor, source: str) -> bool:
    """Return whether the actor may read all records of the source."""
    kind = _kinds.get(source.partition(":")[0])
    return kind is not None and kind.may_read(actor, source)


def read_records(source: str, after: str, limit: int = PAGE_SIZE) -> list[Record]:
    """Return the source's next records after this id; none if its kind is not registered."""
    kind = _kinds.get(source.partition(":")[0])
    return kind.read_page(source, after, limit) if kind else []


def all_records(source: str) -> Iterator[Record]:
    """Yield all records of the source."""
    page = read_records(source, "")
    while page:
        yield from page
        page = read_records(source, page[-1].id)
