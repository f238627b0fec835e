"""The inputs and outputs of the sandbox: programs, limits and outcomes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
# The source of a module that is a Jinja2 template of a page begins with this, a comment of Jinja's.
PAGE = "{#page#}"
ENTRIES = frozenset({"load", "test", "call", "script"})
KINDS = frozenset({"function", "class", "document", "page"})


class SandboxUnavailable(RuntimeError):
    """This machine can't confine programs well enough to run any; the message has the reason."""


class SandboxBroken(RuntimeError):
    """The machinery failed; this is not the program's fault."""


class Refused(ValueError):
    """The program can't be run, because its caller built it wrongly."""


class Verdict(StrEnum):
    """How a run ended, as judged by the behaviour of the user's code."""

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
    """A module; `binds` names the modules whose public names it receives."""

    name: str
    source: str
    binds: tuple[str, ...] = ()


def _limit(default: int, *, least: int = 1, most: int) -> Any:
    return field(default=default, metadata={"bounds": (least, most)})


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run; memory is counted beyond that of the zygote.

    `result_bytes` limits the JSON of a call's result, `source_bytes` each module and
    `closure_bytes` all modules together. `recursion` is the maximum for `sys.setrecursionlimit`;
    programs start with Python's 1 000, or with this if it is lower.
    """

    cpu_ms: int = _limit(2_000, most=3_600_000)
    wall_ms: int = _limit(10_000, most=3_600_000)
    memory_bytes: int = _limit(128 << 20, least=1 << 20, most=1 << 40)
    output_bytes: int = _limit(65_536, most=1 << 30)
    output_lines: int = _limit(1_000, most=1_000_000)
    result_bytes: int = _limit(1 << 20, most=1 << 20)
    recursion: int = _limit(50_000, least=100, most=50_000)
    source_bytes: int = _limit(1 << 18, most=1 << 18)
    closure_bytes: int = _limit(1 << 20, most=1 << 24)

    @property
    def by_name(self) -> dict[str, int]:
        """All limits, as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}

    def __post_init__(self) -> None:
        for each in fields(self):
            value, (least, most) = getattr(self, each.name), each.metadata["bounds"]
            if type(value) is not int or not least <= value <= most:
                raise Refused(
                    f"limit {each.name} must be a whole number from {least} to {most}, "
                    f"not {value!r}"
                )


@dataclass(frozen=True, slots=True)
class Program:
    """Modules to execute (dependencies first), the entry point, and limits.

    The entry `load` executes all modules and checks that the subject defines its name; `test` runs
    the last module as a test of the subject; `call` calls the subject with `arguments["args"]` and
    `arguments["kwargs"]`; `script` executes all modules, the last one, which is the subject, as
    `__main__`. A subject of the kind `class` must be a class. One of the kind `document` must be
    JSON: a test also finds it as `data`, and it is the result of loading it. A test of the kind
    `page` finds `render`, which calls it. One of the kind `function` may be any object. `returns`
    is the annotation of a function's result; if it is plain data, a test gets nothing else.
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
        if len({*names}) != len(names):
            raise Refused("two modules have the same name")
        if self.subject not in names:
            raise Refused(f"the subject {self.subject!r} is not among the modules")
        for module in self.modules:
            if not _IDENTIFIER.fullmatch(module.name):
                raise Refused(f"{module.name!r} can't be a module's name")
            if missing := {*module.binds}.difference(names):
                raise Refused(f"{module.name} binds {', '.join(sorted(missing))}, absent here")
        self._check_entry()
        _check_arguments(self.arguments or {})

    def _check_entry(self) -> None:
        is_last = self.modules[-1].name == self.subject
        if self.entry not in ENTRIES:
            raise Refused(f"there is no entry {self.entry!r}")
        if self.kind not in KINDS:
            raise Refused(f"there is no kind {self.kind!r}")
        if self.kind != "function" and self.entry == "call":
            uses = "call a function that uses it"
            raise Refused(f"a {self.kind} can't be called from outside; {uses}")
        if self.entry == "test" and is_last:
            raise Refused("the test must come after its subject, as the last module")
        if self.entry == "script" and not is_last:
            raise Refused("a script is its own subject, and the last module")

    def excess(self) -> Outcome | None:
        """Return the outcome if sources exceed their limits, without running them; else None.

        An outcome and not Refused, because it is the author's mistake, not the caller's.
        """
        limits, total = self.limits, 0
        for module in self.modules:
            size = len(module.source.encode("utf-8", "surrogatepass"))
            total += size
            if size > limits.source_bytes:
                message = (
                    f"the source of {module.name} has {size:,} bytes, "
                    f"{limits.source_bytes:,} are allowed; split it into several functions"
                )
                return Outcome(Verdict.POLICY, message, module.name)
        if total <= limits.closure_bytes:
            return None
        message = (
            f"the {len(self.modules)} modules that this run needs have {total:,} bytes in all, "
            f"{limits.closure_bytes:,} are allowed"
        )
        return Outcome(Verdict.POLICY, message)


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    try:
        json.dumps(dict(arguments), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(f"the arguments can't be encoded as JSON: {error}") from None
    if set(arguments) - {"args", "kwargs"}:
        raise Refused("arguments must be passed as `args` and `kwargs`")
    if not isinstance(arguments.get("args", []), list | tuple):
        raise Refused("`args` must be a list")
    if not isinstance(arguments.get("kwargs", {}), dict):
        raise Refused("`kwargs` must be an object")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of output: milliseconds since the start; stream "out", or "sys" for our messages."""

    ms: float
    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class Case:
    """The result of one test function or method of a test."""

    name: str
    verdict: Verdict
    message: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    `trace` has (module, line, function, source line), outermost first. `loaded`: the subject's
    module was executed and defines its name.
    """

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
    """A reason why a source can't be run; `code` is "syntax_error" or "policy", column from 1."""

    line: int
    column: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The run was stopped on request; nothing is known about its program."""
