"""Client of source analyses, which run in confined processes; converts failures to refusals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from functions.errors import Complaint, Refusal, TooLarge, TooOften, Unavailable
from functions.export import Bundle
from functions.kinds import PYTHON, Kind
from functions.kinds.kind import Checked
from functions.module_import import Plan, PlannedFunction, PlannedTest
from runner.analysis.client import (
    AnalysisBusy,
    AnalysisFailed,
    AnalysisUnavailable,
    analyse,
)
from runner.analysis.pool import Ended
from runner.sandbox import Complaint as Finding

CHECK_CPU_MS = 1_000
FORMAT_CPU_MS = 8_000  # a large source takes half of it
FORMAT_WALL_MS = 10_000
IMPORT_CPU_MS = 3_000
EXPORT_CPU_MS = 6_000
SHORT_CPU_MS = 300
LONG_WALL_MS = 8_000
MAX_EXPORT_BYTES = 12 * 1024 * 1024
RETRY_SECONDS = 2

# Code and message of the refusal, by how the analysis ended.
_REFUSALS = {
    Ended.CPU_LIMIT: (
        "check_time_limit",
        gettext_noop(
            "Parsing this code takes too long. Usually a statement has too many parts, or blocks "
            "are nested too deeply. Split it into several functions."
        ),
    ),
    Ended.MEMORY_LIMIT: (
        "check_memory_limit",
        gettext_noop("Parsing this code takes too much memory. Split it into several functions."),
    ),
    Ended.TOO_DEEP: (
        "syntax_error",
        gettext_noop(
            "This code is nested too deeply; split its expressions into several statements."
        ),
    ),
    Ended.TOO_LARGE: (
        "too_large",
        gettext_noop("The result would be too large. Split the input."),
    ),
    Ended.CRASHED: (
        "check_crashed",
        gettext_noop(
            "Python crashed while parsing this code, most likely because it is nested too deeply. "
            "Split it into several statements and functions."
        ),
    ),
    Ended.FAILED: (
        "check_failed",
        gettext_noop(
            "This code can't be parsed because of an error of this site, which was logged. "
            "Rewrite it."
        ),
    ),
}


def check_code(code: str, *, owner: str, kind: Kind = PYTHON) -> Checked:
    """Compile an implementation of a kind under the sandbox's policy, without executing it.

    Like all functions here, it must not be called in a transaction, and raises Unavailable or
    TooOften if all processes are missing or busy.
    """
    request = {"code": _module_of(code, kind)}
    response = _analyse("check", request, owner=owner, field="code", cpu_ms=CHECK_CPU_MS)
    findings = tuple(Finding(**one) for one in response["complaints"])
    return Checked(code, findings, response["is_empty"])


def check_draft(
    code: str, received: Collection[str], *, owner: str, kind: Kind = PYTHON
) -> tuple[Checked, list[Mapping[str, Any]]]:
    """Check code that receives these names; also return its `UnboundName`s.

    See `functions.source.unbound_names`.
    """
    request = {"code": _module_of(code, kind), "received": sorted(received)}
    response = _analyse("check_draft", request, owner=owner, field="code", cpu_ms=CHECK_CPU_MS)
    findings = tuple(Finding(**one) for one in response["complaints"])
    return Checked(code, findings, response["is_empty"]), response["unbound"]


def _module_of(code: str, kind: Kind) -> str:
    return kind.generate_module("code", code) or code


def exports(code: str, *, owner: str) -> list[Mapping[str, Any]]:
    """Return the public names of a module; see `functions.source.exports`."""
    return _list_of("exports", {"code": code}, owner=owner, field="code")


def format_code(code: str, *, owner: str) -> str:
    """Return the code as Black formats it. Raises Refusal if it can't be parsed."""
    limits = {"cpu_ms": FORMAT_CPU_MS, "wall_ms": FORMAT_WALL_MS}
    return str(_analyse("format", {"code": code}, owner=owner, field="code", **limits))


def find_policy_faults(codes: Sequence[str], *, owner: str) -> list[str]:
    """Return the policy fault of each source, empty if none; all empty if it takes too long."""
    request = {"codes": list(codes)}
    try:
        found: list[str] = _analyse(
            "policy_faults", request, owner=owner, field="module", cpu_ms=IMPORT_CPU_MS
        )
    except (TooOften, Unavailable):
        raise
    except Refusal:
        return [""] * len(codes)
    return found


