"""Read models of the results matrix."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from functions.models import Cell, Implementation, Test, Work
from functions.read_models.prepared_queries import Parameter, PreparedQuery, is_among
from functions.sized_cache import SizedCache
from runner.models import Batch, Execution, Task
from runner.states import OPEN_STATES, BatchState, State

PENDING, RUNNING, UNBUILDABLE = "pending", "running", "unbuildable"
GIVEN_UP, CANCELLED = "given_up", "cancelled"


class MatrixCell(NamedTuple):
    """A pair of an implementation and a test, or an implementation alone if `test` is None.

    `verdict` is the current program's only if it `is_current`. `state` is that verdict, or why
    there is none: pending, running, given_up, cancelled or unbuildable.
    """

    implementation: int
    test: int | None
    key: str | None  # the pair's current program; None if it can't be built
    result_key: str | None  # the program of `verdict`
    verdict: str | None
    is_current: bool
    state: str
    message: str
    line: int | None
    cpu_us: int | None


Matrix = dict[tuple[int, int | None], MatrixCell]


class CellRow(NamedTuple):
    """A cell's row; cheaper than a model instance, as a page has thousands."""

    implementation_id: int
    test_id: int | None
    key: bytes | None
    result_key: bytes | None
    verdict: str
    given_up: bool
    message: str
    line: int | None
    cpu_us: int | None
    is_withdrawn: bool | None = None


def load_matrix(
    implementations: Iterable[int],
    tests: Iterable[int],
    repeated: Mapping[bytes, State] = MappingProxyType({}),
) -> Matrix:
    """Return the cells of these works, in two queries.

    Cells of withdrawn works keep their last result, which isn't current. Cells whose program is
    `repeated` are pending or running, whatever its last verdict was.
    """
    works, columns = list(implementations), set(tests)
    rows: dict[int, list[tuple[Any, ...]]] = {work: [] for work in works}
    for cell in _CELLS.rows(implementations=works, tests=[*columns]):
        if cell[1] is None or cell[1] in columns:
            rows[cell[0]].append(cell)
    details = [_read_row(tuple(cells)) for cells in rows.values()]
    states = execution_states(cell for row in details for cell in row.missing)
    results: Matrix = {}
    for row in details:
        results |= row.results
        for cell in row.missing:
            results[cell.implementation_id, cell.test_id] = matrix_cell(cell, states)
    if repeated:
        results |= {pair: _reopened(cell, repeated) for pair, cell in results.items()}
    return results


def repeated_programs(topic: str) -> dict[bytes, State]:
    """Return the states of the unfinished programs of a topic's open batches, in one query."""
    rows: list[tuple[bytes, int]] = _REPEATED.rows(topic=topic)
    return {bytes(key): State(state) for key, state in rows}


def _repeated() -> QuerySet[Execution, tuple[Any, ...]]:
    open_batches = Batch.objects.filter(
        topic__name=Parameter("topic"), private=False, state=BatchState.OPEN
    )
    tasks = Task.objects.filter(batch__in=open_batches)
    unfinished = Execution.objects.filter(state__in=OPEN_STATES, pk__in=tasks.values("execution"))
    return unfinished.values_list("key", "state")


_REPEATED = PreparedQuery(_repeated)


def _reopened(cell: MatrixCell, repeated: Mapping[bytes, State]) -> MatrixCell:
    """Return the cell without its verdict's being current, if its program is run again."""
    state = repeated.get(bytes.fromhex(cell.key)) if cell.key and cell.is_current else None
    if state is None:
        return cell
    return cell._replace(is_current=False, state=RUNNING if state == State.IN_PROGRESS else PENDING)


class _RowRead(NamedTuple):
    """An implementation's cells with a verdict, and the rows of those without."""

    results: Matrix
    missing: tuple[CellRow, ...]


# By the cells of an implementation as the database has them.
_MOST_CELLS = 30_000
_rows_read: SizedCache[tuple[tuple[Any, ...], ...], _RowRead] = SizedCache(_MOST_CELLS)


def _read_row(rows: tuple[tuple[Any, ...], ...]) -> _RowRead:
    """Convert rows of cells; cached, as most are read far more often than they change."""
    known = _rows_read.get(rows)
    if known is None:
        known = _convert(rows)
        _rows_read.put(rows, known, len(rows))
    return known


def _convert(rows: tuple[tuple[Any, ...], ...]) -> _RowRead:
    cells = [CellRow._make(row) for row in rows]
    results = {
        (cell.implementation_id, cell.test_id): matrix_cell(cell, {})
        for cell in cells
        if is_current(cell)
    }
    return _RowRead(results, tuple(cell for cell in cells if not is_current(cell)))


def _cells() -> QuerySet[Cell, tuple[Any, ...]]:
    works, tests = Parameter("implementations"), Parameter("tests")
    # Subqueries, as a join would look up the works of each of thousands of cells.
    withdrawn = Q(implementation__in=_withdrawn(Implementation, works)) | Q(
        test__in=_withdrawn(Test, tests)
    )
    shown = Cell.objects.filter(is_among("implementation", works))
    return shown.annotate(is_withdrawn=withdrawn).values_list(*CellRow._fields)


def _withdrawn(model: type[Implementation] | type[Test], ids: Parameter) -> QuerySet[Any, Any]:
    return model.objects.filter(is_among("pk", ids), state=Work.State.WITHDRAWN).values("pk")


_CELLS = PreparedQuery(_cells)


def execution_states(cells: Iterable[CellRow]) -> dict[bytes, State]:
    """Return the execution states of cells without a verdict, in at most one query."""
    missing = [cell.key for cell in cells if cell.key is not None and not is_current(cell)]
    found = Execution.objects.filter(key__in=missing)
    return {bytes(key): State(state) for key, state in found.values_list("key", "state")}


def is_current(cell: CellRow) -> bool:
    """Return whether the cell's verdict is of its current program."""
    return cell.key is not None and cell.key == cell.result_key and bool(cell.verdict)


def matrix_cell(cell: CellRow, states: Mapping[bytes, State]) -> MatrixCell:
    """Return the read model of a cell, given `execution_states`."""
    implementation, test, key, result_key, verdict, _, message, line, cpu_us, is_withdrawn = cell
    shown_key = hex_or_none(key)
    details = message, line, cpu_us
    if is_current(cell):
        is_current_still = not is_withdrawn
        return MatrixCell(
            implementation, test, shown_key, shown_key, verdict, is_current_still, verdict, *details
        )
    state, result = _state(cell, states), hex_or_none(result_key)
    return MatrixCell(
        implementation, test, shown_key, result, verdict or None, False, state, *details
    )


def hex_or_none(key: bytes | memoryview | None) -> str | None:
    """Return a key in hexadecimal, None for None."""
    return None if key is None else key.hex()


def _state(cell: CellRow, states: Mapping[bytes, State]) -> str:
    """Return the reason why the cell's program has no verdict."""
    if cell.key is None:
        return UNBUILDABLE
    state = states.get(bytes(cell.key))
    if state == State.IN_PROGRESS:
        return RUNNING
    if not cell.given_up or state in OPEN_STATES:  # or it is being repeated
        return PENDING
    return GIVEN_UP if state == State.IGNORED else CANCELLED
