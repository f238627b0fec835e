"""PURE: what a view says: its sources, conditions, group and values, read from JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeGuard

from functions.document_views.conditions import COMPARISONS, Condition, comparisons_of
from functions.errors import Complaint, gettext, refuse_all

MAX_VALUES = 12
MAX_CONDITIONS = 12
MAX_TOP = 100
MAX_PATH = 200
_KEYS = {"from", "join", "on", "as", "where", "group_by", "values"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_ = gettext


@dataclass(frozen=True, slots=True)
class Value:
    """A value of each group; positions are those of a row's fields, `most` how many it shows."""

    name: str
    kind: str
    position: int = 0
    most: int = 1
    show: int | None = None


@dataclass(slots=True)
class Side:
    """One source: how its records are selected, what they are joined by, and the fields needed."""

    source: str
    name: str
    on: str = ""
    where: list[Condition] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Definition:
    """A valid definition; a row's fields are those of the first side, then of the second."""

    sides: list[Side]
    group_side: int
    group_by: str
    values: list[Value]

    @property
    def is_join(self) -> bool:
        return len(self.sides) == 2


# How the kinds of values are written: the key with the path, and the other keys.
_SHAPES = {
    "sum": ("sum", set[str]()),
    "min": ("min", set[str]()),
    "max": ("max", set[str]()),
    "latest": ("latest", {"show"}),
    "top": ("by", {"top", "show"}),
}


def parse_definition(stated: Any) -> Definition:
    """Read a definition; refused with all problems if it is none."""
    reader = _Reader(stated)
    definition = reader.read()
    refuse_all(reader.complaints)
    return definition


@lru_cache(maxsize=512)
def definition_from_text(text: str) -> Definition:
    """Return the definition with this JSON text, which is valid."""
    return parse_definition(json.loads(text))


