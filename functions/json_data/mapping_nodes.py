"""The parts of a parsed template, and how each makes its output."""

from dataclasses import dataclass
from typing import Any

from functions.errors import Refusal, TooLarge
from functions.errors import gettext as _
from functions.json_data.paths import MISSING, Path
from functions.json_data.values import size_of

MAX_OUTPUT_BYTES = 1024 * 1024
MAX_STEPS = 200_000


@dataclass(slots=True)
class Run:
    """One application of a template, and what it may still use."""

    document: Any
    steps: int = MAX_STEPS
    bytes: int = MAX_OUTPUT_BYTES

    def spend(self, size: int, *, steps: int = 1) -> None:
        """Count output in bytes, and steps. Raises TooLarge beyond the limits."""
        self.steps -= steps
        self.bytes -= size
        if self.steps < 0:
            message = _("The mapping takes more than %(limit)s steps.") % {"limit": MAX_STEPS}
            raise TooLarge("too_many_steps", message, field="value")
        if self.bytes < 0:
            message = _("The outcome has more than %(limit)s bytes.") % {"limit": MAX_OUTPUT_BYTES}
            raise TooLarge("too_large", message, field="value")

    def take(self, value: Any) -> Any:
        """Count and return a value that becomes output as it is."""
        self.spend(size_of(value))
        return value


class Node:
    """A part of a template; `where` is its place, for errors."""

    where: str

    def apply(self, current: Any, run: Run) -> Any:
        """Return its output; MISSING to be left out."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant(Node):
    where: str
    value: Any

    def apply(self, current: Any, run: Run) -> Any:  # noqa: ARG002 - the same for all
        return run.take(self.value)


@dataclass(frozen=True, slots=True)
class From(Node):
    where: str
    path: Path
    default: Node | None = None
    is_optional: bool = False

    def apply(self, current: Any, run: Run) -> Any:
        found = self.path.find(current, run.document)
        if found is not MISSING:
            return run.take(found)
        run.spend(0)
        if self.default is not None:
            return self.default.apply(current, run)
        if self.is_optional:
            return MISSING
        raise _missing(self.where, self.path)


@dataclass(frozen=True, slots=True)
class Each(Node):
    where: str
    path: Path
    output: Node
    default: Node | None = None

    def apply(self, current: Any, run: Run) -> Any:
        found = self.path.find(current, run.document)
        if found is MISSING and self.default is not None:
            return self.default.apply(current, run)
        if found is MISSING:
            raise _missing(self.where, self.path)
        if not isinstance(found, list):
            message = _("%(path)s is no list; “$each” takes each item of a list.")
            raise _failed(self.where, message % {"path": self.path})
        run.spend(2)
        made = (self.output.apply(item, run) for item in found)
        return [one for one in made if one is not MISSING]


@dataclass(frozen=True, slots=True)
class Pick(Node):
    where: str
    names: tuple[str, ...]
    path: Path

    def apply(self, current: Any, run: Run) -> Any:
        found = self.path.find(current, run.document)
        if not isinstance(found, dict):
            message = _("%(path)s is no object; “$pick” takes members of an object.")
            raise _failed(self.where, message % {"path": self.path})
        run.spend(0, steps=len(self.names))
        return run.take({name: found[name] for name in self.names if name in found})


@dataclass(frozen=True, slots=True)
class Merge(Node):
    where: str
    parts: tuple[Node, ...]

    def apply(self, current: Any, run: Run) -> Any:
        run.spend(2)
        merged: dict[str, Any] = {}
        for part in self.parts:
            made = part.apply(current, run)
            if made is MISSING:
                continue
            if not isinstance(made, dict):
                raise _failed(part.where, _("Only objects can be merged; this is none."))
            merged |= made
        return merged


@dataclass(frozen=True, slots=True)
class Object(Node):
    where: str
    members: tuple[tuple[str, Node], ...]

    def apply(self, current: Any, run: Run) -> Any:
        run.spend(2)
        made = {}
        for name, node in self.members:
            value = node.apply(current, run)
            if value is not MISSING:
                run.spend(len(name) + 4)
                made[name] = value
        return made


@dataclass(frozen=True, slots=True)
class List(Node):
    where: str
    items: tuple[Node, ...]

    def apply(self, current: Any, run: Run) -> Any:
        run.spend(2)
        made = (node.apply(current, run) for node in self.items)
        return [one for one in made if one is not MISSING]


def placed(where: str, message: str) -> str:
    if not where:
        return message
    return _("At %(place)s: %(message)s") % {"place": where, "message": message}


def _failed(where: str, message: str) -> Refusal:
    return Refusal("mapping_failed", placed(where, message), field="value")


def _missing(where: str, path: Path) -> Refusal:
    message = _(
        "The document has nothing at %(path)s. Correct the path, or write "
        '{"$from": "%(path)s", "$default": ...}, or "$optional": true to leave it out.'
    )
    return _failed(where, message % {"path": path})
