from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import KW_ONLY, InitVar, asdict, astuple, dataclass, field, fields, replace


@dataclass
class InventoryItem:
    """Class for keeping track of an item in inventory."""

    name: str
    unit_price: float
    quantity_on_hand: int = 0

    def total_cost(self) -> float:
        return self.unit_price * self.quantity_on_hand


@dataclass(order=True, frozen=True)
class SemVer:
    major: int
    minor: int = 0
    patch: int = 0
    label: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> "SemVer":
        core, _, label = text.partition("-")
        return cls(*map(int, core.split(".")), label=label)

    def bump(self, part: str) -> SemVer:
        match part:
            case "major":
                return SemVer(self.major + 1)
            case "minor":
                return replace(self, minor=self.minor + 1, patch=0, label="")
            case _:
                return replace(self, patch=self.patch + 1, label="")

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.label}" if self.label else "")


@dataclass(slots=True, kw_only=True)
class Settings:
    host: str = "localhost"
    port: int = 8080
    tags: list[str] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        if not 0 < self.port < 65536:
            raise ValueError(f"bad port: {self.port}")


@dataclass
class Rating:
    stars: int
    _: KW_ONLY
    by: str = "anonymous"
    weight: float = 1.0


@dataclass
class Hashed:
    user: str
    password: InitVar[str]
    salt: InitVar[int] = 7
    digest: int = field(init=False, repr=False)

    def __post_init__(self, password: str, salt: int) -> None:
        self.digest = sum(ord(c) * salt**i for i, c in enumerate(password)) % 9973

    def check(self, password: str) -> bool:
        return Hashed(self.user, password).digest == self.digest


@dataclass
class Node:
    value: int
    children: list[Node] = field(default_factory=list)
    parent: t.Optional[Node] = field(default=None, repr=False, compare=False)
    instances: t.ClassVar[int] = 0

    def __post_init__(self):
        type(self).instances += 1
        for c in self.children:
            c.parent = self

    def total(self):
        return self.value + sum(c.total() for c in self.children)


def test_basics():
    item = InventoryItem("bolt", 0.25, 40)
    assert item.total_cost() == 10.0
    assert repr(item) == "InventoryItem(name='bolt', unit_price=0.25, quantity_on_hand=40)"
    assert item == InventoryItem("bolt", 0.25, 40) and item != InventoryItem("nut", 0.25)
    item.quantity_on_hand -= 10
    assert asdict(item) == {"name": "bolt", "unit_price": 0.25, "quantity_on_hand": 30}
    assert astuple(item) == ("bolt", 0.25, 30)
    assert [f.name for f in fields(item)] == ["name", "unit_price", "quantity_on_hand"]
    assert InventoryItem.__match_args__ == ("name", "unit_price", "quantity_on_hand")
    try:
        hash(item)
    except TypeError:
        pass
    else:
        raise AssertionError("mutable dataclasses are unhashable")


def test_order_and_frozen():
    vs = [SemVer.parse(s) for s in ["1.10.0", "1.2.3-beta", "1.2.3", "0.9.0"]]
    assert [str(v) for v in sorted(vs)] == ["0.9.0", "1.2.3-beta", "1.2.3", "1.10.0"]
    assert vs[1] == vs[2] and hash(vs[1]) == hash(vs[2])
    assert str(vs[1].bump("patch")) == "1.2.4"
    assert str(vs[1].bump("minor")) == "1.3.0"
    assert vs[0].bump("major") == SemVer(2)
    try:
        vs[0].major = 4
    except dataclasses.FrozenInstanceError as e:
        assert "cannot assign to field 'major'" == str(e)
    else:
        raise AssertionError


def test_slots_kw_only():
    s = Settings(port=99, tags=["x"])
    assert repr(s) == "Settings(host='localhost', port=99)"
    assert not hasattr(s, "__dict__")
    try:
        Settings("h")
    except TypeError:
        pass
    for port in (0, 70000):
        try:
            Settings(port=port)
        except ValueError as e:
            assert str(port) in str(e)
        else:
            raise AssertionError
    assert Rating(4, by="me") == Rating(stars=4, by="me", weight=1.0)
    assert replace(Rating(3), stars=5).stars == 5


def test_initvar_and_trees():
    h = Hashed("ann", "hunter2")
    assert h.check("hunter2") and not h.check("hunter3")
    assert "password" not in asdict(h)
    tree = Node(1, [Node(2), Node(3, [Node(4)])])
    assert tree.total() == 10 and Node.instances == 4
    assert tree.children[1].children[0].parent is tree.children[1]
    assert repr(Node(9)) == "Node(value=9, children=[])"
    C = dataclasses.make_dataclass("C", [("x", int), ("y", int, field(default=5))],
                                   namespace={"add": lambda self: self.x + self.y})
    assert C(10).add() == 15 and repr(C(1)) == "C(x=1, y=5)"


if __name__ == "__main__":
    test_basics()
    test_order_and_frozen()
    test_slots_kw_only()
    test_initvar_and_trees()
    print(SemVer.parse("3.11.0-rc1"))
