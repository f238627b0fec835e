"""The squares of the quilt as they are shown."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from django.db.models import Q

from functions.models import Cell, Work
from runner.models import Execution
from runner.states import OPEN_STATES, State

PENDING, RUNNING, UNBUILDABLE = "pending", "running", "unbuildable"
GIVEN_UP, CANCELLED = "given_up", "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Square:
    """An implementation against a test, or alone where `test` is null.

    `verdict` belongs to the program that the pair means now only if it `is_current`. `state` says
    what to show: that verdict, or why there is none (pending, running, given_up, cancelled,
    unbuildable).
    """

    implementation: int
    test: int | None
    key: str | None  # the program that the pair means now; null: it can't be built
    result_key: str | None  # where `verdict` comes from
    verdict: str | None
    is_current: bool
    state: str
    message: str
    line: int | None
    cpu_us: int | None


Quilt = dict[tuple[int, int | None], Square]


def quilt(implementations: Iterable[int], tests: Iterable[int]) -> Quilt:
    """Return the squares of these works, in two queries.

    Those of withdrawn work keep what they showed, but it isn't current: nobody keys them anew.
    """
    rows, columns = list(implementations), set(tests)
    withdrawn = Q(implementation__state=Work.State.WITHDRAWN) | Q(test__state=Work.State.WITHDRAWN)
    shown = Cell.objects.filter(implementation__in=rows).annotate(is_withdrawn=withdrawn)
    cells = [cell for cell in shown if cell.test_id is None or cell.test_id in columns]
    states = execution_states(cells)
    squares = {}
    for cell in cells:
        current = square(cell, states)
        pair = (cell.implementation_id, cell.test_id)
        squares[pair] = replace(current, is_current=False) if cell.is_withdrawn else current
    return squares


def execution_states(cells: Iterable[Cell]) -> dict[bytes, State]:
    """Return how it stands with the programs whose verdict these cells lack: one query, or none."""
    lacking = [bytes(cell.key) for cell in cells if cell.key is not None and not is_current(cell)]
    found = Execution.objects.filter(key__in=lacking)
    return {bytes(key): State(state) for key, state in found.values_list("key", "state")}


def is_current(cell: Cell) -> bool:
    """Say whether the cell's verdict is of the program that the pair means now."""
    return (
        cell.key is not None
        and cell.result_key is not None
        and bytes(cell.key) == bytes(cell.result_key)
        and bool(cell.verdict)
    )


def square(cell: Cell, states: Mapping[bytes, State]) -> Square:
    """Return how a cell is shown, given `execution_states`."""
    return Square(
        implementation=cell.implementation_id,
        test=cell.test_id,
        key=hex_or_none(cell.key),
        result_key=hex_or_none(cell.result_key),
        verdict=cell.verdict or None,
        is_current=is_current(cell),
        state=_state(cell, states),
        message=cell.message,
        line=cell.line,
        cpu_us=cell.cpu_us,
    )


def hex_or_none(key: bytes | memoryview | None) -> str | None:
    """Return a key as it is written in addresses and events."""
    return None if key is None else bytes(key).hex()


def _state(cell: Cell, states: Mapping[bytes, State]) -> str:
    if is_current(cell):
        return cell.verdict
    if cell.key is None:
        return UNBUILDABLE
    state = states.get(bytes(cell.key))
    if state == State.IN_PROGRESS:
        return RUNNING
    if not cell.given_up or state in OPEN_STATES:  # or somebody has it run once more
        return PENDING
    return GIVEN_UP if state == State.IGNORED else CANCELLED
