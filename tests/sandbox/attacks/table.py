"""Tables of attacks: on verdicts (wrong implementations that try to pass) and on the host."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# What a wrong implementation may be told.
WRONG = frozenset(
    {"failed", "error", "time_limit", "memory_limit", "output_limit", "policy", "crashed"}
)
# Names that the source of an attack on the host finds among its globals, beside builtins.
# `attempt(action)` returns the name of the error, or "allowed"; `system_call(number, *arguments)`
# raises OSError; `interrupt(number)` calls the kernel as a 32-bit program does; `CHANNEL` is the
# descriptor that the run reports on.
HOST_NAMES = frozenset(
    {
        *("reached", "attempt", "system_call", "interrupt", "CHANNEL"),
        *("ctypes", "fcntl", "mmap", "os", "resource", "select", "signal", "socket", "struct"),
        *("threading", "time"),
    }
)


@dataclass(frozen=True, slots=True)
class Attack:
    """A wrong implementation, with the verdicts that are right for it.

    `reason` is a regular expression that the verdict's message matches; empty if none is sure to.
    """

    name: str
    implementation: str
    verdicts: frozenset[str]
    reason: str
    why: str


@dataclass(frozen=True, slots=True)
class Group:
    """A function, a test of it, an implementation that passes, and some that must not."""

    category: str
    name: str
    function: str
    signature: str
    test: str
    honest: str
    attacks: tuple[Attack, ...]
    kind: str
    # Sources of further functions that the test or an implementation names by a marker.
    dependencies: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class HostAttack:
    """A program that calls `reached` if it got at something outside its process."""

    category: str
    name: str
    source: str
    verdicts: frozenset[str]
    why: str
    # The only kind of machine that it means something on, as `platform.machine` names it.
    machine: str


def verdict_groups() -> list[Group]:
    """Return the groups of all tables of attacks on verdicts."""
    return [
        Group(
            category=category,
            attacks=tuple(
                Attack(**{**attack, "verdicts": frozenset(attack["verdicts"])})
                for attack in group["attack"]
            ),
            **{"kind": "function", "dependencies": {}, **_without(group, "attack")},
        )
        for category, table in _tables("verdicts")
        for group in table["group"]
    ]


def host_attacks() -> list[HostAttack]:
    """Return the attacks of all tables of attacks on the host: one for each of an attack's cases.

    A case is an expression, and the source's name `CASE`: many calls end a program at once, so that
    a loop over them would try the first alone.
    """
    attacks = []
    for category, table in _tables("host"):
        for attack in table["attack"]:
            rest = {"machine": "", **_without(attack, "cases")}
            rest["verdicts"] = frozenset(rest["verdicts"])
            whole = HostAttack(category=category, **rest)
            attacks += [
                replace(
                    whole, name=f"{whole.name}: {case}", source=f"CASE = {case}\n{whole.source}"
                )
                for case in attack.get("cases", ())
            ] or [whole]
    return attacks


def _tables(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((FOLDER / kind).glob("*.toml")):
        yield path.stem, tomllib.loads(path.read_text("utf-8"))


def _without(values: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}
