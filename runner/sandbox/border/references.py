"""Encodes objects that are not plain data: by handle, by value with a class, or by name."""

from __future__ import annotations

import contextlib
import enum
import sys
import types
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any

from runner.sandbox.border.classes import (
    Kind,
    base_of,
    bases_of,
    describe,
    kind_of,
    make_mirror,
    mirror_of_builtin,
    read_description,
)
from runner.sandbox.border.codec import Form, Item
from runner.sandbox.border.plain import (
    BY_NAME,
    NAME_OF,
    Malformed,
    Uncrossable,
    standard_class,
    standard_name,
)
from runner.sandbox.border.protocol import Handles
from runner.sandbox.border.proxies import (
    Asker,
    Mirror,
    Origin,
    Proxy,
    Remote,
    is_proxy,
    make_proxy,
    origin_of,
    proxies_in,
    shared_name,
    vars_of,
)
from runner.sandbox.border.states import SharedClasses, parts_of_data, state_of_error

MOST_CLASSES = 10_000


class References:
    """The objects and classes of the other side that one end knows, and its own that it has sent.

    `modules` are the names of modules of the standard library that cross by name.
    """

    def __init__(
        self, asker: Asker, modules: Collection[str], shared: SharedClasses | None = None
    ) -> None:
        self.handles = Handles()
        self._asker = asker
        self._modules = modules
        self._shared = shared
        self._told: dict[type, int] = {}
        self._news: list[list[Any]] = []
        self._mirrors: dict[int, type] = {}
        # The stand-ins for the other side's objects, with [number, times received].
        self._received: dict[int, tuple[list[int], weakref.ref[Any]]] = {}
        self._released: list[list[int]] = []
        self._coroutines: weakref.WeakKeyDictionary[Any, Origin] = weakref.WeakKeyDictionary()

    def take_news(self) -> tuple[list[list[Any]], list[list[int]]]:
        """Return the descriptions of classes, and the releases, for the next message."""
        news, self._news = self._news, []
        # A copy, because another thread may append to it.
        if released := self._released[:]:
            del self._released[: len(released)]
        return news, released

    def return_news(self, news: list[list[Any]], released: list[list[int]]) -> None:
        """Keep these for the next message, because this one could not be sent."""
        self._news[:0] = news
        self._released += released

    def refer(self, value: Any) -> Form | Item:
        """Return an object's form, or an item that refers to it; raises Uncrossable."""
        kind = type(value)
        if self._asker.mediator is not None:
            value = self._asker.mediator.there(value, self._asker)
        origin = self.origin_of(value)
        if origin is not None and origin.asker is self._asker:
            return ["y", origin.number]
        if issubclass(kind, type):
            return self._class_item(value)
        if kind is types.ModuleType:
            if value.__name__ in self._modules:
                return ["module", value.__name__]
            raise Uncrossable("this module can't cross")
        return self._object_item(value, kind)

    def origin_of(self, value: Any) -> Origin | None:
        """Return the origin of an object of another process; None for own objects and classes."""
        kind = type(value)
        if is_proxy(value):
            return origin_of(value)
        if kind is types.CoroutineType:
            return self._coroutines.get(value)
        return value.border_origin if issubclass(kind, Remote) else None

    def _object_item(self, value: Any, kind: type) -> Form | Item:
        match kind_of(kind):
            case Kind.ERROR:
                return self._error_form(value)
            case Kind.ENUM:
                is_flag = issubclass(kind, enum.Flag)
                return ["member", self._class_item(kind), value.value if is_flag else value.name]
            case Kind.DATA | Kind.NAMED:
                return Form(self._class_item(kind), parts_of_data(base_of(kind), value))
        if kind is types.TracebackType:
            return None  # frames are useless to the other side
        if kind is types.CoroutineType:
            return ["coroutine", self.handles.send(value), value.__qualname__]
        return ["h", self.handles.send(value), self._class_item(kind, by_handle=True)]

    def _error_form(self, error: BaseException) -> Form:
        kind = type(error)
        item = self._class_item(kind)
        number = self.handles.send(error) if item[0] == "c" else 0
        try:
            text = str(error)
        except BaseException:
            text = ""
        state = state_of_error(error)
        args = vars(BaseException)["args"].__get__(error)
        if issubclass(kind, BaseExceptionGroup):
            # In a tuple, which is complete when the group is made; lists are filled later.
            args = (args[0], tuple(args[1]))
        return Form([*item, number, text], (args, state or None))

    def _class_item(self, cls: type, *, by_handle: bool = False) -> Item:
        """Return the item for a class, which is described in the next message if needed.

        `by_handle`: it is the class of an object that crosses by handle.
        """
        name = NAME_OF.get(id(cls)) or NAME_OF.get(id(vars_of(cls).get("_builtin")))
        if name is not None:
            return ["n", name]
        origin = vars_of(cls).get("_class_origin")
        if type(origin) is Origin:
            if origin.asker is self._asker:
                return ["y", origin.number]
            if not by_handle and (name_there := shared_name(cls)):
                return ["shared", *name_there]
        standard = standard_name(self._modules, cls)
        if standard and kind_of(cls) is not Kind.OBJECT and not hasattr(cls, "n_fields"):
            return ["standard", *standard]
        if cls not in self._told:
            bases = [self._class_item(base) for base in bases_of(cls)]
            bases += [["standard", *standard]] if standard else []
            number = self._told[cls] = self.handles.send(cls)
            shared = self._shared.name_of(cls) if self._shared else []
            self._news.append(list(describe(cls, number, bases, shared)))
        return ["c", self._told[cls]]

    def learn(self, news: object, released: object) -> None:
        """Apply the descriptions and releases of a message; raises Malformed."""
        if type(news) is not list or type(released) is not list:
            raise Malformed("news are lists")
        try:
            for told in news:
                self._learn_class(told)
            for number, times in released:
                self.handles.release(number, times)
        except (Malformed, MemoryError):
            raise
        except Exception as error:
            raise Malformed(f"{type(error).__name__}: {error}") from None

    def _learn_class(self, told: object) -> None:
        description = read_description(told)
        if description.number in self._mirrors or len(self._mirrors) >= MOST_CLASSES:
            raise Malformed("a class is described once")
        bases = [self._class(item) for item in description.bases]
        mirror: Any = make_mirror(self._asker, description, bases)
        mediator = self._asker.mediator
        if mediator and description.shared and description.kind == Kind.ENUM:
            # Shared enumerations with the same members get the same mirror for all processes.
            first = mediator.enumerations.setdefault((*description.shared,), mirror)
            members = [[name, member.value] for name, member in first.__members__.items()]
            mirror = first if members == description.extra else mirror
        self._mirrors[description.number] = mirror

    def resolve(self, item: list[Item]) -> Any:
        """Return the object that an item refers to; raises Malformed and other errors."""
        match item:
            case ["h", int() as number, cls]:
                return self._proxy(number, self._class(cls))
            case ["coroutine", int() as number, str() as name]:
                return self._coroutine(number, name)
            case ["y", number]:
                return self.handles.find(number)
            case ["c", _] | ["standard" | "shared", _, _]:
                found = self._class(item)
                if item[0] != "standard" or kind_of(found) is not Kind.OBJECT:
                    return found
            case ["member", cls, str() | int() as member]:
                enumeration: Any = self._class(cls)
                is_name = type(member) is str
                if not issubclass(enumeration, enum.Enum if is_name else enum.Flag):
                    raise Malformed("a member of no enumeration")
                return enumeration[member] if is_name else enumeration(member)
            case ["module", str() as name] if name in self._modules and name in sys.modules:
                return sys.modules[name]
        raise Malformed("an unknown reference")

    def create(self, reference: Item, base: Any) -> Any:
        """Make an object that crosses by value, or an exception."""
        match reference:
            case [*parts, int() as number, str() as text] if len(parts) > 1:
                return self._error(self._class(parts), number, text, base)
        cls: Any = self._class(reference)
        kind: Any = base_of(cls)
        is_of_value = reference[0] != "standard" or kind_of(cls) is not Kind.OBJECT
        if kind is None or not is_of_value or issubclass(cls, Proxy | enum.Enum):
            raise Malformed("a value of a class that has none")
        if base is None:
            return kind.__new__(cls)
        if type(base) is not kind:
            raise Malformed("a value of another type than its class")
        return kind.__new__(cls, base)

    def _error(self, cls: Any, number: int, text: str, args: Any) -> Any:
        if type(args) is not tuple or not issubclass(cls, BaseException):
            raise Malformed("an exception of a class that is none")
        if issubclass(cls, BaseExceptionGroup):
            message, parts = args
            args = (message, list(parts))
        maker = cls
        if issubclass(cls, Remote):
            maker = next(each for each in cls.__mro__ if id(each) in NAME_OF)
        else:
            with contextlib.suppress(Exception):
                return cls(*args)
        error = maker.__new__(cls, *args)
        error.args = args
        if maker is not cls:
            error.border_origin, error.border_text = Origin(self._asker, number, ()), text
        return error

    def _proxy(self, number: int, cls: Any) -> Any:
        if not isinstance(cls, Mirror):
            asker = self._asker
            cls = mirror_of_builtin(cls, is_judge=asker.is_judge, is_strict=asker.is_strict)
        return self._stand_in(number, cls, lambda: make_proxy(cls, Origin(self._asker, number, ())))

    def _coroutine(self, number: int, name: str) -> Any:
        def make() -> Any:
            made: Any = self._asker.awaiting(number, "__await__")
            made.__name__, made.__qualname__ = name.rpartition(".")[2], name
            self._coroutines[made] = Origin(self._asker, number, ())
            return made

        return self._stand_in(number, types.CoroutineType, make)

    def _stand_in(self, number: int, kind: type, make: Callable[[], Any]) -> Any:
        """Return the stand-in for an object of the other side: the same one while it is in use."""
        counted, known = self._received.get(number, ([number, 0], None))
        found = None if known is None else known()
        if found is None:
            counted, found = [number, 0], make()
            known = weakref.ref(found, lambda _: self._forget(counted))
            self._received[number] = counted, known
        elif type(found) is not kind:
            raise Malformed("an object that changes its class")
        counted[1] += 1
        return found

    def _forget(self, counted: list[int]) -> None:
        # Called by finalisers at any time, when the number may be in use again.
        if self._received.get(counted[0], (None,))[0] is counted:
            del self._received[counted[0]]
        self._released.append(counted)

    def has(self, number: int) -> bool:
        """Return whether an object of the other side is in use here."""
        return number in self._received

    def _class(self, item: object) -> type:
        match item:
            case ["n", str() as name]:
                found = BY_NAME[name]
            case ["c", int() as number]:
                found = self._mirrors[number]
            case ["y", number]:
                found = self.handles.find(number)
            case ["standard", module, name]:
                found = standard_class(self._modules, module, name)
            case ["shared", module, name] if self._shared is not None:
                found = self._shared.find(module, name)
            case _:
                raise Malformed("an unknown class")
        if not isinstance(found, type):
            raise Malformed("a class that is none")
        return found


