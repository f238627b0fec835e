"""What a module offers to user code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Offer:
    """Of one module: `only` these names, or all public ones `without` some.

    `ours` are offered in a version of our own, `refused` are not and say why.
    """

    only: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    ours: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict)
    # Whether there is anything of the original.
    original: bool = True


def everything(*, without: str = "", ours: str = "", **refused: str) -> Offer:
    """Offer all public names without some."""
    return Offer(frozenset(), frozenset({*without.split(), *refused}), _set(ours), refused)


def only(names: str, *, ours: str = "", **refused: str) -> Offer:
    """Offer these names of the original."""
    return Offer(_set(names), frozenset(refused), _set(ours), refused)


def ours(names: str, **refused: str) -> Offer:
    """Offer a module none of which is the original's."""
    return Offer(ours=_set(names), refused=refused, original=False)


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())
