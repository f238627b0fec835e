"""What a judge holds objects of the other process to: signatures, and lengths that they tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from runner.sandbox.border.protocol import (
    COMPARISONS,
    ITERATION,
    Operation,
    catches_failures,
    is_public,
)

# By these an object is looked at, and isn't changed.
_READING = COMPARISONS | {
    f"__{name}__" for name in "len iter reversed getitem contains bool hash repr str format".split()
}
_CHANGING = frozenset({Operation.SET, Operation.DELETE})


class Results:
    """Of the objects of another process, by number."""

    def __init__(self, *, is_judge: bool) -> None:
        self._is_judge = is_judge
        self.plain: dict[int, str] = {}  # of functions: what is said of their results
        # The lengths that were told, while nothing has been done that may change them.
        self._lengths: dict[int, int] = {}
        self._changes = 0  # how often something was done that may change objects

    def begin(self, operation: Operation, name: str) -> None:
        """Take note of what is about to be asked; raises AttributeError for what never may be."""
        if operation in _CHANGING and not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be changed")
        if operation is not Operation.SPECIAL or name not in _READING:
            self._lengths.clear()
            self._changes += name not in ITERATION

    def check(
        self, operation: Operation, number: int, name: str, value: Any, objects: Iterable[Any]
    ) -> None:
        """Refuse what would do for a test in place of what it asks for.

        `objects` are those in the value that stay in the other process.
        """
        if not self._is_judge:
            return
        if operation is Operation.CALL and number in self.plain:
            for found in objects:
                what = "an object" if found is value else "something with an object in it,"
                said, kind = self.plain[number], type(found).__name__
                raise TypeError(f"returned {what} of {kind}, where its signature says {said}")
        if operation is Operation.GET and catches_failures(value):
            raise TypeError(f"{name} is a builtin exception that catches failed checks, too")
        if name == "__len__" and type(value) is int:
            self._lengths[number] = value

    def counted(self, items: Any, number: int) -> Any:
        """Return what iterates over as many items as an object has just said that it has."""
        said = self._lengths.get(number)
        return items if said is None else self._count(items, said)

    def _count(self, items: Any, said: int) -> Iterator[Any]:
        end, count, changes = object(), 0, self._changes
        while (each := next(items, end)) is not end:
            count += 1
            if count > said and changes == self._changes:
                break
            yield each
        if count != said and changes == self._changes:
            raise TypeError(f"an object said that it has {said} items, and gave {count or 'none'}")
