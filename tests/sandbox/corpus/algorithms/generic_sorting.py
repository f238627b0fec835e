"""A dozen ways of sorting, typed over anything that has '<'."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, MutableSequence
from functools import wraps
from heapq import merge
from typing import Any, Protocol, TypeVar


class Comparable(Protocol):
    def __lt__(self, other: Any, /) -> bool: ...


C = TypeVar("C", bound=Comparable)
Sorter = Callable[[MutableSequence[C]], None]

REGISTRY: dict[str, Sorter] = {}


def sorting(*, stable: bool = False):
    """Register an in-place sort and note whether it is stable."""

    def decorate(function: Sorter) -> Sorter:
        @wraps(function)
        def wrapper(items: MutableSequence[C]) -> None:
            if len(items) > 1:
                function(items)

        wrapper.stable = stable
        REGISTRY[function.__name__.removesuffix("_sort")] = wrapper
        return wrapper

    return decorate


@sorting(stable=True)
def insertion_sort(items):
    for i in range(1, len(items)):
        item, j = items[i], i
        while j and item < items[j - 1]:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item


@sorting(stable=True)
def bubble_sort(items):
    end, swapped = len(items), True
    while swapped:
        swapped = False
        end -= 1
        for i in range(end):
            if items[i + 1] < items[i]:
                items[i:i + 2] = items[i + 1], items[i]
                swapped = True


@sorting(stable=True)
def merge_sort(items):
    middle = len(items) // 2
    left, right = items[:middle], items[middle:]
    merge_sort(left)
    merge_sort(right)
    items[:] = merge(left, right)


@sorting()
def quick_sort(items):
    def go(lo, hi):
        while lo < hi:
            pivot = items[(lo + hi) // 2]
            i, j = lo, hi
            while i <= j:
                while items[i] < pivot:
                    i += 1
                while pivot < items[j]:
                    j -= 1
                if i <= j:
                    items[i], items[j] = items[j], items[i]
                    i, j = i + 1, j - 1
            go(lo, j)
            lo = i

    go(0, len(items) - 1)


@sorting()
def heap_sort(items):
    def sift(root, end):
        while (child := 2 * root + 1) < end:
            if child + 1 < end and items[child] < items[child + 1]:
                child += 1
            if not items[root] < items[child]:
                return
            items[root], items[child] = items[child], items[root]
            root = child

    for root in reversed(range(len(items) // 2)):
        sift(root, len(items))
    for end in range(len(items) - 1, 0, -1):
        items[0], items[end] = items[end], items[0]
        sift(0, end)


@sorting()
def shell_sort(items):
    gap = len(items) // 2
    while gap:
        for i in range(gap, len(items)):
            while i >= gap and items[i] < items[i - gap]:
                items[i], items[i - gap] = items[i - gap], items[i]
                i -= gap
        gap = gap // 2


class Labelled:
    def __init__(self, rank: int, label: int):
        self.rank, self.label = rank, label

    def __lt__(self, other: Labelled) -> bool:
        return self.rank < other.rank

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labelled) and self.rank == other.rank


def sorted_by(sorter: Sorter, items: Iterable[C]) -> list[C]:
    copy = [*items]
    sorter(copy)
    return copy


if __name__ == "__main__":
    rng = random.Random(99)
    cases = [[], [1], [2, 1], list("sorting algorithms"), [3] * 5, [(2, "b"), (2, "a"), (1, "z")],
             [rng.randrange(50) for _ in range(60)], [rng.random() for _ in range(80)]]
    for name, sorter in REGISTRY.items():
        for case in cases:
            assert sorted_by(sorter, case) == sorted(case), (name, case)
        if sorter.stable:
            things = [Labelled(rng.randrange(4), n) for n in range(40)]
            done = sorted_by(sorter, things)
            assert all(a.label < b.label for a, b in zip(done, done[1:]) if a.rank == b.rank)
        print(f"{name:<10} {sorter.__name__:>15} {'stable' if sorter.stable else '-'}")
    assert {n for n, s in REGISTRY.items() if s.stable} == {"insertion", "bubble", "merge"}
