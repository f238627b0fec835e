from __future__ import annotations
import json
from collections import defaultdict
from dataclasses import InitVar, asdict, astuple, dataclass, field, fields, make_dataclass, replace
from operator import attrgetter, itemgetter
from typing import ClassVar, Iterator


@dataclass(slots=True, order=True)
class Product:
    sort_index: float = field(init=False, repr=False)
    sku: str
    price: float
    qty: int = 0
    tags: set[str] = field(default_factory=set, compare=False)
    discount: InitVar[float] = 0.0
    count: ClassVar[int] = 0

    def __post_init__(self, discount):
        self.price = round(self.price * (1 - discount), 2)
        self.sort_index = self.price
        type(self).count += 1

    @property
    def total(self) -> float:
        return self.price * self.qty


class OutOfStock(Exception):
    pass


class Inventory:
    def __init__(self) -> None:
        self._items: dict[str, Product] = {}
        self._by_tag: defaultdict[str, set[str]] = defaultdict(set)

    def __setitem__(self, sku, p):
        self._items[sku] = p
        for t in p.tags:
            self._by_tag[t].add(sku)

    def __getitem__(self, sku) -> Product:
        try:
            return self._items[sku]
        except KeyError as e:
            raise LookupError(f"no such product: {sku}") from e

    def __iter__(self) -> Iterator[Product]:
        yield from sorted(self._items.values())

    def add(self, **kw):
        p = Product(**kw)
        self[p.sku] = p
        return p

    def remove(self, sku, n=1):
        if (p := self[sku]).qty < n:
            raise OutOfStock(sku, n - p.qty)
        p.qty -= n

    def tagged(self, *tags):
        return set.intersection(*(self._by_tag[t] for t in tags))

    value = property(lambda self: sum(p.total for p in self._items.values()))


inv = Inventory()
inv.add(sku="pen", price=1.5, qty=10, tags={"office", "small"})
inv.add(sku="desk", price=200, qty=1, tags={"office"}, discount=0.25)
inv.add(sku="pin", price=0.1, qty=500, tags={"small"})
assert [p.sku for p in inv] == ["pin", "pen", "desk"]
assert inv.value == 15 + 150 + 50
assert inv.tagged("office", "small") == {"pen"}
assert Product.count == 3
try:
    inv.remove("desk", 3)
except OutOfStock as e:
    assert e.args == ("desk", 2)
try:
    inv["ghost"]
except LookupError as e:
    assert isinstance(e.__cause__, KeyError)
p = replace(inv["pen"], qty=3, discount=0)
assert p.qty == 3 and p == Product("pen", 1.5, 3)
d = asdict(p)
assert d["sku"] == "pen" and d["tags"] == {"office", "small"}
assert astuple(Product("x", 1.0))[1:4] == ("x", 1.0, 0)
assert [f.name for f in fields(Product)] == ["sort_index", "sku", "price", "qty", "tags"]
try:
    p.colour = "red"
except AttributeError:
    pass
else:
    raise AssertionError
Point = make_dataclass("Point", [("x", int), ("y", int, field(default=5))], namespace={"norm1": lambda self: self.x + self.y})
assert Point(1).norm1() == 6 and repr(Point(1)) == "Point(x=1, y=5)"
print(max(inv, key=attrgetter("total")))
