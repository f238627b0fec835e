"""What a test case of `unittest` can claim: its assert methods."""

from __future__ import annotations

import collections
import difflib
import pprint
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from runner.sandbox.showing import cut
from runner.sandbox.standins.expecting import Raising, Warned, fail, within

_LONGEST_DIFFERENCE_OF = 2_000
_LONGEST_VALUE = 160


def _difference(case: Any, left: Iterable[str], right: Iterable[str], joint: str) -> str:
    """The lines that differ, if they aren't too many to look at."""
    sides = [*left], [*right]
    if sum(map(len, sides)) > _LONGEST_DIFFERENCE_OF:
        return ""
    text = joint.join(difflib.ndiff(*sides))
    if case.maxDiff is not None and len(text) > case.maxDiff:
        return f"Diff is {len(text)} characters long. Set self.maxDiff to None to see it."
    return text


class Claims:
    """The assert methods of unittest.TestCase."""

    failureException: Any = AssertionError
    longMessage = True
    maxDiff: int | None = 80 * 8

    def fail(self, msg: Any = None) -> NoReturn:
        raise self.failureException(msg)

    # --- truth, identity, kind, membership ---------------------------------------------------

    def assertTrue(self, expr: Any, msg: Any = None) -> None:
        if not expr:
            fail(self, f"{expr!r} is not true", msg)

    def assertFalse(self, expr: Any, msg: Any = None) -> None:
        if expr:
            fail(self, f"{expr!r} is not false", msg)

    def assertIs(self, expr1: Any, expr2: Any, msg: Any = None) -> None:
        if expr1 is not expr2:
            fail(self, f"{expr1!r} is not {expr2!r}", msg)

    def assertIsNot(self, expr1: Any, expr2: Any, msg: Any = None) -> None:
        if expr1 is expr2:
            fail(self, f"unexpectedly identical: {expr1!r}", msg)

    def assertIsNone(self, obj: Any, msg: Any = None) -> None:
        if obj is not None:
            fail(self, f"{obj!r} is not None", msg)

    def assertIsNotNone(self, obj: Any, msg: Any = None) -> None:
        if obj is None:
            fail(self, "unexpectedly None", msg)

    def assertIsInstance(self, obj: Any, cls: Any, msg: Any = None) -> None:
        if not isinstance(obj, cls):
            fail(self, f"{obj!r} is not an instance of {cls!r}", msg)

    def assertNotIsInstance(self, obj: Any, cls: Any, msg: Any = None) -> None:
        if isinstance(obj, cls):
            fail(self, f"{obj!r} is an instance of {cls!r}", msg)

    def assertIn(self, member: Any, container: Any, msg: Any = None) -> None:
        if member not in container:
            fail(self, f"{member!r} not found in {container!r}", msg)

    def assertNotIn(self, member: Any, container: Any, msg: Any = None) -> None:
        if member in container:
            fail(self, f"{member!r} unexpectedly found in {container!r}", msg)

    # --- order -------------------------------------------------------------------------------

    def assertLess(self, a: Any, b: Any, msg: Any = None) -> None:
        if not a < b:
            fail(self, f"{a!r} not less than {b!r}", msg)

    def assertLessEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        if not a <= b:
            fail(self, f"{a!r} not less than or equal to {b!r}", msg)

    def assertGreater(self, a: Any, b: Any, msg: Any = None) -> None:
        if not a > b:
            fail(self, f"{a!r} not greater than {b!r}", msg)

    def assertGreaterEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        if not a >= b:
            fail(self, f"{a!r} not greater than or equal to {b!r}", msg)

    # --- equality ----------------------------------------------------------------------------

    def assertEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        kind = type(first)
        if kind is type(second) and kind in _BY_KIND:
            getattr(self, _BY_KIND[kind])(first, second, msg)
        elif not first == second:  # noqa: SIM201 - an object may answer both as it likes
            fail(self, f"{first!r} != {second!r}", msg)

    def assertNotEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        if not first != second:  # noqa: SIM202 - the same
            fail(self, f"{first!r} == {second!r}", msg)

    def assertAlmostEqual(
        self, first: Any, second: Any, places: int | None = None, msg: Any = None, delta: Any = None
    ) -> None:
        if not (first == second or _is_near(first, second, places, delta)):
            how = f"{_distance(places, delta)} ({abs(first - second)!r} difference)"
            fail(self, f"{first!r} != {second!r} within {how}", msg)

    def assertNotAlmostEqual(
        self, first: Any, second: Any, places: int | None = None, msg: Any = None, delta: Any = None
    ) -> None:
        if _is_near(first, second, places, delta) or first == second:
            how = _distance(places, delta)
            if delta is not None:
                how += f" ({abs(first - second)!r} difference)"
            fail(self, f"{first!r} == {second!r} within {how}", msg)

    def assertSequenceEqual(
        self, seq1: Any, seq2: Any, msg: Any = None, seq_type: Any = None
    ) -> None:
        for which, each in (("First", seq1), ("Second", seq2)):
            if seq_type is not None and not isinstance(each, seq_type):
                what = seq_type.__name__
                raise self.failureException(f"{which} sequence is not a {what}: {each!r}")
        if seq1 == seq2:
            return
        what = seq_type.__name__ if seq_type else "sequence"
        said = f"{what.capitalize()}s differ: {_unequal(seq1, seq2)}\n"
        for place, (one, other) in enumerate(zip(seq1, seq2, strict=False)):
            if one != other:
                shown = f"{_short(one)}\n{_short(other)}"
                said += f"\nFirst differing element {place}:\n{shown}\n"
                break
        else:
            if seq_type is None and type(seq1) is not type(seq2) and len(seq1) == len(seq2):
                return
        for which, longer, shorter in (("First", seq1, seq2), ("Second", seq2, seq1)):
            if (extra := len(longer) - len(shorter)) > 0:
                at = len(shorter)
                said += f"\n{which} {what} contains {extra} additional elements.\n"
                said += f"First extra element {at}:\n{_short(longer[at])}\n"
        fail(self, f"{said}\n{_of_pretty(self, seq1, seq2)}", msg)

    def assertListEqual(self, list1: Any, list2: Any, msg: Any = None) -> None:
        self.assertSequenceEqual(list1, list2, msg, list)

    def assertTupleEqual(self, tuple1: Any, tuple2: Any, msg: Any = None) -> None:
        self.assertSequenceEqual(tuple1, tuple2, msg, tuple)

    def assertSetEqual(self, set1: Any, set2: Any, msg: Any = None) -> None:
        lines = []
        for which, only in (
            ("first set but not the second", set1.difference(set2)),
            ("second set but not the first", set2.difference(set1)),
        ):
            if only:
                lines += [f"Items in the {which}:", *map(repr, only)]
        if lines:
            fail(self, "\n".join(lines), msg)

    def assertDictEqual(self, d1: Any, d2: Any, msg: Any = None) -> None:
        self.assertIsInstance(d1, dict, "First argument is not a dictionary")
        self.assertIsInstance(d2, dict, "Second argument is not a dictionary")
        if d1 != d2:
            fail(self, f"{_unequal(d1, d2)}\n{_of_pretty(self, d1, d2)}", msg)

    def assertMultiLineEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        self.assertIsInstance(first, str, "First argument is not a string")
        self.assertIsInstance(second, str, "Second argument is not a string")
        if first != second:
            one, other = (_whole_lines(text) for text in (first, second))
            fail(self, f"{_unequal(first, second)}\n{_difference(self, one, other, '')}", msg)

    def assertCountEqual(self, first: Any, second: Any, msg: Any = None) -> None:
        uneven = [
            f"First has {a}, Second has {b}:  {one!r}"
            for one, a, b in _counted([*first], [*second])
            if a != b
        ]
        if uneven:
            fail(self, "\n".join(["Element counts were not equal:", *uneven]), msg)

    # --- text --------------------------------------------------------------------------------

    def assertRegex(self, text: Any, expected_regex: Any, msg: Any = None) -> None:
        pattern = re.compile(expected_regex)
        if not pattern.search(text):
            said = f"Regex didn't match: {pattern.pattern!r} not found in {text!r}"
            fail(self, said, msg)

    def assertNotRegex(self, text: Any, unexpected_regex: Any, msg: Any = None) -> None:
        pattern = re.compile(unexpected_regex)
        if found := pattern.search(text):
            said = f"Regex matched: {found[0]!r} matches {pattern.pattern!r} in {text!r}"
            fail(self, said, msg)

    # --- what happens ------------------------------------------------------------------------

    def assertRaises(
        self, expected: Any, callable: Any = None, *args: Any, msg: Any = None, **kwargs: Any
    ) -> Any:
        return within(Raising(self, expected, None, msg), callable, args, kwargs)

    def assertRaisesRegex(
        self, expected: Any, regex: Any, callable: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        msg = kwargs.pop("msg", None) if callable is None else None
        return within(Raising(self, expected, regex, msg), callable, args, kwargs)

    def assertWarns(
        self, expected: Any, callable: Any = None, *args: Any, msg: Any = None, **kwargs: Any
    ) -> Any:
        return within(Warned(self, expected, None, msg), callable, args, kwargs)

    def assertWarnsRegex(
        self, expected: Any, regex: Any, callable: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        msg = kwargs.pop("msg", None) if callable is None else None
        return within(Warned(self, expected, regex, msg), callable, args, kwargs)


_BY_KIND: dict[type, str] = {
    dict: "assertDictEqual",
    list: "assertListEqual",
    tuple: "assertTupleEqual",
    set: "assertSetEqual",
    frozenset: "assertSetEqual",
    str: "assertMultiLineEqual",
}


def _is_near(first: Any, second: Any, places: int | None, delta: Any) -> bool:
    if delta is not None and places is not None:
        raise TypeError("specify delta or places not both")
    apart = abs(first - second)
    if delta is not None:
        return bool(apart <= delta)
    return bool(round(apart, 7 if places is None else places) == 0)


def _distance(places: int | None, delta: Any) -> str:
    return f"{7 if places is None else places} places" if delta is None else f"{delta!r} delta"


def _of_pretty(case: Any, first: Any, second: Any) -> str:
    one, other = (pprint.pformat(side).splitlines() for side in (first, second))
    return _difference(case, one, other, "\n")


def _unequal(first: Any, second: Any) -> str:
    return f"{_short(first)} != {_short(second)}"


def _short(value: Any) -> str:
    return cut(repr(value), _LONGEST_VALUE)


def _whole_lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    return [*lines[:-1], lines[-1].rstrip("\r\n") + "\n"] if len(lines) == 1 else lines


def _counted(first: list[Any], second: list[Any]) -> list[tuple[Any, int, int]]:
    """Each element once, and how often it is in both."""
    both = first + second
    try:
        counts = collections.Counter(first), collections.Counter(second)
        return [(one, counts[0][one], counts[1][one]) for one in dict.fromkeys(both)]
    except TypeError:
        distinct = [one for place, one in enumerate(both) if one not in both[:place]]
        return [(one, first.count(one), second.count(one)) for one in distinct]
