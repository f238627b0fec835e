"""Objects that are no plain data, as items: by handle, by value with a class, or by name."""

from __future__ import annotations

import enum
import sys
import types
import weakref
from collections.abc import Collection
from typing import Any

from runner.sandbox.border.asker import Asker, Origin
from runner.sandbox.border.classes import Description, Kind, base_of, bases_of, describe, kind_of
from runner.sandbox.border.containers import Item
from runner.sandbox.border.handles import Handles
from runner.sandbox.border.mirrors import Remote, make_mirror, mirror_of_builtin, read_description
from runner.sandbox.border.packer import Form, Uncrossable
from runner.sandbox.border.plain import BY_NAME, NAME_OF, Malformed
from runner.sandbox.border.proxies import Mirror, Proxy, is_proxy, make_proxy, origin_of, vars_of
from runner.sandbox.border.shared import SharedClasses, shared_name
from runner.sandbox.border.states import (
    is_method,
    is_own,
    plain_content,
    state_of_error,
)

MOST_CLASSES = 10_000


class References:
    """What one end knows of the other's objects and classes, and has told it of its own.

    `modules` are the names of modules of the standard library that cross by name, and whose
    exceptions do.
    """

    def __init__(
        self,
        asker: Asker,
        modules: Collection[str],
        shared: SharedClasses | None = None,
    ) -> None:
        self.handles = Handles()
        self._asker = asker
        self._modules = modules
        self._shared = shared
        self._told: dict[type, int] = {}
        self._news: list[list[Any]] = []
        self._mirrors: dict[int, type] = {}
        self._proxies: dict[int, weakref.ref[Any]] = {}
        self._received: dict[int, list[int]] = {}  # with how often each was received
        self._released: list[list[int]] = []
        # Coroutines that stand for the other side's.
        self._coroutines: weakref.WeakKeyDictionary[Any, Origin] = weakref.WeakKeyDictionary()

    def take_news(self) -> tuple[list[list[Any]], list[list[int]]]:
        """Return descriptions of classes, and releases, that the next message is to carry."""
        news, self._news = self._news, []
        # Another thread may append to it.
        if released := self._released[:]:
            del self._released[: len(released)]
        return news, released

    def return_news(self, news: list[list[Any]], released: list[list[int]]) -> None:
        """Keep for the next message what this one couldn't carry."""
        self._news[:0] = news
        self._released += released

    # --- writing ----------------------------------------------------------------------------------

    def refer(self, value: Any) -> Form | Item:
        """Return how an object crosses; raises Uncrossable."""
        kind = type(value)
        if self._asker.mediator is not None:
            value = self._asker.mediator.there(value, self._asker)
        origin = self.origin_of(value)
        if origin is not None and origin.asker is self._asker:
            return ["y", origin.number]
        if issubclass(kind, type):
            return self._class_item(value)
        if kind is types.ModuleType:
            return self._module_item(value)
        return self._object_item(value, kind)

    def origin_of(self, value: Any) -> Origin | None:
        """Return where an object of another process is; None for one of ours, and for a class."""
        kind = type(value)
        if is_proxy(value):
            return origin_of(value)
        if kind is types.CoroutineType:
            return self._coroutines.get(value)
        return value.border_origin if issubclass(kind, Remote) else None

    def _object_item(  # noqa: PLR0911 - a table
        self, value: Any, kind: type
    ) -> Form | Item:
        match kind_of(kind):
            case Kind.ERROR:
                return self._error_form(value)
            case Kind.ENUM if issubclass(kind, enum.Flag):
                return ["flag", self._class_item(kind), value.value]
            case Kind.ENUM:
                return ["member", self._class_item(kind), value.name]
            case Kind.DATA | Kind.NAMED:
                base: Any = base_of(kind)
                state = {k: v for k, v in getattr(value, "__dict__", {}).items() if is_own(k)}
                if any(is_method(kind, name) for name in state):
                    what = f"an object of {kind.__name__} with an attribute in place of a method"
                    raise Uncrossable(f"{what} can't cross")
                return Form(self._class_item(kind), (plain_content(base, value), state or None))
        if kind is types.TracebackType:
            return None  # its frames are of no use to the other side
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
            # They must be there when a group is made, so in nothing that is filled later.
            args = (args[0], tuple(args[1]))
        return Form([*item, number, text], (args, state or None))

    def _module_item(self, module: types.ModuleType) -> Item:
        if module.__name__ in self._modules:
            return ["module", module.__name__]
        raise Uncrossable("this module can't cross")

    def _class_item(self, cls: type, *, by_handle: bool = False) -> Item:
        """Return what refers to a class, which is described in the next message if need be.

        `by_handle`: it is that of an object that stays here.
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
        if issubclass(cls, BaseException):
            # One that is made in C belongs to another module than the one that it is known by.
            for module in (cls.__module__, cls.__module__.removeprefix("_")):
                if self._standard(module, cls.__qualname__) is cls:
                    return ["standard", module, cls.__qualname__]
        if cls not in self._told:
            bases = [self._class_item(base) for base in bases_of(cls)]
            number = self._told[cls] = self.handles.send(cls)
            shared = self._shared.name_of(cls) if self._shared else []
            self._news.append(list(describe(cls, number, bases, shared)))
        return ["c", self._told[cls]]

    def _standard(self, module: object, name: object) -> Any:
        """Return an exception of the standard library's, if there is a public one of this name."""
        if type(module) is str and module in self._modules and is_own(name):
            found = vars(sys.modules.get(module, types)).get(str(name))
            if isinstance(found, type) and issubclass(found, BaseException):
                return found
        return None

    # --- reading ----------------------------------------------------------------------------------

    def learn(self, news: object, released: object) -> None:
        """Take descriptions and releases that came with a message; raises Malformed."""
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
        known = self._shared_enumeration(description)
        mirror = known or make_mirror(self._asker, description, bases)
        self._mirrors[description.number] = mirror
        mediator = self._asker.mediator
        if mediator and description.shared and description.kind == Kind.ENUM:
            mediator.enumerations.setdefault((*description.shared,), mirror)

    def _shared_enumeration(self, description: Description) -> type | None:
        """Return the mirror that another process's enumeration of this name and members has."""
        mediator = self._asker.mediator
        if mediator is None or not description.shared or description.kind != Kind.ENUM:
            return None
        found: Any = mediator.enumerations.get((*description.shared,))
        if found is None:
            return None
        members = [[name, member.value] for name, member in found.__members__.items()]
        return found if members == description.extra else None

    def resolve(self, item: list[Item]) -> Any:  # noqa: PLR0911 - a table
        """Return what an item refers to."""
        match item:
            case ["h", int() as number, cls]:
                return self._proxy(number, self._class(cls))
            case ["coroutine", int() as number, str() as name]:
                return self._coroutine(number, name)
            case ["y", number]:
                return self.handles.find(number)
            case ["c", _] | ["standard" | "shared", _, _]:
                return self._class(item)
            case ["member", cls, str() as name]:
                enumeration = self._class(cls)
                if not issubclass(enumeration, enum.Enum):
                    raise Malformed("a member of no enumeration")
                return enumeration[name]
            case ["flag", cls, int() as number]:
                flags = self._class(cls)
                if not issubclass(flags, enum.Flag):
                    raise Malformed("a value of no flags")
                return flags(number)
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
        if kind is None or issubclass(cls, Proxy | enum.Enum):
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
        if not issubclass(cls, Remote):
            try:
                return cls(*args)
            except Exception:
                error = cls.__new__(cls, *args)
                error.args = args
                return error
        builtin: Any = next(each for each in cls.__mro__ if id(each) in NAME_OF)
        error = builtin.__new__(cls, *args)
        error.args = args
        error.border_origin, error.border_text = Origin(self._asker, number, ()), text
        return error

    def _proxy(self, number: int, cls: type) -> Any:
        mirror: Any = (
            cls
            if isinstance(cls, Mirror)
            else mirror_of_builtin(
                cls, is_judge=self._asker.is_judge, is_strict=self._asker.is_strict
            )
        )
        proxy = self._known(number)
        if proxy is None:
            proxy = self._keep(number, make_proxy(mirror, Origin(self._asker, number, ())))
        elif type(proxy) is not mirror:
            raise Malformed("an object that changes its class")
        return proxy

    def _coroutine(self, number: int, name: str) -> Any:
        made = self._known(number)
        if made is None:
            made = self._keep(number, self._asker.awaiting(number, "__await__"))
            made.__name__, made.__qualname__ = name.rpartition(".")[2], name
            self._coroutines[made] = Origin(self._asker, number, ())
        elif type(made) is not types.CoroutineType:
            raise Malformed("an object that changes its class")
        return made

    def has(self, number: int) -> bool:
        """Tell whether an object of the other side's is used here, and hasn't been released."""
        return number in self._received

    def _known(self, number: int) -> Any:
        """Return what stands here for an object that was received before."""
        known = self._proxies.get(number)
        found = None if known is None else known()
        if found is not None:
            self._received[number][1] += 1
        return found

    def _keep(self, number: int, proxy: Any) -> Any:
        received = self._received[number] = [number, 1]
        self._proxies[number] = weakref.ref(proxy, lambda _: self._forget(received))
        return proxy

    def _forget(self, received: list[int]) -> None:
        # The number may be in use again: this is called at any moment.
        if self._received.get(received[0]) is received:
            del self._received[received[0]], self._proxies[received[0]]
        self._released.append(received)

    def _class(self, item: object) -> type:
        match item:
            case ["n", str() as name]:
                found = BY_NAME[name]
            case ["c", int() as number]:
                found = self._mirrors[number]
            case ["y", number]:
                found = self.handles.find(number)
            case ["standard", module, name]:
                found = self._standard(module, name)
            case ["shared", module, name] if self._shared is not None:
                found = self._shared.find(module, name)
            case _:
                raise Malformed("an unknown class")
        if not isinstance(found, type):
            raise Malformed("a class that is none")
        return found
