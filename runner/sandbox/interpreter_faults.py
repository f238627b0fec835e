"""Known faults of CPython by which plain code breaks its own process's memory.

They endanger nobody: such a program ends as `crashed`, and the kernel holds what it might do
instead. But each is a first step for an attack on the kernel, so a Python without them is better.
"""

from __future__ import annotations

from typing import NamedTuple

Version = tuple[int, ...]


class Fault(NamedTuple):
    """A fault, and the first release of each series without it; later series never had it."""

    report: str
    what: str
    fixed_in: tuple[Version, ...]

    def is_open_in(self, version: Version) -> bool:
        """Whether a release has it."""
        series = version[:2]
        if series > self.fixed_in[-1][:2]:
            return False
        return not any(fix[:2] == series and version >= fix for fix in self.fixed_in)


# Those that a short program shows, see `tests/sandbox/interpreter_faults.toml`.
FAULTS = (
    Fault(
        "gh-120384",
        "`l[::-1] = values` where iterating over `values` empties `l`",
        ((3, 11, 15), (3, 12, 5)),
    ),
    Fault(
        "gh-126033",
        "`Element.remove` where comparing elements empties the parent",
        ((3, 12, 10), (3, 13, 3)),
    ),
    Fault(
        "gh-126037",
        "`Element.find` where comparing tags empties the parent",
        ((3, 12, 10), (3, 13, 3)),
    ),
    Fault(
        "gh-142555",
        "`array[i] = x` where converting `x` empties the array",
        ((3, 13, 12), (3, 14, 3)),
    ),
    Fault(
        "gh-142557",
        "`bytearray % x` where converting `x` empties the bytearray",
        ((3, 13, 12), (3, 14, 3)),
    ),
    Fault(
        "gh-142560",
        "`bytearray.count(x)` where converting `x` empties the bytearray",
        ((3, 13, 12), (3, 14, 3)),
    ),
    Fault(
        "gh-143195",
        "`bytearray.hex(sep)` where measuring `sep` empties the bytearray",
        ((3, 13, 12), (3, 14, 3)),
    ),
)


def open_faults(version: Version) -> list[Fault]:
    """Return the known faults of a release."""
    return [fault for fault in FAULTS if fault.is_open_in(version)]
