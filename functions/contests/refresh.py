"""What the squares of the quilt mean, brought up to date; what is missing is had run."""

from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import NamedTuple

from functions.contests.carryover import find_carried, former_versions
from functions.contests.cells import KnownResult, StoredCell, load_cells, load_results, write_cells
from functions.contests.contest import Contest, Pair
from functions.contests.evaluation import RECORDER, all_pairs
from functions.contests.programs import Keys, Meanings
from functions.contests.rules import Square
from runner.models import Batch, Execution, Task
from runner.states import OPEN_STATES, BatchState, State


class Missing(NamedTuple):
    """Squares of a contest whose programs nobody has asked for yet."""

    contest: Contest
    meanings: Meanings
    pairs: list[Pair]
    carried: set[Pair]  # those that are only to be confirmed


# Has run what is missing, as far as it is time, and returns the batches by function; called in the
# transaction that writes the squares.
Ask = Callable[[Sequence[Missing]], Mapping[int, Batch]]


class Refreshed(NamedTuple):
    """A contest's squares after they were brought up to date."""

    squares: dict[Pair, Square]
    rekeyed: Keys  # those that mean another program than before
    pointless: set[bytes]  # programs under way that no square means any more
    batch: Batch | None  # what has the missing programs run


class _Sight(NamedTuple):
    """What a contest's squares should say, and how that differs from what they do."""

    contest: Contest
    meanings: Meanings
    keys: Keys
    rekeyed: Keys
    pointless: set[bytes]
    carried: set[Pair]


def refresh_cells(contests: Sequence[Contest], ask: Ask) -> list[Refreshed]:
    """Let squares mean their present programs; have run what nobody has asked for yet.

    In as many queries for many contests as for one. The caller holds the rows of their functions.
    """
    cells = load_cells(contests)
    versions = former_versions()
    sights = [_look_at(contest, cells, versions) for contest in contests]
    meant = {key for sight in sights for key in sight.keys.values()}
    sights = [sight._replace(pointless=sight.pointless - meant) for sight in sights]
    rekeyed = {pair: key for sight in sights for pair, key in sight.rekeyed.items()}
    changed = rekeyed | _find_adrift(sights, cells)
    wanted = {key for key in changed.values() if key}
    if held := wanted.union(*(sight.pointless for sight in sights)):
        _hold(held)
    asked = _keys_asked(contests) if wanted else set()
    results = load_results(wanted)
    unasked = wanted - asked - results.keys() - {c.key for c in cells.values() if c.given_up}
    batches = ask(list(_find_missing(sights, changed, unasked, cells))) if unasked else {}
    found = {pair: key for pair, key in changed.items() if pair in rekeyed or key in results}
    write_cells(found, cells, results, set[Pair]().union(*(sight.carried for sight in sights)))
    return [
        Refreshed(
            _squares(sight, cells, results),
            sight.rekeyed,
            sight.pointless,
            batches.get(sight.contest.function.pk),
        )
        for sight in sights
    ]


def _look_at(
    contest: Contest, cells: Mapping[Pair, StoredCell], versions: Collection[str]
) -> _Sight:
    meanings = Meanings(contest)
    keys = meanings.keys(all_pairs(contest))
    rekeyed = {pair: key for pair, key in keys.items() if _means_another(cells.get(pair), key)}
    stale = {cells[pair].key for pair in rekeyed if pair in cells and cells[pair].is_pending}
    carried = find_carried(contest, cells, rekeyed, versions)
    return _Sight(contest, meanings, keys, rekeyed, stale, carried)


def _find_adrift(sights: Sequence[_Sight], cells: Mapping[Pair, StoredCell]) -> Keys:
    """Find the squares whose program should be on its way, and isn't.

    It was not asked for while something else was being judged, or was superseded since.
    """
    pending: Keys = {
        pair: cells[pair].key
        for sight in sights
        for pair in sight.keys.keys() - sight.rekeyed.keys()
        if cells[pair].is_pending
    }
    asked = _keys_asked([sight.contest for sight in sights]) if pending else set()
    return {pair: key for pair, key in pending.items() if key not in asked}


def _find_missing(
    sights: Iterable[_Sight],
    changed: Keys,
    unasked: Container[bytes | None],
    cells: Mapping[Pair, StoredCell],
) -> Iterator[Missing]:
    for sight in sights:
        own = sight.keys.keys() & changed.keys()
        adrift = {pair for pair in own - sight.rekeyed.keys() if cells[pair].carried}
        if missing := [pair for pair in sight.keys if pair in own and changed[pair] in unasked]:
            yield Missing(sight.contest, sight.meanings, missing, sight.carried | adrift)


def _squares(
    sight: _Sight, cells: Mapping[Pair, StoredCell], results: Mapping[bytes, KnownResult]
) -> dict[Pair, Square]:
    return {
        pair: cells[pair].square
        if key not in results and (pair in sight.carried or pair not in sight.rekeyed)
        else _new_square(results.get(key or b""))
        for pair, key in sight.keys.items()
    }


def _means_another(cell: StoredCell | None, key: bytes | None) -> bool:
    return cell is None or cell.key != (key or b"")


def _new_square(result: KnownResult | None) -> Square:
    return Square(result.verdict, False, result.message, result.cpu_us) if result else Square()


def _keys_asked(contests: Iterable[Contest]) -> set[bytes]:
    """Return the programs of these functions that are to be recorded yet."""
    tasks = Task.objects.filter(
        batch__topic__name__in=[contest.function.topic for contest in contests],
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
