"""Encodes values as messages: containers with aliases and cycles, plain items, and references.

The values of a message are a list of items and a *heap*. An item is a JSON atom or a list: `[3]` is
the container at place 3 of the heap, `[-1]` the first container of the message being answered,
`["Decimal", "1.5"]` a plain item, `["n", "len"]` a builtin by its name. All other lists are
references, which the owner of the codec writes and reads. An entry of the heap is `[tag, *items]`.
Values are nested through the heap only, so that messages are never deeper than a few levels.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from runner.sandbox.border.changes import ReceivedLists, SentLists, is_large
from runner.sandbox.border.plain import (
    ATOMS,
    BUFFERS,
    BUILDERS,
    BY_NAME,
    FREEZE,
    LARGE,
    MAPPINGS,
    MOST_PLACES,
    MUTABLE,
    NAME_OF,
    PLAIN,
    TAGS,
    Malformed,
    Uncrossable,
    are_atoms,
    container_type,
    fill,
    pack_atoms,
    unpack_atoms,
)
from runner.sandbox.border.states import give

Item = Any  # a JSON value
Heap = list[list[Item]]


class Form(NamedTuple):
    """An object that crosses by value: its class, and the parts to rebuild it from.

    `parts` are a base value, which is a plain container or atom, and the attributes.
    """

    reference: Item
    parts: tuple[Any, Any]


class Packed(NamedTuple):
    """Encoded values, and the objects with a place in their heap, by place."""

    items: list[Item]
    heap: Heap
    objects: list[Any]
    written: list[list[Item]] = []


# Returns the form of an object that is not plain data, or an item that refers to it.
Refer = Callable[[Any], Form | Item]
# Returns the object that an item refers to.
Resolve = Callable[[list[Item]], Any]
# Makes an object from a reference to its class and a base value, which is None if the class extends
# a container, whose content is added later. Attributes are always added later.
Create = Callable[[Item, Any], Any]

# --- writing --------------------------------------------------------------------------------------


class Packer:
    """Encodes values; keeps no state between messages except the lists that were `sent`."""

    def __init__(self, refer: Refer, sent: SentLists | None = None) -> None:
        self._refer = refer
        self._sent = sent

    def pack(
        self,
        values: Sequence[Any],
        known: Sequence[Any] = (),
        changed: Sequence[tuple[int, Any]] = (),
    ) -> Packed:
        """Encode values; `known` are the objects of the message being answered.

        Those that have `changed`, as (place, container), are written again. Raises Uncrossable.
        """
        if not changed and are_atoms(values):
            return Packed([*values], [], [])
        try:
            return _Packing(self._refer, known, self._sent).pack(values, changed)
        except BaseException:
            if self._sent is not None:
                self._sent.clear()
            raise


class _Packing:
    def __init__(self, refer: Refer, known: Sequence[Any], sent: SentLists | None) -> None:
        self._refer = refer
        self._sent = sent
        self._objects: list[Any] = []
        self._forms: dict[int, Form] = {}
        # Items by identity, of objects that have a place or were referred to.
        self._items: dict[int, Item] = {id(each): [-1 - at] for at, each in enumerate(known)}
        self._referred: list[Any] = []  # kept alive, so that no identity is reused

    def pack(self, values: Sequence[Any], changed: Sequence[tuple[int, Any]]) -> Packed:
        items = [self._item(value) for value in values]
        written = [[place, self._entry(container)] for place, container in changed]
        # `_objects` grows in the loop, because entries add the objects that they contain.
        heap = [self._heap_entry(value) for value in self._objects]
        return Packed(items, heap, self._objects, written)

    def _item(self, value: Any) -> Item:
        kind = type(value)
        if kind in ATOMS:
            return value if kind is not int or -LARGE < value < LARGE else ["int", hex(value)]
        key = id(value)
        if (item := self._items.get(key)) is not None:
            return item
        if (name := NAME_OF.get(key)) is not None:
            return ["n", name]
        if kind in PLAIN and (parts := PLAIN[kind].take_apart(value)) is not None:
            return [kind.__name__, *map(self._item, parts)]
        if kind not in TAGS:
            self._referred.append(value)
            found = self._refer(value)
            if not isinstance(found, Form):
                return self._items.setdefault(key, found)
            self._forms[key] = found
        if len(self._objects) >= MOST_PLACES:
            raise Uncrossable(f"more than {MOST_PLACES:,} containers at once can't cross")
        item = self._items[key] = [len(self._objects)]
        self._objects.append(value)
        return item

    def _heap_entry(self, value: Any) -> list[Item]:
        if self._sent is None or not is_large(value):
            return self._entry(value)
        if (slot := self._sent.find(value)) is not None:
            return ["there", slot]
        entry = self._entry(value)
        is_of_atoms = entry[1] is value or type(entry[1]) is str
        return ["kept", self._sent.add(value), entry[1]] if is_of_atoms else entry

    def _entry(self, value: Any) -> list[Item]:
        kind = type(value)
        tag = TAGS.get(kind)
        if tag is None:
            form: Any = self._forms.get(id(value)) or self._refer(value)
            base, state = form.parts
            tag = "extended" if type(base) in MUTABLE else "object"
            return [tag, form.reference, self._item(base), self._item(state)]
        if kind in BUFFERS:
            return [tag, *map(self._item, BUFFERS[kind].parts(value))]
        if kind in MAPPINGS or tag == "dict_items":
            mapping = value if kind in MAPPINGS else value.mapping
            head = [tag, self._item(value.default_factory)] if kind is defaultdict else [tag]
            return [*head, self._list(mapping), self._list(mapping.values())]
        return [tag, value.maxlen, self._list(value)] if kind is deque else [tag, self._list(value)]

    def _list(self, values: Iterable[Any]) -> list[Item] | str:
        """Return items; atoms are returned as they are, or many numbers as a text."""
        listed = values if type(values) is list else list(values)
        atoms = pack_atoms(listed)
        return [self._item(value) for value in listed] if atoms is None else atoms


# --- reading --------------------------------------------------------------------------------------

_UNMADE = object()  # placeholder for a frozen container until its content has been made
_CREATED: dict[str, Any] = {tag: kind for kind, tag in MUTABLE.items() if kind not in BUFFERS}
_WITH_STATE = frozenset({"object", "extended"})


class Unpacker:
    """Decodes values of untrusted messages; raises Malformed."""

    def __init__(
        self, resolve: Resolve, create: Create, received: ReceivedLists | None = None
    ) -> None:
        self.resolve = resolve
        self.create = create
        self.received = received
        self.met = 0  # number of received items that are not plain data

    def unpack(
        self, items: object, heap: object, known: Sequence[Any] = (), written: object = None
    ) -> tuple[list[Any], list[Any]]:
        """Return the values, and the objects of the heap by place.

        `known` are the objects of the message being answered; those `written` are changed in place.
        """
        if type(items) is not list or type(heap) is not list:
            raise Malformed("values are a list of items and a heap")
        if not heap and not written and ATOMS.issuperset(map(type, items)):
            return items, []
        try:
            return _Reading(self, known).read(items, heap, written or [])
        except (Malformed, MemoryError):
            raise
        except Exception as error:
            raise Malformed(f"{type(error).__name__}: {error}") from None


class _Reading:
    def __init__(self, unpacker: Unpacker, known: Sequence[Any]) -> None:
        self._unpacker = unpacker
        self._known = known
        self._objects: list[Any] = []
        self._missing: list[int] = []  # places that were needed, but are unmade
        self._references: dict[tuple[str, int], Any] = {}  # by tag and number

    def read(self, items: list[Item], heap: Heap, written: Any) -> tuple[list[Any], list[Any]]:
        if len(heap) > MOST_PLACES:
            raise Malformed("too many containers")
        self._objects += map(self._empty, heap)
        self._freeze(heap)
        # Containers first, because objects are filled from them.
        for of_objects in (False, True):
            for made, entry in zip(self._objects, heap, strict=True):
                if (entry[0] in _WITH_STATE) is of_objects:
                    self._fill(made, entry)
        values = [self._value(item) for item in items]
        for place, entry in written:
            self._write_back(place, entry)
        return values, self._objects

    def _empty(self, entry: list[Item]) -> Any:
        tag = entry[0]
        if tag in _CREATED:
            return deque(maxlen=entry[1]) if tag == "deque" else _CREATED[tag]()
        if tag in FREEZE or tag == "object":
            return _UNMADE
        if tag == "extended":
            return self._unpacker.create(entry[1], None)
        if tag in BUILDERS:
            return self._value(entry)
        if tag in ("there", "kept") and self._unpacker.received is not None:
            return self._unpacker.received.find(entry[1]) if tag == "there" else []
        raise Malformed(f"an unknown kind of container: {str(tag)[:40]}")

    def _freeze(self, heap: Heap) -> None:
        """Make the frozen containers, each after those that it contains."""
        # From the end, because a container's content mostly follows it.
        todo = [place for place, made in enumerate(self._objects) if made is _UNMADE]
        begun: set[int] = set()
        while todo:
            place = todo[-1]
            if self._objects[place] is _UNMADE:
                made = self._frozen(heap[place])
                if self._missing:
                    if place in begun:
                        raise Malformed("a frozen container that contains itself")
                    begun.add(place)
                    todo += self._missing
                    self._missing.clear()
                    continue
                self._objects[place] = made
            todo.pop()

    def _frozen(self, entry: list[Item]) -> Any:
        tag, *parts = entry
        if tag == "object":
            reference, base, _ = parts
            value = self._value(base)
            return None if self._missing else self._unpacker.create(reference, value)
        lists = [self._list(part) for part in parts]
        return None if self._missing else FREEZE[tag](*lists)

    def _fill(self, made: Any, entry: list[Item]) -> None:
        """Add a container's content, or an object's attributes."""
        tag = entry[0]
        if tag in _WITH_STATE:
            self._unpacker.met += 1
            _, _, base, state = entry
            if tag == "extended":
                content = self._value(base)
                kind = type(content)
                if kind not in MUTABLE or kind in BUFFERS or not isinstance(made, kind):
                    raise Malformed("an object of another type than its base")
                fill(made, kind, content)
            give(made, self._value(state))
        elif tag in _CREATED or tag == "kept":
            kind = type(made)
            content = self._list(entry[-1])
            if kind in MAPPINGS:
                content = zip(self._list(entry[-2]), content, strict=True)
            fill(made, kind, content)
            if kind is defaultdict:
                defaultdict.__init__(made, self._value(entry[1]))
            if tag == "kept" and self._unpacker.received is not None:
                self._unpacker.received.keep(entry[1], made)

    def _write_back(self, place: object, entry: list[Item]) -> None:
        """Replace the content of a container of the message being answered."""
        if type(place) is not int or not 0 <= place < len(self._known):
            raise Malformed("written to a place that isn't there")
        target = self._known[place]
        kind = container_type(target)
        if kind is None or entry[0] != MUTABLE.get(type(target), "extended"):
            raise Malformed("written as another type than it is")
        if kind in BUFFERS:
            target[:] = self._value(entry)
        else:
            kind.clear(target)
            self._fill(target, entry)

    def _list(self, items: object) -> list[Any]:
        if type(items) is str:
            return unpack_atoms(items)
        if type(items) is not list:
            raise Malformed("a list of items was expected")
        return items if ATOMS.issuperset(map(type, items)) else [*map(self._value, items)]

    def _value(self, item: Item) -> Any:
        kind = type(item)
        if kind in ATOMS:
            return item
        if kind is not list:
            raise Malformed("an item is an atom or a list")
        tag = item[0]
        if type(tag) is int:
            return self._at(*item)
        if tag == "n":
            self._unpacker.met += 1
            return BY_NAME[item[1]]
        if (plain := BUILDERS.get(tag)) is not None:
            return plain.put_together(map(self._value, item[1:]))
        return self._reference(tag, item)

    def _at(self, place: int) -> Any:
        if place < 0:
            return self._known[-1 - place]
        if (found := self._objects[place]) is _UNMADE:
            self._missing.append(place)
        return found

    def _reference(self, tag: str, item: list[Item]) -> Any:
        """Return the object that an item refers to; resolve it only once per message."""
        self._unpacker.met += 1
        if type(number := item[1]) is not int:
            return self._unpacker.resolve(item)
        if (tag, number) not in self._references:
            self._references[tag, number] = self._unpacker.resolve(item)
        return self._references[tag, number]
