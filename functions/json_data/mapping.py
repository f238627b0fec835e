"""Templates that map one JSON document to another; docs/document-templates.md explains them.

Whatever begins with `$` is an instruction, everything else is output: a text `$...` is a path, an
object with a member `$...` an instruction. `$$` is a `$` of the output.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from functions.errors import Refusal
from functions.errors import gettext as _
from functions.json_data.mapping_nodes import (
    Constant,
    Each,
    From,
    List,
    Merge,
    Node,
    Object,
    Pick,
    Run,
    placed,
)
from functions.json_data.paths import MISSING, InvalidPath, Path, parse_path
from functions.json_data.values import canonical, check_value

MAX_DEFINITION_BYTES = 20 * 1024
MAX_DEFINITION_DEPTH = 20

# What an instruction consists of, by the member that names it.
_MEMBERS = {
    "$from": {"$from", "$default", "$optional"},
    "$each": {"$each", "$as", "$default"},
    "$pick": {"$pick", "$of"},
    "$merge": {"$merge"},
    "$value": {"$value"},
}


@dataclass(frozen=True, slots=True)
class Mapping:
    """A template that was checked."""

    root: Node

    def apply(self, document: Any) -> Any:
        """Return what the template makes of a document. Raises a Refusal if it can't."""
        made = self.root.apply(document, Run(document))
        return None if made is MISSING else made


def parse_mapping(definition: Any, *, field: str = "definition") -> Mapping:
    """Return the template of this definition.

    Raises a Refusal about the field, which says where it is wrong and what to do.
    """
    checked = check_value(definition, field=field, max_bytes=MAX_DEFINITION_BYTES)
    return Mapping(_parse(checked, _Place(field)))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the definition a part stands."""

    field: str
    where: str = ""
    depth: int = 1

    def member(self, name: str) -> "_Place":
        where = f"{self.where}.{name}" if self.where else name
        return replace(self, where=where, depth=self.depth + 1)

    def item(self, index: int) -> "_Place":
        return replace(self, where=f"{self.where}[{index}]", depth=self.depth + 1)

    def wrong(self, message: str) -> Refusal:
        return Refusal("invalid_template", placed(self.where, message), field=self.field)


def _parse(part: Any, place: _Place) -> Node:
    if place.depth > MAX_DEFINITION_DEPTH:
        message = _("Templates are at most %(limit)s levels deep.")
        raise place.wrong(message % {"limit": MAX_DEFINITION_DEPTH})
    if isinstance(part, str):
        return _parse_text(part, place)
    if isinstance(part, list):
        return List(place.where, _parse_items(part, place))
    return _parse_object(part, place) if isinstance(part, dict) else Constant(place.where, part)


def _parse_text(text: str, place: _Place) -> Node:
    if text.startswith("$") and not text.startswith("$$"):
        return From(place.where, _path(text, place))
    return Constant(place.where, _unescaped(text))


def _parse_items(parts: list[Any], place: _Place) -> tuple[Node, ...]:
    return tuple(_parse(one, place.item(index)) for index, one in enumerate(parts))


def _parse_object(part: dict[str, Any], place: _Place) -> Node:
    instructions = [name for name in part if name.startswith("$") and not name.startswith("$$")]
    if not instructions:
        members = (
            (_unescaped(name), _parse(one, place.member(name))) for name, one in part.items()
        )
        return Object(place.where, tuple(members))
    which = next((name for name in _MEMBERS if name in part), None)
    if which is None:
        message = _("%(name)s is no instruction; there are %(known)s. A name is written $%(name)s.")
        raise place.wrong(message % {"name": instructions[0], "known": ", ".join(_MEMBERS)})
    strange = sorted(part.keys() - _MEMBERS[which])
    if strange:
        message = _("%(name)s can't stand beside %(instruction)s.")
        raise place.wrong(message % {"name": strange[0], "instruction": which})
    return _PARSERS[which](part, place)


def _parse_from(part: dict[str, Any], place: _Place) -> Node:
    is_optional = part.get("$optional", False)
    if not isinstance(is_optional, bool):
        raise place.wrong(_("“$optional” is true or false."))
    return From(place.where, _path(part["$from"], place), _default(part, place), is_optional)


def _parse_each(part: dict[str, Any], place: _Place) -> Node:
    output = _parse(part.get("$as", "$"), place.member("$as"))
    return Each(place.where, _path(part["$each"], place), output, _default(part, place))


def _parse_pick(part: dict[str, Any], place: _Place) -> Node:
    names = part["$pick"]
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise place.wrong(_("“$pick” is a list of names of members."))
    return Pick(place.where, tuple(names), _path(part.get("$of", "$"), place))


def _parse_merge(part: dict[str, Any], place: _Place) -> Node:
    if not isinstance(part["$merge"], list):
        raise place.wrong(_("“$merge” is a list of objects."))
    return Merge(place.where, _parse_items(part["$merge"], place.member("$merge")))


def _parse_value(part: dict[str, Any], place: _Place) -> Node:
    return Constant(place.where, part["$value"])


_PARSERS: dict[str, Callable[[dict[str, Any], _Place], Node]] = {
    "$from": _parse_from,
    "$each": _parse_each,
    "$pick": _parse_pick,
    "$merge": _parse_merge,
    "$value": _parse_value,
}


def _default(part: dict[str, Any], place: _Place) -> Node | None:
    return _parse(part["$default"], place.member("$default")) if "$default" in part else None


def _path(text: Any, place: _Place) -> Path:
    try:
        return parse_path(text if isinstance(text, str) else "")
    except InvalidPath:
        message = _(
            '%(text)s is no path. Paths are written $.name, $.list[0] or $["odd name"], and '
            "$root.name in the whole document; a text that begins with $ is written $$."
        )
        raise place.wrong(message % {"text": canonical(text)}) from None


def _unescaped(text: str) -> str:
    return text[1:] if text.startswith("$$") else text
