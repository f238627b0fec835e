"""Reads values from messages that anybody may have written."""

from __future__ import annotations

import array
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from runner.sandbox.border.containers import CODES, MAPPINGS, MOST_PLACES, MUTABLE, Heap, Item
from runner.sandbox.border.large_lists import ReceivedLists
from runner.sandbox.border.plain import (
    ATOMS,
    BUFFERS,
    BUILD,
    BY_NAME,
    FACTORIES,
    Malformed,
    read_bytes,
)
from runner.sandbox.border.states import is_method

# An object of a class that the reference names, made of its base value; of None where its class
# extends a container, whose content is added later. Attributes are given later in any case.
Create = Callable[[Item, Any], Any]
Resolve = Callable[[list[Item]], Any]

_PACKED = frozenset("".join(CODES.values()))
_EMPTY: dict[str, Callable[[], Any]] = {
    "list": list,
    "set": set,
    "dict": dict,
    "OrderedDict": OrderedDict,
    "Counter": Counter,
}
_FREEZE: dict[str, Callable[..., Any]] = {
    "tuple": tuple,
    "frozenset": frozenset,
    "dict_keys": lambda keys: dict.fromkeys(keys).keys(),
    "dict_values": lambda values: dict(enumerate(values)).values(),
    "dict_items": lambda keys, values: dict(zip(keys, values, strict=True)).items(),
}


_KEPT = frozenset({"kept", "there"})
_BUFFERS = {tag: build for tag, _, build in BUFFERS.values()}


class Unpacker:
    """Reads values from messages that anybody may have written; raises Malformed."""

    def __init__(
        self, resolve: Resolve, create: Create, received: ReceivedLists | None = None
    ) -> None:
        self._resolve = resolve
        self._create = create
        self._received = received
        self.met = 0  # how much that is no plain data has arrived

    def unpack(
        self, items: object, heap: object, known: Sequence[Any] = (), written: object = None
    ) -> tuple[list[Any], list[Any]]:
        """Return the values, and the objects of the heap by place.

        `known` are the objects of the message that this one answers; those `written` are changed.
        """
        if type(items) is not list or type(heap) is not list:
            raise Malformed("values are a list of items and a heap")
        if not heap and not written and ATOMS.issuperset(map(type, items)):
            return items, []
        reading = _Reading(self._resolve, self._create, known, self._received)
        try:
            values = reading.read(items, heap)
            if written:
                reading.write_back(written)
            self.met += reading.met
            return values
        except (Malformed, MemoryError):
            raise
        except Exception as error:
            raise Malformed(f"{type(error).__name__}: {error}") from None


