"""What a judge holds objects of the other process to: signatures, and lengths that they tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from runner.sandbox.border.errors import catches_failures, without_leaving
from runner.sandbox.border.parts import unpromised
from runner.sandbox.border.protocol import COMPARISONS, ITERATION, Operation, is_public

# By these an object is looked at, and isn't changed.
_READING = COMPARISONS | {
    f"__{name}__" for name in "len iter reversed getitem contains bool hash repr str format".split()
}
# What special methods give, some of them later.
_OF_METHODS = frozenset({Operation.SPECIAL, Operation.AWAIT, Operation.RESULT})
_CHANGING = frozenset({Operation.SET, Operation.DELETE})
# These give the result of a function, or of a coroutine that one has returned.
_GIVING = frozenset({Operation.CALL, Operation.AWAIT, Operation.RESULT})


class Results:
    """Of the objects of another process, by number."""

    def __init__(
        self,
        origin_of: Callable[[Any], Any],
        failures: list[BaseException],
        *,
        is_judge: bool,
    ) -> None:
        self._origin_of = origin_of
        self._failures = failures  # that count, whatever a test expects
        self._is_judge = is_judge
        self.is_begun = False  # the test; before it, names are fetched
        self.plain: dict[int, str] = {}  # of functions: what is said of their results
        # The lengths that were told, while nothing has been done that may change them.
        self._lengths: dict[int, int] = {}
        self._changes = 0  # how often something was done that may change objects
        self.sized: set[int] = set()  # whose length the test has asked for
        # How many items an object has given, and after how many changes.
        self._given: dict[int, tuple[int, int]] = {}

    def begin(self, operation: Operation, name: str) -> None:
        """Take note of what is about to be asked; raises AttributeError for what never may be."""
        if operation in _CHANGING and not is_public(name):
            raise AttributeError(f"{name} of an object in another process can't be changed")
        if operation is not Operation.SPECIAL or name not in _READING:
            self._lengths.clear()
            self._changes += name not in ITERATION

    def error_of(
        self, kind: str, error: BaseException, operation: Operation, name: str
    ) -> BaseException:
        """Return what to raise where the other side raised this, or has nothing that can cross."""
        if kind == "-":
            self._failures.append(error)
        # An attribute may have the name of such a method, and raise what ends an iteration.
        is_end = operation in _OF_METHODS and name in ITERATION
        return without_leaving(error, ends_iteration=is_end) if self._is_judge else error

    def check(
        self, operation: Operation, number: int, name: str, value: Any, *, is_plain: bool
    ) -> None:
        """Refuse what would do for a test in place of what it asks for.

        `is_plain`: nothing but plain data has arrived.
        """
        if not self._is_judge:
            return
        if not is_plain:
            try:
                self._check_parts(operation, number, name, value)
            except TypeError as error:
                self._failures.append(error)
                raise
        if name == "__len__" and type(value) is int:
            self._take_length(number, value)

    def _check_parts(self, operation: Operation, number: int, name: str, value: Any) -> None:
        if number in self.plain and operation in _GIVING:
            said = self.plain[number]
            result = value[0] if operation is not Operation.CALL and type(value) is tuple else value
            if (found := unpromised(result)) is not None:
                what = "an object" if found is result else "something with an object in it,"
                kind = found.__name__ if isinstance(found, type) else type(found).__name__
                raise TypeError(f"returned {what} of {kind}, where its signature says {said}")
            # What gives more of it later.
            later = value.default_factory if type(value) is defaultdict else value
            origin = self._origin_of(later) or getattr(later, "_class_origin", None)
            if origin is not None:
                self.plain[origin.number] = said
        if self.is_begun and catches_failures(value):
            what = name or "what was returned"
            raise TypeError(f"{what} is a builtin exception that catches failed checks, too")

    def _take_length(self, number: int, said: int) -> None:
        before = self._lengths.get(number, said)
        count, changes = self._given.get(number, (said, 0))
        if said != before:
            raise TypeError(f"an object said that it has {before} items, and then {said}")
        if said > count and changes == self._changes:
            raise _contradiction(said, count)
        self._lengths[number] = said
        self.sized.add(number)

    def counted(self, items: Any, number: int) -> Iterator[Any]:
        """Iterate over as many items as an object says that it has, before or afterwards."""
        said = self._lengths.get(number)
        end, count, changes = object(), 0, self._changes
        while (each := next(items, end)) is not end:
            count += 1
            if said is not None and count > said and changes == self._changes:
                break
            yield each
        if changes == self._changes:
            if said is not None and count != said:
                raise _contradiction(said, count)
            self._given[number] = count, changes


def _contradiction(said: int, count: int) -> TypeError:
    return TypeError(f"an object said that it has {said} items, and gave {count or 'none'}")
