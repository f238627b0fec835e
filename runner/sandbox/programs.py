"""What goes into the sandbox and what comes out: programs, limits, outcomes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
ENTRIES = frozenset({"load", "test", "call", "script"})
KINDS = frozenset({"function", "class"})


class SandboxUnavailable(RuntimeError):
    """This machine can't confine code well enough, so nothing may run on it; says why."""


class SandboxBroken(RuntimeError):
    """Our own machinery failed; this says nothing about the program."""


class Refused(ValueError):
    """The program can't be run as given: its caller built it wrongly."""


class Verdict(StrEnum):
    """How a run ended, as far as the user's code is concerned."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    POLICY = "policy"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Module:
    """One module; `binds` names the modules whose public names this one receives."""

    name: str
    source: str
    binds: tuple[str, ...] = ()


# The least and the most that each limit may be set to.
_BOUNDS = {
    "cpu_ms": (1, 3_600_000),
    "wall_ms": (1, 3_600_000),
    "memory_bytes": (1 << 20, 1 << 40),
    "output_bytes": (1, 1 << 30),
    "output_lines": (1, 1_000_000),
    "result_bytes": (1, 1 << 20),
    "recursion": (100, 50_000),
    "source_bytes": (1, 1 << 18),
    "closure_bytes": (1, 1 << 24),
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use; memory counts beyond what the zygote already has.

    `result_bytes` bounds what a call returns, as JSON. `recursion` is the highest limit that a
    program may set itself with `sys.setrecursionlimit`; it starts with Python's 1 000, or with
    this where it is lower. `source_bytes` bounds each module, `closure_bytes` all together.
    """

    cpu_ms: int = 2_000
    wall_ms: int = 10_000
    memory_bytes: int = 128 * 1024 * 1024
    output_bytes: int = 65_536
    output_lines: int = 1_000
    result_bytes: int = 1_048_576
    recursion: int = 50_000
    source_bytes: int = 262_144
    closure_bytes: int = 1_048_576

    @property
    def by_name(self) -> dict[str, int]:
        """All of them, as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __post_init__(self) -> None:
        for name, (least, most) in _BOUNDS.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise Refused(
                    f"limit {name} must be a whole number from {least} to {most}, not {value!r}"
                )


@dataclass(frozen=True, slots=True)
class Program:
    """What is executed: modules (dependencies first), how to enter, and within which limits.

    `load` executes all modules and looks whether the subject defines its name; `test` treats
    the last module as the test of the subject; `call` calls the subject with
    `arguments["args"]` and `arguments["kwargs"]`; `script` executes all modules, the last one,
    which is the subject, as `__main__`, and asks for nothing more. A subject of the kind `class`
    must be one; of the kind `function` it may be anything that has its name. `returns` is the
    annotation of a function's result: where that is plain data, a test gets nothing else.
    """

    modules: tuple[Module, ...]
    entry: str
    subject: str
    limits: Limits = field(default_factory=Limits)
    seed: bytes = b""
    arguments: Mapping[str, Any] | None = None
    kind: str = "function"
    returns: str = ""

    def __post_init__(self) -> None:
        names = [module.name for module in self.modules]
        known = set(names)
        if self.entry not in ENTRIES:
            raise Refused(f"there is no entry {self.entry!r}")
        if len(known) != len(names):
            raise Refused("two modules have the same name")
        if self.subject not in known:
            raise Refused(f"the subject {self.subject!r} is not among the modules")
        if self.entry == "test" and names[-1] == self.subject:
            raise Refused("the test must come after its subject, as the last module")
        if self.entry == "script" and names[-1] != self.subject:
            raise Refused("a script is its own subject, and the last module")
        self._check_kind()
        self._check_arguments()
        for module in self.modules:
            if not _IDENTIFIER.fullmatch(module.name):
                raise Refused(f"{module.name!r} can't be a module's name")
            if missing := set(module.binds) - known:
                raise Refused(f"{module.name} binds {', '.join(sorted(missing))}, absent here")

    def excess(self) -> Outcome | None:
        """The outcome of sources that are larger than they may be, found without running them.

        Such a program is well built, and its author is to hear of it: so it has an outcome, and
        isn't refused.
        """
        lengths = [len(module.source) for module in self.modules]
        # A character has four bytes at most, so there is mostly nothing to encode.
        if 4 * max(lengths) <= self.limits.source_bytes and (
            4 * sum(lengths) <= self.limits.closure_bytes
        ):
            return None
        total = 0
        for module in self.modules:
            size = len(module.source.encode("utf-8", "surrogatepass"))
            total += size
            if size > self.limits.source_bytes:
                message = (
                    f"the source of {module.name} has {size:,} bytes, "
                    f"{self.limits.source_bytes:,} are allowed; split it into several functions"
                )
                return Outcome(Verdict.POLICY, message, module.name)
        if total > self.limits.closure_bytes:
            message = (
                f"the {len(self.modules)} modules that this run needs have {total:,} bytes in all, "
                f"{self.limits.closure_bytes:,} are allowed"
            )
            return Outcome(Verdict.POLICY, message)
        return None

    def _check_kind(self) -> None:
        if self.kind not in KINDS:
            raise Refused(f"there is no kind {self.kind!r}")
        if self.kind == "class" and self.entry == "call":
            raise Refused("a class can't be called from outside; call a function that uses it")

    def _check_arguments(self) -> None:
        arguments = self.arguments or {}
        try:
            json.dumps(dict(arguments), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise Refused(f"the arguments are no JSON: {error}") from None
        if set(arguments) - {"args", "kwargs"}:
            raise Refused("arguments are given as `args` and `kwargs`")
        if not isinstance(arguments.get("args", []), list | tuple):
            raise Refused("`args` must be a list")
        if not isinstance(arguments.get("kwargs", {}), dict):
            raise Refused("`kwargs` must be an object")


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of output: milliseconds since the start, "out" for the code's, "sys" for ours."""

    ms: float
    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """One `test_...` function of a test."""

    name: str
    verdict: Verdict
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run; `loaded` says that the subject's module ran and defines its name."""

    verdict: Verdict
    message: str = ""
    module: str | None = None
    line: int | None = None
    trace: tuple[tuple[str, int, str, str], ...] = ()
    log: tuple[LogLine, ...] = ()
    truncated: bool = False
    cases: tuple[Case, ...] = ()
    cpu_us: int = 0
    wall_us: int = 0
    peak_bytes: int = 0
    value: Any = None
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why a source can't be run: `code` is "syntax_error" or "policy"; column counts from 1."""

    line: int
    column: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped on request; nothing is known about its program."""