class _Reader:
    """Reads one definition and collects its problems."""

    def __init__(self, stated: Any) -> None:
        self.complaints: list[Complaint] = []
        self._stated: Mapping[str, Any] = stated if isinstance(stated, dict) else {}
        if not isinstance(stated, dict):
            self._complain("invalid_definition", _("A definition is a JSON object."))

    def read(self) -> Definition:
        for key in sorted(self._stated.keys() - _KEYS):
            self._complain("unknown_key", _("There is no key “%(key)s”.") % {"key": key})
        sides = self._sides()
        for path, stated in self._conditions().items():
            self._read_conditions(sides, path, stated)
        group = self._stated.get("group_by")
        group_side, group_by = (0, "") if group is None else self._side_of(sides, group)
        drafts = list(self._values(sides))
        offsets = (0, len(sides[0].paths))
        values = [
            Value(
                name,
                kind,
                position=at[1] + offsets[at[0]],
                most=most,
                show=None if show is None else show[1] + offsets[show[0]],
            )
            for name, kind, at, most, show in drafts
        ]
        return Definition(sides, group_side, group_by, values)

    def _sides(self) -> list[Side]:
        stated = self._stated
        if ("from" in stated) == ("join" in stated):
            self._complain("no_source", _("State the source with “from”, or two with “join”."))
            return [Side("", "")]
        sources = stated["join"] if "join" in stated else [stated["from"]]
        is_join = "join" in stated
        if not _is_list_of_texts(sources, 2 if is_join else 1):
            text = _("“join” is a list of two sources.") if is_join else _("“from” is a source.")
            self._complain("invalid_source", text)
            return [Side("", "")]
        names = stated.get("as", [source.rpartition(":")[2] for source in sources])
        if not _is_list_of_texts(names, len(sources)) or len(set(names)) < len(names):
            text = _("“as” names the joined sources: two different names.")
            self._complain("invalid_names", text)
            return [Side("", "")]
        return [
            Side(source, name, on)
            for source, name, on in zip(sources, names, self._joined_by(is_join), strict=True)
        ]

    def _joined_by(self, is_join: bool) -> list[str]:
        paths = self._stated.get("on")
        if not is_join:
            if paths is not None:
                self._complain("unknown_key", _("“on” belongs to “join”."))
            return [""]
        if not _is_list_of_texts(paths, 2) or not all(map(is_path, paths)):
            self._complain("invalid_path", _("“on” is a list of two paths, one of each source."))
            return ["", ""]
        return paths

    def _conditions(self) -> Mapping[str, Any]:
        where = self._stated.get("where", {})
        if not isinstance(where, dict) or len(where) > MAX_CONDITIONS:
            text = _("“where” is an object of at most %(most)s paths.") % {"most": MAX_CONDITIONS}
            self._complain("invalid_condition", text)
            return {}
        return where

    def _read_conditions(self, sides: list[Side], path: str, stated: Any) -> None:
        side, own_path = self._side_of(sides, path)
        for condition in comparisons_of(own_path, stated):
            if condition is None:
                text = _("The condition on “%(path)s” is none of %(comparisons)s with a constant.")
                listed = ", ".join(COMPARISONS)
                self._complain("invalid_condition", text % {"path": path, "comparisons": listed})
            else:
                sides[side].where.append(condition)

    def _values(self, sides: list[Side]) -> Iterator[tuple[str, str, Any, int, Any]]:
        """Yield name, kind, (side, position), how many, and (side, position) of what is shown."""
        values = self._stated.get("values", {"n": "count"})
        if not isinstance(values, dict) or not 0 < len(values) <= MAX_VALUES:
            text = _("“values” is an object of 1 to %(most)s values.") % {"most": MAX_VALUES}
            self._complain("invalid_value", text)
            return
        for name, stated in values.items():
            if not _NAME.fullmatch(name):
                text = _("“%(name)s” is no name for a value.") % {"name": name}
                self._complain("invalid_name", text)
            elif stated == "count":
                yield name, "count", (0, 0), 1, None
            elif kind := _kind_of(stated):
                show = self._position(sides, stated["show"]) if "show" in stated else None
                at = self._position(sides, stated[_SHAPES[kind][0]])
                yield name, kind, at, stated.get("top", 1), show
            else:
                text = _(
                    "“%(name)s” is none of: “count”, an object with “sum”, “min”, “max” or "
                    "“latest” and a path, or one with “top”, a number up to %(most)s, and “by”, "
                    "a path."
                )
                self._complain("invalid_value", text % {"name": name, "most": MAX_TOP})

    def _position(self, sides: list[Side], path: Any) -> tuple[int, int]:
        side, own_path = self._side_of(sides, path)
        paths = sides[side].paths
        if own_path not in paths:
            paths.append(own_path)
        return side, paths.index(own_path)

    def _side_of(self, sides: list[Side], path: Any) -> tuple[int, str]:
        """Return which side a path is of, and the path within its records."""
        if not is_path(path):
            self._complain("invalid_path", _("“%(path)s” is no path.") % {"path": path})
        elif len(sides) == 1:
            return 0, path
        else:
            for number, side in enumerate(sides):
                if path.startswith(f"{side.name}."):
                    return number, path.removeprefix(f"{side.name}.")
            text = _("“%(path)s” begins with neither “%(one)s.” nor “%(other)s.”.")
            names = {"one": sides[0].name, "other": sides[1].name}
            self._complain("invalid_path", text % {"path": path, **names})
        return 0, ""

    def _complain(self, code: str, message: str) -> None:
        self.complaints.append(Complaint("definition", code, message))


def is_path(path: Any) -> bool:
    """Return whether this is a dotted path of names."""
    return isinstance(path, str) and len(path) <= MAX_PATH and all(path.split("."))


def _kind_of(stated: Any) -> str | None:
    if isinstance(stated, dict):
        for kind, (path_key, others) in _SHAPES.items():
            if path_key in stated and stated.keys() <= {path_key} | others:
                is_top = kind == "top"
                return kind if not is_top or _is_top(stated.get("top")) else None
    return None


def _is_top(most: Any) -> bool:
    return isinstance(most, int) and not isinstance(most, bool) and 0 < most <= MAX_TOP


def _is_list_of_texts(stated: Any, length: int) -> TypeGuard[list[str]]:
    return (
        isinstance(stated, list)
        and len(stated) == length
        and all(isinstance(each, str) and each for each in stated)
    )