def names_to_look_up(module: str, tests: str, *, owner: str) -> set[str]:
    """Return the names, in lower case, that an import plan must look up on the site."""
    request = {"module": module, "tests": tests}
    limits = {"cpu_ms": IMPORT_CPU_MS}
    return set(_analyse("names_to_look_up", request, owner=owner, field="module", **limits))


def plan_import(module: str, tests: str, *, known: Mapping[str, str], owner: str) -> Plan:
    """Return the plan of an import. Raises Refusal with all problems and their lines."""
    request = {"module": module, "tests": tests, "known": dict(known)}
    limits = {"cpu_ms": IMPORT_CPU_MS, "wall_ms": LONG_WALL_MS}
    response = _analyse("plan", request, owner=owner, field="module", **limits)
    return Plan(tuple(map(_planned, response["functions"])), tuple(response["notes"]))


def export_files(bundle: Bundle, *, owner: str) -> tuple[dict[str, str], str]:
    """Return a bundle as modules by path, and as a single file."""
    limits = {
        "cpu_ms": EXPORT_CPU_MS,
        "answer_bytes": MAX_EXPORT_BYTES,
        "wall_ms": LONG_WALL_MS,
    }
    response = _analyse("export", asdict(bundle), owner=owner, field="", **limits)
    return response["files"], response["single"]


def distribution_files(content: Mapping[str, Any], *, owner: str) -> dict[str, str]:
    """Return the files of a release by path; see `functions.export.distribution`."""
    limits = {"cpu_ms": EXPORT_CPU_MS, "answer_bytes": MAX_EXPORT_BYTES, "wall_ms": LONG_WALL_MS}
    found: dict[str, str] = _analyse("distribution", content, owner=owner, field="", **limits)
    return found


def read_literals(text: str, *, owner: str) -> Mapping[str, Any]:
    """Parse typed arguments; see `functions.source.literals`."""
    response: Mapping[str, Any] = _analyse(
        "literals", {"text": text}, owner=owner, field="args", cpu_ms=SHORT_CPU_MS
    )
    return response


def starter(signature: str, *, owner: str) -> list[str]:
    """Return how code for it may start; see `functions.source.signatures`."""
    return _list_of("starter", {"signature": signature}, owner=owner, field="signature")


def outline(code: str, name: str, *, owner: str) -> list[Mapping[str, Any]]:
    """Return the public methods of a class; see `functions.source.signatures`."""
    return _list_of("outline", {"code": code, "name": name}, owner=owner, field="code")


def _list_of(name: str, value: Any, *, owner: str, field: str) -> list[Any]:
    """Return the result of a short analysis; empty if it is refused."""
    try:
        return list(_analyse(name, value, owner=owner, field=field, cpu_ms=SHORT_CPU_MS))
    except Refusal:
        return []


def _planned(content: dict[str, Any]) -> PlannedFunction:
    tests = [PlannedTest(**test) for test in content["tests"]]
    return PlannedFunction(**{**content, "uses": tuple(content["uses"]), "tests": tests})


def _analyse(name: str, value: Any, *, owner: str, field: str, **limits: int) -> Any:
    try:
        answer = analyse(name, value, owner=owner, **limits)
    except AnalysisFailed as unanswered:
        code, message = _REFUSALS[unanswered.ended]
        raise Refusal(code, _(message), field=field) from unanswered
    except AnalysisBusy as busy:
        raise _refuse_for_now(own=busy.own) from busy
    except AnalysisUnavailable as away:
        message = _("Code can't be checked right now. Your text is kept; try again soon.")
        raise Unavailable("checks_away", message) from away
    if refused := answer.get("refused"):
        raise _read_refusal(refused)
    return answer["value"]


def _refuse_for_now(*, own: bool) -> Refusal:
    if own:
        message = _("Your other code is still being checked; wait for it to end.")
        return TooOften(message, retry_after_seconds=RETRY_SECONDS)
    message = _("Too much code is being checked at once. Your text is kept; try again.")
    return Unavailable("checks_busy", message)


def _read_refusal(content: dict[str, Any]) -> Refusal:
    """Return the refusal of a confined process, which speaks English."""
    kind = TooLarge if content.pop("is_too_large") else Refusal
    errors = [Complaint(**{**one, "message": _(one["message"])}) for one in content.pop("errors")]
    return kind(**{**content, "message": _(content["message"])}, errors=errors)
