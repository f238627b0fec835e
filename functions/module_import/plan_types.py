"""PURE: what an import is to make."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to be made; `name` is what it was called."""

    name: str
    title: str
    code: str
    line: int


@dataclass(slots=True)
class PlannedFunction:
    """A function to be made, or to be added to, with an implementation and tests of it."""

    name: str
    signature: str
    description: str
    code: str
    line: int
    exists: bool
    uses: tuple[str, ...]
    is_here: bool = False  # this very implementation is published already
    tests: list[PlannedTest] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an import would make, and what is to be known about it."""

    functions: tuple[PlannedFunction, ...]
    notes: tuple[str, ...]

    @property
    def tests(self) -> int:
        return sum(len(function.tests) for function in self.functions)
