"""PURE: selects the parts of a module that a function needs, transitively."""

from collections.abc import Container, Iterable, Mapping

from functions.module_import.parts import Part


def select_parts(
    start: list[Part],
    parts: list[Part],
    *,
    own: str,
    public: Container[str],
    targets: Mapping[str, str],
) -> tuple[list[Part], list[str]]:
    """Return the parts that `start` needs, transitively, and the functions that it uses.

    `own` is the draft's function. Other `public` functions, and names that `targets` maps to a
    function, are used by name instead of being included.
    """
    taken: dict[int, Part] = {id(part): part for part in start}
    uses: dict[str, None] = {}
    waiting = list(start)
    while waiting:
        part = waiting.pop()
        for name in sorted(part.uses | (part.binds & {own})):
            if name in public and name != own and not _binds(taken.values(), name):
                uses[name] = None
                continue
            if name in targets and not any(name in each.binds for each in parts):
                uses[targets[name]] = None
            for other in parts:
                is_needed = name in other.binds and not _is_other_function(other, own, public)
                if is_needed and id(other) not in taken:
                    taken[id(other)] = other
                    waiting.append(other)
        if not waiting:
            waiting = _changing(taken, parts)
            taken.update((id(other), other) for other in waiting)
    for part in parts:
        if part.is_future:
            taken[id(part)] = part
    return list(taken.values()), sorted(name for name in uses if name != own)


def _is_other_function(part: Part, own: str, public: Container[str]) -> bool:
    name = part.function.name if part.function else ""
    return name in public and name != own


def _changing(taken: dict[int, Part], parts: list[Part]) -> list[Part]:
    """Return statements that modify names bound by the selected parts."""
    state = frozenset().union(
        *(part.binds for part in taken.values() if not part.is_import and not part.function)
    )
    return [
        part
        for part in parts
        if id(part) not in taken
        and part.is_effect
        and not (part.is_docstring or part.is_script_guard)
        and part.uses & state
    ]


def _binds(parts: Iterable[Part], name: str) -> bool:
    return any(name in part.binds for part in parts)
