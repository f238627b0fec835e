import re
from copy import deepcopy
from math import prod, lcm
from collections import deque
from dataclasses import dataclass, field
from typing import Callable

raw = '''\
Juggler 0:
  Holds: 12, 45, 7
  Does: new = old * 5
  Divisible by 7
    yes: pass to 1
    no: pass to 2

Juggler 1:
  Holds: 31
  Does: new = old + 8
  Divisible by 11
    yes: pass to 2
    no: pass to 0

Juggler 2:
  Holds: 3, 14, 15, 92
  Does: new = old * old
  Divisible by 5
    yes: pass to 0
    no: pass to 1
'''


@dataclass
class Juggler:
    id: int
    items: deque
    op: Callable[[int], int] = field(repr=False)
    mod: int
    targets: tuple[int, int]
    count: int = 0

    @classmethod
    def parse(cls, block):
        head, items, op, *rest = block.splitlines()
        ints = lambda s: [int(n) for n in re.findall(r"\d+", s)]
        (mod,), (t,), (f,) = map(ints, rest)
        match op.split(" = ")[1].split():
            case ["old", "*", "old"]:
                fn = lambda old: old * old
            case ["old", "*", n]:
                fn = lambda old, n=int(n): old * n
            case ["old", "+", n]:
                fn = lambda old, n=int(n): old + n
            case other:
                raise ValueError(other)
        return cls(ints(head)[0], deque(ints(items)), fn, mod, (f, t))


def simulate(jugglers, rounds, calm):
    for _ in range(rounds):
        for m in jugglers:
            while m.items:
                m.count += 1
                weight = calm(m.op(m.items.popleft()))
                jugglers[m.targets[weight % m.mod == 0]].items.append(weight)
    *_, a, b = sorted(m.count for m in jugglers)
    return a * b


jugglers = [*map(Juggler.parse, raw.split("\n\n"))]
part1 = simulate(deepcopy(jugglers), 20, lambda w: w // 3)
M = lcm(*(m.mod for m in jugglers))
small = deepcopy(jugglers)
part2 = simulate(small, 500, lambda w: w % M)
print(part1, part2, jugglers[0])
assert prod(m.mod for m in jugglers) == M == 385
assert sum(len(m.items) for m in small) == 8, "nothing is lost"
assert all(w < M for m in small for w in m.items)
assert part2 > part1 > 0
assert jugglers[0].count == 0 and jugglers[0].items[1] == 45
