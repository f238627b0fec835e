"""A drawing of stacks of crates, and orders for the crane, in the Advent manner."""
import re
from collections import deque
from copy import deepcopy
from dataclasses import dataclass
from typing import Callable, Iterable

SAMPLE = """\
    [Q]        
[F] [R]     [T]
[B] [K] [M] [W]
 1   2   3   4 

move 2 from 2 to 1
move 1 from 4 to 3
move 3 from 1 to 4
move 1 from 3 to 2
"""

ORDER = re.compile(r"^move (?P<n>\d+) from (?P<source>\d+) to (?P<target>\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Order:
    n: int
    source: int
    target: int

    @classmethod
    def parse_all(cls, text: str) -> Iterable["Order"]:
        for match in ORDER.finditer(text):
            yield cls(**{key: int(value) for key, value in match.groupdict().items()})


class Yard(dict[int, deque]):
    @classmethod
    def from_drawing(cls, drawing: str) -> "Yard":
        *levels, labels = drawing.splitlines()
        yard = cls()
        for column, label in enumerate(labels):
            if label.isspace():
                continue
            crates = (level[column] for level in reversed(levels) if column < len(level))
            yard[int(label)] = deque(c for c in crates if c.isalpha())
        return yard

    @property
    def tops(self) -> str:
        return "".join(stack[-1] if stack else "-" for _, stack in sorted(self.items()))

    def __str__(self) -> str:
        height = max(map(len, self.values()), default=0)
        rows = []
        for level in reversed(range(height)):
            row = [f"[{s[level]}]" if level < len(s) else "   " for s in self.values()]
            rows.append(" ".join(row).rstrip())
        rows.append(" ".join(f" {k} " for k in self).rstrip())
        return "\n".join(rows)


Crane = Callable[[Yard, Order], None]


def one_by_one(yard: Yard, order: Order) -> None:
    for _ in range(order.n):
        yard[order.target].append(yard[order.source].pop())


def several_at_once(yard: Yard, order: Order) -> None:
    lifted: deque = deque()
    for _ in range(order.n):
        lifted.appendleft(yard[order.source].pop())
    yard[order.target] += lifted


def run(yard: Yard, orders: Iterable[Order], crane: Crane) -> str:
    yard = deepcopy(yard)
    for number, order in enumerate(orders, 1):
        try:
            crane(yard, order)
        except IndexError:
            raise RuntimeError(f"order {number}: too few crates in {order.source}") from None
    return yard.tops


drawing, _, orders_text = SAMPLE.partition("\n\n")
yard = Yard.from_drawing(drawing)
orders = list(Order.parse_all(orders_text))

assert [*yard] == [1, 2, 3, 4] and yard[2] == deque("KRQ")
assert orders[0] == Order(2, 2, 1) and len(orders) == 4
assert yard.tops == "FQMT"
part1, part2 = (run(yard, orders, crane) for crane in (one_by_one, several_at_once))
print(f"{part1=} {part2=}")
assert part1 == "BTMF", part1
assert part2 == "BTMQ", part2
assert yard.tops == "FQMT", "runs work on a copy"
assert str(yard).splitlines()[-1] == " 1   2   3   4"
assert str(yard).splitlines()[0].strip() == "[Q]"
try:
    run(yard, [*orders, Order(9, 3, 1)], one_by_one)
except RuntimeError as e:
    assert e.__suppress_context__ and str(e) == "order 5: too few crates in 3"
else:
    assert False
