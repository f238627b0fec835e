"""Three ways of ordering tasks: Kahn's queue, depth first, and graphlib."""

import random
from collections import defaultdict, deque
from enum import Enum, auto
from graphlib import CycleError as LibraryCycleError
from graphlib import TopologicalSorter


class Colour(Enum):
    WHITE = auto()
    GREY = auto()
    BLACK = auto()


class CycleFound(Exception):
    def __init__(self, path):
        super().__init__(" -> ".join(map(str, path)))
        self.path = path


def kahn(deps):
    users = defaultdict(set)
    waiting = {}
    for task, needs in deps.items():
        waiting[task] = waiting.get(task, 0) + len(needs)
        for need in needs:
            users[need].add(task)
            waiting.setdefault(need, 0)
    ready = deque(sorted(t for t, n in waiting.items() if not n))
    while ready:
        task = ready.popleft()
        yield task
        del waiting[task]
        for user in sorted(users[task]):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    if waiting:
        raise CycleFound(sorted(waiting))


def depth_first(deps):
    colour = defaultdict(lambda: Colour.WHITE)
    order, trail = [], []

    def visit(task):
        match colour[task]:
            case Colour.BLACK:
                return
            case Colour.GREY:
                raise CycleFound(trail[trail.index(task):] + [task])
        colour[task] = Colour.GREY
        trail.append(task)
        for need in sorted(deps.get(task, ())):
            visit(need)
        trail.pop()
        colour[task] = Colour.BLACK
        order.append(task)

    for task in sorted(deps):
        visit(task)
    return order


def is_valid(order, deps):
    place = {task: i for i, task in enumerate(order)}
    return all(place[need] < place[task] for task, needs in deps.items() for need in needs)


DRESSING = {
    "shoes": {"socks", "trousers"},
    "belt": {"trousers", "shirt"},
    "tie": {"shirt"},
    "jacket": {"tie", "belt"},
    "trousers": {"pants"},
}

for method in (lambda d: list(kahn(d)), depth_first, lambda d: list(TopologicalSorter(d).static_order())):
    result = method(DRESSING)
    assert is_valid(result, DRESSING)
    assert len(result) == len(set(result)) == 8
    print(*result, sep=" < ")

loop = {"a": {"b"}, "b": {"c"}, "c": {"a"}}
try:
    depth_first(loop)
except CycleFound as e:
    assert e.path[0] == e.path[-1]
    assert str(e) == "a -> b -> c -> a"
else:
    assert False
try:
    list(kahn(loop))
except CycleFound as e:
    assert e.path == ["a", "b", "c"]
try:
    TopologicalSorter(loop).prepare()
except LibraryCycleError as e:
    assert set(e.args[1]) == set("abc")

rng = random.Random(3)
big = {n: {rng.randrange(n) for _ in range(3)} for n in range(1, 200)}
assert is_valid(list(kahn(big)), big) and is_valid(depth_first(big), big)

sorter = TopologicalSorter(DRESSING)
sorter.prepare()
rounds = []
while sorter.is_active():
    batch = sorter.get_ready()
    rounds.append(sorted(batch))
    sorter.done(*batch)
assert rounds[0] == ["pants", "shirt", "socks"] and rounds[-1] == ["jacket"]
