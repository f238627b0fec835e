"""A small entity-component-system with a bouncing, poisoned, fighting world."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import count
from typing import Iterator, Protocol, TypeVar

C = TypeVar("C")


@dataclass(slots=True)
class Position:
    x: float
    y: float

    def distance(self, other: Position) -> float:
        return math.hypot(self.x - other.x, self.y - other.y)


@dataclass(slots=True)
class Velocity:
    dx: float = 0.0
    dy: float = 0.0


@dataclass(slots=True)
class Health:
    points: int
    maximum: int = field(init=False)

    def __post_init__(self) -> None:
        self.maximum = self.points


@dataclass(slots=True, frozen=True)
class Weapon:
    damage: int
    reach: float = 1.5


@dataclass(slots=True)
class Poison:
    turns: int


class Tag(str):
    pass


class World:
    def __init__(self, width: float = 10, height: float = 10) -> None:
        self.size = width, height
        self._ids = count(1)
        self._stores: dict[type, dict[int, object]] = {}
        self._systems: list[tuple[int, System]] = []
        self._dead: set[int] = set()
        self.messages: list[str] = []

    def spawn(self, *components: object) -> int:
        entity = next(self._ids)
        for c in components:
            self.add(entity, c)
        return entity

    def add(self, entity: int, component: object) -> None:
        self._stores.setdefault(type(component), {})[entity] = component

    def remove(self, entity: int, kind: type) -> None:
        del self._stores[kind][entity]

    def get(self, entity: int, kind: type[C]) -> C | None:
        return self._stores.get(kind, {}).get(entity)  # type: ignore[return-value]

    def query(self, *kinds: type) -> Iterator[tuple]:
        stores = [self._stores.get(k, {}) for k in kinds]
        smallest = min(stores, key=len)
        for entity in list(smallest):
            if entity not in self._dead and all(entity in s for s in stores):
                yield entity, *(s[entity] for s in stores)

    def kill(self, entity: int) -> None:
        self._dead.add(entity)

    def system(self, priority: int = 0):
        def register(func: System) -> System:
            self._systems.append((priority, func))
            self._systems.sort(key=lambda ps: -ps[0])
            return func
        return register

    def step(self, dt: float = 1.0) -> None:
        for _, system in self._systems:
            system(self, dt)
        for entity in self._dead:
            for store in self._stores.values():
                store.pop(entity, None)
        self._dead.clear()

    def __len__(self) -> int:
        return len(set().union(*self._stores.values()))

    def name(self, entity: int) -> str:
        return self.get(entity, Tag) or f"#{entity}"


class System(Protocol):
    def __call__(self, world: World, dt: float) -> None: ...


def movement(world: World, dt: float) -> None:
    width, height = world.size
    for _, pos, vel in world.query(Position, Velocity):
        pos.x += vel.dx * dt
        pos.y += vel.dy * dt
        if not 0 <= pos.x <= width:
            vel.dx *= -1
            pos.x = min(max(pos.x, 0), width)
        if not 0 <= pos.y <= height:
            vel.dy *= -1
            pos.y = min(max(pos.y, 0), height)


def fighting(world: World, dt: float) -> None:
    for attacker, a, weapon in world.query(Position, Weapon):
        for target, b, health in world.query(Position, Health):
            if target != attacker and a.distance(b) <= weapon.reach:
                health.points -= weapon.damage
                world.messages.append(f"{world.name(attacker)} hits {world.name(target)} for {weapon.damage}")


def poison(world: World, dt: float) -> None:
    for entity, p, health in world.query(Poison, Health):
        health.points -= 1
        p.turns -= 1
        if not p.turns:
            world.remove(entity, Poison)


def reaper(world: World, dt: float) -> None:
    for entity, health in world.query(Health):
        if health.points <= 0:
            world.messages.append(f"{world.name(entity)} dies")
            world.kill(entity)


def build() -> tuple[World, int, int, int]:
    world = World()
    for priority, system in ((10, movement), (5, fighting), (4, poison), (-1, reaper)):
        world.system(priority)(system)
    hero = world.spawn(Tag("hero"), Position(0, 0), Velocity(1, 0), Health(20), Weapon(4))
    orc = world.spawn(Tag("orc"), Position(4, 0), Health(9), Weapon(3, reach=1.2))
    rat = world.spawn(Position(9, 9), Velocity(2, 0), Health(3), Poison(2))
    return world, hero, orc, rat


def main() -> None:
    world, hero, orc, rat = build()
    assert [e for e, *_ in world.query(Position)] == [hero, orc, rat]
    assert [e for e, *_ in world.query(Weapon, Velocity)] == [hero]
    world.step()
    assert world.get(rat, Position) == Position(10, 9) and world.get(rat, Velocity).dx == -2
    world.step()
    assert world.get(rat, Poison) is None and world.get(rat, Health).points == 1
    for _ in range(3):
        world.step()
    print(*world.messages, sep="\n")
    assert world.messages == ["hero hits orc for 4", "orc hits hero for 3", "hero hits orc for 4",
                              "orc hits hero for 3", "hero hits orc for 4", "orc hits hero for 3", "orc dies"]
    assert world.get(orc, Health) is None and len(world) == 2
    assert world.get(hero, Health).points < world.get(hero, Health).maximum
    assert not list(world.query(Poison)) and world.name(rat) == "#3"
    assert not hasattr(Position(1, 2), "__dict__")


if __name__ == "__main__":
    main()
