"""Classes that several processes of a run define, as each of them executes the same module.

Objects of such a class are compared by the process that the test trusts, and are handed over to
others as what they are made of.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.sandbox.border.protocol import Operation
from runner.sandbox.border.proxies import Asker, origin_of, proxies_in
from runner.sandbox.border.states import is_method


class SharedClasses:
    """Of one process: the classes that modules define, by the modules' names."""

    def __init__(self, modules: Mapping[str, Mapping[str, Any]]) -> None:
        self._classes = dict(_classes_of(modules))
        self._names = {cls: name for name, cls in self._classes.items()}

    def name_of(self, cls: type) -> list[str]:
        """Return the module of a class and its name there; empty if it isn't shared."""
        return [*self._names.get(cls, ())]

    def find(self, module: object, name: object) -> type | None:
        """Return the class of this name."""
        return self._classes.get((module, name))  # type: ignore[arg-type]

    def state_of(self, value: Any) -> list[Any] | None:
        """Return module and name of an object's class, and its attributes; None if not shared."""
        name = self._names.get(type(value))
        if name is None or isinstance(value, enum.Enum):
            return None
        return [*name, dict(_attributes_of(value))]

    def build(self, module: str, name: str, attributes: dict[str, Any]) -> Any:
        """Make an object of these attributes; nothing of its class is executed."""
        made: Any = object.__new__(self._classes[module, name])
        for attribute, value in attributes.items():
            if not attribute.startswith("__") and not is_method(type(made), attribute):
                object.__setattr__(made, attribute, value)
        return made


def _classes_of(modules: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[tuple[str, str], type]]:
    for module, names in modules.items():
        pending = [*names.values()]
        while pending:
            each = pending.pop()
            # One that is imported, or bound from elsewhere, is its own module's.
            if isinstance(each, type) and each.__module__ == module:
                yield (module, each.__qualname__), each
                inside = f"{each.__qualname__}."
                pending += [
                    inner
                    for inner in vars(each).values()
                    if isinstance(inner, type) and inner.__qualname__.startswith(inside)
                ]


def _attributes_of(value: Any) -> Iterator[tuple[str, Any]]:
    yield from getattr(value, "__dict__", {}).items()
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                yield name, getattr(value, name)


class Mediator:
    """In the judge: hands objects of shared classes over from one process to another."""

    def __init__(self) -> None:
        # Mirrors of shared enumerations, which are the same for all processes.
        self.enumerations: dict[tuple[str, ...], type] = {}
        self._sides: dict[Asker, Any] = {}
        self._trusted: Asker | None = None
        self._there: dict[tuple[int, Asker], tuple[Any, Any]] = {}

    def add(self, asker: Asker, classes: Any, *, is_trusted: bool) -> None:
        """Know another process by its `SharedClasses`."""
        self._sides[asker] = classes
        if is_trusted:
            self._trusted = asker

    def transfer(self, value: Any, to: Asker) -> Any:
        """Return an object of that process that is like this one; or this one, if none can be."""
        source = origin_of(value).asker
        if source is to or not shared_name(type(value)) or to not in self._sides:
            return value
        told = self._sides[source].state_of(value) if source in self._sides else None
        match told:
            case [str(module), str(name), dict(attributes)] if _is_plain(attributes):
                return self._sides[to].build(module, name, attributes)
        return value

    def prepare(self, values: Sequence[Any], to: Asker) -> None:
        """Have objects in these values made in the process that they are about to be sent to."""
        self._there.clear()
        for value in proxies_in(values):
            there = self.transfer(value, to)
            if there is not value:
                self._there[id(value), to] = value, there

    def there(self, value: Any, to: Asker) -> Any:
        """Return what was made for a value in that process; or the value."""
        return self._there.get((id(value), to), (None, value))[1]

    def compare(self, name: str, one: Any, other: Any) -> Any:
        """Have the trusted process compare two objects of different processes; may raise."""
        ours, theirs = shared_name(type(one)), shared_name(type(other))
        if self._trusted is None or not ours or ours != theirs:
            return NotImplemented
        one, other = self.transfer(one, self._trusted), self.transfer(other, self._trusted)
        if origin_of(one).asker is not self._trusted or origin_of(other).asker is not self._trusted:
            return NotImplemented
        number = origin_of(one).number
        return self._trusted.ask(Operation.SPECIAL, number, name, (other,))


def shared_name(mirror: Any) -> tuple[str, ...]:
    """Return module and name that a mirrored class is shared by; empty if it isn't."""
    name: tuple[str, ...] = getattr(mirror, "_shared_name", ())
    return name


def _is_plain(value: Any) -> bool:
    """Tell whether nothing in this is another process's."""
    return not any(True for _ in proxies_in([value]))
