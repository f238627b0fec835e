"""Writes values into messages; `containers` says what they look like."""

from __future__ import annotations

import array
import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from runner.sandbox.border.containers import (
    CODES,
    FROZEN,
    MAPPINGS,
    MOST_PLACES,
    MUTABLE,
    TAGS,
    Heap,
    Item,
)
from runner.sandbox.border.large_lists import LARGE as LARGE_LIST
from runner.sandbox.border.large_lists import LARGEST as LARGEST_LIST
from runner.sandbox.border.large_lists import SentLists
from runner.sandbox.border.plain import (
    ATOMS,
    BUFFERS,
    DISMANTLE,
    FACTORIES,
    LARGE,
    NAME_OF,
    ZONED,
    bytes_part,
)


class Uncrossable(ValueError):
    """A value that can't be sent; the message says why."""


class Form(NamedTuple):
    """An object that crosses by value: its class, and plain values that it is built of again.

    `parts` are a base value, which is a plain container or atom, and the attributes.
    """

    reference: Item
    parts: tuple[Any, Any]


# For an object that is no plain data: a form, or an item that refers to it.
Refer = Callable[[Any], Form | Item]
_WORTH_PACKING = 16


class Finish(NamedTuple):
    """A frozen container whose parts have all been visited."""

    value: Any


class Packed(NamedTuple):
    """Values ready to be sent, and the objects that have a place in their heap, by place."""

    items: list[Item]
    heap: Heap
    objects: list[Any]
    written: list[list[Item]] = []


class Packer:
    """Writes values; keeps nothing from one message to the next but the lists that were `sent`."""

    def __init__(self, refer: Refer, sent: SentLists | None = None) -> None:
        self._refer = refer
        self._sent = sent

    def pack(
        self,
        values: Sequence[Any],
        known: Sequence[Any] = (),
        changed: Sequence[tuple[int, Any]] = (),
    ) -> Packed:
        """Write values; `known` are the objects of the message that this one answers.

        Those of them that are `changed`, with their places, are written anew. Raises Uncrossable.
        """
        if not changed and _are_atoms(values, set(map(type, values))):
            return Packed(list(values), [], [])
        places = {id(each): place for place, each in enumerate(known)}
        try:
            return _Packing(self._refer, places, self._sent).pack(values, changed)
        except BaseException:
            if self._sent is not None:
                self._sent.clear()
            raise


