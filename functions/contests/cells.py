"""The squares of the quilt as they are stored: all of a contest's read at once, few written."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from functions.contests.contest import Contest, Pair
from functions.contests.programs import Keys
from functions.contests.rules import PASSED, Square
from functions.models import Cell
from runner.models import Result

LONGEST_MESSAGE = 500  # as the column; all of it stands in the result

_KEY_FIELDS = ["key", "given_up", "carried"]
_RESULT_FIELDS = [*_KEY_FIELDS, "result_key", "verdict", "message", "line", "cpu_us"]


class StoredCell(NamedTuple):
    """What a square says; an empty key is none."""

    id: int
    key: bytes
    result_key: bytes
    verdict: str
    given_up: bool
    message: str
    cpu_us: int | None
    carried: bool

    @property
    def is_pending(self) -> bool:
        """Tell whether the result of the present program is still to come."""
        return bool(self.key) and self.result_key != self.key and not self.given_up

    @property
    def square(self) -> Square:
        """Return what an election reads."""
        if self.key and (self.result_key == self.key or self.carried):
            return Square(self.verdict, self.given_up, self.message, self.cpu_us)
        return Square(given_up=self.given_up)


class KnownResult(NamedTuple):
    """What a program has come to."""

    verdict: str
    message: str
    line: int | None
    cpu_us: int | None


def load_cells(contests: Iterable[Contest]) -> dict[Pair, StoredCell]:
    """Read the squares of these contests' implementations, in one query."""
    works = [work.pk for contest in contests for work in contest.implementations]
    rows = Cell.objects.filter(implementation__in=works)
    return {
        (implementation, test): StoredCell(pk, bytes(key or b""), bytes(result_key or b""), *said)
        for implementation, test, pk, key, result_key, *said in rows.values_list(
            "implementation", "test", *StoredCell._fields
        )
    }


def find_culprits(company: Sequence[Contest], squares: Mapping[Pair, Square]) -> dict[Pair, Square]:
    """Say of functions elected or tried together that don't load whose module is at fault.

    Each is loaded with the others. These are all of their squares.
    """
    found = dict(squares)
    failing = [
        pk for (pk, test), one in squares.items() if not test and one.verdict not in ("", PASSED)
    ]
    if not company[1:] or not failing:
        return found
    cells = Cell.objects.filter(implementation__in=failing, test=None)
    shown = cells.values_list("result_key", "implementation")
    loaded = {bytes(key): pk for key, pk in shown if key is not None}
    rows = Result.objects.filter(execution__key__in=list(loaded))
    for key, module, trace in rows.values_list("execution__key", "module", "trace"):
        pair = (loaded[bytes(key)], None)
        # It may have ended in the code of another, which the module has called.
        found[pair] = replace(found[pair], culprit=trace[0][0] if trace else module)
    return found


def load_results(keys: Collection[bytes]) -> dict[bytes, KnownResult]:
    """Look up what these programs have come to, as far as they have."""
    if not keys:
        return {}
    rows = Result.objects.filter(execution__key__in=keys)
    return {
        bytes(key): KnownResult(verdict, message[:LONGEST_MESSAGE], line, cpu_us)
        for key, verdict, message, line, cpu_us in rows.values_list(
            "execution__key", "verdict", "message", "line", "cpu_us"
        )
    }


def write_cells(
    keys: Keys,
    cells: Mapping[Pair, StoredCell],
    results: Mapping[bytes, KnownResult],
    carried: Container[Pair] = (),
) -> None:
    """Let these squares mean these programs, with the results that there are for them already.

    Of those `carried` what they say counts until there is a result.

    The caller holds the functions' rows, so nobody else adds squares. Programs are submitted
    before: whatever has a result by then is given here, and what gets one later is recorded.
    """
    former = [cells[pair].id for pair in keys if pair in cells]
    if former:
        locked = Cell.objects.filter(pk__in=former).order_by("id")
        list(locked.select_for_update(no_key=True).values_list("pk"))
    known = {pair: key for pair, key in keys.items() if key in results}
    unknown = {pair: key for pair, key in keys.items() if key not in results}
    meant = [
        Cell(**_place(pair), key=key, carried=pair in carried) for pair, key in unknown.items()
    ]
    _put(meant, _KEY_FIELDS)
    rows = [
        Cell(**_place(pair), key=key, result_key=key, **results[key]._asdict())
        for pair, key in known.items()
        if key
    ]
    _put(rows, _RESULT_FIELDS)


def _place(pair: Pair) -> dict[str, int | None]:
    implementation, test = pair
    return {"implementation_id": implementation, "test_id": test}


def _put(rows: list[Cell], fields: list[str]) -> None:
    Cell.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["implementation", "test"],
        update_fields=fields,
        batch_size=1_000,
    )