class Mediator:
    """In the judge: transfers objects of shared classes from one process to another."""

    def __init__(self) -> None:
        # The mirrors of shared enumerations.
        self.enumerations: dict[tuple[str, ...], type] = {}
        self._sides: dict[Asker, Any] = {}
        self._trusted: Asker | None = None
        self._there: dict[tuple[int, Asker], tuple[Any, Any]] = {}

    def add(self, asker: Asker, classes: Any, *, is_trusted: bool) -> None:
        """Add a process with its `SharedClasses`."""
        self._sides[asker] = classes
        if is_trusted:
            self._trusted = asker

    def transfer(self, value: Any, to: Asker) -> Any:
        """Return a copy of an object in that process; the object itself if it can't be copied."""
        source = origin_of(value).asker
        if source is to or not shared_name(type(value)) or to not in self._sides:
            return value
        told = self._sides[source].state_of(value) if source in self._sides else None
        match told:
            case [str(module), str(name), dict(attributes)] if not [*proxies_in([attributes])]:
                return self._sides[to].build(module, name, attributes)
        return value

    def prepare(self, values: Sequence[Any], to: Asker) -> None:
        """Transfer the objects in these values to the process they are about to be sent to."""
        self._there = {(id(v), to): (v, self.transfer(v, to)) for v in proxies_in(values)}

    def there(self, value: Any, to: Asker) -> Any:
        """Return the prepared transfer of a value to that process; else the value."""
        return self._there.get((id(value), to), (None, value))[1]

    def compare(self, name: str, one: Any, other: Any) -> Any:
        """Let the trusted process compare objects of different processes, or NotImplemented."""
        ours, theirs = shared_name(type(one)), shared_name(type(other))
        if self._trusted is None or not ours or ours != theirs:
            return NotImplemented
        one, other = self.transfer(one, self._trusted), self.transfer(other, self._trusted)
        if origin_of(one).asker is not self._trusted or origin_of(other).asker is not self._trusted:
            return NotImplemented
        return origin_of(one).special(name, other)