class _Packing:
    def __init__(self, refer: Refer, known: Mapping[int, int], sent: SentLists | None) -> None:
        self._refer = refer
        self._known = known
        self._sent = sent
        self._slots: dict[int, int] = {}  # of large lists that the other side has
        self._objects: list[Any] = []
        self._places: dict[int, int] = {}
        self._forms: dict[int, Form] = {}
        self._references: dict[int, Item] = {}
        self._kinds: dict[int, set[type]] = {}  # of what is in a list of atoms
        self._kept: list[Any] = []  # so that no id is used twice

    def pack(self, values: Sequence[Any], changed: Sequence[tuple[int, Any]]) -> Packed:
        self._visit(values)
        for _, container in changed:
            kind = type(container)
            is_plain = kind in MUTABLE
            self._visit(_parts(container, kind) if is_plain else self._visit_object(container)[-2:])
        heap = [self._entry(place, value) for place, value in enumerate(self._objects)]
        items = [self._item(value) for value in values]
        written = [[place, self._entry(-1, container)] for place, container in changed]
        return Packed(items, heap, self._objects, written)

    def _visit(self, values: Iterable[Any]) -> None:
        """Give a place to every container, to frozen ones after all that they are made of."""
        begun: set[int] = set()
        todo = [*values]
        while todo:
            value = todo.pop()
            kind = type(value)
            if kind in ATOMS or (kind in DISMANTLE and _has_parts(value, kind)):
                continue
            if kind is Finish:
                self._place(value.value)
                continue
            key = id(value)
            if key in begun or key in self._known:
                continue
            if kind in MUTABLE:
                begun.add(key)
                self._place(value)
                todo += self._inside(value, kind)
            elif kind in FROZEN:
                begun.add(key)
                todo += (Finish(value), *_parts(value, kind))
            elif key not in NAME_OF:
                begun.add(key)
                todo += self._visit_object(value)

    def _inside(self, value: Any, kind: type) -> Iterable[Any]:
        """Return what is to be visited of a container."""
        if kind is list:
            if self._is_there(value):
                return ()
            if ATOMS.issuperset(kinds := set(map(type, value))):
                self._kinds[id(value)] = kinds
                return ()
        return () if kind in BUFFERS or _is_flat(value, kind) else _parts(value, kind)

    def _is_there(self, value: list[Any]) -> bool:
        """Tell whether the other side has a list already."""
        if self._sent is None or not LARGE_LIST <= len(value) <= LARGEST_LIST:
            return False
        slot = self._sent.find(value)
        if slot is None:
            return False
        self._slots[id(value)] = slot
        return True

    def _visit_object(self, value: Any) -> tuple[Any, ...]:
        """Note how an object crosses; returns what is to be visited of it."""
        self._kept.append(value)
        found = self._refer(value)
        if not isinstance(found, Form):
            self._references[id(value)] = found
            return ()
        self._forms[id(value)] = found
        if type(found.parts[0]) not in MUTABLE:
            return (Finish(value), *found.parts)
        if id(value) not in self._known:
            self._place(value)
        return found.parts

    def _place(self, value: Any) -> None:
        if len(self._objects) >= MOST_PLACES:
            raise Uncrossable(f"more than {MOST_PLACES:,} containers at once can't cross")
        self._places[id(value)] = len(self._objects)
        self._objects.append(value)

    def _entry(self, place: int, value: Any) -> list[Item]:  # noqa: PLR0911 - a table
        kind = type(value)
        if (slot := self._slots.get(id(value))) is not None:
            return ["there", slot]
        if kind is list and self._is_worth_keeping(place, value):
            return ["kept", self._sent.add(value), self._items(value)]  # type: ignore[union-attr]
        if (form := self._forms.get(id(value))) is not None:
            base, state = form.parts
            if type(base) in MUTABLE:
                return ["extended", form.reference, self._item(base), self._item(state)]
            return ["object", form.reference, self._item(base, place), self._item(state)]
        if kind in BUFFERS:
            tag, parts, _ = BUFFERS[kind]
            return [tag, *parts(value)]
        if kind in MAPPINGS:
            return [*self._head(value, kind), self._items(value), self._items(value.values())]
        before = place if kind in FROZEN else None
        if TAGS[kind] == "dict_items":
            keys, values = value.mapping, value.mapping.values()
            return ["dict_items", self._items(keys, before), self._items(values, before)]
        return [*self._head(value, kind), self._items(value, before)]

    def _is_worth_keeping(self, place: int, value: list[Any]) -> bool:
        if self._sent is None or place < 0 or id(value) not in self._kinds:
            return False
        return LARGE_LIST <= len(value) <= LARGEST_LIST

    def _head(self, value: Any, kind: type) -> list[Item]:
        if kind is deque:
            return ["deque", value.maxlen]
        if kind is defaultdict:
            factory = value.default_factory
            name = None if factory is None else NAME_OF.get(id(factory))
            is_known = factory is None or name in FACTORIES
            return ["defaultdict", name if is_known else self._item(factory)]
        return [TAGS[kind]]

    def _items(self, values: Iterable[Any], before: int | None = None) -> list[Item] | str:
        listed = values if type(values) is list else list(values)
        kinds = self._kinds.get(id(values)) or set(map(type, listed))
        if len(kinds) == 1 and len(listed) >= _WORTH_PACKING:
            for code in CODES.get(next(iter(kinds)), ""):
                # Ints that need more than eight bytes are written one by one.
                with contextlib.suppress(OverflowError):
                    return code + bytes_part(array.array(code, listed))
        if _are_atoms(listed, kinds):
            return listed
        return [self._item(value, before) for value in listed]

    def _item(self, value: Any, before: int | None = None) -> Item:
        kind = type(value)
        if kind in ATOMS:
            is_large = kind is int and not -LARGE < value < LARGE
            return ["int", hex(value)] if is_large else value
        if (known := DISMANTLE.get(kind)) is not None and (parts := known[1](value)) is not None:
            return [known[0], *parts]
        key = id(value)
        if (name := NAME_OF.get(key)) is not None:
            return ["n", name]
        if (place := self._places.get(key)) is not None:
            if before is not None and place > before and kind in FROZEN:
                raise Uncrossable("tuples that contain each other through a list can't cross")
            return [place]
        known_place = self._known.get(key)
        return self._references[key] if known_place is None else [-1 - known_place]


def _are_atoms(values: Sequence[Any], kinds: set[type]) -> bool:
    """Tell whether these, of these types, can be sent as they are."""
    if not kinds <= ATOMS:
        return False
    if int not in kinds:
        return True
    numbers = values if len(kinds) == 1 else [value for value in values if type(value) is int]
    return min(numbers) > -LARGE and max(numbers) < LARGE


def _parts(value: Any, kind: type) -> Iterable[Any]:
    if kind in BUFFERS:
        return ()
    if TAGS[kind] == "dict_items":
        # Its pairs are made anew each time.
        return (*value.mapping, *value.mapping.values())
    if kind is defaultdict:
        return (*value, *value.values(), value.default_factory)
    return (*value, *value.values()) if kind in MAPPINGS else value


def _has_parts(value: Any, kind: type) -> bool:
    return kind not in ZONED or DISMANTLE[kind][1](value) is not None


def _is_flat(value: Any, kind: type) -> bool:
    if kind is defaultdict and id(value.default_factory) not in NAME_OF:
        return value.default_factory is None
    if kind in MAPPINGS and not ATOMS.issuperset(map(type, value.values())):
        return False
    return ATOMS.issuperset(map(type, value))
