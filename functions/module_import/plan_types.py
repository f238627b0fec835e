"""PURE: the plan of an import."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test to create; `name` is that of the imported test function."""

    name: str
    title: str
    code: str
    line: int


@dataclass(slots=True)
class PlannedFunction:
    """A function to create, or to add an implementation and tests to."""

    name: str
    signature: str
    description: str
    code: str
    line: int
    exists: bool
    uses: tuple[str, ...]
    is_published: bool = False  # an implementation with this code is published already
    tests: list[PlannedTest] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """The functions that an import would create, with notes for the user."""

    functions: tuple[PlannedFunction, ...]
    notes: tuple[str, ...]

    @property
    def tests(self) -> int:
        return sum(len(function.tests) for function in self.functions)