class _Reading:
    def __init__(
        self,
        resolve: Resolve,
        create: Create,
        known: Sequence[Any],
        received: ReceivedLists | None,
    ) -> None:
        self._received = received
        self._resolve = resolve
        self._create = create
        self._known = known
        self._objects: list[Any] = []
        self._references: dict[tuple[str, int], Any] = {}  # by tag and number
        self.met = 0

    def read(self, items: list[Item], heap: Heap) -> tuple[list[Any], list[Any]]:
        if len(heap) > MOST_PLACES:
            raise Malformed("too many containers")
        unfilled: list[tuple[Any, list[Item]]] = []
        waiting: list[tuple[int, list[Item]]] = []
        for place, entry in enumerate(heap):
            tag = entry[0]
            if tag in _FREEZE or tag == "object":
                # Of what comes after it, it can contain only what is filled later.
                waiting.append((place, entry))
                self._objects.append(None)
            else:
                made = self._empty(entry)
                self._objects.append(made)
                unfilled.append((made, entry))
        frozen = [self._freeze(place, entry) for place, entry in waiting]
        for made, entry in unfilled:
            self._fill(made, entry)
        for made, entry in unfilled:
            if entry[0] == "extended":
                _refill(made, self._value(entry[2]))
                self._give(made, entry[3])
        for made, state in filter(None, frozen):
            self._give(made, state)
        return [self._value(item) for item in items], self._objects

    def write_back(self, written: Any) -> None:
        """Give containers of the message that this one answers their new content."""
        for place, entry in written:
            if type(place) is not int or not 0 <= place < len(self._known):
                raise Malformed("written to a place that isn't there")
            target = self._known[place]
            kind = type(target)
            if kind in MUTABLE and entry[0] == MUTABLE[kind]:
                new = self._empty(entry)
                self._fill(new, entry)
            elif kind not in MUTABLE and entry[0] == "extended":
                new = self._value(entry[2])
            else:
                raise Malformed("written as another type than it is")
            if kind in BUFFERS:
                target[:] = new
                continue
            type(new).clear(target)
            _refill(target, new)
            if entry[0] == "extended":
                self._give(target, entry[3])

    def _empty(self, entry: list[Item]) -> Any:  # noqa: PLR0911 - a table
        tag = entry[0]
        if (create := _EMPTY.get(tag)) is not None:
            return create()
        if tag == "extended":
            self.met += 1
            _, reference, _, _ = entry
            return self._create(reference, None)
        if tag == "deque":
            return deque(maxlen=entry[1])
        if tag == "defaultdict":
            return defaultdict(self._factory(entry[1]))
        if tag in _KEPT and self._received is not None:
            _, slot, *items = entry
            if tag == "there":
                return self._received.find(slot)
            return self._received.keep(slot, self._values(*items))
        build = _BUFFERS.get(tag)
        if build is None:
            raise Malformed(f"an unknown kind of container: {str(tag)[:40]}")
        return build(*entry[1:])

    def _factory(self, item: Item) -> Any:
        if item is None:
            return None
        if type(item) is str and item in FACTORIES:
            return BY_NAME[item]
        factory = self._value(item) if type(item) is list else None
        if not callable(factory):
            raise Malformed("an unknown factory")
        return factory

    def _freeze(self, place: int, entry: list[Item]) -> tuple[Any, Item] | None:
        """Make a frozen container; or an object, which is returned with its attributes."""
        if entry[0] == "object":
            self.met += 1
            _, reference, base, state = entry
            self._objects[place] = made = self._create(reference, self._value(base, place))
            return made, state
        parts = (self._values(part, place) for part in entry[1:])
        self._objects[place] = _FREEZE[entry[0]](*parts)
        return None

    def _fill(self, made: Any, entry: list[Item]) -> None:
        if entry[0] == "extended" or entry[0] in _KEPT:
            return
        kind = type(made)
        if kind in MAPPINGS:
            keys, values = self._values(entry[-2]), self._values(entry[-1])
            # A counter would count what it is given.
            update = dict.update if kind is Counter else kind.update
            update(made, zip(keys, values, strict=True))
        elif kind is set:
            made.update(self._values(entry[1]))
        elif kind not in BUFFERS:
            made.extend(self._values(entry[-1]))

    def _give(self, made: Any, item: Item) -> None:
        state = self._value(item)
        if state is None:
            return
        if type(state) is not dict or not {str}.issuperset(map(type, state)):
            raise Malformed("attributes have names")
        if any(is_method(type(made), name) for name in state):
            raise Malformed("an attribute with the name of a method")
        if isinstance(made, BaseException):
            _give_details(made, state)
        made.__dict__.update(state)

    def _values(self, items: object, before: int | None = None) -> list[Any]:
        if type(items) is str and items[:1] in _PACKED:
            packed = array.array(items[0])
            packed.frombytes(read_bytes(items[1:]))
            return packed.tolist()
        if type(items) is not list:
            raise Malformed("a list of items was expected")
        if ATOMS.issuperset(map(type, items)):
            return items
        return [self._value(item, before) for item in items]

    def _value(self, item: Item, before: int | None = None) -> Any:
        kind = type(item)
        if kind in ATOMS:
            return item
        if kind is not list or not item:
            raise Malformed("an item is an atom or a list")
        tag = item[0]
        if type(tag) is int:
            return self._at(tag, before, len(item))
        if type(tag) is not str:
            raise Malformed("a tag is a text")
        if tag == "n":
            self.met += 1
            return BY_NAME[item[1]]
        if (build := BUILD.get(tag)) is not None:
            return build(*item[1:])
        return self._reference(tag, item)

    def _reference(self, tag: str, item: list[Item]) -> Any:
        """Return what an item refers to, which the other side has counted once for a message."""
        self.met += 1
        number = item[1] if len(item) > 1 else None
        if type(number) is not int:
            return self._resolve(item)
        found = self._references.get((tag, number))
        if found is None:
            found = self._references[tag, number] = self._resolve(item)
        return found

    def _at(self, place: int, before: int | None, length: int) -> Any:
        if length != 1:
            raise Malformed("a place stands alone")
        if place < 0:
            return self._known[-1 - place]
        found = self._objects[place]
        if found is None and (before is None or place >= before):
            raise Malformed("a frozen container comes after what contains it")
        return found


def _give_details(error: Any, state: dict[str, Any]) -> None:
    """Take what an exception has besides its attributes out of its state."""
    for name in ("__cause__", "__context__"):
        other = state.pop(name, None)
        if isinstance(other, BaseException):
            setattr(error, name, other)
    error.__suppress_context__ = state.pop("__suppress_context__", False) is True
    if isinstance(error, ImportError | NameError | AttributeError):
        error.name = state.pop("name", None)


def _refill(made: Any, base: Any) -> None:
    """Give an object, whose class extends a type of container, what is in its base."""
    kind = type(base)
    if not isinstance(made, kind):
        raise Malformed("an object of another type than its base")
    if kind not in MUTABLE or kind in BUFFERS:
        raise Malformed("not a container that a class extends")
    add = kind.extend if kind in (list, deque) else kind.update
    (dict.update if kind is Counter else add)(made, base)
