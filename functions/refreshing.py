"""What the squares of the quilt mean, brought up to date; what is missing is had run."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from functions.carrying import find_carried
from functions.cells import KnownResult, StoredCell, load_cells, load_results, write_cells
from functions.contests import Contest, Pair
from functions.evaluation import RECORDER, all_pairs
from functions.meanings import Keys, Meanings
from functions.ranking import Square
from runner.models import Batch, Execution, Task
from runner.programs import PreparedProgram
from runner.states import OPEN_STATES, BatchState, State

# Has these programs of a function run, of which those of some pairs are only to be confirmed;
# called in the transaction that writes the squares.
Ask = Callable[[Contest, Mapping[Pair, PreparedProgram], Collection[Pair]], Batch]


class Refreshed(NamedTuple):
    """A contest's squares after they were brought up to date."""

    squares: dict[Pair, Square]
    rekeyed: Keys  # those that mean another program than before
    pointless: set[bytes]  # programs under way that no square means any more
    batch: Batch | None  # what has the missing programs run


class _Sight(NamedTuple):
    """What a contest's squares say, and what they should."""

    contest: Contest
    meanings: Meanings
    keys: Keys
    cells: dict[Pair, StoredCell]
    rekeyed: Keys
    pointless: set[bytes]
    changed: Keys
    carried: set[Pair]

    @property
    def wanted(self) -> set[bytes]:
        return {key for key in self.changed.values() if key}


def refresh_cells(contests: Sequence[Contest], ask: Ask | None) -> list[Refreshed]:
    """Let the squares mean their present programs; have run what nobody has asked for yet.

    Without `ask` that is left for later. The caller holds the rows of these functions, which are
    elected together.
    """
    sights = [_look_at(contest) for contest in contests]
    meant = {key for sight in sights for key in sight.keys.values()}
    sights = [sight._replace(pointless=sight.pointless - meant) for sight in sights]
    if held := set[bytes]().union(*(sight.wanted | sight.pointless for sight in sights)):
        _hold(held)
    return [_refresh(sight, ask) for sight in sights]


def _look_at(contest: Contest) -> _Sight:
    meanings = Meanings(contest)
    keys = meanings.keys(all_pairs(contest))
    cells = load_cells(contest)
    rekeyed = {pair: key for pair, key in keys.items() if _means_another(cells.get(pair), key)}
    stale = {cells[pair].key for pair in rekeyed if pair in cells and cells[pair].is_pending}
    changed = rekeyed | _find_adrift(contest, cells, keys.keys() - rekeyed.keys())
    carried = find_carried(contest, cells, rekeyed)
    return _Sight(contest, meanings, keys, cells, rekeyed, stale, changed, carried)


def _refresh(sight: _Sight, ask: Ask | None) -> Refreshed:
    contest, cells, rekeyed, changed = sight.contest, sight.cells, sight.rekeyed, sight.changed
    batch = None
    results = {}
    if changed:
        given_up = {cell.key for cell in cells.values() if cell.given_up}
        asked = _keys_asked(contest)
        results = load_results(sight.wanted)
        unasked = sight.wanted - given_up - asked - results.keys()
        missing = [pair for pair, key in changed.items() if key in unasked]
        if missing and ask:
            adrift = {pair for pair in changed.keys() - rekeyed.keys() if cells[pair].carried}
            batch = ask(contest, sight.meanings.programs(missing), sight.carried | adrift)
        found = {pair: key for pair, key in changed.items() if pair in rekeyed or key in results}
        write_cells(found, cells, results, sight.carried)
    squares = {
        pair: cells[pair].square
        if key not in results and (pair in sight.carried or pair not in rekeyed)
        else _new_square(results.get(key or b""))
        for pair, key in sight.keys.items()
    }
    return Refreshed(squares, rekeyed, sight.pointless, batch)


def _means_another(cell: StoredCell | None, key: bytes | None) -> bool:
    return cell is None or cell.key != (key or b"")


def _new_square(result: KnownResult | None) -> Square:
    return Square(result.verdict, False, result.message, result.cpu_us) if result else Square()


def _find_adrift(
    contest: Contest, cells: Mapping[Pair, StoredCell], pairs: Collection[Pair]
) -> dict[Pair, bytes | None]:
    """Find the squares whose program should be on its way, and isn't.

    It was not asked for while something else was being judged, or was superseded since.
    """
    pending = {pair: cells[pair].key for pair in pairs if cells[pair].is_pending}
    asked = _keys_asked(contest) if pending else set()
    return {pair: key for pair, key in pending.items() if key not in asked}


def _keys_asked(contest: Contest) -> set[bytes]:
    """Return the programs of this function that are to be recorded yet."""
    tasks = Task.objects.filter(
        batch__topic__name=contest.function.topic,
        batch__state=BatchState.OPEN,
        batch__recorder=RECORDER,
        state__in=OPEN_STATES,
    )
    return {bytes(key) for key in tasks.values_list("execution__key", flat=True)}


def _hold(keys: Collection[bytes]) -> None:
    """Hold the executions of these programs that have no result, in key order as everybody does.

    A recorder of one either has committed, and its result is seen afterwards, or waits until the
    squares are written and finds them: without that a verdict could fall between the two. What is
    to be asked for or to be stopped is held here as well, or it would be locked out of order.
    """
    unfinished = Execution.objects.filter(key__in=keys).exclude(state=State.SUCCEEDED)
    list(unfinished.order_by("key").select_for_update(no_key=True).values_list("pk"))
