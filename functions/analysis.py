"""Questions about people's source, for processes that serve requests; and their refusals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from functions.errors import Complaint, Refusal, TooLarge, TooOften, Unavailable
from functions.exporting import Bundle
from functions.importing import Plan, PlannedFunction, PlannedTest
from functions.sources import describe_first
from runner.analysis.client import AnalysesAway, AnalysesBusy, Unanswered, analyse
from runner.analysis.pool import Ended
from runner.sandbox import Complaint as Finding

CHECK_CPU_MS = 1_000
IMPORT_CPU_MS = 3_000
EXPORT_CPU_MS = 6_000
SHORT_CPU_MS = 300
LONG_WALL_MS = 8_000
LARGEST_EXPORT_BYTES = 12 * 1024 * 1024
RETRY_SECONDS = 2

# By what a source was too much for: the code of the refusal, and what to do.
_TOO_MUCH = {
    Ended.CPU_LIMIT: (
        "check_time_limit",
        (
            "It takes Python longer to read this code than is allowed; it is mostly one statement "
            "with very many parts, or blocks inside each other. Split it into several functions."
        ),
    ),
    Ended.MEMORY_LIMIT: (
        "check_memory_limit",
        (
            "It takes Python more memory to read this code than is allowed; split it into several "
            "functions."
        ),
    ),
    Ended.TOO_DEEP: (
        "syntax_error",
        "This code is nested too deeply; split its expressions into several statements.",
    ),
    Ended.TOO_LARGE: ("too_large", "More would be made of this than is taken; split it."),
    Ended.CRASHED: (
        "check_crashed",
        (
            "Python itself crashed while it read this code, most likely because something in it is "
            "nested too deeply. Split it into several statements and functions."
        ),
    ),
    Ended.FAILED: (
        "check_failed",
        (
            "This code can't be read here, which is a mistake of ours; we have noted it. Written "
            "otherwise it may do."
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Checked:
    """The findings of the sandbox's compiler about some code."""

    code: str
    findings: tuple[Finding, ...]
    is_empty: bool  # of code that can be parsed: there is nothing but blanks and comments

    @property
    def syntax_error(self) -> Complaint | None:
        """The first place where this isn't Python, with a caret below it."""
        for found in self.findings:
            if found.code == "syntax_error":
                return self._complaint(found)
        return None

    @property
    def policy_fault(self) -> str:
        """A text that names what the sandbox forbids in this code, and where; empty if nothing."""
        return describe_first(self.findings)

    def _complaint(self, found: Finding) -> Complaint:
        lines = self.code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        text = lines[found.line - 1] if 0 < found.line <= len(lines) else ""
        caret = " " * min(max(found.column - 1, 0), len(text)) + "^"
        message = f"Line {found.line}: {found.message}."
        place = (found.line, found.column)
        return Complaint("code", "syntax_error", message, *place, excerpt=f"{text}\n{caret}")


def check_code(code: str, *, owner: str) -> Checked:
    """Have code be compiled under the policy, and executed by nobody.

    Like all of these, must not be called in a transaction, and raises Unavailable and TooOften
    where there is nobody, or no room, to do it.
    """
    said = _ask("check", {"code": code}, owner=owner, field="code", cpu_ms=CHECK_CPU_MS)
    findings = tuple(Finding(**one) for one in said["complaints"])
    return Checked(code, findings, said["is_empty"])


def find_policy_faults(codes: Sequence[str], *, owner: str) -> list[str]:
    """Say of each code what the sandbox forbids in it; of none, where all is too much to tell."""
    asked = {"codes": list(codes)}
    try:
        found: list[str] = _ask(
            "policy_faults", asked, owner=owner, field="module", cpu_ms=IMPORT_CPU_MS
        )
    except (TooOften, Unavailable):
        raise
    except Refusal:
        return [""] * len(codes)
    return found


def names_asked_for(module: str, tests: str, *, owner: str) -> set[str]:
    """Return the names of which a plan must know whether the site has them, in small letters."""
    asked = {"module": module, "tests": tests}
    limits = {"cpu_ms": IMPORT_CPU_MS}
    return set(_ask("names_asked_for", asked, owner=owner, field="module", **limits))


def plan_import(module: str, tests: str, *, known: Mapping[str, str], owner: str) -> Plan:
    """Plan what an import makes; refuses all that can't be made of it, with the lines."""
    asked = {"module": module, "tests": tests, "known": dict(known)}
    limits = {"cpu_ms": IMPORT_CPU_MS, "wall_ms": LONG_WALL_MS}
    said = _ask("plan", asked, owner=owner, field="module", **limits)
    return Plan(tuple(map(_planned, said["functions"])), tuple(said["notes"]))


def export_files(bundle: Bundle, *, owner: str) -> tuple[dict[str, str], str]:
    """Return a bundle as the modules of a package by their paths, and as one file."""
    limits = {
        "cpu_ms": EXPORT_CPU_MS,
        "answer_bytes": LARGEST_EXPORT_BYTES,
        "wall_ms": LONG_WALL_MS,
    }
    said = _ask("export", asdict(bundle), owner=owner, field="", **limits)
    return said["files"], said["single"]


def read_literals(text: str, *, owner: str) -> Mapping[str, Any]:
    """Read arguments; see `functions.literals`."""
    said: Mapping[str, Any] = _ask(
        "literals", {"text": text}, owner=owner, field="args", cpu_ms=SHORT_CPU_MS
    )
    return said


def parameters(signature: str, *, owner: str) -> list[str]:
    """Return the parameters as Python has them, without types; none if they can't be told."""
    asked = {"signature": signature}
    try:
        said: list[str] = _ask(
            "parameters", asked, owner=owner, field="signature", cpu_ms=SHORT_CPU_MS
        )
    except Refusal:
        return []
    return said


def outline(code: str, name: str, *, owner: str) -> list[Mapping[str, Any]]:
    """Return the public methods of a class, as `functions.outlines` has them; none if unknown."""
    asked = {"code": code, "name": name}
    try:
        said: list[Mapping[str, Any]] = _ask(
            "outline", asked, owner=owner, field="code", cpu_ms=SHORT_CPU_MS
        )
    except Refusal:
        return []
    return said


def _planned(content: dict[str, Any]) -> PlannedFunction:
    tests = [PlannedTest(**test) for test in content["tests"]]
    return PlannedFunction(**{**content, "uses": tuple(content["uses"]), "tests": tests})


def _ask(name: str, value: Any, *, owner: str, field: str, **limits: int) -> Any:
    try:
        answer = analyse(name, value, owner=owner, **limits)
    except Unanswered as unanswered:
        code, message = _TOO_MUCH[unanswered.ended]
        raise Refusal(code, message, field=field) from unanswered
    except AnalysesBusy as busy:
        raise _refuse_for_now(own=busy.own) from busy
    except AnalysesAway as away:
        message = "Code can't be checked just now; what you typed is kept. Try again soon."
        raise Unavailable("checks_away", message) from away
    if refused := answer.get("refused"):
        raise _read_refusal(refused)
    return answer["value"]


def _refuse_for_now(*, own: bool) -> Refusal:
    if own:
        message = "Your other code is still being checked; wait for that to end."
        return TooOften(message, retry_after_seconds=RETRY_SECONDS)
    message = "More code is being checked than can be at once; what you typed is kept. Try again."
    return Unavailable("checks_busy", message)


def _read_refusal(content: dict[str, Any]) -> Refusal:
    kind = TooLarge if content.pop("is_too_large") else Refusal
    errors = [Complaint(**one) for one in content.pop("errors")]
    return kind(**content, errors=errors)
