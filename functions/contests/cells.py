"""Stored cells of the results matrix: read for whole contests at once, written where changed."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from functions.contests.contest import Contest, Pair
from functions.contests.programs import Keys
from functions.contests.rules import PASSED, CellResult
from functions.models import Cell
from runner.models import Result

MAX_MESSAGE_LENGTH = 500  # the column's length; the result row has the full text

_KEY_FIELDS = ["key", "given_up", "carried"]
_RESULT_FIELDS = [*_KEY_FIELDS, "result_key", "verdict", "message", "line", "cpu_us"]


class StoredCell(NamedTuple):
    """A cell's row. Empty bytes stand for a missing key."""

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
        """Return whether the current program has no result yet and may still get one."""
        return bool(self.key) and self.result_key != self.key and not self.given_up

    @property
    def result(self) -> CellResult:
        """The cell as elections see it: a stale result counts only if it is provisional."""
        if self.key and (self.result_key == self.key or self.carried):
            return CellResult(self.verdict, self.given_up, self.message, self.cpu_us)
        return CellResult(given_up=self.given_up)


class KnownResult(NamedTuple):
    """The stored result of a program."""

    verdict: str
    message: str
    line: int | None
    cpu_us: int | None


def load_cells(contests: Iterable[Contest]) -> dict[Pair, StoredCell]:
    """Return the cells of these contests' implementations, read in one query."""
    works = [work.pk for contest in contests for work in contest.implementations]
    rows = Cell.objects.filter(implementation__in=works)
    return {
        (implementation, test): StoredCell(pk, bytes(key or b""), bytes(result_key or b""), *said)
        for implementation, test, pk, key, result_key, *said in rows.values_list(
            "implementation", "test", *StoredCell._fields
        )
    }


def find_culprits(
    cycle_group: Sequence[Contest], cell_results: Mapping[Pair, CellResult]
) -> dict[Pair, CellResult]:
    """Return the results of a cycle group, with the function at fault where loading failed.

    Members are loaded together, so the failing module may be another member's. `cell_results` are
    those of all members.
    """
    found = dict(cell_results)
    failing = [
        pk
        for (pk, test), one in cell_results.items()
        if not test and one.verdict not in ("", PASSED)
    ]
    if not cycle_group[1:] or not failing:
        return found
    cells = Cell.objects.filter(implementation__in=failing, test=None)
    shown = cells.values_list("result_key", "implementation")
    loaded = {bytes(key): pk for key, pk in shown if key is not None}
    rows = Result.objects.filter(execution__key__in=list(loaded))
    for key, module, trace in rows.values_list("execution__key", "module", "trace"):
        pair = (loaded[bytes(key)], None)
        # The innermost frame may be in another module, which this one called.
        found[pair] = replace(found[pair], culprit=trace[0][0] if trace else module)
    return found


def load_results(keys: Collection[bytes]) -> dict[bytes, KnownResult]:
    """Return the results of these programs by key; those without a result are missing."""
    if not keys:
        return {}
    rows = Result.objects.filter(execution__key__in=keys)
    return {
        bytes(key): KnownResult(verdict, message[:MAX_MESSAGE_LENGTH], line, cpu_us)
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
    """Set the keys of these cells, and their results where they are known already.

    The former results of `carried` pairs stay valid provisionally.

    The caller holds the functions' rows, so nobody else adds cells. Results that come later are
    written by the recorder, so the programs are submitted after this, or have been and `results`
    has those that were known by then.
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
