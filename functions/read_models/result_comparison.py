"""The comparison of two results and their programs."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from functions.models import Cell
from functions.read_models.result import ModuleShown, ResultPage, result_page
from functions.read_models.snapshot import snapshot
from functions.source.diff import Difference, compare, lines_of
from runner.registry import Actor

MOST_OTHERS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ModulePair:
    """A module of either program; `difference` is None if it is the same in both."""

    name: str
    left: ModuleShown | None
    right: ModuleShown | None
    difference: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultComparison:
    """The differences of two results."""

    left: ResultPage
    right: ResultPage
    log: Difference  # of the texts, without times
    modules: tuple[ModulePair, ...]

    @property
    def same(self) -> Mapping[str, bool]:
        """The parts that are equal in both."""
        left, right = self.left, self.right
        return {
            "verdict": left.verdict == right.verdict,
            "message": (left.message, left.line) == (right.message, right.line),
            "log": self.log.is_none,
            "modules": all(pair.difference is None for pair in self.modules),
            "runtime": left.runtime == right.runtime,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherRecord:
    """A result to compare with, and the cell that shows it."""

    key: str
    cell: Cell
    verdict: str
    is_former: bool  # whether it is of the same cell's former program


def compare_results(left: str, right: str, actor: Actor) -> ResultComparison | None:
    """Return the comparison of two results, by hexadecimal keys, if the reader may see both."""
    with snapshot():
        first, second = result_page(left, actor), result_page(right, actor)
    if first is None or second is None:
        return None
    return ResultComparison(
        left=first,
        right=second,
        log=compare(_log(first), _log(second)),
        modules=_modules(first, second),
    )


def other_records(page: ResultPage) -> tuple[OtherRecord, ...]:
    """Return results to compare with: of the same cells, and of the same tests."""
    pairs = Q()
    for cell in page.cells:
        same_test = Q(implementation__function=cell.implementation.function_id, test=cell.test_id)
        pairs |= same_test
    if not pairs:
        return ()
    published = Q(implementation__state="published") & (Q(test=None) | Q(test__state="published"))
    cells = Cell.objects.filter(pairs & published, result_key__isnull=False).exclude(verdict="")
    shown = cells.select_related("implementation__function", "test").defer(
        "implementation__code", "test__code", "implementation__function__description"
    )
    own = {cell.pk for cell in page.cells}
    others = [
        OtherRecord(
            key=bytes(cell.result_key).hex(),
            cell=cell,
            verdict=cell.verdict,
            is_former=cell.pk in own,
        )
        for cell in shown.order_by("test", "implementation")[: MOST_OTHERS + 1]
        if cell.result_key is not None
    ]
    return tuple(other for other in others if other.key != page.key)[:MOST_OTHERS]


def _log(page: ResultPage) -> list[str]:
    return [line for _, _, text in page.log for line in lines_of(text) or [""]]


def _modules(left: ResultPage, right: ResultPage) -> tuple[ModulePair, ...]:
    """Pair the modules of the same name, in the order of the right program."""
    before = {module.name: module for module in left.modules}
    after = {module.name: module for module in right.modules}
    return tuple(_pair(name, before.get(name), after.get(name)) for name in {**after, **before})


def _pair(name: str, left: ModuleShown | None, right: ModuleShown | None) -> ModulePair:
    is_same = left is not None and right is not None and left.sha256 == right.sha256
    difference = compare(lines_of(left.text) if left else [], lines_of(right.text) if right else [])
    return ModulePair(name=name, left=left, right=right, difference=None if is_same else difference)
